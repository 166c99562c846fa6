import { quoted } from '../../../shared/schedule/refusal';
import { triggerText, type Trigger } from '../../../shared/schedule/trigger';
import type { Rule } from '../../../shared/schedule/states';
import type { WatchedTrigger } from '../../ports/triggers';
import type { ScheduleReads } from '../../ports/journal/schedule';
import { HoldfastError } from '../kernel/errors';

const input = (message: string): HoldfastError =>
  new HoldfastError('INPUT_INVALID', message, { hint: 'Nothing was changed.' });

/** Tasks that start each other would never stop, and each run costs money. GT-02 */
function startsItself(
  reads: Pick<ScheduleReads, 'task'>,
  trigger: Trigger,
  self: number | undefined,
): boolean {
  const seen = new Set<number>();
  let at: Trigger | undefined = trigger;
  while (at?.on === 'task' && !seen.has(at.taskId)) {
    if (at.taskId === self) return true;
    seen.add(at.taskId);
    const rule: Rule | undefined = reads.task(at.taskId)?.rule;
    at = rule?.kind === 'event' ? rule.trigger : undefined;
  }
  return false;
}

/**
 * The state that later events are compared with. @throws INPUT_INVALID if there is nothing to wait
 * for
 */
export async function watchedState(
  deps: {
    readonly names: {
      readonly hasChannel: (name: string) => boolean;
      readonly hasBroker: () => boolean;
      readonly stateOf: (trigger: WatchedTrigger, agent: string) => Promise<string | undefined>;
    };
    readonly reads: Pick<ScheduleReads, 'task'>;
  },
  trigger: Trigger,
  { agent, self }: { readonly agent: string; readonly self: number | undefined },
): Promise<{ readonly eventSeen?: string }> {
  if (trigger.on === 'task' && deps.reads.task(trigger.taskId) === undefined)
    throw input(`Task not found: ${String(trigger.taskId)}`);
  if (startsItself(deps.reads, trigger, self))
    throw input('A task cannot be started by its own end, nor by a task that it starts.');
  if (trigger.on === 'webhook' && !deps.names.hasChannel(trigger.channel))
    throw input(`There is no channel "${trigger.channel}".`);
  if (trigger.on === 'nats' && !deps.names.hasBroker())
    throw input('Set nats.url first: messages are taken from there.');
  if (trigger.on !== 'file' && trigger.on !== 'git') return {};
  const eventSeen = await deps.names.stateOf(trigger, agent);
  if (eventSeen === undefined) throw input(`${quoted(triggerText(trigger))} cannot be read now.`);
  return { eventSeen };
}
