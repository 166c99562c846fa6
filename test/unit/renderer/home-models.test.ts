import { describe, expect, it } from 'vitest';
import { headline, quietProblem } from '../../../renderer/home/home-view';
import { PRACTICE_SESSION } from '../../../shared/practice';
import {
  hasNews,
  isRead,
  parseSeen,
  withRead,
  type Seen,
} from '../../../renderer/home/seen-answers';
import { outcomeOf } from '../../../renderer/parts/outcome-view';
import { stripEnd, turnStrip } from '../../../renderer/restart/restart-view';
import type { HostView, StepView, TrayState } from '../../../shared/types';
import { quietSnapshot } from '../../helpers/snapshot';

describe('what is not well on a quiet page', () => {
  const look = (tone: 'ok' | 'outage', name: string, word: string) => ({
    look: { tone, name, word },
  });
  it.each([
    [{ connections: [look('ok', 'Ollama', 'Up')], later: 0, isUnread: false }, undefined],
    [
      { connections: [look('outage', 'Mail server', 'Down')], later: 2, isUnread: false },
      'Mail server: Down.',
    ],
    [{ connections: [], later: 2, isUnread: false }, '2 things for when you have time.'],
    [{ connections: [], later: 0, isUnread: true }, 'Part of this page could not be loaded.'],
  ] as const)('%j', (given, text) => {
    expect(quietProblem(given)).toBe(text);
  });
});

describe('HO-02 the headline where other computers are linked', () => {
  const connected = {
    kind: 'connected',
    name: 'box',
    sinceMs: 1,
    version: '0.1.0',
    phase: 'running',
    needsYou: 0,
    running: 0,
  } as const;
  const since = { name: 'box', sinceMs: 1, nextTryAtMs: 2 };
  const away = { kind: 'unreachable', ...since, why: 'refused' } as const;
  it.each<[TrayState, readonly HostView[], string]>([
    ['degraded', [away], 'No connection to box'],
    ['degraded', [connected, { ...away, name: 'attic' }], 'No connection to attic'],
    ['degraded', [{ ...connected, phase: 'stopped' }], 'Holdfast is not running on box'],
    ['degraded', [{ ...connected, phase: 'unknown' }], 'The state of box is unknown'],
    ['degraded', [{ ...connected, problem: 'No answer.' }], 'The state of box is unknown'],
    [
      'degraded',
      [{ kind: 'other_version', ...since, theirs: '9.0.0' }],
      'box runs the incompatible version 9.0.0',
    ],
    ['attention', [{ ...connected, needsYou: 1 }], '1 thing needs you on box'],
    [
      'attention',
      [
        { ...connected, needsYou: 1 },
        { ...connected, name: 'attic', needsYou: 2 },
      ],
      '3 things need you on 2 computers',
    ],
    ['idle', [{ kind: 'connecting', name: 'box' }], 'Nothing needs you now. Connecting to box.'],
  ])('%s, %j', (tray, hosts, title) => {
    expect(headline(quietSnapshot({ tray, hosts: [...hosts] })).title).toBe(title);
  });
});

describe('hosts that hide what is there', () => {
  const away = (name: string) =>
    ({ kind: 'unreachable', name, sinceMs: 1, why: 'refused', nextTryAtMs: 2 }) as const;
  it('HO-02 stand below every headline, two by name and the others counted; one that is the headline is not said twice', () => {
    const head = (tray: 'attention' | 'working' | 'paused' | 'degraded', names: string) =>
      headline(quietSnapshot({ tray, hosts: names.split('').map(away) }));
    for (const tray of ['attention', 'working', 'paused'] as const)
      expect(head(tray, 'a').sub).toMatch(/\. No connection to a\.$/);
    expect(head('working', 'abcd').sub).toMatch(
      /No connection to a\. No connection to b\. 2 more computers are not reachable or not running\.$/,
    );
    const degraded = head('degraded', 'ab');
    expect(degraded.title).toBe('No connection to a');
    expect(degraded.sub).toMatch(/\. No connection to b\.$/);
    expect(head('working', '').sub).not.toMatch(/connection/);
  });
});

describe('the outcome of a turn in one line', () => {
  const turn = { reason: '', state: 'completed', steps: 5 } as const;
  it.each([
    [
      { ...turn, answerStart: 'Sent to the team channel. It has 4 points.' },
      'Sent to the team channel',
    ],
    [{ ...turn, answerStart: '# Result\n\n- **12** files changed' }, 'Result: 12 files changed'],
    [{ ...turn, answerStart: '---\n\n`v1.2` is out' }, 'v1.2 is out'],
    [
      { ...turn, answerStart: 'Takes *9 min 12 s* and _no_ more: 2 * 3 * 4 of a_b_c' },
      'Takes 9 min 12 s and no more: 2 * 3 * 4 of a_b_c',
    ],
    [{ ...turn }, 'Completed, 5 steps'],
    [{ ...turn, answerStart: '***' }, 'Completed, 5 steps'],
    [
      { ...turn, state: 'failed' as const, reason: 'The model is unknown.' },
      'Failed: The model is unknown',
    ],
    [{ ...turn, state: 'cancelled' as const, answerStart: 'not said' }, 'Canceled, 5 steps'],
  ])('%j', (given, text) => {
    expect(outcomeOf(given)).toBe(text);
  });
});

