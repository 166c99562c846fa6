/** Files of watched terminals and records of Claude Code, on a real disk. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClaudeSessions } from '../../../electron/adapters/command/claude-sessions';
import { findWatched, listWatched, pruneWatched } from '../../../electron/adapters/command/watched';

const DAY_MS = 86_400_000;
let dir: string;

beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-watched-'));
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

const write = (name: string, text: string, ageMs = 0): void => {
  const file = path.join(dir, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  const at = new Date(Date.now() - ageMs);
  fs.utimesSync(file, at, at);
};
const line = (value: object): string => `${JSON.stringify(value)}\n`;

describe('files of watched terminals', () => {
  it('go when they were last written to before the time that is kept; nothing else goes', async () => {
    write('old.jsonl', line({ atMs: 1, event: 'Stop' }), 40 * DAY_MS);
    write('young.jsonl', line({ atMs: 2, event: 'Stop' }), 20 * DAY_MS);
    write('notes.txt', 'mine', 400 * DAY_MS);
    expect(await pruneWatched(dir, Date.now() - 30 * DAY_MS)).toBe(1);
    expect(fs.readdirSync(dir).sort()).toEqual(['notes.txt', 'young.jsonl']);
    expect(await pruneWatched(path.join(dir, 'never'), Date.now())).toBe(0);
  });

  it('are listed newest first, without lines that were cut off; a path is no name', async () => {
    write('a.jsonl', `${line({ atMs: 1, event: 'Stop', cwd: '/a' })}{"atMs":9,"ev`);
    write('b.jsonl', line({ atMs: 2, event: 'Stop', cwd: '/b', pid: 7, startTicks: '9' }));
    write('empty.jsonl', '');
    expect((await listWatched(dir)).map((one) => one.session)).toEqual(['b', 'a']);
    expect((await findWatched(dir, 'b'))?.process).toEqual({ pid: 7, startTicks: '9' });
    expect(await findWatched(dir, '../a')).toBeUndefined();
  });

  it('S0-10 that are there and cannot be read were not "never watched": 1 such file is left out of the list, and asked for by name it says so', async () => {
    write('a.jsonl', line({ atMs: 1, event: 'Stop', cwd: '/a' }));
    fs.mkdirSync(path.join(dir, 'b.jsonl'));
    expect((await listWatched(dir)).map((one) => one.session)).toEqual(['a']);
    await expect(findWatched(dir, 'b')).rejects.toMatchObject({ code: 'RESULT_UNREADABLE' });
    expect(await findWatched(dir, 'c')).toBeUndefined();
    await expect(listWatched(path.join(dir, 'a.jsonl'))).rejects.toMatchObject({
      code: 'RESULT_UNREADABLE',
    });
  });
});

describe('files of 130 watched terminals', () => {
  const { readFile } = fs.promises;
  afterEach(() => {
    Object.assign(fs.promises, { readFile });
    syncBuiltinESMExports();
  });

  it('are read 1 at a time, and only the 100 newest: the limit of open files hides none of them', async () => {
    for (let at = 0; at < 130; at += 1)
      write(`s${String(at)}.jsonl`, line({ atMs: at, event: 'Stop', cwd: '/' }), (130 - at) * 1000);
    write('empty.jsonl', '');
    let [open, most, read] = [0, 0, 0];
    Object.assign(fs.promises, {
      readFile: async (...given: Parameters<typeof readFile>) => {
        open += 1;
        read += 1;
        most = Math.max(most, open);
        return readFile(...given).finally(() => (open -= 1));
      },
    });
    syncBuiltinESMExports();
    const listed = await listWatched(dir);
    expect([listed.length, listed[0]?.session, listed[99]?.session]).toEqual([100, 's129', 's30']);
    expect([most, read]).toEqual([1, 101]);
  });
});

describe('records of Claude Code', () => {
  const user = (content: unknown, more: object = {}): string =>
    line({ type: 'user', cwd: '/w', message: { role: 'user', content }, ...more });

  it('are listed by their folder, the last used first; sub-agents, strangers and broken ones are left out', async () => {
    write('projects/-w/one.jsonl', user('first words'), 3000);
    write('projects/-w/two.jsonl', user([{ type: 'tool_result' }]) + user('later'), 1000);
    write('projects/-w/agent-1.jsonl', user('inner'));
    write('projects/-w/broken.jsonl', 'not json\n');
    write('projects/-v/far.jsonl', user('far', { cwd: '/v' }));
    write('projects/file.jsonl', user('no folder'));
    const sessions = createClaudeSessions(dir);
    const found = await sessions.list(10, (folder) => folder === '/w');
    expect(found.map(({ ref, firstWords }) => [ref, firstWords])).toEqual([
      ['two', 'later'],
      ['one', 'first words'],
    ]);
    expect(await sessions.list(1, () => true)).toHaveLength(1);
    expect(await sessions.find('far')).toMatchObject({ folder: '/v' });
    expect(await sessions.find('../-v/far')).toBeUndefined();
    expect(await createClaudeSessions(path.join(dir, 'none')).list(5, () => true)).toEqual([]);
  });

  it('shows first words as one inert line, bounded, however long the record is', async () => {
    write(
      'projects/-w/long.jsonl',
      user(`pay \u202Eyap\n${'x'.repeat(1000)}`) + 'y'.repeat(5_000_000),
    );
    const [one] = await createClaudeSessions(dir).list(5, () => true);
    expect(one?.firstWords).toMatch(/^pay \\u\{202e\}yap ⏎ x+…$/);
    expect(one?.firstWords.length).toBeLessThanOrEqual(200);
  });
});
