/** `holdfast sessions create|list|status|events|interrupt|set-goal|attach|detach` */
import { type Command, Option } from 'commander';
import type { VerbOutput } from '../../../shared/contract';
import type { SessionEvent } from '../../../shared/types';
import type { Program, Run } from '../command';
import { asks, calls, optional, where, wholeNumber, withOldNames } from '../command';
import { activationRow } from './activity';
import { followEngine } from '../follow-engine';
import type { Reach } from '../reach';
import { countText, facts, ifKnown, indented, inertLine, joinParts, spanText } from '../render';
import { addSessionAnswers } from './approvals';
import { addSessionEdits } from './session-edits';
import { FIRST_PROMPT, sessionWord, turnsTable } from './turn-text';
import { quoted } from '../../../shared/shell-quoted';
import type { SessionStatus } from '../../../shared/types/work';
import { invalidInput } from '../../engine/kernel/errors';

const eventRow = (event: SessionEvent, run: Run): string[] => [
  String(event.seq),
  run.when(event.atMs),
  event.isPending ? 'pending' : 'processed',
  event.type,
  inertLine(joinParts([event.tool, event.stepState, event.text], '  ')),
];

const environmentText = (it: VerbOutput<'session.status'>['environment']): string =>
  it === null
    ? 'none: its agent no longer exists'
    : inertLine(joinParts([it.executor, it.provider, it.model, it.workspace], '  '));

function statusText(value: VerbOutput<'session.status'>, run: Run): string {
  const one = value.session;
  const text = facts([
    ['session', inertLine(one.key)],
    ['title', inertLine(one.title)],
    ['agent', inertLine(run.agentName(one.agent))],
    ['environment', environmentText(value.environment)],
    ['parent', ifKnown(one.parent, inertLine)],
    ['status', sessionWord(one.status)],
    ['goal', ifKnown(value.outcome ?? undefined, inertLine)],
    ['stop reason', inertLine(one.stopReason) || '-'],
    ['turns', String(one.turns)],
    ['pending', countText(one.pendingEvents, 'event')],
    ['last event', run.when(one.lastEventAtMs)],
  ]);
  const open = turnsTable(value.openTurns, run);
  return joinParts([text, ...statusBlocks(value, run), open], '\n\n');
}

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
  const session = root
    .command('sessions')
    .description('List, create, follow and steer sessions with agents');
  addSessionAnswers(session, program);
  addAdoption(session, program);

  asks(
    program,
    session
      .command('create')
      .description('Create a session with an agent')
      .requiredOption('--agent <agent>', 'Agent name')
      .option('--key <key>', 'Session name for commands')
      .option('--title <title>', 'Title in the window')
      .option('--parent <session>', 'Parent session'),
    'running',
    calls(
      'session.create',
      (run) => ({
        agent: String(run.options['agent']),
        ...where('key', optional<string>(run, 'key')),
        ...where('title', optional<string>(run, 'title')),
        ...where('parent', optional<string>(run, 'parent')),
      }),
      ({ key, agent }, run) => `Session ${inertLine(key)} with ${inertLine(run.agentName(agent))}`,
    ),
  );

  asks(
    program,
    session
      .command('list')
      .description('List sessions, most recently used first')
      .option('--limit <n>', 'Maximum number of results (default 50)', wholeNumber)
      .option('--archived', 'Only archived sessions, which are otherwise left out'),
    'read',
    async (engine, run) => {
      const value = await engine.call('sessions.list', {
        limit: optional<number>(run, 'limit') ?? 50,
        ...where('archived', optional<boolean>(run, 'archived')),
      });
      const rows = value.sessions.map((one) => [
        inertLine(one.key),
        sessionWord(one.status),
        inertLine(run.agentName(one.agent)),
        String(one.turns),
        run.when(one.lastEventAtMs),
        inertLine(one.title),
      ]);
      return {
        value,
        text:
          run.table(['SESSION', 'STATUS', 'AGENT', 'TURNS', 'LAST', 'TITLE'], rows) ||
          (optional<boolean>(run, 'archived') === true
            ? 'No archived sessions.'
            : `No sessions yet. ${FIRST_PROMPT}`),
      };
    },
  );

  asks(
    program,
    session
      .command('status')
      .description('Show a session and its unfinished turns')
      .argument('<session>', 'Session name or ID'),
    'read',
    calls('session.status', (_run, key) => ({ session: key }), statusText),
  );

  asks(
    program,
    withOldNames(
      session
        .command('events')
        .description('List the events of a session, oldest first')
        .argument('<session>', 'Session name or ID')
        .option('--limit <n>', 'Maximum number of results (default 100)', wholeNumber),
      new Option('-f, --follow', 'Keep printing new events'),
      '--watch',
    ),
    'read',
    async (engine, run, name) => {
      const value: VerbOutput<'session.events'> = await engine.call('session.events', {
        session: name,
        limit: optional<number>(run, 'limit') ?? 100,
      });
      const rows = value.events.map((event) => eventRow(event, run));
      const text = run.table(['SEQ', 'WHEN', 'STATE', 'TYPE', 'WHAT'], rows) || 'No events.';
      if (optional<boolean>(run, 'follow') !== true || !engine.isRunning) return { value, text };
      if (run.isJson) for (const event of value.events) run.emit(event, '');
      else run.emit(value, text);
      await watch(engine, run, name, value.events.at(-1)?.seq ?? 0);
      return { value: undefined, text: '' };
    },
  );

  addSteering(session, program);
  addSessionEdits(session, program);
}

