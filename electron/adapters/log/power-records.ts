import { open, stat } from 'node:fs/promises';
import type { PowerRecord, PowerRecords } from '../../ports/history';
import { olderPath } from './rotating-file';

/** Read in chunks, so that a file of 10 MB blocks nothing. */
const PIECE_BYTES = 262_144;
const FILES = 5;

interface Known {
  size: number;
  records: PowerRecord[];
}

/** Each byte of a log file is read once during the lifetime of this object. */
export function createPowerRecords(logPath: string): PowerRecords {
  const known = new Map<string, Known>();
  return async (fromMs) => {
    const found: PowerRecord[] = [];
    const seen = new Set<string>();
    for (let n = 0; n < FILES; n += 1) {
      const path = olderPath(logPath, n);
      try {
        const facts = await stat(path);
        // No line in a file is newer than its last write.
        if (facts.mtimeMs < fromMs) break;
        const name = `${String(facts.dev)}:${String(facts.ino)}`;
        seen.add(name);
        const file = known.get(name) ?? { size: 0, records: [] };
        if (file.size > facts.size) Object.assign(file, { size: 0, records: [] });
        known.set(name, file);
        if (file.size < facts.size) await readOn(path, file, facts.size);
        found.push(...file.records);
      } catch {
        break; // No such file: nothing, or not that much, was logged yet.
      }
    }
    for (const name of known.keys()) if (!seen.has(name)) known.delete(name);
    return found.filter(({ atMs }) => atMs >= fromMs).sort((a, b) => a.atMs - b.atMs);
  };
}

async function readOn(path: string, file: Known, end: number): Promise<void> {
  const handle = await open(path, 'r');
  try {
    let rest = Buffer.alloc(0);
    while (file.size < end) {
      const piece = Buffer.alloc(Math.min(PIECE_BYTES, end - file.size));
      const { bytesRead } = await handle.read(piece, 0, piece.length, file.size);
      if (bytesRead === 0) break;
      const bytes = Buffer.concat([rest, piece.subarray(0, bytesRead)]);
      const cut = bytes.lastIndexOf(0x0a) + 1;
      file.size += bytesRead;
      collect(bytes.subarray(0, cut), file.records);
      rest = bytes.subarray(cut);
    }
    // A line that is still being written is read again when it is complete.
    file.size -= rest.length;
  } finally {
    await handle.close();
  }
}

function collect(bytes: Buffer, records: PowerRecord[]): void {
  for (let at = bytes.indexOf('"power.'); at >= 0; at = bytes.indexOf('"power.', at + 1)) {
    const start = bytes.lastIndexOf(0x0a, at) + 1;
    const end = bytes.indexOf(0x0a, at);
    try {
      const line = JSON.parse(bytes.toString('utf8', start, end < 0 ? bytes.length : end)) as {
        time?: unknown;
        event?: unknown;
      };
      const kind = line.event === 'power.suspend' ? 'suspend' : 'resume';
      if (kind === 'resume' && line.event !== 'power.resume') continue;
      const atMs = Date.parse(String(line.time));
      if (Number.isFinite(atMs)) records.push({ kind, atMs });
    } catch {
      // An incomplete line is skipped.
    }
  }
}
