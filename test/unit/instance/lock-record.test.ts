import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatLockRecord,
  parseLockRecord,
  parseTakeoverNote,
} from '../../../electron/engine/instance/lock-record';
import { aRecord } from './lock-facts';

describe('agent.lock', () => {
  it('S2-39 survives writing and reading, field by field', () => {
    const record = aRecord({ phase: 'stopping', stopReason: 'os_shutdown' });
    expect(parseLockRecord(formatLockRecord(record))).toEqual({ kind: 'record', record });
  });

  it.each([
    ['4321', 4321],
    [' 4321\n', 4321],
    ['0', 0],
    ['-1', -1],
  ])('S2-41 %j is another program’s bare pid', (text, pid) => {
    expect(parseLockRecord(text)).toEqual({ kind: 'bare_pid', pid });
  });

  it.each([
    '',
    ' \n',
    'abc',
    '4321 rm',
    '{"pid":',
    '\0\0\0',
    '99999999999999999999',
    '[]',
    'null',
    '"4321"',
    '{}',
    '{"pid":"4321"}',
    '{"pid":1.5}',
    '{"pid":1e30}',
    'x'.repeat(20_000),
  ])('S2-41 L5 %# is unreadable', (text) => {
    expect(parseLockRecord(text).kind).toBe('unreadable');
  });

  it('S2-41 wrong types become unknown, so that nobody is signaled by them', () => {
    const content = parseLockRecord(
      '{"pid":4321,"startTicks":777,"bootId":[],"uid":"0","phase":"x"}',
    );
    expect(content).toMatchObject({
      kind: 'record',
      record: { pid: 4321, startTicks: null, bootId: null, uid: null, phase: 'running' },
    });
  });

  it('S2-41 no text makes the reader throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(['bare_pid', 'unreadable', 'record']).toContain(parseLockRecord(text).kind);
        expect(() => parseTakeoverNote(text)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });

  it('S2-41 every truncation of a record is unreadable', () => {
    const text = formatLockRecord(aRecord()).trim();
    for (let length = 0; length < text.length; length += 1) {
      expect(parseLockRecord(text.slice(0, length)).kind).toBe('unreadable');
    }
  });
});

describe('run/takeover.json', () => {
  const note = { byPid: 5000, byInstanceId: 'b', atMs: 12, targetInstanceId: 'a' };
  it('S2-42 is read whole or not at all', () => {
    expect(parseTakeoverNote(JSON.stringify(note))).toEqual(note);
    for (const field of Object.keys(note)) {
      expect(parseTakeoverNote(JSON.stringify({ ...note, [field]: undefined }))).toBeNull();
    }
    expect(parseTakeoverNote('{')).toBeNull();
  });
});