describe('which answers were read', () => {
  it('starts with what ends from now on, also over a damaged note', () => {
    for (const stored of [null, '', '{', '[]', '{"sinceMs":"1"}'])
      expect(parseSeen(stored, 500)).toEqual({ sinceMs: 500, sessions: {} });
  });

  it('is read up to the moment when its session was last on the screen', () => {
    const seen = withRead({ sinceMs: 100, sessions: {} }, 7, 300);
    expect([
      isRead(seen, 7, 300),
      isRead(seen, 7, 301),
      isRead(seen, 8, 100),
      isRead(seen, 8, 200),
    ]).toEqual([true, false, true, false]);
  });

  it('a session at rest is news until it was on the screen; one at work, an empty one and the demo are not', () => {
    const seen: Seen = { sinceMs: 100, sessions: { '7': 300 } };
    const session = {
      id: 8,
      key: 'reading-list',
      status: 'idle',
      stopReason: '',
      turns: 2,
      lastEventAtMs: 200,
    } as const;
    expect(
      [
        session,
        { ...session, id: 7 },
        { ...session, id: 7, lastEventAtMs: 301 },
        { ...session, lastEventAtMs: 100 },
        { ...session, status: 'running' as const },
        { ...session, stopReason: 'waits for the provider' },
        { ...session, turns: 0 },
        { ...session, key: PRACTICE_SESSION },
      ].map((one) => hasNews(seen, one)),
    ).toEqual([true, false, true, false, false, false, false, false]);
  });

  it('remembers 200 sessions; of older ones everything counts as read', () => {
    let seen: Seen = { sinceMs: 0, sessions: {} };
    for (let id = 1; id <= 205; id += 1) seen = withRead(seen, id, id * 10);
    expect(Object.keys(seen.sessions)).toHaveLength(200);
    expect(seen.sinceMs).toBe(50);
  });
});

describe('a turn as a strip', () => {
  const step = (
    index: number,
    startedAtMs: number,
    endedAtMs?: number,
    given: Partial<StepView> = {},
  ): StepView => ({
    turnId: 1,
    index,
    tool: 'read_file',
    purity: 'world',
    state: endedAtMs === undefined ? 'ambiguous' : 'completed',
    fate: 'fresh',
    hint: '',
    startedAtMs,
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
    attempt: 1,
    isListed: false,
    duplicateRisk: false,
    reusedCount: 0,
    ...given,
  });

  it('gives a stop of an hour the same 26 px as any, and the work the rest', () => {
    const hour = 3_600_000;
    const strip = turnStrip(
      {
        steps: [
          step(1, 0, 10_000, { reusedCount: 1 }),
          step(2, 10_000),
          step(3, hour + 20_000, hour + 40_000),
        ],
        stops: [{ stoppedAtMs: 20_000, backAtMs: hour + 20_000, reason: 'kill' }],
        startedAtMs: 0,
        toMs: hour + 40_000,
      },
      426,
    );
    expect(strip.breaks).toEqual([{ x: 200, width: 26 }]);
    expect(strip.bars.map(({ x, tone }) => [x, tone])).toEqual([
      [0, 'kept'],
      [100, 'ambiguous'],
      [226, 'ok'],
    ]);
    // The outcome of the second is unknown: drawn up to the stop.
    expect(strip.bars[1]?.width).toBe(99);
    expect(strip.bars.every(({ x, width }) => x >= 0 && x + width <= 426)).toBe(true);
    expect(strip.sentence).toBe('3 steps, 1 reused, 1 with an unknown outcome, 1 interruption');
  });

  it('ends with the turn, now while it runs, and with what is known last while it waits', () => {
    const steps = [step(1, 0, 10), step(2, 20)];
    const stops = [{ stoppedAtMs: 30, backAtMs: 50, reason: 'kill' }];
    expect(stripEnd({ state: 'completed', endedAtMs: 90 }, steps, stops, 500)).toBe(90);
    expect(stripEnd({ state: 'running' }, steps, stops, 500)).toBe(500);
    expect(stripEnd({ state: 'held' }, steps, stops, 500)).toBe(50);
    expect(stripEnd({ state: 'held' }, steps, [], 500)).toBe(20);
  });
});
