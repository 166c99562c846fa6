/** `holdfast session create|list|status|events|interrupt|adopt|open-in-terminal` */
import type { Command } from 'commander';
import type { VerbOutput } from '../../../shared/contract';
import type { SessionEvent } from '../../../shared/types';
import type { Program, Run } from '../command';
import { asks, optional, where, wholeNumber, list } from '../command';
import { followEngine } from '../follow-engine';
import type { Reach } from '../reach';
import { countText, facts, inertLine, whenText, inert, spanText } from '../render';
import { addSessionAnswers } from './decisions';
import { turnsTable } from './turn-text';
import { quoted } from '../../../shared/shell-quoted';
import type { SessionStatus, ActivationEvent } from '../../../shared/types/work';
import type { ActivationKind } from '../../../shared/activations';
import { ACTIVATION_KINDS } from '../../../shared/activations';
import { HoldfastError } from '../../engine/kernel/errors';

const eventRow = (event: SessionEvent, run: Run): string[] => [
  String(event.seq),
  whenText(event.atMs, run.nowMs),
  event.isPending ? 'pending' : 'processed',
  event.type,
  inertLine(
    [event.tool ?? '', event.stepState ?? '', event.text].filter((part) => part !== '').join('  '),
  ),
];

const environmentText = (it: VerbOutput<'session.status'>['environment']): string =>
  it === null
    ? 'none: its agent is not there any more'
    : inertLine([it.executor, it.provider, it.model, it.workspace].filter(Boolean).join('  '));

/** Prints new events until the command is ended. */
function watch(first: Reach, run: Run, session: string, fromSeq: number): Promise<void> {
  let lastSeq = fromSeq;
  return followEngine(first, run, async (engine) => {
    const { events } = await engine.call('session.events', { session, limit: 1000 });
    // One journal entry may yield several events.
    const fresh = events.filter((event) => event.seq > lastSeq);
    lastSeq = fresh.at(-1)?.seq ?? lastSeq;
    for (const event of fresh) {
      run.emit(event, eventRow(event, run).join('  '));
    }
    return false;
  });
}

