import { describe, expect, it } from 'vitest';
import {
  eventLook,
  groupsOf,
  kindsOf,
  listRows,
  onTop,
  rowOf,
  rowText,
  stepRow,
  toldFacts,
} from '../../../renderer/events/events-view';
import { hrefOf, parseRoute } from '../../../renderer/route';
import { waitOf, withFinished } from '../../../renderer/home/home-view';
import { KIND_CODES } from '../../../electron/adapters/sqlite/journal/entry-codec';
import type { HistoryEvent } from '../../../shared/types';
import { fakeEvents } from '../../helpers/fake-history';

const NOW = new Date(2026, 2, 24, 14, 31).getTime();
const HOUR = 3_600_000;
const event = (id: number, atMs = NOW): HistoryEvent => ({
  id: `j${String(id)}`,
  atMs,
  kind: 'turn.closed',
  words: 'Turn finished',
});

describe('the mark of an event', () => {
  it.each([
    ['step.ended', 'completed', 'ok check'],
    ['step.ended', 'ambiguous', 'ambiguous diamond'],
    ['step.ended', 'cut_off', 'line cut'],
    ['step.ended', 'failed', 'outage cross'],
    ['step', 'confirmed', 'ok check'],
    ['steps.reused', 'reused', 'kept mark'],
    ['turn.started', 'again', 'reissued loop'],
    ['turn.closed', 'cancelled', 'muted stop'],
    ['turn.state', 'held', 'ambiguous diamond'],
    ['turn.recovered', 'hold', 'ambiguous diamond'],
    ['marker.started', 'power_loss', 'attention triangle'],
    ['marker.started', 'clean', 'kept loop'],
    ['inbox.opened', 'problem', 'attention triangle'],
    ['a_kind_of_later', undefined, 'line mark'],
    ['turn.state', 'toString', 'line mark'],
  ])('%s, %s: %s', (kind, outcome, look) => {
    const { tone, mark } = eventLook({ kind, ...(outcome === undefined ? {} : { outcome }) });
    expect(`${tone} ${mark}`).toBe(look);
  });
});

describe('the choice of kinds', () => {
  it('S4-33 has every kind of the journal in exactly one group, except what no group is about', () => {
    const all = groupsOf('journal').flatMap(({ kinds }) => kinds);
    expect(new Set(all).size).toBe(all.length);
    const rest = Object.keys(KIND_CODES).filter((kind) => !all.includes(kind));
    expect(rest).toEqual(['frame.recorded']);
    expect(all.filter((kind) => !Object.hasOwn(KIND_CODES, kind))).toEqual([]);
  });
  it('fits into one question', () => {
    for (const source of ['journal', 'audit'] as const)
      for (const { value } of groupsOf(source))
        expect(kindsOf(source, value)?.length).toBeLessThanOrEqual(40);
    expect(kindsOf('journal', 'all')).toBeUndefined();
  });
});

describe('the rows of the list', () => {
  it('begins each older day with its head, and needs none for today', () => {
    const rows = listRows(
      [
        event(5),
        event(4, NOW - HOUR),
        event(3, NOW - 20 * HOUR),
        event(2, NOW - 21 * HOUR),
        event(1, NOW - 60 * HOUR),
      ],
      NOW,
    );
    expect(
      rows.map((row) => (row.kind === 'day' ? new Date(row.atMs).getDate() : row.event.id)),
    ).toEqual(['j5', 'j4', 23, 'j3', 'j2', 22, 'j1']);
  });

  it('has a row for each of 100,000 events, and the heads of their days', () => {
    const rows = listRows(fakeEvents(NOW, 100_000), NOW);
    const heads = rows.filter(({ kind }) => kind === 'day').length;
    expect(heads).toBeGreaterThan(0);
    expect(rows).toHaveLength(100_000 + heads);
  });

  it('a step of the keyboard passes over the heads of days and stays at the ends', () => {
    const rows = listRows([event(2), event(1, NOW - 30 * HOUR)], NOW);
    expect([
      stepRow(rows, 0, 1),
      stepRow(rows, 2, -1),
      stepRow(rows, 2, 1),
      stepRow(rows, 0, -1),
    ]).toEqual([2, 0, 2, 0]);
    expect(stepRow(rows, -1, 1)).toBe(0);
  });
});

describe('what is new', () => {
  const known = [event(3), event(2), event(1)];
  it.each([
    ['goes on top', [event(5), event(4), event(3)], ['j5', 'j4', 'j3', 'j2', 'j1']],
    ['changes nothing where nothing is', [event(3), event(2)], ['j3', 'j2', 'j1']],
    ['stands alone where there is a hole', [event(9), event(8)], undefined],
    ['stands alone where nothing was known', [event(3)], undefined],
  ])('%s', (name, newest, expected) => {
    const before = name.endsWith('known') ? [] : known;
    expect(onTop(newest, before)?.map(({ id }) => id)).toEqual(expected);
  });
});

