/** `holdfast start [--headless] [--hidden] [--no-restore] [--reset [--yes]] [--takeover]` */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Program, Run } from '../command';
import { does, optional } from '../command';
import type { HeadlessStart } from '../headless';
import { runHeadless } from '../headless';
import { readLine } from '../input';
import type { CliIo } from '../io';
import { connectRunning } from '../reach';
import { inertLine } from '../render';
import { settingValue } from './config';

/** How long an answer may take on a pipe: nobody is asked there, so nobody is waited for. */
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
  // A folder that this account may not read: whether anything runs there is not known.
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
    // Reset twice is reset once (S4-30): with nothing there, everything that was asked for is so.
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
