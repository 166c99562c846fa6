/** `holdfast start|status|stop|pause|resume` */
import { errorText } from '../../../shared/error-messages';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../../shared/durations';
import type { QuitStep } from '../../../shared/types/status';
import { quitSentences, quitWhenDoneText } from '../../../shared/quit-words';
import { MODE_WORDS } from '../../../shared/value-words';
import { afterSilence } from '../../../shared/silent-holder';
import { hostFacts, isHidden } from '../../../shared/host-facts';
import { hostHeadline, hostNeedsText } from '../../../shared/host-words';
import type { HostView, StatusSnapshot } from '../../../shared/types';
import type { ControlClient } from '../../control/client';
import type { Program, Reply, Run } from '../command';
import {
  asks,
  calls,
  does,
  needsRunning,
  optional,
  shows,
  where,
  wholeNumber,
  withOldNames,
} from '../command';
import { EXIT } from '../exit-codes';
import { holderRecord, isGone } from '../holder';
import { connectRunning, notRunning, silentError, unknownHolder } from '../reach';
import { countText, facts, ifKnown, inertLine, spanText, type Fact } from '../render';
import { HoldfastError, invalidInput } from '../../engine/kernel/errors';
import type { HeadlessStart } from '../headless';
import { runHeadless } from '../headless';
import { confirm } from '../input';
import { interruptible } from '../interruptible';
import type { CliIo } from '../io';
import { settingValue } from './config';

const STOP_TIMEOUT_MS = 30_000;
const WATCH_MS = 300;

/** The status in one sentence. */
function headline(status: StatusSnapshot): string {
  const { counts } = status;
  if (status.phase === 'stopped')
    return unknownHolder(status.dataDir)?.message ?? 'Holdfast is not running.';
  if (status.phase === 'silent') return 'Holdfast is running but not responding.';
  if (status.phase !== 'running') return `Holdfast is ${status.phase}.`;
  if (status.journal.refusal)
    return `Can't write to the disk (${status.journal.refusal.of ?? 'all data'}): ${inertLine(status.journal.refusal.message)}`;
  if (status.programChanged) return errorText('PROGRAM_CHANGED');
  if (status.quitsBehind) return `${quitsBehindText(status.quitsBehind, status.nowMs)}.`;
  if (counts.needsYou > 0)
    return `${countText(counts.needsYou, 'item needs', 'items need')} your decision.`;
  const far = farHeadline(status);
  if (far !== undefined) return far;
  if (status.paused) return `New turns are paused. ${countText(counts.queued, 'turn')} queued.`;
  if (counts.running > 0) return `${countText(counts.running, 'turn is', 'turns are')} running.`;
  if (counts.waiting > 0) return `${countText(counts.waiting, 'turn is', 'turns are')} waiting.`;
  return 'Nothing to do.';
}

function statusText(status: StatusSnapshot, run: Run): string {
  const { counts, recovery, restart, journal } = status;
  const tone =
    status.phase !== 'running'
      ? 'quiet'
      : counts.needsYou > 0 || journal.refusal || status.programChanged
        ? 'warn'
        : 'strong';
  const running = `${String(status.pid ?? 'unknown')}, started ${run.when(status.startedAtMs)}`;
  const rows = facts([
    ['data directory', inertLine(status.dataDir)],
    ['process', status.phase === 'stopped' ? undefined : running],
    ['next step', status.phase === 'silent' ? afterSilence(status.dataDir, status.pid) : undefined],
    [
      'turns',
      `${String(counts.running)} running, ${String(counts.queued)} queued, ${String(counts.waiting)} waiting, ${String(counts.needsYou)} need you, ${String(counts.parked)} parked`,
    ],
    ['interrupted', ifKnown(status.cutOff, interruptedText)],
    ['awake', ifKnown(status.awake, (awake) => awakeText(awake, run))],
    ...outsideRows(status),
    ...(status.hosts ?? []).map((host): Fact => [
      `host ${inertLine(host.name)}`,
      inertLine(hostText(host, run)),
    ]),
    ...(status.limits ?? []).map(({ sentence }): Fact => ['usage limit', inertLine(sentence)]),
    [
      'after a crash',
      `${MODE_WORDS[recovery.mode]}${recovery.restoreSkipped ? '; this start resumed nothing (--no-restore)' : ''}`,
    ],
    [
      'journal',
      journal.seq === journal.appliedSeq
        ? 'all changes saved'
        : `${countText(journal.seq - journal.appliedSeq, 'change')} not yet applied`,
    ],
    ['reused today', countText(status.kept.stepsReusedToday, 'step')],
    ['health', ifKnown(status.ports?.health, (port) => localAddress(port, '/ready'))],
    ['metrics', ifKnown(status.ports?.metrics, (port) => localAddress(port, '/metrics'))],
    ['paused until', ifKnown(status.paused?.untilMs, (atMs) => run.when(atMs))],
    ['last start', ifKnown(restart, (last) => lastStartText(status, last))],
  ]);
  // Each problem names its place: the file with the line, or an environment variable.
  const problems = status.configProblems.map((problem) => inertLine(problem.message));
  return [run.paint(tone, headline(status)), rows, ...problems].join('\n');
}

