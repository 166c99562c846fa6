import { quoted } from '../../../shared/schedule/refusal';
import { triggerText, type Trigger } from '../../../shared/schedule/trigger';
import type { WatchedTrigger } from '../../ports/triggers';
import type { ScheduleReads } from '../../ports/journal/schedule';
import { HoldfastError } from '../kernel/errors';

const input = (message: string): HoldfastError =>
  new HoldfastError('INPUT_INVALID', message, { hint: 'Nothing was changed.' });

/** What later events are compared with. @throws INPUT_INVALID if there is nothing to wait for */
export async function watchedState(
  deps: {
    readonly names: {
      readonly hasChannel: (name: string) => boolean;
      readonly stateOf: (trigger: WatchedTrigger, agent: string) => Promise<string | undefined>;
    };
    readonly reads: Pick<ScheduleReads, 'task'>;
  },
  trigger: Trigger,
  agent: string,
): Promise<{ readonly eventSeen?: string }> {
  if (trigger.on === 'task' && deps.reads.task(trigger.taskId) === undefined)
    throw input(`Task not found: ${String(trigger.taskId)}`);
  if (trigger.on === 'webhook' && !deps.names.hasChannel(trigger.channel))
    throw input(`There is no channel "${trigger.channel}".`);
  if (trigger.on !== 'file' && trigger.on !== 'git') return {};
  const eventSeen = await deps.names.stateOf(trigger, agent);
  if (eventSeen === undefined) throw input(`${quoted(triggerText(trigger))} cannot be read now.`);
  return { eventSeen };
}
