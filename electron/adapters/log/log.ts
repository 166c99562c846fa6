import { unseenEscaped } from '../../../shared/unseen';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redactor } from '../../../shared/redact';
import { createRedactor } from '../../../shared/redact';
import type { Clock } from '../../ports/clock';
import type { Log, LogFacts } from '../../ports/log';
import type { Rotation } from './rotating-file';
import { createRotatingFile, olderPath } from './rotating-file';

type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The log of a data directory with what the windows and the command line need of it. */
export interface FileLog extends Log {
  /** Path of the current file. */
  readonly path: string;
  /** The last lines, oldest first, from older files too if needed; at most 1 MB. Never throws. */
  tail(lines: number): Promise<readonly string[]>;
  /** Changes of `log.level` apply at once. */
  setLevel(level: LogLevel): void;
  /** Number of lines that the disk rejected. */
  lost(): number;
  close(): void;
}

export interface LogOptions {
  /** `D/logs`; created with the first line. */
  readonly dir: string;
  readonly level: LogLevel;
  readonly clock: Clock;
  /** The redactor that knows the secrets; by default a new one. */
  readonly redactor?: Redactor;
  /** Default: 5 files of 10 MB. R4. */
  readonly rotation?: Rotation;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
const MAX_LINE = 9500;
const TAIL_BYTES = 1_000_000;

/** Makes a finished JSON line inert: JSON leaves much of what a terminal or an editor acts on. R4. */
export const escapeLine = unseenEscaped;

/** JSON lines through one redactor into `holdfast.log`. Rows: R1, R3, R4. */
export function createLog(options: LogOptions): FileLog {
  const { clock } = options;
  let least = options.level;
  const redactor = options.redactor ?? createRedactor();
  const rotation = options.rotation ?? { maxBytes: 10_000_000, files: 5 };
  const path = join(options.dir, 'holdfast.log');
  const time = (): string => new Date(clock.nowMs()).toISOString();
  const file = createRotatingFile({
    path,
    rotation,
    clock,
    lossLine: (lost) =>
      JSON.stringify({ level: 'warn', time: time(), facts: { lost }, event: 'log.lines_lost' }),
  });

  function shortened(line: string): string {
    const { level, time: at, event } = JSON.parse(line) as Record<string, unknown>;
    return escapeLine(
      JSON.stringify({
        level,
        time: at,
        facts: { cut: line.slice(0, 4000), characters: line.length },
        event,
      }),
    );
  }

  function write(level: LogLevel, event: string, facts: LogFacts | undefined): void {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
    try {
      const line = JSON.stringify({
        level,
        time: time(),
        ...(facts === undefined || Object.keys(facts).length === 0
          ? {}
          : { facts: redactor.redact(facts) }),
        event: event.slice(0, 200),
      });
      // By value once more on the finished line, so that no secret reaches the file another way.
      const clean = escapeLine(redactor.redactText(line));
      file.write(clean.length <= MAX_LINE ? clean : shortened(clean));
    } catch {
      // A fact that cannot be written costs only this line.
      file.write(JSON.stringify({ level, time: time(), event: 'log.line_unwritable' }));
    }
  }

  return {
    path,
    debug: (event, facts) => {
      write('debug', event, facts);
    },
    info: (event, facts) => {
      write('info', event, facts);
    },
    warn: (event, facts) => {
      write('warn', event, facts);
    },
    error: (event, facts) => {
      write('error', event, facts);
    },
    async tail(lines) {
      let found: string[] = [];
      let budget = TAIL_BYTES;
      for (let n = 0; n < rotation.files && found.length < lines && budget > 0; n += 1) {
        const part = await readEnd(olderPath(path, n), budget);
        if (part === undefined) break;
        budget -= part.bytes;
        found = [...part.lines, ...found];
      }
      return lines <= 0 ? [] : found.slice(-lines).map((line) => line.slice(0, 10_000));
    },
    setLevel(level) {
      least = level;
    },
    lost: () => file.lost(),
    close: () => {
      file.close();
    },
  };
}

/** Complete lines at the end of a file. */
async function readEnd(
  path: string,
  maxBytes: number,
): Promise<{ lines: string[]; bytes: number } | undefined> {
  try {
    const handle = await open(path, 'r');
    try {
      const { size } = await handle.stat();
      const start = Math.max(0, size - maxBytes);
      const { buffer, bytesRead } = await handle.read(
        Buffer.alloc(size - start),
        0,
        size - start,
        start,
      );
      const text = buffer.toString('utf8', 0, bytesRead);
      const lines = text.split('\n').filter((line) => line !== '');
      // The first line is incomplete unless reading started at the start of the file.
      return { lines: start > 0 ? lines.slice(1) : lines, bytes: bytesRead };
    } finally {
      await handle.close();
    }
  } catch {
    // No such file: nothing was logged yet, or not that much.
    return undefined;
  }
}
