import { describe, expect, it } from 'vitest';
import { isLeftOver, isTemporaryName, temporaryPath } from '../../../electron/disk/temporary-names';

const DEAD = 4_000_001;
const LIVING = 4_000_002;
const isAlive = (pid: number): boolean => pid === LIVING || pid === process.pid;
const left = (path: string, ageMs = 0): boolean => isLeftOver({ path, ageMs, isAlive });

describe('names of writes that are under way', () => {
  it('S4-14 gives 2 writes of one file 2 names, both known as temporary, never taken for left over', () => {
    const names = [temporaryPath('/d/agent.lock'), temporaryPath('/d/agent.lock')];
    expect(new Set(names).size).toBe(2);
    expect(names.every(isTemporaryName)).toBe(true);
    expect(names.some((name) => left(name, 3_600_000))).toBe(false);
  });

  it.each([
    [`config.json.${String(DEAD)}-0123abcd-1.tmp`, true],
    [`config.json.${String(LIVING)}-0123abcd-1.tmp`, false],
    // A container gives the same number at every start: another run of it is not this process.
    [`config.json.${String(process.pid)}-0123abcd-1.tmp`, true],
    // Versions before wrote no run.
    [`a.txt.${String(DEAD)}-12.tmp`, true],
    [`a.txt.${String(LIVING)}-12.tmp`, false],
    ['notes.tmp', false],
    ['config.json', false],
    ['report.2024-01.tmp.txt', false],
  ])('S4-14 tells by its name whether %s is left over: %s', (name, is) => {
    expect(left(`/d/${name}`, 3_600_000)).toBe(is);
  });

  it.each([
    '.agent.lock.8b6f0a52-0000-4000-8000-000000000000.tmp',
    'shell.json.tmp',
    'come-back.json.tmp',
    'config.json.tmp-1234567890abcdef',
  ])('S4-14 takes %s of an earlier version for left over after 60 s, not before', (name) => {
    expect([left(`/d/${name}`, 59_000), left(`/d/${name}`, 61_000)]).toEqual([false, true]);
  });
});
