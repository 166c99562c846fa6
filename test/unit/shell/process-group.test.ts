import { describe, expect, it } from 'vitest';
import { planGroupEnd } from '../../../electron/adapters/shell/process-group';

describe('what ends a program with all that it has started', () => {
  it.each([
    ['linux', 'SIGTERM', { kind: 'signal', pid: -4711, signal: 'SIGTERM' }],
    ['linux', 'SIGKILL', { kind: 'signal', pid: -4711, signal: 'SIGKILL' }],
    ['darwin', 'SIGKILL', { kind: 'signal', pid: -4711, signal: 'SIGKILL' }],
    ['win32', 'SIGTERM', { kind: 'command', command: 'taskkill', args: ['/PID', '4711', '/T'] }],
    [
      'win32',
      'SIGKILL',
      { kind: 'command', command: 'taskkill', args: ['/PID', '4711', '/T', '/F'] },
    ],
  ] as const)(
    'UP-03 on %s, %s reaches the whole group of process 4711',
    (platform, signal, end) => {
      expect(planGroupEnd(platform, 4711, signal)).toEqual(end);
    },
  );
});
