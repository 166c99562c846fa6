import { describe, expect, it } from 'vitest';
import { decideEnd, isSuspect } from '../../../electron/adapters/shell/command-end';

const quiet = { endedBy: undefined, isAborted: false, isStopping: false } as const;
const exited = (code: number) => ({ kind: 'exited', code });
const killed = (by: string, signal: string) => ({ kind: 'killed', by, signal });

describe('how a program ended', () => {
  it.each([
    ['exit 0', { ...quiet, code: 0, signal: null }, exited(0)],
    ['exit 3', { ...quiet, code: 3, signal: null }, exited(3)],
    ['exit 3 in a stop', { ...quiet, code: 3, signal: null, isStopping: true }, exited(3)],
    ['exit 0 in a stop', { ...quiet, code: 0, signal: null, isStopping: true }, exited(0)],
    ['SIGKILL', { ...quiet, code: null, signal: 'SIGKILL' }, killed('other', 'SIGKILL')],
    ['SIGSEGV', { ...quiet, code: null, signal: 'SIGSEGV' }, killed('other', 'SIGSEGV')],
    [
      'our time limit, and a trap that exits with 0',
      { ...quiet, code: 0, signal: null, endedBy: 'timeout' as const },
      killed('timeout', 'SIGTERM'),
    ],
    [
      'our stop of the call',
      { ...quiet, code: null, signal: 'SIGKILL', endedBy: 'abort' as const, isStopping: true },
      killed('abort', 'SIGKILL'),
    ],
    // The program may have sent the signal itself: `sleep 9 & kill %1; wait %1`.
    ['exit 143, nothing else', { ...quiet, code: 143, signal: null }, exited(143)],
    ['exit 137, nothing else', { ...quiet, code: 137, signal: null }, exited(137)],
    [
      'exit 143 in a stop',
      { ...quiet, code: 143, signal: null, isStopping: true },
      killed('stop', 'SIGTERM'),
    ],
    [
      'exit 137 in a stop',
      { ...quiet, code: 137, signal: null, isStopping: true },
      killed('stop', 'SIGKILL'),
    ],
    [
      'exit 130 of a call that was stopped since',
      { ...quiet, code: 130, signal: null, isAborted: true },
      killed('abort', 'SIGINT'),
    ],
    // A fault of the program itself is its own.
    ['exit 139 in a stop', { ...quiet, code: 139, signal: null, isStopping: true }, exited(139)],
  ])('S4-20 decides %s', (_name, facts, end) => {
    expect(decideEnd(facts)).toEqual(end);
  });

  it('S4-20 waits for what may end this process next after 5 of 256 exit codes and every signal, never after a signal of ours', () => {
    const codes = Array.from({ length: 256 }, (_, code) => code);
    const suspect = codes.filter((code) => isSuspect({ ...quiet, code, signal: null }));
    expect(suspect).toEqual([129, 130, 131, 137, 143]);
    expect(isSuspect({ code: null, signal: 'SIGINT', endedBy: undefined })).toBe(true);
    expect(isSuspect({ code: null, signal: 'SIGKILL', endedBy: 'abort' })).toBe(false);
  });
});
