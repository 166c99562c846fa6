/** `holdfast status|stop|doctor|logs|pause|resume` */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../../shared/durations';
import { quitSentences, quitWhenDoneText, type QuitStep } from '../../../shared/quit-words';
import { ERROR_MESSAGES } from '../../../shared/error-messages';
import { afterSilence } from '../../../shared/silent-holder';
import type { DoctorReport, StatusSnapshot } from '../../../shared/types';
import type { ControlClient } from '../../control/client';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Program, Reply, Run } from '../command';
import { asks, does, optional, where, wholeNumber } from '../command';
import { EXIT } from '../exit-codes';
import { holderRecord, isGone } from '../holder';
import { followFile, logLineText } from '../log-lines';
import { connectRunning, notRunning, reach, silentError } from '../reach';
import { countText, facts, inertLine, spanText, whenText } from '../render';

const STOP_TIMEOUT_MS = 30_000;
const WATCH_MS = 300;
const DOCTOR_TIMEOUT_MS = 600_000;

/** The one sentence that says how things are. */
function headline(status: StatusSnapshot): string {
  const { counts } = status;
  if (status.phase === 'stopped') return 'Holdfast is not running.';
  if (status.phase === 'silent') return 'Holdfast runs and does not answer.';
  if (status.phase !== 'running') return `Holdfast is ${status.phase}.`;
  if (status.journal.refusal)
    return `The disk refuses ${status.journal.refusal.of ?? 'writes'}: ${inertLine(status.journal.refusal.message)}`;
  if (status.quitsBehind) return `${quitsBehindText(status.quitsBehind, status.nowMs)}.`;
  if (counts.needsYou > 0)
    return `${countText(counts.needsYou, 'decision waits', 'decisions wait')} for you.`;
  if (status.paused) return `New turns are paused. ${String(counts.queued)} wait.`;
  if (counts.running > 0) return `${countText(counts.running, 'turn is', 'turns are')} running.`;
  if (counts.waiting > 0) return `${countText(counts.waiting, 'turn waits', 'turns wait')}.`;
  return 'All quiet.';
}

function statusText(status: StatusSnapshot, run: Run): string {
  const { counts, recovery, restart, journal } = status;
  const tone =
    status.phase !== 'running'
      ? 'quiet'
      : counts.needsYou > 0 || journal.refusal
        ? 'warn'
        : 'strong';
  const rows: [string, string][] = [
    ['data', inertLine(status.dataDir)],
    ...(status.phase === 'stopped'
      ? []
      : ([
          [
            'process',
            `${String(status.pid ?? 'not known which')}, since ${whenText(status.startedAtMs, status.nowMs)}`,
          ],
        ] as [string, string][])),
    ...(status.phase === 'silent'
      ? ([['what to do', afterSilence(status.dataDir, status.pid)]] as [string, string][])
      : []),
    [
      'turns',
      `${String(counts.running)} running, ${String(counts.queued)} queued, ${String(counts.waiting)} waiting, ${String(counts.needsYou)} for you, ${String(counts.parked)} parked`,
    ],
    ...(status.cutOff === undefined
      ? []
      : ([
          [
            'cut off',
            `${countText(status.cutOff, 'turn')}, when Holdfast ended; the next normal start goes on with ${status.cutOff === 1 ? 'it' : 'each'} or asks you`,
          ],
        ] as [string, string][])),
    ...outsideRows(status),
    [
      'after a crash',
      `${recovery.mode}${recovery.restoreSkipped ? '; this start resumed nothing (--no-restore)' : ''}`,
    ],
    ['journal', `on disk, ${String(journal.seq - journal.appliedSeq)} behind`],
    ['kept today', countText(status.kept.stepsReusedToday, 'step')],
    ...portRows(status.ports),
  ];
  if (status.paused?.untilMs !== undefined)
    rows.push(['paused', whenText(status.paused.untilMs, status.nowMs)]);
  if (restart && restart.reason !== 'first_start') {
    rows.push([
      'last start',
      `${restart.reason.replaceAll('_', ' ')}, down ${spanText(restart.downMs)}: ${String(restart.resumedTurns.length)} resumed, ${heldText(status, restart.heldTurns.length)}`,
    ]);
  }
  // Each says itself where it is: in the file with its line, or in a variable of the environment.
  const problems = status.configProblems.map((problem) => inertLine(problem.message));
  return [run.paint(tone, headline(status)), facts(rows), ...problems].join('\n');
}

