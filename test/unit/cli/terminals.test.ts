/** `holdfast terminals list`, on a real disk. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildProgram } from '../../../electron/cli/cli';
import type { Program } from '../../../electron/cli/command';
import { watchDir } from '../../../electron/data-dir';
import { commandWords } from '../../../shared/command-words';

let dataDir: string;
beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-terminals-'));
});
const { readFileSync } = fs;
afterEach(() => {
  Object.assign(fs, { readFileSync });
  syncBuiltinESMExports();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

async function list(): Promise<{ readonly sessions: readonly string[]; readonly said: string }> {
  let [text, said] = ['', ''];
  const io = {
    env: {},
    home: dataDir,
    nowMs: () => 0,
    stdout: { write: (one: string) => (text += one), isTTY: false, columns: 80 },
    stderr: { write: (one: string) => (said += one), isTTY: false, columns: 80 },
  };
  const program = await buildProgram({ io } as unknown as Program, undefined);
  const words = commandWords('terminals list --json');
  await program.parseAsync([...words, '--data-dir', dataDir], { from: 'user' });
  const { sessions } = JSON.parse(text) as { sessions: { session: string }[] };
  return { sessions: sessions.map(({ session }) => session), said };
}

it('the list of terminals reads the 100 newest of 130 files and no others, and names 1 that cannot be read instead of failing', async () => {
  expect(await list()).toEqual({ sessions: [], said: '' });
  const dir = watchDir(dataDir);
  fs.mkdirSync(path.join(dir, 'broken.jsonl'), { recursive: true });
  for (let at = 0; at < 130; at += 1) {
    const file = path.join(dir, `s${String(at)}.jsonl`);
    fs.writeFileSync(file, `${JSON.stringify({ atMs: at, event: 'Stop', cwd: '/' })}\n`);
    fs.utimesSync(file, at + 1, at + 1);
  }
  let read = 0;
  const counting = (...given: Parameters<typeof readFileSync>): unknown => {
    if (String(given[0]).endsWith('.jsonl')) read += 1;
    return readFileSync(...given);
  };
  Object.assign(fs, { readFileSync: counting });
  syncBuiltinESMExports();
  const { sessions, said } = await list();
  expect([sessions.length, sessions[0], sessions[99]]).toEqual([100, 's129', 's30']);
  expect(read).toBe(101);
  expect(said).toBe('broken.jsonl cannot be read (EISDIR).\n');
  fs.rmSync(dir, { recursive: true });
  fs.writeFileSync(dir, '');
  await expect(list()).rejects.toMatchObject({ code: 'ENOTDIR' });
});