export function addSessions(root: Command, program: Program): void {
  const session = root.command('session').description('Sessions: conversations with an agent');
  addSessionAnswers(session, program);
  addAdoption(session, program);

  asks(
    program,
    session
      .command('create')
      .description('start a session with an agent')
      .requiredOption('--agent <agent>', 'who answers')
      .option('--key <key>', 'name to use in commands')
      .option('--title <title>', 'title in the window')
      .option('--parent <session>', 'the session that it is begun in'),
    'running',
    async (engine, run) => {
      const value = await engine.call('session.create', {
        agent: String(run.options['agent']),
        ...where('key', optional<string>(run, 'key')),
        ...where('title', optional<string>(run, 'title')),
        ...where('parent', optional<string>(run, 'parent')),
      });
      return { value, text: `Session ${inertLine(value.key)} with ${inertLine(value.agent)}` };
    },
  );

  asks(
    program,
    session
      .command('list')
      .description('the last used first')
      .option('--limit <n>', 'at most this many (default 50)', wholeNumber),
    'read',
    async (engine, run) => {
      const value = await engine.call('sessions.list', {
        limit: optional<number>(run, 'limit') ?? 50,
      });
      const rows = value.sessions.map((one) => [
        inertLine(one.key),
        one.status.replaceAll('_', ' '),
        inertLine(one.agent),
        String(one.turns),
        whenText(one.lastEventAtMs, run.nowMs),
        inertLine(one.title),
      ]);
      return {
        value,
        text:
          run.table(['SESSION', 'STATUS', 'AGENT', 'TURNS', 'LAST', 'TITLE'], rows) ||
          'No sessions.',
      };
    },
  );

  asks(
    program,
    session
      .command('status')
      .description('one session and its open turns')
      .argument('<session>', 'key or number'),
    'read',
    async (engine, run, name) => {
      const value = await engine.call('session.status', { session: name });
      const one = value.session;
      const text = facts([
        ['session', inertLine(one.key)],
        ['title', inertLine(one.title)],
        ['agent', inertLine(one.agent)],
        ['environment', environmentText(value.environment)],
        ...(one.parent === undefined ? [] : [['begun in', inertLine(one.parent)] as const]),
        ['status', one.status.replaceAll('_', ' ')],
        ...(value.outcome === null ? [] : [['to reach', inertLine(value.outcome)] as const]),
        ['stop reason', inertLine(one.stopReason) || '-'],
        ['turns', String(one.turns)],
        ['pending', countText(one.pendingEvents, 'event')],
        ['last event', whenText(one.lastEventAtMs, run.nowMs)],
      ]);
      const open = turnsTable(value.openTurns, run);
      return {
        value,
        text: [text, ...statusBlocks(value, run), open].filter(Boolean).join('\n\n'),
      };
    },
  );

  asks(
    program,
    session
      .command('events')
      .description('the event log, oldest first')
      .argument('<session>', 'key or number')
      .option('--limit <n>', 'the last n (default 100)', wholeNumber)
      .option('--watch', 'go on with new events'),
    'read',
    async (engine, run, name) => {
      const value: VerbOutput<'session.events'> = await engine.call('session.events', {
        session: name,
        limit: optional<number>(run, 'limit') ?? 100,
      });
      const rows = value.events.map((event) => eventRow(event, run));
      const text = run.table(['SEQ', 'WHEN', 'STATE', 'TYPE', 'WHAT'], rows) || 'No events.';
      if (optional<boolean>(run, 'watch') !== true || !engine.isRunning) return { value, text };
      if (run.isJson) for (const event of value.events) run.emit(event, '');
      else run.emit(value, text);
      await watch(engine, run, name, value.events.at(-1)?.seq ?? 0);
      return { value: undefined, text: '' };
    },
  );

  asks(
    program,
    session
      .command('define-outcome')
      .description('say what a session is to reach; its agent works on it now')
      .argument('<session>', 'key or number')
      .requiredOption('--outcome <text>', 'what it is to reach'),
    'running',
    async (engine, run, name) => {
      const value = await engine.call('session.defineOutcome', {
        session: name,
        outcome: String(run.options['outcome']),
      });
      return { value, text: `Defined: turn ${String(value.turnId)} works on it.` };
    },
  );

  asks(
    program,
    session
      .command('interrupt')
      .description('stop the turn of a session; with a note, go on with that')
      .argument('<session>', 'key or number')
      .option('--note <text>', 'what to do instead'),
    'running',
    async (engine, run, name) => {
      const value = await engine.call('session.interrupt', {
        session: name,
        ...where('note', optional<string>(run, 'note')),
      });
      return {
        value,
        text:
          value.cancelled.length === 0
            ? 'Nothing was running.'
            : `Stopped: turn ${value.cancelled.join(', ')}`,
      };
    },
  );
}

// `holdfast session adopt|open-in-terminal`: a conversation is active in one place at a time.

/** The agent may have to be started, and to read a long conversation. */
const ASK_MS = 200_000;

function addAdoption(session: Command, program: Program): void {
  asks(
    program,
    session
      .command('adopt')
      .description('go on here with a conversation from a terminal; without --id: which there are')
      .argument('<agent>', 'who goes on with it')
      .option('--id <ref>', "the program's own number of the conversation")
      .option('--session <key>', 'name of the new session'),
    'running',
    async (engine, run, agent) => {
      const value = await engine.call(
        'session.adopt',
        {
          agent,
          ...where('ref', optional<string>(run, 'id')),
          ...where('key', optional<string>(run, 'session')),
        },
        ASK_MS,
      );
      if (value.session !== undefined) {
        const key = inertLine(value.session.key);
        return {
          value,
          text: `Session ${key} goes on with it: holdfast send --session ${key} "..."`,
        };
      }
      const rows = value.conversations.map((one) => [
        inertLine(one.ref),
        one.lastUsedAtMs === undefined ? '-' : whenText(one.lastUsedAtMs, run.nowMs),
        inertLine(one.session ?? '') || '-',
        inertLine(one.folder),
        inertLine(one.firstWords),
      ]);
      const table = run.table(['ID', 'LAST', 'SESSION', 'FOLDER', 'BEGINS WITH'], rows);
      return { value, text: [table, inertLine(value.note)].filter(Boolean).join('\n') };
    },
  );

  asks(
    program,
    session
      .command('open-in-terminal')
      .description('hand the conversation of a session back: prints the command that opens it')
      .argument('<session>', 'key or number'),
    'running',
    async (engine, run, name) => {
      const value = await engine.call('session.handBack', { session: name });
      if (!run.isJson) {
        run.note(
          `Turns of this session wait until you take it over again: holdfast session adopt ${quoted(inertLine(value.agent))} --id ${quoted(inertLine(value.ref))}`,
        );
      }
      return { value, text: inertLine(value.command) };
    },
  );
}

