import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_OPEN, planQuestions } from '../../../electron/engine/replies/plan-questions';
import type { SentQuestion } from '../../../electron/ports/journal/questions';

const row = (inboxId: number, more: Partial<SentQuestion> = {}): SentQuestion => ({
  channel: 'phone',
  inboxId,
  isUnknown: false,
  ...more,
});
const sent = (said: string) => ({ peer: '7', said, atMs: 1, ref: 'm1' });
const open = (inboxId: number, said = 'a') => ({ inboxId, said });

describe('what a channel has to be told of questions', () => {
  it.each([
    ['a new one is sent', [open(1)], [], [{ kind: 'ask', inboxId: 1, isRepeat: false }]],
    ['one that is there is left alone', [open(1)], [row(1, { sent: sent('a') })], []],
    [
      'one of unknown end is sent once more',
      [open(1)],
      [row(1, { isUnknown: true })],
      [{ kind: 'ask', inboxId: 1, isRepeat: true }],
    ],
    [
      'one that asks something else now is changed',
      [open(1, 'b')],
      [row(1, { sent: sent('a') })],
      [{ kind: 'edit', inboxId: 1, row: row(1, { sent: sent('a') }) }],
    ],
    [
      'one whose message cannot be changed is not sent again for that',
      [open(1, 'b')],
      [row(1, { sent: { peer: '', said: 'a', atMs: 1 } })],
      [],
    ],
    [
      'a decided one is closed, before anything new is sent',
      [open(2)],
      [row(1, { sent: sent('a') })],
      [
        { kind: 'close', row: row(1, { sent: sent('a') }) },
        { kind: 'ask', inboxId: 2, isRepeat: false },
      ],
    ],
    [
      'a decided one of unknown end is closed, too',
      [],
      [row(1, { isUnknown: true })],
      [{ kind: 'close', row: row(1, { isUnknown: true }) }],
    ],
  ] as const)('PH-02 PH-06 %s', (_what, questions, rows, steps) => {
    expect(planQuestions(questions, rows)).toEqual(steps);
  });

  it('PH-06 at most 20 stand on a channel: the oldest, and the next one when one is decided', () => {
    const many = Array.from({ length: MAX_OPEN + 5 }, (_, at) => open(at + 1));
    expect(planQuestions(many, [])).toHaveLength(MAX_OPEN);
    const there = many.slice(0, MAX_OPEN).map(({ inboxId }) => row(inboxId, { sent: sent('a') }));
    expect(planQuestions(many, there)).toEqual([]);
    expect(planQuestions(many.slice(1), there).map(({ kind }) => kind)).toEqual(['close', 'ask']);
  });

  /** What can happen between two passes, and to a step of one. */
  const move = fc.oneof(
    { weight: 3, arbitrary: fc.constant('ask' as const) },
    { weight: 2, arbitrary: fc.constant('decide' as const) },
    { weight: 2, arbitrary: fc.constant('change' as const) },
    { weight: 4, arbitrary: fc.constant('pass' as const) },
    { weight: 1, arbitrary: fc.constant('offline' as const) },
    { weight: 1, arbitrary: fc.constant('killed after sending' as const) },
  );

  it('PH-05 PH-06 over 2,000 random histories no question is sent twice without being of unknown end, none that was decided is sent, and at the end each message says what is', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        const questions = new Map<number, { said: string; isOpen: boolean }>();
        let rows = new Map<number, SentQuestion>();
        const shown = new Map<number, string>();
        const counts = new Map<number, { sends: number; unknown: number }>();
        const pass = (how: 'all' | 'none' | 'killed'): void => {
          const list = [...questions].flatMap(([inboxId, { said, isOpen }]) =>
            isOpen ? [{ inboxId, said }] : [],
          );
          for (const step of planQuestions(list, [...rows.values()])) {
            if (how === 'none') return;
            if (step.kind === 'ask') {
              const question = questions.get(step.inboxId);
              expect(question?.isOpen).toBe(true);
              const count = counts.get(step.inboxId) ?? { sends: 0, unknown: 0 };
              expect(step.isRepeat).toBe(count.sends > 0);
              counts.set(step.inboxId, { ...count, sends: count.sends + 1 });
              shown.set(step.inboxId, question?.said ?? '');
              rows.set(step.inboxId, row(step.inboxId, { isUnknown: true }));
              if (how === 'killed') {
                counts.set(step.inboxId, { sends: count.sends + 1, unknown: count.unknown + 1 });
                return;
              }
              rows.set(step.inboxId, row(step.inboxId, { sent: sent(question?.said ?? '') }));
            }
            if (step.kind === 'edit') {
              const said = questions.get(step.inboxId)?.said ?? '';
              shown.set(step.inboxId, said);
              if (how === 'killed') return;
              rows.set(step.inboxId, row(step.inboxId, { sent: sent(said) }));
            }
            if (step.kind === 'close') {
              if (step.row.sent?.ref !== undefined) shown.set(step.row.inboxId, 'decided');
              if (how === 'killed') return;
              rows = new Map([...rows].filter(([id]) => id !== step.row.inboxId));
            }
          }
        };
        let next = 1;
        for (const one of moves) {
          const openIds = [...questions].flatMap(([id, { isOpen }]) => (isOpen ? [id] : []));
          if (one === 'ask') questions.set(next++, { said: 'a', isOpen: true });
          if (one === 'decide' && openIds[0] !== undefined)
            questions.set(openIds[0], { said: 'x', isOpen: false });
          if (one === 'change' && openIds[0] !== undefined)
            questions.set(openIds[0], { said: `b${String(next++)}`, isOpen: true });
          if (one === 'pass') pass('all');
          if (one === 'offline') pass('none');
          if (one === 'killed after sending') pass('killed');
        }
        pass('all');
        expect(
          planQuestions(
            [...questions]
              .flatMap(([inboxId, { said, isOpen }]) => (isOpen ? [{ inboxId, said }] : []))
              .slice(0, MAX_OPEN),
            [...rows.values()],
          ),
        ).toEqual([]);
        for (const [id, { sends, unknown }] of counts) {
          expect(sends).toBeLessThanOrEqual(unknown + 1);
          const question = questions.get(id);
          if (question?.isOpen === true) expect(shown.get(id)).toBe(question.said);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