/**
 * Something on another computer needs the user, or its state is unknown: then the headline does not
 * call it quiet. HO-02
 */
function farHeadline(status: StatusSnapshot): string | undefined {
  const told = hostFacts(status.hosts);
  const hidden = told.find(isHidden);
  const text = hostNeedsText(told) ?? (hidden && hostHeadline(hidden));
  return text === undefined ? undefined : `${inertLine(text)}.`;
}

function hostText(host: HostView, run: Run): string {
  switch (host.kind) {
    case 'connecting':
      return host.failed === undefined
        ? 'connecting'
        : `unreachable since ${run.when(host.failed.sinceMs)}, connecting: ${host.failed.why}`;
    case 'connected':
      return `${host.phase}, ${host.version}, ${String(host.running)} running, ${String(host.needsYou)} need you${host.problem === undefined ? '' : `: ${host.problem}`}`;
    case 'unreachable':
      return `unreachable since ${run.when(host.sinceMs)}: ${host.why}`;
    case 'other_version':
      return `has version ${host.theirs}, which is not compatible with this one`;
  }
}

const interruptedText = (turns: number): string =>
  `${countText(turns, 'turn')}; the next normal start resumes ${turns === 1 ? 'it' : 'each of them'} or asks you`;

function lastStartText(
  status: StatusSnapshot,
  { reason, downMs, resumedTurns, heldTurns }: NonNullable<StatusSnapshot['restart']>,
): string | undefined {
  if (reason === 'first_start') return undefined;
  const held = heldText(status, heldTurns.length);
  return `${reason.replaceAll('_', ' ')}, down ${spanText(downMs)}: ${String(resumedTurns.length)} resumed, ${held}`;
}

/** Turns that a start paused for review, and whether they still need it. */
function heldText({ counts }: StatusSnapshot, held: number): string {
  if (held === 0) return '0 need review';
  const isDecided = counts.needsYou === 0 && counts.parked === 0;
  return `${String(held)} needed review${isDecided ? ', resolved since' : ''}`;
}

/** What keeps the computer awake, and since when. KA-05 */
const awakeText = (awake: NonNullable<StatusSnapshot['awake']>, run: Run): string =>
  `kept awake since ${run.when(awake.sinceMs)} for ${awake.cause === 'due' ? 'a task that is due' : countText(awake.turns, 'turn')}`;

/** Dependencies that are down and the turns that wait for them; nothing if all is well. */
const outsideRows = ({ outside, delivery }: StatusSnapshot): readonly Fact[] => {
  const { broker = 'local', depth = 0, deadLetters = 0 } = delivery ?? {};
  const events = [
    ...(broker === 'down'
      ? [`the broker is unreachable, ${countText(depth, 'event')} queued`]
      : []),
    ...(deadLetters === 0 ? [] : [countText(deadLetters, 'dead letter')]),
  ];
  return [
    ...(outside?.providers ?? []).map(({ sentence }): Fact => ['provider', inertLine(sentence)]),
    ['events', events.length === 0 ? undefined : events.join('; ')],
  ];
};

const localAddress = (port: number, path: string): string =>
  `http://127.0.0.1:${String(port)}${path}`;

/** The owner of the data directory according to its lock file; undefined if there is none. */
export function owner(dataDir: string): string | undefined {
  const record = holderRecord(dataDir);
  return isGone(record?.pid) ? undefined : record?.instanceId;
}

function duration(text: string): number {
  const parsed = parseDuration(text);
  if (!parsed.ok || parsed.ms === 0)
    throw new InvalidArgumentError(parsed.ok ? 'It must be longer than 0.' : parsed.reason);
  return parsed.ms;
}

export async function runningEngine(run: Run): Promise<ControlClient> {
  const result = await connectRunning(run.dataDir, run.io);
  if (result.kind === 'absent') {
    throw (
      unknownHolder(run.dataDir) ??
      notRunning(run.dataDir, 'Holdfast is not running. There is nothing to stop.')
    );
  }
  if (result.kind === 'silent') throw silentError(run.dataDir);
  if (result.kind !== 'connected') throw result.error;
  return result.client;
}

async function stopped(run: Run): Promise<Reply> {
  const client = await runningEngine(run);
  const instance = owner(run.dataDir);
  if (optional<boolean>(run, 'cancel') === true) {
    const value = await client.call('instance.quitWhenDone', { isWanted: false }, STOP_TIMEOUT_MS);
    client.close();
    return value.isWanted
      ? { value, text: 'Too late: Holdfast is already stopping.', exitCode: EXIT.failed }
      : { value, text: 'Stop canceled. Queued turns resume.' };
  }
  if (optional<boolean>(run, 'whenDone') === true) {
    const value = await client.call('instance.quitWhenDone', { isWanted: true }, STOP_TIMEOUT_MS);
    run.note(`${quitsBehindText(value.steps, run.nowMs)}. To cancel: holdfast stop --cancel`);
    const isOver = await interruptible(
      run,
      () =>
        'Holdfast still stops once the running steps are completed. To cancel: holdfast stop --cancel',
      () => untilQuit(client),
    );
    client.close();
    if (!isOver)
      return {
        value,
        text: 'The stop was canceled. Holdfast keeps running.',
        exitCode: EXIT.failed,
      };
    await untilGone(run, instance);
    return { value, text: 'Holdfast has stopped. The running steps were completed.' };
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
    }) || 'No turn was running.';
  return { value, text: `Holdfast has stopped. ${open}` };
}

