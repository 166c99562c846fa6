/** `holdfast events list`, `day`, `doctor`, `diagnostics`, `logs` */
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { VerbOutput } from '../../../shared/contract';
import type { Program, Run } from '../command';
import {
  asks,
  calls,
  does,
  list,
  optional,
  shows,
  where,
  wholeNumber,
  withOldNames,
} from '../command';
import { diagnosticsText } from '../../../shared/diagnostics';
import { withoutOwner } from '../../../shared/owner-words';
import { redactText } from '../../../shared/redact';
import { countText, inert, inertLine, spanText } from '../render';
import { EXIT } from '../exit-codes';
import type { DoctorReport } from '../../../shared/types';
import { valueWords } from '../../../shared/value-words';
import { withReach } from '../reach';
import { HoldfastError } from '../../engine/kernel/errors';
import { ERROR_MESSAGES } from '../../../shared/error-messages';

type Events = VerbOutput<'events.list'>;
type Day = VerbOutput<'day.line'>;

function source(text: string): 'journal' | 'audit' {
  if (text === 'journal' || text === 'audit') return text;
  throw new InvalidArgumentError('It must be journal or audit.');
}

function eventsText(value: Events, run: Run): string {
  const rows = value.events.map((event) => [
    run.paint('quiet', run.when(event.atMs)),
    inertLine(event.kind),
    event.turnId === undefined ? '-' : String(event.turnId),
    inertLine(event.words),
  ]);
  const shown = run.table(['WHEN', 'KIND', 'TURN', 'EVENT'], rows) || 'No events.';
  if (value.nextBefore === undefined) return shown;
  const back =
    value.searchedBackToMs === undefined
      ? 'Older events'
      : `Searched back to ${run.when(value.searchedBackToMs)}; continue with`;
  return `${shown}\n${back}: --cursor ${value.nextBefore}`;
}

/** One line per hour: completed work and its interruptions. */
function dayText(day: Day, run: Run): string {
  const perHour = 3_600_000 / day.slotMs;
  const rows: string[][] = [];
  for (let at = 0; at < day.steps.length; at += perHour) {
    const fromMs = day.fromMs + at * day.slotMs;
    const toMs = fromMs + 3_600_000;
    const steps = day.steps.slice(at, at + perHour).reduce((sum, one) => sum + one, 0);
    const inHour = day.stretches.filter((one) => one.fromMs < toMs && one.toMs > fromMs);
    const kinds = [...new Set(inHour.map((one) => one.kind))];
    const stops = day.stops.filter((stop) => stop.atMs >= fromMs && stop.atMs < toMs);
    rows.push([
      run.when(fromMs),
      String(steps),
      kinds.join(', ') || '-',
      stops
        .map(
          (stop) =>
            `${stop.reason.replaceAll('_', ' ')}, down ${spanText(stop.backAtMs - stop.atMs)}`,
        )
        .join('; ') || '-',
    ]);
  }
  const steps = day.steps.reduce((sum, one) => sum + one, 0);
  return [
    `${countText(steps, 'step')} completed in the last 24 hours, ${countText(day.turnsFinishedToday, 'turn')} today. ${
      day.stops.length === 0
        ? 'No crashes.'
        : `${countText(day.stops.length, 'crash', 'crashes')}, the last ${run.when(day.stops.at(-1)?.atMs)}.`
    }`,
    run.table(['HOUR FROM', 'STEPS', 'HOLDFAST', 'CRASHES'], rows),
  ].join('\n');
}

export function addEvents(root: Command, program: Program): void {
  const events = root.command('events').description('List and publish events');

  asks(
    program,
    withOldNames(
      events
        .command('list')
        .description('List events of the journal or the audit log, newest first')
        .option('--source <source>', 'Source: journal or audit (default journal)', source)
        .option('--kind <kinds>', 'Only these kinds, comma-separated', list)
        .option('--turn <turn>', 'Only this turn', wholeNumber)
        .option('--session <id>', 'Only the session with this ID', wholeNumber)
        .option('--text <text>', 'Only events with these words')
        .option('--limit <n>', 'Maximum number of results, up to 500 (default 50)', wholeNumber),
      new Option('--cursor <cursor>', 'Only older events: the cursor from the previous output'),
      '--before <cursor>',
    ),
    'read',
    calls(
      'events.list',
      (run) => ({
        ...where('source', optional<'journal' | 'audit'>(run, 'source')),
        ...where('kinds', optional<string[]>(run, 'kind')),
        ...where('turnId', optional<number>(run, 'turn')),
        ...where('sessionId', optional<number>(run, 'session')),
        ...where('text', optional<string>(run, 'text')),
        ...where('before', optional<string>(run, 'cursor')),
        limit: optional<number>(run, 'limit') ?? 50,
      }),
      eventsText,
    ),
  );

  asks(
    program,
    root.command('day').description('Show completed steps and crashes of the last 24 hours'),
    'read',
    shows('day.line', dayText),
  );
}

