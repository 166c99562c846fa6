/** `holdfast tasks preview`, `debug guard`: tries a schedule or a command; nothing has to run. */
import type { Command } from 'commander';
import { instantText } from '../../../shared/schedule/words';
import type { Program, Run } from '../command';
import { does, groupOf, optional, where, wholeNumber } from '../command';
import { EXIT } from '../exit-codes';
import { invalidInput, type HoldfastError } from '../../engine/kernel/errors';
import { inertLine } from '../render';

/** The end of the year 9999: later instants are no dates that anybody means. */
const LATEST_FROM_MS = Date.UTC(10_000, 0) - 1;
/** As many as the engine lists at most. */
const MAX_RUNS = 1_000;

export const usageError = (message: string): HoldfastError =>
  invalidInput(message, 'Nothing was done.');

/** One line for each run, on the clocks of the zone; every zone has the seconds of UTC. */
export const runTimes = (next: readonly number[], zone: string, run: Run): string =>
  next
    .map((at) => {
      if (run.options['utc'] === true) return run.when(at);
      const seconds = new Date(at).getUTCSeconds();
      const exact = seconds === 0 ? '' : `:${String(seconds).padStart(2, '0')}`;
      return `${instantText(at, zone)}${exact}  ${run.when(at)}`;
    })
    .join('\n');

function previewText(
  { words, tz, next }: { words: string; tz: string; next: readonly string[] },
  run: Run,
): string {
  const zone = words.endsWith(`, ${tz} time`) ? '' : ` (${tz})`;
  return `${words}${zone}\n${runTimes(next.map(Date.parse), tz, run)}`;
}

/** Needs neither data, nor anything that runs. */
export function addPreview(tasks: Command, program: Program): void {
  does(
    program,
    tasks
      .command('preview')
      .description('Explain a schedule and show its next runs')
      .argument('<expr>', '"every 5m", "daily at 09:00", cron, ISO')
      .option('--tz <zone>', 'Time zone')
      .option('--from <instant>', 'ISO timestamp to start from (default: now)')
      .option('--count <n>', 'Number of runs (default 5)', wholeNumber),
    async (run, expr = '') => {
      const from = optional<string>(run, 'from');
      const fromMs = from === undefined ? undefined : Date.parse(from);
      if (fromMs !== undefined && !(Math.abs(fromMs) <= LATEST_FROM_MS))
        throw usageError('--from must be an ISO timestamp.');
      const count = optional<number>(run, 'count');
      if (count !== undefined && count > MAX_RUNS)
        throw usageError(`The maximum of --count is ${String(MAX_RUNS)}.`);
      const value = await run.io.offline.trySchedule(
        {
          expr,
          ...where('tz', optional<string>(run, 'tz')),
          ...where('fromMs', fromMs),
          ...where('count', count),
        },
        run.nowMs,
      );
      return value.ok
        ? { value, text: previewText(value, run) }
        : { value, text: inertLine(value.error), exitCode: EXIT.usage };
    },
  );
}

/** Added to the group `debug`. */
export function addGuard(root: Command, program: Program): void {
  const debug = groupOf(root, 'debug');
  does(
    program,
    debug
      .command('guard')
      .description('Check whether the sleep guard blocks a command')
      .argument('<command>', 'Shell command'),
    async (run, command = '') => {
      const value = await run.io.offline.tryGuard(command, run.io.env);
      const text = value.blocked
        ? `${value.reason ?? ''} Use ${value.suggestion ?? ''} instead.`
        : value.isOn
          ? 'Allowed.'
          : 'Allowed: the sleep guard is off.';
      return { value, text };
    },
  );
}