function addSteering(session: Command, program: Program): void {
  asks(
    program,
    session
      .command('set-goal')
      .description('Set the session goal and start working on it')
      .argument('<session>', 'Session name or ID')
      .argument('[goal...]', 'Goal')
      .addOption(new Option('--outcome <text>').hideHelp()),
    'running',
    async (engine, run, name, words) => {
      const outcome = optional<string>(run, 'outcome') ?? words ?? '';
      if (outcome.trim() === '')
        throw invalidInput(
          'Specify the goal.',
          'Nothing was changed. Example: holdfast sessions set-goal notes "All tests pass"',
        );
      const value = await engine.call('session.defineOutcome', { session: name, outcome });
      return { value, text: `Goal set. Turn ${String(value.turnId)} works on it.` };
    },
  );

  asks(
    program,
    session
      .command('interrupt')
      .description('Cancel the running turn of a session; with a note, continue with that')
      .argument('<session>', 'Session name or ID')
      .option('--note <text>', 'What to do instead'),
    'running',
    calls(
      'session.interrupt',
      (run, key) => ({ session: key, ...where('note', optional<string>(run, 'note')) }),
      ({ cancelled }) =>
        cancelled.length === 0 ? 'Nothing was running.' : `Canceled: turn ${cancelled.join(', ')}`,
    ),
  );
}

// `holdfast sessions attach|detach`: a conversation is active in one place at a time.

/** The agent may have to be started, and to read a long conversation. */
const ASK_MS = 200_000;

function addAdoption(session: Command, program: Program): void {
  asks(
    program,
    withOldNames(
      session
        .command('attach')
        .description(
          'Continue a terminal conversation in Holdfast. Without --id, list conversations',
        )
        .argument('<agent>', 'Agent name')
        .option('--id <id>', "Conversation ID in the agent's own program"),
      new Option('--as <name>', 'Name of the new session'),
      '--session <name>',
    ),
    'running',
    async (engine, run, agent) => {
      const value = await engine.call(
        'session.adopt',
        {
          agent,
          ...where('ref', optional<string>(run, 'id')),
          ...where('key', optional<string>(run, 'as')),
        },
        ASK_MS,
      );
      if (value.session !== undefined) {
        const key = inertLine(value.session.key);
        return {
          value,
          text: `Session ${key} continues it: holdfast send --session ${key} "..."`,
        };
      }
      const rows = value.conversations.map((one) => [
        inertLine(one.ref),
        one.lastUsedAtMs === undefined ? '-' : run.when(one.lastUsedAtMs),
        inertLine(one.session ?? '') || '-',
        inertLine(one.folder),
        inertLine(one.firstWords),
      ]);
      const table = run.table(['ID', 'LAST USED', 'SESSION', 'FOLDER', 'FIRST PROMPT'], rows);
      return { value, text: joinParts([table, inertLine(value.note)]) };
    },
  );

  asks(
    program,
    session
      .command('detach')
      .description('Move a session to a terminal: print the command that opens it')
      .argument('<session>', 'Session name or ID'),
    'running',
    async (engine, run, name) => {
      const value = await engine.call('session.handBack', { session: name });
      if (!run.isJson) {
        run.note(
          `Turns of this session wait until you attach it again: holdfast sessions attach ${quoted(inertLine(value.agent))} --id ${quoted(inertLine(value.ref))}`,
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
  return run.when(ms);
};

/** Blocks below the session's facts; an empty block is one line. */
function statusBlocks(status: SessionStatus, run: Run): readonly string[] {
  const { retryPosture: retry, activeLease: lease, resilience } = status;
  const rows: [string, string][] = [
    [
      'retries',
      retry.isRetrying
        ? `${String(retry.streak)} consecutive, next ${at(retry.nextRetryAt, run)}: ${inertLine(retry.lastError ?? '')}`
        : retry.streak > 0
          ? `${String(retry.streak)} consecutive, now: ${inertLine(retry.lastError ?? '')}`
          : 'none',
    ],
    [
      'policy',
      `first wait ${spanText(resilience.requeueDelayMs)}, maximum ${spanText(resilience.requeueMaxDelayMs)}, parked after ${String(resilience.maxRequeues)}; lease renewed every ${spanText(resilience.leaseRenewMs)}, stale after ${spanText(resilience.leaseStaleMs)}`,
    ],
    ['requests', status.pendingRequests.length === 0 ? 'none pending' : 'see below'],
    [
      'wake-ups',
      status.queuedWakeBacklog.length === 0
        ? 'none queued'
        : `${String(status.queuedWakeBacklog.length)}, next ${at(status.nextQueuedWakeAt, run)}`,
    ],
    [
      'worker',
      lease === null
        ? 'none'
        : `${inertLine(lease.owner)} on turn ${String(lease.turnId)}, since ${at(lease.acquiredAt, run)}${lease.isAlive ? '' : '; its process has ended, the next start takes over'}`,
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
      indented(request.input),
      ...request.answerWith.map((line) => `  ${inertLine(line)}`),
    ].join('\n'),
  );
  const wakes = run.table(
    ['WAKE-UP DUE', 'KEY', 'BY', 'NOTE'],
    status.queuedWakeBacklog.map((wake) => [
      at(wake.dueAt, run),
      inertLine(wake.dedupeKey).slice(0, 40),
      inertLine(wake.queuedBy),
      inertLine(wake.note),
    ]),
  );
  const history = run.table(
    ['SEQ', 'WHEN', 'KIND', 'SESSION', 'TURN', 'STARTED BY', 'CLAIM', 'REASON'],
    status.claimHistory.map((event) => activationRow(event, run)),
  );
  return [facts(rows), ...requests, wakes, history];
}