const DOCTOR_TIMEOUT_MS = 600_000;

const DOCTOR_TONES = { ok: 'good', warn: 'warn', fail: 'bad' } as const;

function doctorText(report: DoctorReport, run: Run): string {
  const rows = report.checks.map((check) => [
    run.paint(DOCTOR_TONES[check.level], check.level),
    inertLine(valueWords(check.name)),
    inertLine(check.detail),
  ]);
  const failed = report.checks.filter((check) => check.level === 'fail').length;
  return [
    `Holdfast ${inertLine(report.version)}`,
    run.table(['', 'CHECK', 'FOUND'], rows),
    failed === 0 ? 'Everything required works.' : `${countText(failed, 'check')} failed.`,
  ].join('\n');
}

function findingName(code: string): string | undefined {
  if (code === 'DATA_DIR_UNSAFE') return 'data folder';
  return /^(DATABASE|DISK)_/.test(code) ? 'database' : undefined;
}

/** If the data cannot be opened, that is a finding and not a failure of the command. */
async function examined(run: Run, isToShare: boolean): Promise<DoctorReport> {
  try {
    const wish = {
      ...(optional<boolean>(run, 'full') === true && { full: true }),
      ...(isToShare && { toShare: true }),
    };
    return await withReach('early', run, (engine) =>
      engine.call('doctor.run', wish, DOCTOR_TIMEOUT_MS),
    );
  } catch (thrown) {
    if (!(thrown instanceof HoldfastError)) throw thrown;
    const name = findingName(thrown.code);
    if (name === undefined) throw thrown;
    const said = `${thrown.message} ${thrown.hint ?? ERROR_MESSAGES[thrown.code].next}`;
    const owner = { homes: [run.io.home], name: basename(run.io.home) };
    const detail = isToShare ? withoutOwner(redactText(said), owner) : said;
    const check = { name, ok: false, level: 'fail' as const, detail };
    return { version: run.io.version, ok: false, checks: [check] };
  }
}

/** `doctor` and `logs`: problems, and the log entries about them. */
export function addDiagnosis(root: Command, program: Program): void {
  does(
    program,
    root
      .command('doctor')
      .description('Check everything that Holdfast needs')
      .option('--full', 'Read the whole database'),
    async (run) => {
      const value = await examined(run, false);
      return { value, text: doctorText(value, run), exitCode: value.ok ? EXIT.ok : EXIT.failed };
    },
  );
  does(
    program,
    root.command('diagnostics').description('Print the diagnostics report for a bug report'),
    async (run) => {
      const value = await examined(run, true);
      return { value, text: inert(diagnosticsText(value)).trimEnd() };
    },
  );

  asks(
    program,
    root
      .command('logs')
      .description('Show the end of the log')
      .option('-n, --lines <n>', 'Number of lines (default 50)', wholeNumber)
      .option('-f, --follow', 'Keep printing new lines'),
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
}

// The log for people, and its end as it grows.

/** `14:31:07 warn  event  key=value`. A line that is not JSON stays as it is. */
export function logLineText(line: string): string {
  try {
    const entry = JSON.parse(line) as {
      level?: string;
      time?: string;
      event?: string;
      facts?: object;
    };
    const time = typeof entry.time === 'string' ? entry.time.slice(11, 19) : '';
    const said = Object.entries(entry.facts ?? {}).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    return inertLine([time, (entry.level ?? '').padEnd(5), entry.event ?? '', ...said].join(' '));
  } catch {
    return inertLine(line);
  }
}

/**
 * Calls `onLine` for each line that is appended, also after the file was rotated, until the command
 * ends.
 */
function followFile(
  path: string,
  hooks: {
    readonly onLine: (line: string) => void;
    readonly onEnd: (end: () => void) => () => void;
  },
): Promise<void> {
  let at = sizeOf(path).bytes;
  let inode = sizeOf(path).inode;
  let rest = '';
  let decoder = new StringDecoder('utf8');
  const read = (): void => {
    const now = sizeOf(path);
    if (now.inode !== inode || now.bytes < at) {
      inode = now.inode;
      at = 0;
      rest = '';
      decoder = new StringDecoder('utf8');
    }
    if (now.bytes <= at) return;
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(Math.min(1_000_000, fstatSync(file).size - at));
      const bytes = readSync(file, buffer, 0, buffer.length, at);
      at += bytes;
      const lines = (rest + decoder.write(buffer.subarray(0, bytes))).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') hooks.onLine(line);
    } finally {
      closeSync(file);
    }
  };
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      try {
        read();
      } catch {
        // rotated away between two looks: the next look finds the new file
      }
    }, 250);
    const off = hooks.onEnd(() => {
      clearInterval(timer);
      off();
      resolve();
    });
  });
}

function sizeOf(path: string): { readonly bytes: number; readonly inode: number } {
  try {
    const facts = statSync(path);
    return { bytes: facts.size, inode: facts.ino };
  } catch {
    return { bytes: 0, inode: 0 }; // does not exist yet
  }
}
