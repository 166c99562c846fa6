import { describe, expect, it } from 'vitest';
import {
  NO_HISTORY,
  heard,
  modeSetting,
  outcomeText,
  planNotice,
  summariseHeld,
} from '../../../electron/shell/notices/notification-policy';
import type {
  Notice,
  NoticeFacts,
  NoticeHistory,
} from '../../../electron/shell/notices/notification-policy';

const notice = (over: Partial<Notice> = {}): Notice => ({
  key: 'k',
  kind: 'decision',
  title: 't',
  body: 'b',
  route: '/decisions/1',
  ...over,
});
const facts = (over: Partial<NoticeFacts> = {}): NoticeFacts => ({
  mode: 'on',
  isQuiet: false,
  focusedRoute: undefined,
  nowMs: 0,
  ...over,
});

describe('notices', () => {
  it('follow one of 4 settings; 3 kinds come whatever is set', () => {
    const kinds = ['restart', 'decision', 'outage', 'delivery', 'answer'] as const;
    expect(kinds.map(modeSetting)).toEqual([
      'notifications.restart',
      'notifications.decisions',
      'notifications.outages',
      'notifications.outages',
      'notifications.answers',
    ]);
    const always = ['problem', 'close_to_tray', 'test'] as const;
    expect(always.map(modeSetting)).toEqual([undefined, undefined, undefined]);
  });

  it('are shown, silently where the setting says so, and not at all where it is off', () => {
    expect(planNotice(NO_HISTORY, notice(), facts()).plan).toMatchObject({
      kind: 'show',
      isSilent: false,
    });
    expect(planNotice(NO_HISTORY, notice(), facts({ mode: 'silent' })).plan).toMatchObject({
      kind: 'show',
      isSilent: true,
    });
    expect(planNotice(NO_HISTORY, notice(), facts({ mode: 'off' })).plan).toEqual({
      kind: 'suppress',
      reason: 'off',
    });
  });

  it('are not shown about the item that the focused window shows', () => {
    expect(planNotice(NO_HISTORY, notice(), facts({ focusedRoute: '/decisions/1' })).plan).toEqual({
      kind: 'suppress',
      reason: 'in_view',
    });
    expect(
      planNotice(NO_HISTORY, notice(), facts({ focusedRoute: '/decisions/2' })).plan.kind,
    ).toBe('show');
    expect(
      planNotice(NO_HISTORY, notice({ route: '/' }), facts({ focusedRoute: '/' })).plan.kind,
    ).toBe('show');
  });

  it('become one summary at the 4th of a kind within 60 s, not at the 3rd', () => {
    let history: NoticeHistory = NO_HISTORY;
    const plans = [0, 1000, 2000, 3000, 4000].map((nowMs) => {
      const decided = planNotice(history, notice({ key: `k${nowMs}` }), facts({ nowMs }));
      history = decided.history;
      return decided.plan;
    });
    expect(plans.map((plan) => plan.kind === 'show' && plan.isSummary)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
    expect(plans[4]).toMatchObject({
      notice: {
        key: 'summary:decision',
        title: '5 turns need your decision',
        route: '/decisions',
      },
    });
    expect(planNotice(history, notice(), facts({ nowMs: 65_000 })).plan).toMatchObject({
      isSummary: false,
    });
  });

  it('of one task that nobody opens are heard three times and then only seen, until one is opened', () => {
    const answer = notice({ key: 'answer:4', kind: 'answer', route: '/sessions/4' });
    let history: NoticeHistory = NO_HISTORY;
    const next = (given: Notice, nowMs: number): boolean => {
      const decided = planNotice(history, given, facts({ nowMs }));
      history = decided.history;
      return decided.plan.kind === 'show' && decided.plan.isSilent;
    };
    const silent = [1, 2, 3, 4, 5].map((at) => next(answer, at * 120_000));
    expect(silent).toEqual([false, false, false, true, true]);
    expect(next({ ...answer, key: 'answer:5' }, 800_000)).toBe(false);
    history = heard(history, 'answer:4');
    expect(next(answer, 1_000_000)).toBe(false);
  });

  it('about questions are heard each time: a new one may have the key of an old one', () => {
    let history: NoticeHistory = NO_HISTORY;
    for (let at = 1; at < 8; at += 1) {
      const decided = planNotice(history, notice(), facts({ nowMs: at * 120_000 }));
      history = decided.history;
      expect(decided.plan).toMatchObject({ kind: 'show', isSilent: false });
    }
  });

  it('of another kind do not count', () => {
    let history: NoticeHistory = NO_HISTORY;
    for (let nowMs = 0; nowMs < 3; nowMs += 1)
      history = planNotice(history, notice(), facts({ nowMs })).history;
    expect(planNotice(history, notice({ kind: 'restart' }), facts()).plan).toMatchObject({
      isSummary: false,
    });
  });

  it('ux 5 f one that the person marked urgent comes while nobody is to be disturbed, unless approvals are off', () => {
    const urgent = notice({ isUrgent: true });
    const plan = (over: Partial<NoticeFacts>) =>
      planNotice(NO_HISTORY, urgent, facts({ isQuiet: true, ...over })).plan;
    expect(plan({})).toMatchObject({ kind: 'show', isSilent: false });
    expect(plan({ mode: 'silent' })).toMatchObject({ kind: 'show', isSilent: true });
    expect(plan({ mode: 'off' })).toEqual({ kind: 'suppress', reason: 'off' });
    expect(plan({ focusedRoute: urgent.route })).toEqual({ kind: 'suppress', reason: 'in_view' });
  });

  it('S0-34 wait while the person is not to be disturbed; questions are asked for anew afterward', () => {
    let history: NoticeHistory = NO_HISTORY;
    for (const [key, kind] of [
      ['a', 'restart'],
      ['b', 'outage'],
      ['b', 'outage'],
      ['c', 'decision'],
    ] as const) {
      const decided = planNotice(history, notice({ key, kind }), facts({ isQuiet: true }));
      expect(decided.plan).toEqual({ kind: 'suppress', reason: 'do_not_disturb' });
      history = decided.history;
    }
    expect(history.held.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(summariseHeld([...history.held, notice({ standsFor: 4 })])).toMatchObject({
      title: 'While you were away: 6 notices',
      body: '4 need a decision, 2 for information.',
    });
    expect(summariseHeld(history.held.slice(0, 1))).toEqual(history.held[0]);
    expect(summariseHeld([])).toBeUndefined();
  });

  it('that the person asked for are shown in quiet hours, too', () => {
    for (const kind of ['test', 'close_to_tray'] as const) {
      expect(
        planNotice(NO_HISTORY, notice({ kind }), facts({ isQuiet: true, mode: 'off' })).plan.kind,
      ).toBe('show');
    }
  });

  it('have an outcome in words', () => {
    expect(outcomeText({ kind: 'shown' })).toBe('shown');
    expect(outcomeText({ kind: 'failed', reason: 'refused' })).toBe('failed: refused');
  });
});