describe('what a queued turn waits for', () => {
  const turn = { sessionId: 3, reason: '' };
  const nowMs = NOW;
  const untilMs = new Date(2026, 2, 24, 15, 30).getTime();
  it.each([
    [
      'its own reason first',
      { ...turn, reason: 'Runs after 2 min.' },
      [],
      { nowMs },
      ['Runs after 2 min.', undefined],
    ],
    [
      'the end of a pause',
      turn,
      [],
      { nowMs, paused: { untilMs } },
      ['new turns are paused', 'starts at 15:30'],
    ],
    [
      'a person, in a pause without an end',
      turn,
      [],
      { nowMs, paused: {} },
      ['new turns are paused', 'starts when you resume'],
    ],
    [
      'the turn before it in its session',
      turn,
      [{ id: 8, sessionId: 3 }],
      { nowMs },
      ['waits for turn 8 of the same session', 'starts after it'],
    ],
    [
      'a free place',
      turn,
      [
        { id: 8, sessionId: 1 },
        { id: 9, sessionId: 2 },
      ],
      { nowMs },
      ['waits for a free slot, 2 turns are running', 'starts when a running turn ends'],
    ],
    ['nothing that is known', turn, [], { nowMs }, ['about to start', undefined]],
  ] as const)('%s', (_name, given, running, status, expected) => {
    const wait = waitOf(given, running, status, 'en-GB');
    expect([wait.what, wait.next]).toEqual(expected);
  });

  it('a reason of the engine has its clock times as the reader of the window writes them', () => {
    const reason = 'The provider failed (500). Tried again at 17:42:05 (try 2).';
    expect(waitOf({ ...turn, reason }, [], undefined, 'en-US').what.replaceAll('\u202f', ' ')).toBe(
      'The provider failed (500). Tried again at 5:42:05 PM (try 2).',
    );
  });

  it.each([
    [undefined, 'Quiet.'],
    [0, 'Quiet.'],
    [1, 'Quiet. 1 turn completed today.'],
    [43, 'Quiet. 43 turns completed today.'],
  ])('%s finished turns: %s', (count, text) => {
    expect(withFinished('Quiet.', count)).toBe(text);
  });
});

describe('the addresses of the events page', () => {
  it.each([
    { kind: 'events' as const },
    { kind: 'events' as const, turnId: 7 },
    { kind: 'events' as const, sessionId: 3 },
    { kind: 'events' as const, untilMs: NOW },
  ])('%j is read back', (route) => {
    expect(parseRoute(hrefOf(route))).toEqual(route);
  });

  it.each(['#/events/turn-0', '#/events/turn-7x', '#/events/x-7', '#/events/-7', '#/events/turn'])(
    'D1 %s narrows nothing',
    (hash) => {
      expect(parseRoute(hash)).toEqual({ kind: 'events' });
    },
  );
});

describe('lines of the audit', () => {
  const line = (byte: number, kind: string, detail: string, atMs = NOW): HistoryEvent => ({
    id: `a2026-03:${String(byte)}`,
    atMs,
    kind,
    words: kind,
    detail,
  });
  const stage = (order: number, atMs: number, kind = 'start_stage'): HistoryEvent =>
    line(order + atMs, kind, `order: ${String(order)}\nstage: part ${String(order)}`, atMs);

  it('S4-33 the stages of one start are one row, which says how many and how long; the next start is another', () => {
    const events = [
      line(900, 'turn_accepted', 'turnId: 1'),
      stage(3, NOW),
      stage(2, NOW - 100),
      stage(1, NOW - 400),
      stage(2, NOW - 5_000),
      stage(1, NOW - 5_100),
      stage(1, NOW - 9_000, 'stop_stage'),
    ];
    const rows = listRows(events, NOW);
    expect(rows.map((row) => (row.kind === 'event' ? rowText(row) : ''))).toEqual([
      'turn_accepted',
      'Start: 3 stages in 0.4 s',
      'Start: 2 stages in 0.1 s',
      'stop_stage',
    ]);
    const middle = events[2]?.id ?? '';
    expect(rowOf(rows, middle)?.stages).toHaveLength(3);
    expect(rowOf(rows, 'gone')?.event.kind).toBe('turn_accepted');
  });

  it('S4-33 facts that say more are told in words, the others stay with the line as recorded', () => {
    expect(
      toldFacts(
        line(
          1,
          'breaker_moved',
          'name: channel.phone\nfrom: closed\ncause: 5 calls failed\nby: first_start\nid: 8b23',
        ),
      ),
    ).toEqual([
      { name: 'cause', label: 'Cause', text: '5 calls failed' },
      { name: 'by', label: 'By', text: 'first start' },
      { name: 'from', label: 'Before', text: 'closed' },
    ]);
    expect(toldFacts({ id: 'j7', detail: 'cause: a sentence of the journal' })).toEqual([]);
  });
});