/** What a start put to a person; whether that still waits is said, too. */
function heldText({ counts }: StatusSnapshot, held: number): string {
  if (held === 0) return '0 held';
  const isDecided = counts.needsYou === 0 && counts.parked === 0;
  return `${String(held)} held then${isDecided ? ', decided since' : ''}`;
}

/** What does not answer, and what waits for it; nothing where all is well. */
const outsideRows = ({ outside, delivery }: StatusSnapshot): [string, string][] => {
  const { broker = 'local', depth = 0, deadLetters = 0 } = delivery ?? {};
  const events = [
    ...(broker === 'down' ? [`the broker is not reachable, ${String(depth)} wait on disk`] : []),
    ...(deadLetters === 0 ? [] : [countText(deadLetters, 'dead letter')]),
  ];
  return [
    ...(outside?.providers ?? []).map(({ sentence }): [string, string] => [
      'outside',
      inertLine(sentence),
    ]),
    ...(events.length === 0 ? [] : [['events', events.join('; ')] satisfies [string, string]]),
  ];
};

const portRows = (ports: StatusSnapshot['ports'] = {}): [string, string][] => {
  const address = (port: number, path: string): string => `http://127.0.0.1:${String(port)}${path}`;
  return [
    ...(ports.health === undefined ? [] : [['health', address(ports.health, '/ready')]]),
    ...(ports.metrics === undefined ? [] : [['metrics', address(ports.metrics, '/metrics')]]),
  ] as [string, string][];
};

const DOCTOR_TONES = { ok: 'good', warn: 'warn', fail: 'bad' } as const;

function doctorText(report: DoctorReport, run: Run): string {
  const rows = report.checks.map((check) => [
    run.paint(DOCTOR_TONES[check.level], check.level),
    inertLine(check.name),
    inertLine(check.detail),
  ]);
  const failed = report.checks.filter((check) => check.level === 'fail').length;
  return [
    `Holdfast ${inertLine(report.version)}`,
    run.table(['', 'CHECK', 'FOUND'], rows),
    failed === 0 ? 'Everything that must work works.' : `${countText(failed, 'check')} failed.`,
  ].join('\n');
}

function findingName(code: string): string | undefined {
  if (code === 'DATA_DIR_UNSAFE') return 'data folder';
  return /^(DATABASE|DISK)_/.test(code) ? 'database' : undefined;
}

/** What is wrong with data that cannot be opened is a finding, not a failure of the command. */
async function examined(run: Run): Promise<DoctorReport> {
  try {
    const engine = await reach('early', run.dataDir, run.io);
    try {
      const wish = optional<boolean>(run, 'full') === true ? { full: true } : {};
      return await engine.call('doctor.run', wish, DOCTOR_TIMEOUT_MS);
    } finally {
      await engine.close();
    }
  } catch (thrown) {
    if (!(thrown instanceof HoldfastError)) throw thrown;
    const name = findingName(thrown.code);
    if (name === undefined) throw thrown;
    const detail = `${thrown.message} ${thrown.hint ?? ERROR_MESSAGES[thrown.code].next}`;
    const check = { name, ok: false, level: 'fail' as const, detail };
    return { version: run.io.version, ok: false, checks: [check] };
  }
}

/** Instance that owns D according to its lock file; undefined when nobody does. */
function owner(dataDir: string): string | undefined {
  const record = holderRecord(dataDir);
  return isGone(record?.pid) ? undefined : record?.instanceId;
}

function duration(text: string): number {
  const parsed = parseDuration(text);
  if (!parsed.ok || parsed.ms === 0)
    throw new InvalidArgumentError(parsed.ok ? 'It must be longer than 0.' : parsed.reason);
  return parsed.ms;
}

async function runningEngine(run: Run): Promise<ControlClient> {
  const result = await connectRunning(run.dataDir, run.io);
  if (result.kind === 'absent')
    throw notRunning(run.dataDir, 'Holdfast is not running; there is nothing to stop.');
  if (result.kind === 'silent') throw silentError(run.dataDir);
  if (result.kind !== 'connected') throw result.error;
  return result.client;
}