// The seven things to see about a session, as text. S3-30

const at = (iso: string | null, run: Run): string => {
  if (iso === null) return '-';
  const ms = Date.parse(iso);
  return ms > run.nowMs ? `in ${spanText(ms - run.nowMs)} (${iso})` : whenText(ms, run.nowMs);
};

/** Blocks below the session's facts; an empty block is one line. */
function statusBlocks(status: SessionStatus, run: Run): readonly string[] {
  const { retryPosture: retry, activeLease: lease, resilience } = status;
  const rows: [string, string][] = [
    [
      'retries',
      retry.isRetrying
        ? `${String(retry.streak)} in a row, again ${at(retry.nextRetryAt, run)}: ${inertLine(retry.lastError ?? '')}`
        : retry.streak > 0
          ? `${String(retry.streak)} in a row, now: ${inertLine(retry.lastError ?? '')}`
          : 'none',
    ],
    [
      'policy',
      `first wait ${spanText(resilience.requeueDelayMs)}, at most ${spanText(resilience.requeueMaxDelayMs)}, parked after ${String(resilience.maxRequeues)}; lease renewed every ${spanText(resilience.leaseRenewMs)}, stale after ${spanText(resilience.leaseStaleMs)}`,
    ],
    ['requests', status.pendingRequests.length === 0 ? 'none wait' : 'see below'],
    [
      'wakes',
      status.queuedWakeBacklog.length === 0
        ? 'none queued'
        : `${String(status.queuedWakeBacklog.length)}, next ${at(status.nextQueuedWakeAt, run)}`,
    ],
    [
      'worker',
      lease === null
        ? 'nobody'
        : `${inertLine(lease.owner)} on turn ${String(lease.turnId)}, since ${at(lease.acquiredAt, run)}${lease.isAlive ? '' : '; its process is gone, the next start takes over at once'}`,
    ],
    [
      'last outcome',
      status.latestOutcome === null
        ? '-'
        : activationRow(status.latestOutcome, run).slice(1).join('  '),
    ],
    [
      'drafts',
      status.stagedDrafts.count === 0
        ? 'none'
        : status.stagedDrafts.drafts
            .map((draft) => `${inertLine(draft.path)} (${inertLine(draft.status)})`)
            .join(', '),
    ],
  ];
  const requests = status.pendingRequests.map((request) =>
    [
      `Request ${String(request.requestId)}: ${inertLine(request.tool)}, ${inertLine(request.reason)}`,
      ...inert(request.input)
        .split('\n')
        .map((line) => `  ${line}`),
      ...request.answerWith.map((line) => `  ${inertLine(line)}`),
    ].join('\n'),
  );
  const wakes = run.table(
    ['WAKE DUE', 'KEY', 'BY', 'NOTE'],
    status.queuedWakeBacklog.map((wake) => [
      wake.dueAt,
      inertLine(wake.dedupeKey).slice(0, 40),
      inertLine(wake.queuedBy),
      inertLine(wake.note),
    ]),
  );
  const history = run.table(
    ['SEQ', 'WHEN', 'KIND', 'SESSION', 'TURN', 'WOKEN BY', 'CLAIM', 'WHY'],
    status.claimHistory.map((event) => activationRow(event, run)),
  );
  return [facts(rows), ...requests, wakes, history].filter((block) => block !== '');
}

// `holdfast activations events`, and the text of one activity.

/** @throws INPUT_INVALID with the names that are accepted. S3-33 */
function kindList(words: readonly string[]): ActivationKind[] {
  return (words.length === 0 ? [''] : words).map((word) => {
    const known = ACTIVATION_KINDS.find((kind) => kind === word);
    if (known !== undefined) return known;
    throw new HoldfastError('INPUT_INVALID', `There is no kind "${word.slice(0, 40)}".`, {
      hint: `Accepted, separated by commas: ${ACTIVATION_KINDS.join(', ')}.`,
    });
  });
}

