import { describe, expect, it } from 'vitest';
import { activationView } from '../../../electron/engine/status/activation-view';
import type { ActivationRow } from '../../../electron/ports/journal/work';
import { because, storedReason, type Reason } from '../../../shared/reason';

const blocked = (reason: Reason | string): ActivationRow => ({
  seq: 1,
  atMs: 1_000,
  event: 'blocked',
  sessionId: 1,
  sessionKey: 'train',
  agent: 'coder',
  turnId: 7,
  attempt: 0,
  claimId: undefined,
  owner: undefined,
  wake: undefined,
  promptSeq: 1,
  body: { state: 'waiting', reason },
  entryKind: 'turn.state',
  startReason: undefined,
  asks: undefined,
});
const whyOf = (reason: Reason | string): string | undefined =>
  activationView(blocked(reason), () => []).blockedReason;

describe('why a turn does not run', () => {
  it.each([
    because('reason.shared'),
    because('reason.sharedUnreachable'),
    because('reason.sharedAway', { name: 'gpu-box' }),
    storedReason(because('reason.sharedAway', { name: 'gpu-box' })),
  ])('S3-22 DW-28 a turn of the shared queue waits and has reached no limit: %j', (reason) => {
    expect(whyOf(reason)).toBe('waiting');
  });

  it('S3-22 a turn that waits for its limit to be raised still says so', () => {
    expect(whyOf('This turn reached 100 steps.')).toBe('limit');
  });
});
