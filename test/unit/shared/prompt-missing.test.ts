import { describe, expect, it } from 'vitest';
import { createPortableTexts } from '../../../electron/engine/journal/portable-text';
import { reasonText } from '../../../shared/reason';
import { createAwayTurns } from '../../../electron/engine/sharing/away-turns';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import type { TurnRow } from '../../../electron/ports/journal/rows';
import type { SharedTurnRow } from '../../../electron/ports/journal/shared';
import { turnRow } from '../recovery/step-rows';

const portable = createPortableTexts({ workspace: ['/w'], data: ['/d/hf'], home: ['/home/ada'] });

describe('a shared turn that is not in the store yet', () => {
  it('DW-01 stays here where its prompt is missing, and says so once; it is sent when the prompt is back', async () => {
    let turn: TurnRow = { ...turnRow(), state: 'waiting' };
    const disk: { prompt?: string } = {};
    const commits: JournalEntry[] = [];
    const bodies: string[] = [];
    const away = createAwayTurns({
      store: { send: async ({ body }: { body: string }) => void bodies.push(body) },
      texts: { blobs: { get: async () => disk.prompt }, portableOf: () => portable },
      recovery: {
        reads: { turn: () => turn, prompt: () => ({ kind: 'blob', address: 'p', chars: 3 }) },
        journal: {
          commit: async (entries: readonly JournalEntry[]) => {
            commits.push(...entries);
            for (const one of entries)
              if (one.kind === 'turn.state') turn = { ...turn, reason: reasonText(one.reason) };
          },
        },
        crashPoints: { hit: () => undefined },
      },
      held: { has: () => false },
      name: () => 'desk-1',
      needOf: (agent: string) => `agent:${agent}`,
    } as unknown as Parameters<typeof createAwayTurns>[0]);
    const row = {
      turnId: turn.id,
      uid: 'u',
      epoch: 0,
      origin: { databaseId: 'd', turnId: turn.id },
    } as SharedTurnRow;

    await away.follow(row, undefined);
    await away.follow(row, undefined);
    expect(bodies).toEqual([]);
    expect(commits).toMatchObject([
      {
        kind: 'turn.state',
        state: 'waiting',
        reason: {
          values: {
            text: 'The prompt of this turn is missing on the disk.',
            what: 'Nothing was sent instead. Cancel the turn and send the prompt again.',
          },
        },
      },
    ]);

    disk.prompt = 'pay';
    await away.follow(row, undefined);
    expect(bodies.map((body) => JSON.parse(body) as unknown)).toMatchObject([
      { text: { t: 'pay' } },
    ]);
  });
});
