/**
 * Tasks that several computers have: each of their times is run once, by one of them. Pure. DW-24
 */
import type { TurnPlace } from '../../../shared/runs-on';
import { parseSchedule } from '../../../shared/schedule/grammar';
import type { Rule } from '../../../shared/schedule/states';
import type { TaskFacts, TaskRow } from '../../ports/journal/schedule';
import { HoldfastError } from '../kernel/errors';

type SharedFacts = Pick<TaskFacts, 'name' | 'agent' | 'isShared' | 'schedule'>;

/** The capability of a computer that has the task; a run needs it. */
export const taskNeed = (name: string): string => `task:${name}`;

/** One session on all computers. */
export const sharedTaskSession = (name: string): string => `shared-task ${name}`;

/** Makes a slot one turn, whichever computer decides it first. */
export const sharedSlot = (task: Pick<TaskFacts, 'name'>, slotMs: number) => ({
  messageId: `task ${task.name} ${String(slotMs)}`,
  needs: [taskNeed(task.name)],
});

/** The requested value, otherwise the previous one. */
export const sharedFact = (
  wanted: boolean | undefined,
  before: TaskRow | undefined,
): { readonly isShared?: true } =>
  (wanted ?? before?.isShared) === true ? { isShared: true } : {};

const refused = (message: string, hint: string): HoldfastError =>
  new HoldfastError('INPUT_INVALID', message, { hint: `Nothing was changed. ${hint}` });

/** @throws INPUT_INVALID for a task that cannot be the same on each computer */
export function needSharedTask(
  facts: SharedFacts,
  rule: Rule,
  given: {
    readonly id: number | undefined;
    readonly others: readonly Pick<TaskRow, 'id' | 'name'>[];
    /** Why turns of this agent cannot be shared. */
    readonly whyNot: (agent: string) => string | undefined;
    /** Where shared turns of this agent run. */
    readonly placeOf: (agent: string) => TurnPlace;
  },
): void {
  if (facts.isShared !== true) return;
  if (rule.kind === 'interval' || rule.kind === 'event')
    throw refused(
      'A shared task needs a time of day: intervals and events differ on each computer.',
      'Use a schedule such as "daily at 09:00".',
    );
  if (isFromNow(facts.schedule))
    throw refused(
      `A shared task needs a time that is the same on each computer: "${facts.schedule}" counts from the moment at which it is set.`,
      'Use a date and a time such as "2027-06-01T09:00", or "daily at 09:00".',
    );
  const same = given.others.find(({ id, name }) => name === facts.name && id !== given.id);
  if (same !== undefined)
    throw refused(
      `Task ${String(same.id)} is already a shared task with this name, and the name makes it one task on all computers.`,
      'Choose another name.',
    );
  const why = given.whyNot(facts.agent);
  if (why !== undefined) throw refused(why, 'See "holdfast share status".');
  if (given.placeOf(facts.agent).isWithFiles)
    throw refused(
      `Agent "${facts.agent}" moves its files with each shared turn (runs_on). A task cannot: it works in the folder of the agent on the computer that runs it.`,
      'Set another runs_on for the agent, or use another agent.',
    );
}

/** True for "in 30m", and for "daily" without a time of day. */
function isFromNow(schedule: string): boolean {
  const parsed = parseSchedule(schedule);
  if (!parsed.ok) return false;
  return parsed.kind === 'once' ? 'ms' in parsed : parsed.kind === 'daily' && !('cron' in parsed);
}
