import { describe, expect, it } from 'vitest';
import {
  escalationAtMs,
  mayDisturb,
  reminderAtMs,
  type QuestionTimes,
} from '../../../electron/engine/replies/plan-reminders';
import { planQuestions } from '../../../electron/engine/replies/plan-questions';
import { reminderText } from '../../../electron/engine/replies/remind';
import type { SentQuestion } from '../../../electron/ports/journal/questions';

const MIN = 60_000;
const times = (more: Partial<QuestionTimes> = {}): QuestionTimes => ({
  nowMs: 0,
  isQuiet: false,
  awakeSinceMs: 0,
  afterMs: 30 * MIN,
  ...more,
});
const row = (sent?: Partial<NonNullable<SentQuestion['sent']>>): SentQuestion => ({
  channel: 'phone',
  inboxId: 1,
  isUnknown: false,
  ...(sent === undefined ? {} : { sent: { peer: '7', said: 'a', atMs: 0, ...sent } }),
});
const question = (more: object = {}) => ({
  inboxId: 1,
  createdAtMs: 0,
  isUrgent: false,
  ...more,
});

describe('reminders of questions on channels', () => {
  it.each([
    ['by day', false, false, true],
    ['at night', true, false, false],
    ['at night, of what is marked as urgent', true, true, true],
  ] as const)('PH-07 %s a question may disturb: %s, %s -> %s', (_when, isQuiet, isUrgent, may) => {
    expect(mayDisturb(question({ isUrgent }), times({ isQuiet }))).toBe(may);
  });

  it('PH-07 one that is withheld at night is not sent, and its message still changes', () => {
    const open = { inboxId: 1, said: 'b', isWithheld: true };
    expect(planQuestions([open], [])).toEqual([]);
    expect(planQuestions([open], [row({ ref: 'm1' })]).map(({ kind }) => kind)).toEqual(['edit']);
  });

  it.each([
    ['30 min after it was sent', row({ atMs: 5 * MIN }), times(), 35 * MIN],
    ['not while it is on its way', row(), times(), undefined],
    ['not where it was never sent', undefined, times(), undefined],
    ['not twice', row({ remindedAtMs: 30 * MIN }), times(), undefined],
    ['never, where that is set', row({}), times({ afterMs: 0 }), undefined],
  ])('PH-07 reminds %s', (_when, sent, now, atMs) => {
    expect(reminderAtMs(sent, now)).toBe(atMs);
  });

  it.each([
    ['as long after its reminder', {}, [row({ remindedAtMs: 40 * MIN })], {}, 70 * MIN],
    [
      'after the first of two reminders',
      {},
      [row({ remindedAtMs: 50 * MIN }), row({ remindedAtMs: 40 * MIN })],
      {},
      70 * MIN,
    ],
    [
      'an hour after it was asked where no reminder got out',
      {},
      [row({ atMs: 10 * MIN })],
      {},
      60 * MIN,
    ],
    ['an hour after it arose where no channel took it', { createdAtMs: 5 * MIN }, [], {}, 65 * MIN],
    ['an hour after the night', {}, [row({})], { awakeSinceMs: 600 * MIN }, 660 * MIN],
    [
      'without waiting for the morning where it is urgent',
      { isUrgent: true },
      [row({})],
      { awakeSinceMs: 600 * MIN },
      60 * MIN,
    ],
    ['never without reminders', {}, [row({})], { afterMs: 0 }, undefined],
  ] as const)('PH-07 escalates %s', (_when, about, elsewhere, now, atMs) => {
    expect(escalationAtMs(question(about), elsewhere, times(now))).toBe(atMs);
  });

  it('PH-07 one message reminds of all, and names at most 10', () => {
    expect(reminderText(['coder: Allow send_email?'])).toBe(
      'Reminder: this still needs your decision.\ncoder: Allow send_email?',
    );
    const lines = reminderText(Array.from({ length: 12 }, (_, at) => `q${String(at)}`)).split('\n');
    expect(lines[0]).toBe('Reminder: 12 questions still need your decision.');
    expect(lines.at(-1)).toBe('and 2 more');
    expect(lines).toHaveLength(12);
  });
});
