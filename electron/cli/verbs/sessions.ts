/** `holdfast session create|list|status|events|interrupt|adopt|open-in-terminal` */
import type { Command } from 'commander';
import type { VerbOutput } from '../../../shared/contract';
import type { SessionEvent } from '../../../shared/types';
import type { Program, Run } from '../command';
import { asks, optional, where, wholeNumber } from '../command';
import { followEngine } from '../follow-engine';
import type { Reach } from '../reach';
import { countText, facts, inertLine, whenText } from '../render';
import { addSessionAnswers } from './approvals';
import { addAdoption } from './session-adopt';
import { statusBlocks } from './session-text';
import { turnsTable } from './turn-text';

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
    // One entry of the journal may tell several events.
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
