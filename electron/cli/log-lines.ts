/** The log for people, and its end as it grows. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { inertLine } from './render';

/** `14:31:07 warn  event  key=value`; a line that is no JSON stays as it is. */
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

/** Calls `onLine` for each line that is appended, also after the file was rotated, until the end. */
export function followFile(
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
    return { bytes: 0, inode: 0 }; // not there yet
  }
}