async function stopped(run: Run): Promise<Reply> {
  const client = await runningEngine(run);
  const instance = owner(run.dataDir);
  if (optional<boolean>(run, 'takeBack') === true) {
    const value = await client.call('instance.quitWhenDone', { isWanted: false }, STOP_TIMEOUT_MS);
    client.close();
    return value.isWanted
      ? { value, text: 'Too late: Holdfast stops already.', exitCode: EXIT.failed }
      : { value, text: 'Holdfast does not quit. What waited goes on.' };
  }
  if (optional<boolean>(run, 'whenDone') === true) {
    const value = await client.call('instance.quitWhenDone', { isWanted: true }, STOP_TIMEOUT_MS);
    run.note(
      `${quitsBehindText(value.steps, run.nowMs)}. holdfast stop --take-back takes it back.`,
    );
    const isOver = await untilQuit(client);
    client.close();
    if (!isOver)
      return { value, text: 'It was taken back: Holdfast goes on.', exitCode: EXIT.failed };
    await untilGone(run, instance);
    return { value, text: 'Holdfast has stopped. The steps at work were done.' };
  }
  const value = await client.call('instance.stop', { reason: 'stop' }, STOP_TIMEOUT_MS);
  await Promise.race([
    client.closed,
    new Promise((resolve) => setTimeout(resolve, STOP_TIMEOUT_MS).unref()),
  ]);
  client.close();
  await untilGone(run, instance);
  const open =
    quitSentences({
      resume: value.willResume,
      ask: value.willAsk ?? 0,
      discard: value.willDiscard ?? 0,
    }) || 'No turn was at work.';
  return { value, text: `Holdfast has stopped. ${open}` };
}

/** The socket closes before the lock is released: a start right after `stop` must find it free. */
async function untilGone(run: Run, instance: string | undefined): Promise<void> {
  const endMs = performance.now() + STOP_TIMEOUT_MS;
  while (instance !== undefined && owner(run.dataDir) === instance && performance.now() < endMs) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits as long as the steps take; false where somebody has taken the quit back. */
async function untilQuit(client: ControlClient): Promise<boolean> {
  for (;;) {
    const tick = new Promise<'tick'>((resolve) => setTimeout(resolve, WATCH_MS, 'tick'));
    const first = await Promise.race([client.closed, tick]);
    if (first !== 'tick') return true;
    const status = await client.call('status.get', {}, STOP_TIMEOUT_MS).catch(() => undefined);
    if (status?.phase === 'running' && status.quitsBehind === undefined) return false;
  }
}

const quitsBehindText = (steps: readonly QuitStep[], nowMs: number): string =>
  inertLine(quitWhenDoneText(steps, ({ startedAtMs }) => spanText(nowMs - startedAtMs)));

export function addEngine(root: Command, program: Program): void {
  asks(
    program,
    root.command('status').description('how things are'),
    'read',
    async (engine, run) => {
      const value = await engine.call('status.get', {});
      return { value, text: statusText(value, run) };
    },
  );

  does(
    program,
    root
      .command('stop')
      .description('stop in order; says what the next start does with open turns')
      .option('--when-done', 'when the steps at work are done; none begins meanwhile')
      .option('--take-back', 'do not quit: takes a stop --when-done back'),
    stopped,
  );

  does(
    program,
    root
      .command('doctor')
      .description('check everything that Holdfast needs')
      .option('--full', 'read the whole database'),
    async (run) => {
      const value = await examined(run);
      return { value, text: doctorText(value, run), exitCode: value.ok ? EXIT.ok : EXIT.failed };
    },
  );

  asks(
    program,
    root
      .command('logs')
      .description('the end of the log')
      .option('-n, --lines <n>', 'how many lines (default 50)', wholeNumber)
      .option('-f, --follow', 'go on with new lines'),
    'read',
    async (engine, run) => {
      const value = await engine.call('logs.tail', {
        lines: Math.min(1000, optional<number>(run, 'lines') ?? 50),
      });
      const text = value.lines.map(logLineText).join('\n');
      if (optional<boolean>(run, 'follow') !== true) return { value, text };
      if (run.isJson) for (const line of value.lines) run.emit(line, '');
      else if (text !== '') run.emit(value, text);
      await followFile(value.path, {
        onLine: (line) => run.emit(line, logLineText(line)),
        onEnd: (end) => run.io.onSignal(end),
      });
      return { value: undefined, text: '' };
    },
  );

  asks(
    program,
    root
      .command('pause')
      .description('new turns wait; running ones go on')
      .option('--for <duration>', 'for this long, for example 1h', duration),
    'running',
    async (engine, run) => {
      const value = await engine.call('intake.pause', where('forMs', optional<number>(run, 'for')));
      const until = value.paused?.untilMs;
      return {
        value,
        text: `New turns are paused${until === undefined ? '' : ` for ${spanText(until - value.nowMs)}`}.`,
      };
    },
  );

  asks(
    program,
    root.command('resume').description('new turns start again'),
    'running',
    async (engine) => {
      const value = await engine.call('intake.resume', {});
      return { value, text: headline(value) };
    },
  );
}
