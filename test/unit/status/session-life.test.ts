/** What the event log of a session says of its spans and its status. */
import { describe, expect, it } from 'vitest';
import type { LifeMark } from '../../../electron/ports/journal/work';
import { joinEvents, lifeEvents } from '../../../electron/engine/status/session-life';

const mark = (seq: number, event: LifeMark['event'], more: Partial<LifeMark> = {}): LifeMark => ({
  seq,
  atMs: seq,
  turnId: 1,
  attempt: 1,
  event,
  entryKind: 'turn.state',
  state: '',
  reason: '',
  ...more,
});
const told = (marks: readonly LifeMark[], before: readonly LifeMark[] = []) =>
  lifeEvents(7, marks, before).map(({ type, text }) => [type.replace(/^session\./, ''), text]);

describe('S3-32 spans and changes of status of a session', () => {
  it.each<[string, LifeMark, readonly string[], string]>([
    ['an answer', mark(3, 'acked'), ['status_idle', 'idle'], 'acked'],
    [
      'a failure that may pass',
      mark(3, 'requeued', { reason: 'HTTP 503.' }),
      ['status_changed', 'rescheduling: HTTP 503.'],
      'requeued: HTTP 503.',
    ],
    [
      'an outage of its provider, which nobody has to do anything about',
      mark(3, 'blocked', { entryKind: 'turn.waits', reason: 'fp is down.' }),
      ['status_changed', 'rescheduling: fp is down.'],
      'blocked: fp is down.',
    ],
    [
      'a question',
      mark(3, 'blocked', { state: 'requires_action', reason: 'mail waits.' }),
      ['status_changed', 'requires_action: mail waits.'],
      'blocked: mail waits.',
    ],
    [
      'a death of its process',
      mark(3, 'abandoned', { entryKind: 'turn.recovered' }),
      ['status_changed', 'rescheduling'],
      'abandoned',
    ],
    [
      'a turn that is parked',
      mark(3, 'abandoned', { state: 'parked', reason: 'Three times.' }),
      ['status_changed', 'requires_action: Three times.'],
      'abandoned: Three times.',
    ],
  ])('1 span ends with %s and says so', (_what, end, status, how) => {
    expect(told([mark(1, 'ready'), mark(2, 'leased'), end])).toEqual([
      ['status_changed', 'rescheduling'],
      ['span.started', 'wake 1.1'],
      ['status_changed', 'running'],
      ['span.completed', `wake 1.1: ${how}`],
      status,
    ]);
  });

  it('a page that begins in the middle knows what was open there, and the run that goes on with its answer', () => {
    const asks = mark(5, 'blocked', { state: 'requires_action', attempt: 2 });
    expect(
      told([mark(8, 'resumed', { attempt: 9 }), mark(9, 'acked', { attempt: 2 })], [asks]),
    ).toEqual([
      ['span.started', 'wake 1.2'],
      ['status_changed', 'running'],
      ['span.completed', 'wake 1.2: acked'],
      ['status_idle', 'idle'],
    ]);
    expect(told([mark(9, 'acked')], [mark(4, 'leased')])).toHaveLength(2);
    // Discarded while it waited: no span was open.
    expect(told([mark(9, 'acked')], [asks])).toEqual([['status_idle', 'idle']]);
  });

  it('a session is idle when its last turn is over: one that is held keeps it at requires_action', () => {
    const held = mark(2, 'blocked', { turnId: 2, state: 'held' });
    expect(told([mark(8, 'leased'), mark(9, 'acked')], [held])).toEqual([
      ['span.started', 'wake 1.1'],
      ['status_changed', 'running'],
      ['span.completed', 'wake 1.1: acked'],
      ['status_changed', 'requires_action'],
    ]);
  });

  it('pages of 1 to 9 events hold what one entry tells together, and all pages together are all events', () => {
    const marks = [1, 2, 3, 4].flatMap((n) => [
      mark(n * 10, 'ready', { turnId: n }),
      mark(n * 10 + 1, 'leased', { turnId: n }),
      mark(n * 10 + 2, 'acked', { turnId: n }),
    ]);
    const all = lifeEvents(7, marks, []);
    expect(all).toHaveLength(20);
    for (let limit = 2; limit < 10; limit += 1) {
      let left = all;
      let seen: typeof all = [];
      for (let page = 0; left.length > 0 && page < 20; page += 1) {
        const { events, isCut } = joinEvents([], left, limit);
        expect(events.length).toBeLessThanOrEqual(limit);
        expect(isCut).toBe(left.length > limit);
        seen = [...events, ...seen];
        left = left.filter(({ seq }) => seq < (events[0]?.seq ?? 0));
      }
      expect(seen).toEqual(all);
    }
    expect(joinEvents([], all, 1).events).toEqual(all.slice(-1));
  });
});
