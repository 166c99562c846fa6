import { describe, expect, it } from 'vitest';
import { planRestartItem } from '../../../electron/engine/replies/plan-restart-item';
import { HAPPENED } from '../../../electron/engine/replies/restart-notice';
import type { InboxRow } from '../../../electron/ports/journal/inbox';
import type { RestartReason } from '../../../shared/types';

const at = (day: number, hour: number, minute = 0): number =>
  new Date(2026, 2, day, hour, minute).getTime();

/** An inbox that takes what is planned, as the journal does. */
function inbox() {
  const rows: InboxRow[] = [];
  return {
    rows,
    restart(nowMs: number, reason: RestartReason = 'kill') {
      const text = `${HAPPENED[reason]}. No turns were interrupted.`;
      const open = rows.filter(({ settledAtMs }) => settledAtMs === undefined);
      const { inboxId, ...said } = planRestartItem({ open, reason, text, words: HAPPENED, nowMs });
      const index = rows.findIndex(({ id }) => id === inboxId);
      const old = rows[index];
      if (old !== undefined) rows[index] = { ...old, ...said };
      else
        rows.push({
          ...said,
          id: rows.length + 1,
          item: 'restart_notice',
          createdAtMs: nowMs,
          turnId: undefined,
          sessionId: undefined,
          settledAtMs: undefined,
          outcome: undefined,
          toldOn: undefined,
          attemptedOn: undefined,
        });
    },
  };
}

describe('restarts in the inbox', () => {
  it('S0-29 one restart is told as it was', () => {
    const box = inbox();
    box.restart(at(24, 22, 10));
    expect(box.rows).toMatchObject([
      {
        title: 'Restarted after an unexpected shutdown. No turns were interrupted.',
        detail: '',
      },
    ]);
  });

  it('S0-29 twenty restarts in a night are one item that has the time and the reason of each', () => {
    const box = inbox();
    for (let n = 0; n < 19; n += 1) box.restart(at(24, 22, n * 20));
    box.restart(at(25, 7, 5), 'crash');
    expect(box.rows).toHaveLength(1);
    const [row] = box.rows;
    expect(row?.title).toBe(
      'Restarted 20 times since 22:00. The last one: Restarted after a crash. No turns were interrupted.',
    );
    expect(row?.detail).toMatch(
      /^Restarted after an unexpected shutdown: 22:00, 22:20, .*, 04:00\. Restarted after a crash: 07:05\.$/,
    );
    expect(row?.detail.match(/\d\d:\d\d/g)).toHaveLength(20);
  });

  it('S0-29 one that was dismissed takes no more in, nor one of another day', () => {
    const box = inbox();
    box.restart(at(24, 22));
    box.restart(at(24, 23));
    box.rows[0] = { ...(box.rows[0] as InboxRow), settledAtMs: at(24, 23, 30) };
    box.restart(at(25, 1));
    box.restart(at(26, 2));
    expect(box.rows.map(({ title }) => title.slice(0, 21))).toEqual([
      'Restarted 2 times sin',
      'Restarted after an un',
      'Restarted after an un',
    ]);
  });

  it('S0-29 an item of an earlier version, or one with odd facts, counts as the restart it told of', () => {
    for (const facts of [
      undefined,
      'x',
      { restarts: 'x' },
      { restarts: [[1], ['a', 'b'], null] },
    ]) {
      const box = inbox();
      box.restart(at(24, 22));
      box.rows[0] = { ...(box.rows[0] as InboxRow), facts: facts as InboxRow['facts'] };
      box.restart(at(24, 23));
      expect(box.rows[0]).toMatchObject({
        title: expect.stringMatching(/^Restarted 2 times since 22:00\./) as string,
        detail: 'Restarted: 22:00. Restarted after an unexpected shutdown: 23:00.',
      });
    }
  });

  it('S0-29 a loop of 300 restarts counts them all and stays short', () => {
    const box = inbox();
    for (let n = 0; n < 300; n += 1) box.restart(at(24, 22) + n * 60_000);
    expect(box.rows[0]?.title).toMatch(/^Restarted 300 times since 22:00\./);
    expect(box.rows[0]?.detail.length).toBeLessThan(1_000);
  });
});