/** The socket closes before the lock is released: a start right after `stop` must find it free. */
export async function untilGone(run: Run, instance: string | undefined): Promise<void> {
  const endMs = performance.now() + STOP_TIMEOUT_MS;
  while (instance !== undefined && owner(run.dataDir) === instance && performance.now() < endMs) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits as long as the steps take; false if the quit was canceled. */
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
    root.command('status').description('Show engine status'),
    'read',
    shows('status.get', statusText),
  );

  does(
    program,
    needsRunning(
      withOldNames(
        root
          .command('stop')
          .description('Stop Holdfast gracefully and show what happens to unfinished turns')
          .option('--when-done', 'Stop once the running steps are completed; start no new ones'),
        new Option('--cancel', 'Cancel a "stop --when-done"'),
        '--take-back',
      ),
    ),
    stopped,
  );
}

/** Whether new turns start. */
export function addIntake(root: Command, program: Program): void {
  asks(
    program,
    root
      .command('pause')
      .description('Stop starting new turns; running ones continue')
      .option('--for <duration>', 'How long, such as 1h (default: until resumed)', duration),
    'running',
    calls(
      'intake.pause',
      (run) => where('forMs', optional<number>(run, 'for')),
      ({ paused, nowMs }) => {
        const until = paused?.untilMs;
        return `New turns are paused${until === undefined ? '' : ` for ${spanText(until - nowMs)}`}.`;
      },
    ),
  );

  asks(
    program,
    root
      .command('resume')
      .description('Start new turns again after a pause (for one turn: holdfast turns resume)')
      .argument('[turn]', 'Turn ID, for a hint only', wholeNumber),
    'running',
    async (engine, _run, turn) => {
      if (turn !== '')
        throw invalidInput(
          'This resumes new turns after a pause, not one turn.',
          `Nothing was changed. To resume turn ${turn}: holdfast turns resume ${turn}`,
        );
      const value = await engine.call('intake.resume', {});
      return { value, text: headline(value) };
    },
  );

  asks(
    program,
    root.command('let-sleep').description('Let the computer sleep until the running work is done'),
    'running',
    shows('instance.letSleep', ({ wasHeld }) =>
      wasHeld
        ? 'The computer may sleep now. Holdfast keeps it awake again for later work.'
        : 'Holdfast was not keeping the computer awake.',
    ),
  );
}

/**
 * Deletes the in-progress work after a confirmation; anything but `yes` aborts (S4-30).
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
  await confirm(
    io,
    isConfirmed,
    `This ends every unfinished turn in ${inertLine(dataDir)} and deletes all in-progress work,\n` +
      'including sessions and the timers and heartbeats that they have set.\n' +
      'A backup is made first. Settings, keys, schedules, queued events and the audit log stay.',
    {
      message: 'Not confirmed. Nothing was changed.',
      hint: 'To reset without a question: holdfast reset --yes',
    },
  );
  try {
    return await io.offline.resetData(dataDir);
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

/** What a reset did, in one sentence. */
export const resetText = (backupPath: string | undefined): string =>
  backupPath === undefined
    ? 'There was no in-progress work. Nothing was deleted.'
    : `In-progress work is deleted. Backup: ${inertLine(backupPath)}`;

export function addStart(root: Command, program: Program): void {
  does(
    program,
    root
      .command('start')
      .description('Start Holdfast')
      .option('--headless', 'Run without windows, in this terminal')
      .option('--hidden', 'Start in the tray without opening the window')
      .option('--no-restore', 'Resume nothing this time; everything stays saved')
      .addOption(new Option('--reset', 'as "holdfast reset"').hideHelp())
      .addOption(new Option('-y, --yes', 'confirm --reset').hideHelp())
      .option('--takeover', 'Replace a running instance')
      .addOption(new Option('--after-crash', 'started again after a crash').hideHelp())
      .option('--set <key=value>', 'Override a setting for this start; repeatable', overrideOf),
    async (run) => {
      const isHeadless = optional<boolean>(run, 'headless') === true;
      if (optional<boolean>(run, 'reset') === true) {
        const report = await resetAfterConfirmation(
          run.io,
          run.dataDir,
          optional<boolean>(run, 'yes') === true,
        );
        const text = resetText(report.backupPath);
        if (!isHeadless)
          return { value: { reset: true, backupPath: report.backupPath ?? null }, text };
        run.note(text);
      }
      if (isHeadless) return runHeadless(run.io, headlessStart(run));
      throw invalidInput(
        'This is the command line without windows. Nothing was started.',
        'Open the app (from a checkout: npm start), or start without windows: holdfast start --headless',
      );
    },
  );
}
