import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  beginRecords,
  hookedTurns,
  hooksDir,
  readRecords,
  recordsPath,
  removeRecords,
  sealRecords,
} from '../../../electron/adapters/command/hook-records';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'hf-hooks-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (attempt: number): string => JSON.stringify({ kind: 'run', attempt });
const after = (attempt: number, callId: string): string =>
  JSON.stringify({ kind: 'after', attempt, callId, isError: false, output: '' });
const SEAL = '{"kind":"seal"}';

describe('S4-20 the records of hooks', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['one run', [run(1), after(1, 'a'), after(1, 'b')], ['1a', '1b']],
    ['a file of an earlier version', [after(1, 'a'), after(2, 'b')], ['1a', '2b']],
    ['after a seal', [run(1), after(1, 'a'), SEAL, after(1, 'b')], ['1a']],
    ['of the run after the seal', [run(1), SEAL, run(2), after(2, 'b')], ['2b']],
    ['of the sealed run, late', [run(1), SEAL, run(2), after(1, 'a'), after(2, 'b')], ['2b']],
    ['two seals', [run(1), SEAL, run(2), after(2, 'a'), SEAL, after(2, 'b')], ['2a']],
    ['a torn line', [run(1), '{"kind":"after","att', after(1, 'b')], ['1b']],
  ])('%s', async (_, lines, expected) => {
    const file = path.join(dir, 'turn-1.jsonl');
    await writeFile(file, `${lines.join('\n')}\n`);
    const records = (await readRecords(file)) ?? [];
    expect(
      records.map((one) => (one.kind === 'after' ? `${String(one.attempt)}${one.callId}` : '')),
    ).toEqual(expected);
  });

  it('are sealed in the file that the hooks write to, and no file is made for a turn without hooks', async () => {
    await mkdir(hooksDir(dir), { recursive: true });
    beginRecords(recordsPath(dir, 7), 1);
    sealRecords(dir, 7, noCrashPoints);
    sealRecords(dir, 8, noCrashPoints);
    expect(readFileSync(recordsPath(dir, 7), 'utf8')).toBe(`${run(1)}\n${SEAL}\n`);
    expect(await readRecords(recordsPath(dir, 8))).toBeUndefined();
  });

  it('hold no result of a command that was killed although 1 seal was refused, such as with too many open files', async () => {
    await mkdir(hooksDir(dir), { recursive: true });
    const file = recordsPath(dir, 10);
    const real = path.join(dir, 'real');
    await writeFile(real, `${run(1)}\n${after(1, 'before')}\n`);
    // What is written through this path is refused, and everything else goes on.
    symlinkSync(real, file);
    sealRecords(dir, 10, noCrashPoints);
    appendFileSync(file, `${after(1, 'killed')}\n`);
    // As the next process reads them, where this one dies now.
    vi.resetModules();
    const next = await import('../../../electron/adapters/command/hook-records');
    const called = async (): Promise<readonly string[]> =>
      ((await next.readRecords(file)) ?? []).flatMap((one) =>
        one.kind === 'after' ? one.callId : [],
      );
    expect(await called()).toEqual(['before']);
    appendFileSync(file, `${run(2)}\n${after(2, 'again')}\n`);
    expect(await called()).toEqual(['before', 'again']);
    expect(await hookedTurns(dir)).toEqual([10]);
    await removeRecords(dir, 10);
    expect(await hookedTurns(dir)).toEqual([]);
    expect(await called()).toEqual([]);
  });

  it('that are there and cannot be read are not missing: 1 read of the file and 1 of its folder say so, because a finished command would run again', async () => {
    await mkdir(recordsPath(dir, 11), { recursive: true });
    await expect(readRecords(recordsPath(dir, 11))).rejects.toMatchObject({
      code: 'RESULT_UNREADABLE',
      message: expect.stringContaining('EISDIR') as string,
    });
    const other = mkdtempSync(path.join(dir, 'other-'));
    await mkdir(path.dirname(hooksDir(other)));
    expect(await hookedTurns(other)).toEqual([]);
    symlinkSync(hooksDir(other), hooksDir(other));
    await expect(hookedTurns(other)).rejects.toMatchObject({ code: 'RESULT_UNREADABLE' });
  });

  it('leave the end of a program to itself where the disk refuses the seal', async () => {
    await mkdir(recordsPath(dir, 9), { recursive: true });
    expect(() => sealRecords(dir, 9, noCrashPoints)).not.toThrow();
  });
});
