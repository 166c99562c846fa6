/** Folders of random names that a killed run has left: the next start of the same data directory removes them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { prepareSocketPlace } from '../../electron/control/socket-folder';

let home: string;
const made: string[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hf-sock-'));
  // A folder that others can write to: as if another account had taken the usual name.
  mkdirSync(join(home, 'taken'));
  chmodSync(join(home, 'taken'), 0o777);
});
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  rmSync(home, { recursive: true, force: true });
});

const name = (letter: string): string =>
  `${letter.repeat(6)}${String(process.pid).padStart(18, '0')}.sock`;
const place = (socketName: string): ReturnType<typeof prepareSocketPlace> => {
  const found = prepareSocketPlace(
    join(home, 'taken', socketName),
    join(home, 'run', 'control.token'),
  );
  made.push(dirname(found.socketPath));
  return found;
};

/** A run that listens there and is killed. */
async function killedAt(socketPath: string): Promise<void> {
  const script = `require('node:net').createServer().listen(${JSON.stringify(socketPath)}, () => console.log('on'))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

it('K5 the folder of a run that was killed is removed by the next start of the same data directory', async () => {
  const first = place(name('a'));
  await killedAt(first.socketPath);
  expect(existsSync(first.socketPath)).toBe(true);
  const second = place(name('a'));
  expect(existsSync(dirname(first.socketPath))).toBe(false);
  expect(dirname(second.socketPath)).not.toBe(dirname(first.socketPath));
  expect(existsSync(dirname(second.socketPath))).toBe(true);
});

it('K5 one that was killed before it listened is removed, too, and also where the usual folder is free again', () => {
  const first = place(name('b'));
  const wanted = join(home, 'ours', name('b'));
  expect(prepareSocketPlace(wanted, join(home, 'run', 'control.token')).socketPath).toBe(wanted);
  expect(existsSync(dirname(first.socketPath))).toBe(false);
});

it('K5 what is of another data directory, open to others, a link, or holds anything else stays', () => {
  const start = dirname(place(name('c')).socketPath).slice(0, -6);
  const other = dirname(place(name('d')).socketPath);
  const open = `${start}OPENED`;
  mkdirSync(open);
  chmodSync(open, 0o777);
  const full = `${start}FILLED`;
  mkdirSync(full, { mode: 0o700 });
  writeFileSync(join(full, 'notes.txt'), 'mine');
  const linked = `${start}LINKED`;
  symlinkSync(home, linked);
  const longer = `${start}LONGERNAME`;
  mkdirSync(longer, { mode: 0o700 });
  const file = `${start}AFILEX`;
  writeFileSync(file, '');
  made.push(open, full, linked, longer, file);
  place(name('c'));
  for (const kept of [other, open, full, join(full, 'notes.txt'), linked, longer, file])
    expect(existsSync(kept), basename(kept)).toBe(true);
  expect(existsSync(join(home, 'taken'))).toBe(true);
});
