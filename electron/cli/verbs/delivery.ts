/** `holdfast queue status`, `dlq list|replay|purge`, `events publish`. S2-36, S2-+01, S2-+02 */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { VerbOutput } from '../../../shared/contract';
import type { DeadReason, QueueStatus } from '../../../shared/types/delivery';
import { MAX_EVENT_BYTES } from '../../../shared/states';
import { parseDuration } from '../../../shared/durations';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Program, Run } from '../command';
import { asks, optional, where, wholeNumber } from '../command';
import { readAll, readLine } from '../input';
import { countText, facts, inertLine, whenText } from '../render';

/** As many as the documents list at once. */
const LIST_LIMIT = 1_000;
/** A pipe that stays silent this long gives no answer. */
const PIPED_ANSWER_MS = 5_000;

const BROKER_WORDS: Readonly<Record<QueueStatus['broker'], string>> = {
  local: 'none: events stay inside Holdfast and its audit',
  connecting: 'connecting',
  connected: 'connected',
  down: 'not reachable',
};

const REASON_WORDS: Readonly<Record<DeadReason, string>> = {
  refused: 'refused by the broker',
  shed: 'shed: the queue was full',
  unreadable: 'unreadable on disk',
  too_large: 'too large for the broker',
};

function statusText(status: QueueStatus, run: Run): string {
  const { shed } = status;
  const broker =
    status.server === undefined
      ? BROKER_WORDS[status.broker]
      : `${inertLine(status.server)}, ${BROKER_WORDS[status.broker]}`;
  const oldest =
    status.oldestAtMs === undefined
      ? ''
      : `, the oldest since ${whenText(status.oldestAtMs, run.nowMs)}`;
  return facts([
    ['Broker', broker],
    ...(status.problem === undefined ? [] : [['', inertLine(status.problem)] as const]),
    ['Waiting', `${String(status.depth)} of ${String(status.maxPending)}${oldest}`],
    ...(status.slowdownMs === 0
      ? []
      : [['Slowed', `each producer by ${String(status.slowdownMs)} ms`] as const]),
    ['Dead letters', String(status.deadLetters)],
    [
      'Shed',
      shed.summarised === 0
        ? String(shed.total)
        : `${String(shed.total)}, ${String(shed.summarised)} of them only as a number`,
    ],
    ...(status.refused === 0 ? [] : [['Refused by the disk', String(status.refused)] as const]),
  ]);
}

/** `2026-05-01 14:02:03`, in UTC. */
const timeText = (atMs: number): string =>
  new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');

function lettersText(value: VerbOutput<'dlq.list'>, run: Run): string {
  const shown = run.table(
    ['ID', 'TOPIC', 'FAILED (UTC)', 'REASON'],
    value.letters.map((letter) => [
      inertLine(letter.id),
      inertLine(letter.topic),
      timeText(letter.failedAtMs),
      letter.reason === 'refused'
        ? `${REASON_WORDS.refused}, ${countText(letter.attempts, 'attempt')}: ${inertLine(letter.detail)}`
        : REASON_WORDS[letter.reason],
    ]),
  );
  if (shown === '') return 'No dead letters.';
  const last = value.letters.at(-1);
  if (!value.hasMore || last === undefined) return shown;
  const more = value.total - value.letters.length;
  return `${shown}\n${String(more)} more; older ones: holdfast dlq list --before ${inertLine(last.id)}`;
}

function age(text: string): number {
  const parsed = parseDuration(text);
  if (!parsed.ok) throw new InvalidArgumentError(parsed.reason);
  return parsed.ms;
}

/** The selected events: exactly one way to select them. @throws INPUT_INVALID */
function choice(run: Run, id: string): { id?: string; topic?: string; all?: boolean } {
  const topic = optional<string>(run, 'topic');
  const all = run.options['all'] === true;
  const ways = [id !== '', topic !== undefined, all].filter(Boolean).length;
  if (ways > 1) {
    throw new HoldfastError('INPUT_INVALID', 'Name an id, or --topic, or --all; not several.', {
      hint: 'Nothing was changed.',
    });
  }
  return { ...(id === '' ? {} : { id }), ...where('topic', topic), ...(all ? { all } : {}) };
}

