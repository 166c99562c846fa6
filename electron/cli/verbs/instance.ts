/** `holdfast start|status|stop|pause|resume` */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../../shared/durations';
import type { QuitStep } from '../../../shared/quit-words';
import { quitSentences, quitWhenDoneText } from '../../../shared/quit-words';
import { afterSilence } from '../../../shared/silent-holder';
import type { StatusSnapshot } from '../../../shared/types';
import type { ControlClient } from '../../control/client';
import type { Program, Reply, Run } from '../command';
import { asks, does, optional, where } from '../command';
import { EXIT } from '../exit-codes';
import { holderRecord, isGone } from '../holder';
import { connectRunning, notRunning, silentError } from '../reach';
import { countText, facts, inertLine, spanText, whenText } from '../render';
import { HoldfastError } from '../../engine/kernel/errors';
import type { HeadlessStart } from '../headless';
import { runHeadless } from '../headless';
import { readLine } from '../input';
import type { CliIo } from '../io';
import { settingValue } from './config';

const STOP_TIMEOUT_MS = 30_000;
const WATCH_MS = 300;

/** The status in one sentence. */
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
  // Each problem names its place: the file with the line, or an environment variable.
  const problems = status.configProblems.map((problem) => inertLine(problem.message));
  return [run.paint(tone, headline(status)), facts(rows), ...problems].join('\n');
}

/** Turns that a start paused for review, and whether they still need it. */
function heldText({ counts }: StatusSnapshot, held: number): string {
  if (held === 0) return '0 held';
  const isDecided = counts.needsYou === 0 && counts.parked === 0;
  return `${String(held)} held then${isDecided ? ', decided since' : ''}`;
}

/** Dependencies that are down and the turns that wait for them; nothing if all is well. */
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

/** The owner of the data directory according to its lock file; undefined if there is none. */
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

/** Waits as long as the steps take; false if the quit was undone. */
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

/** `status` and `stop`. */
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
}

/** Whether new turns start. */
export function addIntake(root: Command, program: Program): void {
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

/** Time limit for an answer on a pipe, which has no user to wait for. */
const PIPED_ANSWER_MS = 5_000;

/**
 * Wipes the work in flight after a confirmation; anything but `yes` aborts (S4-30).
 * @throws HoldfastError CONFIRMATION_NEEDED, LOCK_HELD while the app runs
 */
export async function resetAfterConfirmation(
  io: CliIo,
  dataDir: string,
  isConfirmed: boolean,
): Promise<{ readonly backupPath?: string | undefined }> {
  const running = await connectRunning(dataDir, io);
  if (running.kind === 'connected') running.client.close();
  // This account cannot read the folder, so it is unknown whether anything runs there.
  if (running.kind === 'refused' && running.error.code === 'DATA_DIR_UNUSABLE') throw running.error;
  if (running.kind !== 'absent') {
    throw new HoldfastError(
      'LOCK_HELD',
      'Holdfast is running on this data directory. Nothing was reset.',
      {
        hint: 'Stop it first: holdfast stop',
      },
    );
  }
  if (!isConfirmed) {
    const isTTY = io.stdin.isTTY === true;
    if (isTTY) {
      io.stderr.write(
        `This ends every open turn in ${inertLine(dataDir)} and wipes the work in flight.\n` +
          'Conversations go with it, and the timers and heartbeats that they have set.\n' +
          'A backup is made first. Settings, keys, schedules, events on their way and the audit stay.\n' +
          'Type yes to go on: ',
      );
    }
    const answer = await readLine(io, isTTY ? undefined : PIPED_ANSWER_MS);
    if (answer?.trim() !== 'yes') {
      throw new HoldfastError('CONFIRMATION_NEEDED', 'Not confirmed. Nothing was changed.', {
        hint: 'To reset without a question: holdfast start --reset --yes',
      });
    }
  }
  const composer = await io.composer();
  try {
    return await composer.resetData(dataDir);
  } catch (thrown) {
    // A second reset changes nothing (S4-30): with no data, the request is already fulfilled.
    if (thrown instanceof HoldfastError && thrown.code === 'NOTHING_TO_RESET') return {};
    throw thrown;
  }
}

function overrideOf(text: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be KEY=VALUE.');
  const key = text.slice(0, at);
  return { ...before, [key]: settingValue(key, text.slice(at + 1)) };
}

function headlessStart(run: Run): HeadlessStart {
  const { dataDir, isJson, options } = run;
  return {
    dataDir,
    isJson,
    flags: {
      noRestore: options['restore'] === false,
      hidden: true,
      takeover: options['takeover'] === true,
      afterCrash: options['afterCrash'] === true,
    },
    ...(options['set'] === undefined
      ? {}
      : { overrides: options['set'] as Record<string, unknown> }),
  };
}

export function addStart(root: Command, program: Program): void {
  does(
    program,
    root
      .command('start')
      .description('start Holdfast')
      .option('--headless', 'without windows, in this terminal')
      .option('--hidden', 'in the tray, without opening the window')
      .option('--no-restore', 'resume nothing this time; everything stays on disk')
      .option(
        '--reset',
        'first end every open turn and wipe the work in flight (asks; a backup is made)',
      )
      .option('--yes', 'confirm --reset')
      .option('--takeover', 'replace an instance that runs already')
      .option('--after-crash', 'started again after an unexpected end')
      .option('--set <key=value>', 'a setting for this start only; may be repeated', overrideOf),
    async (run) => {
      const isHeadless = optional<boolean>(run, 'headless') === true;
      if (optional<boolean>(run, 'reset') === true) {
        const report = await resetAfterConfirmation(
          run.io,
          run.dataDir,
          optional<boolean>(run, 'yes') === true,
        );
        const text =
          report.backupPath === undefined
            ? 'There was no work in flight. Nothing was wiped.'
            : `The work in flight is wiped. Backup: ${inertLine(report.backupPath)}`;
        if (!isHeadless)
          return { value: { reset: true, backupPath: report.backupPath ?? null }, text };
        run.note(text);
      }
      if (isHeadless) return runHeadless(run.io, headlessStart(run));
      throw new HoldfastError(
        'INPUT_INVALID',
        'This is the command line without windows; nothing was started.',
        {
          hint: 'Open the app (from a checkout: npm start), or start without windows: holdfast start --headless',
        },
      );
    },
  );
}
