import { describe, expect, it } from 'vitest';
import {
  callIn,
  endWire,
  readWire,
  wireOf,
  type WireEntry,
  type WireTexts,
} from '../../../electron/engine/sharing/wire';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import type { StepEnd } from '../../../electron/ports/journal/entries';
import type { StoredText } from '../../../electron/ports/journal/stored';
import type { Purity } from '../../../shared/states';

const there = 'x'.repeat(40_000);
const gone: StoredText = { kind: 'blob', address: 't9/gone', chars: 40_000, start: 'The first' };
const kept: StoredText = { kind: 'blob', address: 't9/kept', chars: 40_000, start: 'xx' };
const usage = { inputTokens: 7, outputTokens: 3, costUsd: 0.5 };

/** A computer that has one of two large texts, and its step 4 of this purity. */
function computer(purity: Purity | undefined, get?: (address: string) => string | undefined) {
  const sent: string[] = [];
  const texts: WireTexts = {
    blobs: {
      get: async (address) =>
        get === undefined ? (address === 't9/kept' ? there : undefined) : get(address),
      put: () => Promise.reject(new Error('nothing is written here')),
      release: () => Promise.resolve(),
      sweep: () => Promise.resolve(0),
    },
    hasher: { sha256Hex: () => 'a'.repeat(64) },
    store: {
      putText: async (_hash, body) => void sent.push(body),
      getText: () => Promise.resolve(undefined),
    },
    frame: () => undefined,
    purityOf: () => purity,
    folderOf: () => '/home/ada/work',
  };
  return { texts, sent };
}

const endOf = async (texts: WireTexts, end: StepEnd) => {
  const wire = (await endWire(texts, { turnId: 9, step: 4 }, end)) as Extract<
    WireEntry,
    { k: 'end' }
  >;
  return wire.end;
};
const done = (content: StoredText): StepEnd => ({
  state: 'completed',
  content,
  isError: false,
  usage,
});

const LOST = { t: expect.stringMatching(/result is missing.*not repeated/) as string };

describe('the end of a step that travels', () => {
  it('DW-09 takes its result of 40,000 characters along by its content', async () => {
    const { texts, sent } = computer('side_effect');
    expect(await endOf(texts, done(kept))).toEqual({
      ...done(kept),
      content: { h: 'a'.repeat(64), n: 40_000 },
    });
    expect(sent).toEqual([JSON.stringify(there)]);
  });

  it.each(['llm', 'world', 'pure'] as const)(
    'DW-09 whose result is missing here counts as not recorded for a step of purity %s: it is made again, and its cost stays counted',
    async (purity) => {
      const { texts, sent } = computer(purity);
      expect(await endOf(texts, { ...done(gone), workedMs: 20 })).toEqual({
        state: 'failed',
        error: expect.stringContaining('stored result is missing') as string,
        isCutOff: true,
        usage,
        workedMs: 20,
      });
      expect(sent).toEqual([]);
    },
  );

  it.each(['side_effect', 'external', undefined] as const)(
    'DW-09 whose result is missing here says so for a finished effect (purity %s), which never runs again',
    async (purity) => {
      const { texts } = computer(purity);
      expect(await endOf(texts, done(gone))).toEqual({
        ...done(gone),
        content: LOST,
        isError: true,
      });
    },
  );

  it('DW-09 that a person settled stays settled where the text of it is missing', async () => {
    const { texts } = computer('side_effect');
    for (const state of ['skipped', 'confirmed'] as const)
      expect(await endOf(texts, { state, content: gone, by: 'person' })).toEqual({
        state,
        by: 'person',
        content: { t: expect.stringContaining('stored text is missing') as string },
      });
  });

  it('DW-09 that is unknown becomes an open question where what the agent was told is missing', async () => {
    const { texts } = computer('side_effect');
    const end = { state: 'ambiguous', error: 'cut', content: gone } as const;
    expect(await endOf(texts, end)).toEqual({ state: 'ambiguous', error: 'cut' });
  });

  it('DW-09 travels in the same way right after its commit as with the next claim', async () => {
    for (const purity of ['llm', 'side_effect'] as const) {
      const { texts } = computer(purity);
      const entry = { kind: 'step.ended', turnId: 9, step: 4, end: done(gone) } as const;
      expect(await wireOf(texts, entry)).toEqual({
        k: 'end',
        step: 4,
        end: await endOf(texts, done(gone)),
      });
    }
  });

  it('DW-09 waits where its result is there and cannot be read now', async () => {
    const { texts } = computer('llm', () => {
      throw new HoldfastError('RESULT_UNREADABLE', 'The disk does not answer.');
    });
    await expect(endOf(texts, done(kept))).rejects.toMatchObject({ code: 'RESULT_UNREADABLE' });
  });
});

describe('a call of an agent of another program that travels', () => {
  it('DW-18 DW-19 names the folder of its agent as that of the computer it comes to, and nothing else of it', async () => {
    const { texts } = computer('side_effect');
    const identity = 'b'.repeat(64);
    const [call, asking] = await Promise.all([
      wireOf(texts, {
        kind: 'outside.call',
        turnId: 9,
        step: 4,
        callId: 'toolu_1',
        tool: 'edit',
        title: 'Edit /home/ada/work/a.ts (not /home/ada/workshop)',
        input: JSON.stringify({ filePath: '/home/ada/work/a.ts', in: '/home/ada/work' }),
        identity,
      }),
      wireOf(texts, {
        kind: 'outside.asking',
        turnId: 9,
        step: 4,
        state: 'allowed',
        by: 'person',
        requestId: 7,
      }),
    ]);
    const read = readWire(JSON.stringify(call)) as Extract<WireEntry, { k: 'call' }>;
    expect(JSON.stringify(read)).not.toMatch(/ada\/work\b(?!shop)/);
    expect(asking).toEqual({ k: 'asking', step: 4, state: 'allowed', by: 'person' });
    expect(readWire(JSON.stringify(asking))).toEqual(asking);
    const folder = 'C:\\Users\\bo';
    expect(await callIn(texts, read, { turnId: 2, folder })).toEqual({
      kind: 'outside.call',
      turnId: 2,
      step: 4,
      callId: 'toolu_1',
      tool: 'edit',
      title: `Edit ${folder}/a.ts (not /home/ada/workshop)`,
      input: JSON.stringify({ filePath: `${folder}/a.ts`, in: folder }),
      identity,
    });
  });
});