/** Why it is so, in one line. */
function whyOf(event: ActivationEvent): string {
  const parts = [
    event.stopReason,
    event.blockedReason,
    event.abandonReason,
    event.errorMessage,
    event.immediateRetryAt === undefined ? undefined : `again at ${event.immediateRetryAt}`,
    event.reason,
  ];
  return [...new Set(parts.filter((part) => part !== undefined && part !== ''))].join(', ');
}

/** One row of the list. */
export function activationRow(event: ActivationEvent, run: Run): string[] {
  return [
    String(event.seq),
    whenText(Date.parse(event.createdAt), run.nowMs),
    event.kind,
    inertLine(event.session),
    event.turnId === undefined ? '-' : String(event.turnId),
    event.activationKind,
    inertLine(event.claimId ?? '-').slice(0, 13),
    inertLine(whyOf(event)),
  ];
}

/** A block of one activity, as the orchestrator prints it. S3-34 */
export function activationBlock(event: ActivationEvent): string {
  const rows: [string, string][] = [
    ['session', inertLine(event.session)],
    ['agent', inertLine(event.agentId)],
    ...(event.turnId === undefined
      ? []
      : ([['turn', `${String(event.turnId)}, run ${String(event.attempt)}`]] as [
          string,
          string,
        ][])),
    ['woken by', `${event.activationKind}, ${event.priority}`],
  ];
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') rows.push([name, inertLine(value)]);
  };
  add('claim', event.claimId);
  add('worker', event.leaseOwner);
  add('note', event.note);
  add('why', whyOf(event));
  return `${event.createdAt} ${event.kind}\n${facts(rows)}`;
}

/** Entries of one look. */
const PAGE = 1000;

/** The query without its paging. */
interface Wanted {
  readonly session?: string;
  readonly claimId?: string;
  readonly kinds?: ActivationKind[];
}

/** Prints new entries until the command is ended. */
function watchActivations(first: Reach, run: Run, wanted: Wanted, fromSeq: number): Promise<void> {
  let afterSeq = fromSeq;
  return followEngine(first, run, async (engine) => {
    const { events } = await engine.call('activations.events', {
      ...wanted,
      afterSeq,
      limit: PAGE,
    });
    for (const event of events) {
      afterSeq = event.seq;
      run.emit(event, activationRow(event, run).join('  '));
    }
    return events.length === PAGE;
  });
}

export function addActivations(root: Command, program: Program): void {
  const activations = root
    .command('activations')
    .description('Wakes of sessions: who ran what, and how it ended');

  asks(
    program,
    activations
      .command('events')
      .description('the history, oldest first: ready, leased, blocked, acked, requeued, abandoned')
      .option('--session <session>', 'only of this session')
      .option('--claim <claim>', 'only of this claim')
      .option('--kind <kinds>', 'only these, separated by commas', list)
      .option('--limit <n>', 'the last n (default 50)', wholeNumber)
      .option('--watch', 'go on with new ones'),
    'read',
    async (engine, run) => {
      const kinds = optional<string[]>(run, 'kind');
      const wanted: Wanted = {
        ...where('session', optional<string>(run, 'session')),
        ...where('claimId', optional<string>(run, 'claim')),
        ...where('kinds', kinds === undefined ? undefined : kindList(kinds)),
      };
      const value = await engine.call('activations.events', {
        ...wanted,
        limit: optional<number>(run, 'limit') ?? 50,
      });
      const rows = value.events.map((event) => activationRow(event, run));
      const head = ['SEQ', 'WHEN', 'KIND', 'SESSION', 'TURN', 'WOKEN BY', 'CLAIM', 'WHY'];
      const text = run.table(head, rows) || 'No activations.';
      if (optional<boolean>(run, 'watch') !== true || !engine.isRunning) return { value, text };
      if (run.isJson) for (const event of value.events) run.emit(event, '');
      else run.emit(value, text);
      await watchActivations(engine, run, wanted, value.events.at(-1)?.seq ?? 0);
      return { value: undefined, text: '' };
    },
  );
}
