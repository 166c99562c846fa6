import { spanText } from '../../../shared/durations';
import { ruleWords } from '../../../shared/schedule/words';
import type { TurnRow } from '../../ports/journal/rows';
import type { ScheduleReads, TaskRow } from '../../ports/journal/schedule';
import { toHoldfastError } from '../kernel/errors';
import { originOf } from './origin';
import type { Tasks } from './tasks';

const MOST = 200;
const SHOWN_PROMPT = 60;

/** True for a message that is answered here, whatever the conversation's agent. Pure. */
export const isTaskCommand = (text: string): boolean => /^\/tasks(?:\s|$)/.test(text.trimStart());

const USAGE =
  'Nothing was done. Say "/tasks due", "/tasks list", or /tasks add "daily at 09:00" and a prompt.';

interface ChatCommandDeps {
  readonly reads: ScheduleReads;
  readonly tasks: () => Pick<Tasks, 'add'>;
  readonly nowMs: () => number;
}

/**
 * Answers a message that starts with `/tasks` like the command line does, without a model.
 * Undefined for any other message. A task that it creates belongs to the user and answers where it
 * was requested; after a crash, repeating it gives the same task. S1-03, S1-34 @throws DISK_*
 */
export async function taskCommand(
  deps: ChatCommandDeps,
  text: string,
  turn: Pick<TurnRow, 'id' | 'agent' | 'channel' | 'peer'>,
): Promise<string | undefined> {
  const match = /^\/tasks(?:\s+([\s\S]*))?$/.exec(text.trim());
  if (match === null) return undefined;
  const { reads } = deps;
  const said = (match[1] ?? 'list').trim();
  const wish = readAdd(said);
  if (wish !== undefined) return add(deps, wish, turn);
  const nowMs = deps.nowMs();
  switch (said) {
    case 'due':
      return lines(
        reads.dueTasks(nowMs, MOST),
        (task) => `overdue ${spanText(Math.max(0, nowMs - (task.nextRunAtMs ?? nowMs)))}`,
        'No overdue tasks.',
      );
    case 'list':
    case '':
      return lines(reads.tasks({ isOpen: true, limit: MOST }), nextOf, 'No tasks yet.');
    default:
      return USAGE;
  }
}

/** `add "SCHEDULE" PROMPT`; typographic quotes, as phones type them, count too. */
function readAdd(said: string): { readonly schedule: string; readonly prompt: string } | undefined {
  const found = /^add\s+["“”„']([^"“”„']*)["“”']\s*([\s\S]*)$/.exec(said);
  const [, schedule = '', prompt = ''] = found ?? [];
  return prompt === '' ? undefined : { schedule, prompt };
}

async function add(
  deps: ChatCommandDeps,
  wish: { readonly schedule: string; readonly prompt: string },
  turn: Pick<TurnRow, 'id' | 'agent' | 'channel' | 'peer'>,
): Promise<string> {
  const { agent } = turn;
  const origin = originOf(turn);
  const author = { by: 'user', key: `message-${String(turn.id)}` } as const;
  try {
    const task = await deps.tasks().add({ ...wish, ...origin, agent }, author);
    const next = nextOf(task);
    return `Task ${String(task.id)} was created, ${next}, ${ruleWords(task.rule, task.zone)}: ${shortPrompt(task)}`;
  } catch (error) {
    const known = toHoldfastError(error);
    if (known.code.startsWith('DISK_') || known.code === 'INTERNAL') throw error;
    return `${known.message} ${known.hint ?? ''}`.trim();
  }
}

const shortPrompt = (task: TaskRow): string =>
  task.prompt.replace(/\s+/g, ' ').trim().slice(0, SHOWN_PROMPT);

const nextOf = (task: TaskRow): string =>
  task.state === 'active' && task.nextRunAtMs !== undefined
    ? `next ${new Date(task.nextRunAtMs).toISOString()}`
    : task.state;

function lines(tasks: readonly TaskRow[], when: (task: TaskRow) => string, none: string): string {
  const line = (task: TaskRow): string =>
    `Task ${String(task.id)}, ${when(task)}, ${ruleWords(task.rule, task.zone)}: ${shortPrompt(task)}`;
  return tasks.map(line).join('\n') || none;
}