/** Asks a user at a terminal; any other caller must pass --yes. @throws CONFIRMATION_NEEDED */
async function confirm(run: Run, question: string): Promise<void> {
  if (run.options['yes'] === true) return;
  const isTTY = run.io.stdin.isTTY === true;
  if (isTTY) run.io.stderr.write(`${question}\nType yes to go on: `);
  const answer = await readLine(run.io, isTTY ? undefined : PIPED_ANSWER_MS);
  if (answer?.trim() === 'yes') return;
  throw new HoldfastError('CONFIRMATION_NEEDED', 'Not confirmed. Nothing was deleted.', {
    hint: 'To delete without a question, add --yes',
  });
}

export function addDelivery(root: Command, program: Program): void {
  const queue = root.command('queue').description('Events on their way to the broker');
  asks(
    program,
    queue.command('status').description('where events go, how many wait, what was shed'),
    'read',
    async (engine, run) => {
      const value = await engine.call('queue.status', {});
      return { value, text: statusText(value, run) };
    },
  );
  addLetters(root, program);
  const events = root.commands.find((command) => command.name() === 'events');
  if (events === undefined) return;
  asks(
    program,
    events
      .command('publish')
      .description('publish an event: at the broker or on disk when this returns')
      .argument('<topic>', 'such as orders.paid')
      .argument('<json>', 'its payload, or - to read it from standard input')
      .option('--id <id>', 'stable id: the same one again is the same event'),
    'running',
    async (engine, run, topic = '', json = '') => {
      const payload = json === '-' ? await readAll(run.io, 2 * MAX_EVENT_BYTES) : json;
      const value = await engine.call('events.publish', {
        topic,
        payload,
        ...where('id', optional<string>(run, 'id')),
      });
      const words = {
        confirmed: 'at the broker',
        queued: 'on disk, goes when the broker is back',
        local: 'published inside Holdfast: no broker is configured',
      }[value.state];
      const twice = value.isDuplicate ? ' It was there already: it counts once.' : '';
      return { value, text: `${inertLine(value.id)}: ${words}.${twice}` };
    },
  );
}

function addLetters(root: Command, program: Program): void {
  const dlq = root.command('dlq').description('Dead letters: events that no broker took');
  asks(
    program,
    dlq
      .command('list')
      .description('dead letters, newest first')
      .option('--topic <topic>', 'only of this topic')
      .option('--before <id>', 'older than this one')
      .option('--limit <count>', 'at most so many (default: 1000)', wholeNumber),
    'read',
    async (engine, run) => {
      const value = await engine.call('dlq.list', {
        limit: optional<number>(run, 'limit') ?? LIST_LIMIT,
        ...where('topic', optional<string>(run, 'topic')),
        ...where('beforeId', optional<string>(run, 'before')),
      });
      return { value, text: lettersText(value, run) };
    },
  );
  asks(
    program,
    dlq
      .command('replay')
      .description('put dead letters back into the queue, with no attempts counted')
      .argument('[id]', 'which one')
      .option('--topic <topic>', 'all of this topic')
      .option('--all', 'all of them'),
    'decide',
    async (engine, run, id = '') => {
      const value = await engine.call('dlq.replay', choice(run, id));
      const when = engine.isRunning ? '' : ' They go out when Holdfast runs.';
      const text =
        value.replayed === 0
          ? 'No dead letters there. Nothing was changed.'
          : `${countText(value.replayed, 'event')} back in the queue.${when}`;
      return { value, text };
    },
  );
  asks(
    program,
    dlq
      .command('purge')
      .description('delete dead letters for good; all where nothing is named')
      .argument('[id]', 'which one')
      .option('--topic <topic>', 'all of this topic')
      .option('--older-than <age>', 'only those that failed so long ago, such as 7d', age)
      .option('--all', 'all of them')
      .option('--yes', 'without a question'),
    'decide',
    async (engine, run, id = '') => {
      const chosen = choice(run, id);
      const olderThanMs = optional<number>(run, 'olderThan');
      await confirm(run, 'This deletes dead letters for good: they cannot be sent any more.');
      const value = await engine.call('dlq.purge', {
        ...chosen,
        ...(olderThanMs === undefined
          ? { all: chosen.id === undefined && chosen.topic === undefined }
          : { olderThanMs }),
      });
      return {
        value,
        text:
          value.purged === 0
            ? 'No dead letters there. Nothing was deleted.'
            : `${countText(value.purged, 'dead letter')} deleted.`,
      };
    },
  );
}
