import { expect, test } from 'vitest';
import { ownerBefore } from '../../../electron/engine/instance/owner-before';
import type {
  LeftBehind,
  LockContent,
  ReplacedHolder,
} from '../../../electron/ports/instance-lock';
import { aRecord, NOW_MS } from './lock-facts';

const left = (content: LockContent): LeftBehind => ({
  content,
  lastAliveAtMs: null,
  takeoverNote: null,
  crashNote: null,
});
const replaced: ReplacedHolder = {
  pid: 4321,
  instanceId: 'instance-a',
  version: '0.1.0',
  host: 'here',
  how: 'killed',
  waitedMs: 5_000,
};
const startedAtMs = NOW_MS - 600_000;

test.each([
  ['nothing, with nothing left behind', null, { kind: 'absent' }, undefined],
  [
    'the pid, phase and start of a record',
    null,
    { kind: 'record', record: aRecord() },
    {
      event: 'lock.stale',
      facts: { content: 'record', pid: 4321, phase: 'running', startedAtMs },
    },
  ],
  [
    'the number of another program',
    null,
    { kind: 'bare_pid', pid: 7 },
    { event: 'lock.stale', facts: { content: 'bare_pid', pid: 7 } },
  ],
  [
    'why a file cannot be read',
    null,
    { kind: 'unreadable', reason: 'no JSON' },
    { event: 'lock.stale', facts: { content: 'unreadable', reason: 'no JSON' } },
  ],
  [
    'of a process that was replaced how, and nothing of its record',
    replaced,
    { kind: 'record', record: aRecord() },
    {
      event: 'lock.taken_over',
      facts: { pid: 4321, version: '0.1.0', how: 'killed', waitedMs: 5_000 },
    },
  ],
] as const)('S2-41 S2-44 the log says %s', (_title, before, content, said) => {
  expect(ownerBefore({ replaced: before, leftBehind: left(content) })).toEqual(said);
});
