/** `holdfast events status|publish` and `dlq list|replay|purge`. S2-36, S2-+01, S2-+02 */
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { VerbOutput } from '../../../shared/contract';
import type { DeadReason, QueueStatus } from '../../../shared/types/delivery';
import { MAX_EVENT_BYTES } from '../../../shared/states';
import { parseDuration } from '../../../shared/durations';
import { invalidInput } from '../../engine/kernel/errors';
import type { Program, Run } from '../command';
import {
  asks,
  calls,
  groupOf,
  optional,
  shows,
  where,
  wholeNumber,
  withOldNames,
  yesOption,
} from '../command';
import { confirm, readAll } from '../input';
import { countText, facts, ifKnown, inertLine } from '../render';

/** The same number that the documents name. */
const LIST_LIMIT = 1_000;

const BROKER_WORDS: Readonly<Record<QueueStatus['broker'], string>> = {
  local: 'none: events stay in Holdfast and its audit log',
  connecting: 'connecting',
  connected: 'connected',
  down: 'unreachable',
};

const REASON_WORDS: Readonly<Record<DeadReason, string>> = {
  refused: 'rejected by the broker',
  shed: 'dropped: queue full',
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
    status.oldestAtMs === undefined ? '' : `, the oldest since ${run.when(status.oldestAtMs)}`;
  return facts([
    ['Broker', broker],
    ['', ifKnown(status.problem, inertLine)],
    ['Queued', `${String(status.depth)} of ${String(status.maxPending)}${oldest}`],
    [
      'Slowed',
      status.slowdownMs === 0 ? undefined : `each publisher by ${String(status.slowdownMs)} ms`,
    ],
    ['Dead letters', String(status.deadLetters)],
    [
      'Dropped',
      shed.summarised === 0
        ? String(shed.total)
        : `${String(shed.total)}, ${String(shed.summarised)} of them no longer listed`,
    ],
    ['Failed to save', status.refused === 0 ? undefined : String(status.refused)],
  ]);
}

function lettersText(value: VerbOutput<'dlq.list'>, run: Run): string {
  const shown = run.table(
    ['ID', 'TOPIC', 'FAILED', 'REASON'],
    value.letters.map((letter) => [
      inertLine(letter.id),
      inertLine(letter.topic),
      run.when(letter.failedAtMs),
      letter.reason === 'refused'
        ? `${REASON_WORDS.refused}, ${countText(letter.attempts, 'attempt')}: ${inertLine(letter.detail)}`
        : REASON_WORDS[letter.reason],
    ]),
  );
  if (shown === '') return 'No dead letters.';
  const last = value.letters.at(-1);
  if (!value.hasMore || last === undefined) return shown;
  const more = value.total - value.letters.length;
  return `${shown}\n${String(more)} more; for older ones: holdfast dlq list --cursor ${inertLine(last.id)}`;
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
    throw invalidInput('Specify an ID, --topic or --all, only one of them.');
  }
  return { ...(id === '' ? {} : { id }), ...where('topic', topic), ...(all ? { all } : {}) };
}

/** Added to the group `events`. */
export function addPublishing(root: Command, program: Program): void {
  const events = groupOf(root, 'events');
  asks(
    program,
    events.command('status').description('Show the event broker and the queue of events to it'),
    'read',
    shows('queue.status', statusText),
  );
  asks(
    program,
    events
      .command('publish')
      .description('Publish an event; it is acknowledged or queued when this returns')
      .argument('<topic>', 'Topic, such as orders.paid')
      .argument('<json>', 'JSON payload, or - to read standard input')
      .option('--id <id>', 'Event ID; publishing it again has no effect'),
    'running',
    async (engine, run, topic = '', json = '') => {
      const payload = json === '-' ? await readAll(run.io, 2 * MAX_EVENT_BYTES) : json;
      const value = await engine.call('events.publish', {
        topic,
        payload,
        ...where('id', optional<string>(run, 'id')),
      });
      const words = {
        confirmed: 'acknowledged by the broker',
        queued: 'queued until the broker is back',
        local: 'published inside Holdfast (no broker configured)',
      }[value.state];
      const twice = value.isDuplicate ? ' It was published before and counts once.' : '';
      return { value, text: `${inertLine(value.id)}: ${words}.${twice}` };
    },
  );
}

export function addLetters(root: Command, program: Program): void {
  const dlq = root
    .command('dlq')
    .description('List, replay and purge dead letters (undelivered events)');
  asks(
    program,
    withOldNames(
      dlq
        .command('list')
        .description('List dead letters, newest first')
        .option('--topic <topic>', 'Only this topic')
        .option('--limit <count>', 'Maximum number of results (default 1000)', wholeNumber),
      new Option('--cursor <id>', 'Only dead letters older than this one'),
      '--before <id>',
    ),
    'read',
    calls(
      'dlq.list',
      (run) => ({
        limit: optional<number>(run, 'limit') ?? LIST_LIMIT,
        ...where('topic', optional<string>(run, 'topic')),
        ...where('beforeId', optional<string>(run, 'cursor')),
      }),
      lettersText,
    ),
  );
  asks(
    program,
    dlq
      .command('replay')
      .description('Queue dead letters again, with their attempts reset')
      .argument('[id]', 'Event ID')
      .option('--topic <topic>', 'All dead letters of this topic')
      .option('--all', 'All dead letters'),
    'decide',
    async (engine, run, id = '') => {
      const value = await engine.call('dlq.replay', choice(run, id));
      const when = engine.isRunning ? '' : ' They are sent when Holdfast runs.';
      const text =
        value.replayed === 0
          ? 'No matching dead letters. Nothing was changed.'
          : `${countText(value.replayed, 'event')} queued again.${when}`;
      return { value, text };
    },
  );
  asks(
    program,
    dlq
      .command('purge')
      .description('Permanently delete dead letters (specify ID, --topic, --older-than or --all)')
      .argument('[id]', 'Event ID')
      .option('--topic <topic>', 'All dead letters of this topic')
      .option(
        '--older-than <age>',
        'Only those that failed at least this long ago, such as 7d',
        age,
      )
      .option('--all', 'All dead letters')
      .addOption(yesOption()),
    'decide',
    async (engine, run, id = '') => {
      const chosen = choice(run, id);
      const olderThanMs = optional<number>(run, 'olderThan');
      if (chosen.id === undefined && chosen.topic === undefined && chosen.all !== true)
        if (olderThanMs === undefined)
          throw invalidInput(
            'Specify an ID, --topic, --older-than or --all.',
            'Nothing was deleted. List them: holdfast dlq list',
          );
      await confirm(
        run.io,
        optional<boolean>(run, 'yes') === true,
        "This permanently deletes dead letters. They can't be sent again.",
        {
          message: 'Not confirmed. Nothing was deleted.',
          hint: 'To delete without a question, add --yes',
        },
      );
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
            ? 'No matching dead letters. Nothing was deleted.'
            : `${countText(value.purged, 'dead letter')} deleted.`,
      };
    },
  );
}
