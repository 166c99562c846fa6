import { describe, expect, it } from 'vitest';
import { classifyAcpError } from '../../../electron/adapters/acp/classify-acp-error';
import { resetAtMs } from '../../../electron/engine/executors/program/agent-outage';

const NOW_MS = 1_795_262_400_000;
const limit = (data: unknown, message = 'usage limit reached') =>
  resetAtMs(classifyAcpError('codex', { code: -32_603, message, data }).resets, NOW_MS);

describe('the reset of a usage limit in the private data of an agent', () => {
  it.each<[string, unknown, number | undefined]>([
    ['seconds since the epoch', { error: { resets_at: 1_795_276_800 } }, 1_795_276_800_000],
    ['a date', { resetsAt: '2026-11-21T16:00:00Z' }, Date.parse('2026-11-21T16:00:00Z')],
    ['seconds from now', { resets_in_seconds: 3_600 }, NOW_MS + 3_600_000],
    ['a time that is over', { resets_at: 1_500_000_000 }, undefined],
    ['a negative wait', { resets_in_seconds: -5 }, undefined],
    ['nothing', {}, undefined],
  ])('R4 S2-25 %s', (_title, data, atMs) => {
    const expected = atMs !== undefined && atMs <= NOW_MS ? undefined : atMs;
    expect(limit(data)).toBe(expected);
  });

  it('R4 S2-25 in the words alone', () => {
    expect(limit({}, 'Claude AI usage limit reached|1795276800')).toBe(1_795_276_800_000);
  });
});
