import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createDecisionWatch } from '../../../electron/shell/notices/decision-watch';
import { followEngine } from '../../../electron/shell/follow-engine';
import {
  dueQuestions,
  reminderNotice,
  untilNextMs,
} from '../../../electron/shell/notices/reminders';
import type { OpenQuestion } from '../../../electron/shell/notices/reminders';
import {
  NO_HISTORY,
  planNotice,
  type Notice,
} from '../../../electron/shell/notices/notification-policy';

const MIN = 60_000;
const asked = (minute: number, turnId = 1): OpenQuestion => ({
  turnId,
  askedAtMs: minute * MIN,
  agent: 'researcher',
  tool: 'office.send_email',
  isUrgent: false,
});

describe('reminders of open questions', () => {
  it.each([
    ['just before 10 minutes', 0, 10 * MIN - 1, 0],
    ['at 10 minutes', 10 * MIN - 1, 10 * MIN, 1],
    ['not twice', 10 * MIN, 10 * MIN + 1, 0],
    ['at an hour', 59 * MIN, 60 * MIN, 1],
    ['never after that', 61 * MIN, 900 * MIN, 0],
    ['once where both fell due, as after a night asleep', 0, 900 * MIN, 1],
    ['not where a start finds it older', 900 * MIN, 901 * MIN, 0],
  ])('S0-09 remind %s', (_when, lookedMs, nowMs, count) => {
    expect(dueQuestions([asked(0)], { lookedMs, nowMs })).toHaveLength(count);
  });

  it('says how long until the next', () => {
    expect(untilNextMs([asked(0), asked(5)], 8 * MIN)).toBe(2 * MIN);
    expect(untilNextMs([asked(0)], 20 * MIN)).toBe(40 * MIN);
    expect(untilNextMs([asked(0)], 60 * MIN)).toBeUndefined();
    expect(untilNextMs([], 0)).toBeUndefined();
  });

  it('D4 names agent, tool and age, leads to the one question or to the list', () => {
    expect(reminderNotice([asked(0, 7)], 10 * MIN)).toEqual({
      key: 'decisions',
      kind: 'decision',
      title: 'A turn still needs your decision',
      body: 'researcher, office.send_email. Waiting for 10 min.',
      route: '/decisions/7',
    });
    expect(reminderNotice([asked(0, 7), asked(2, 8)], 62 * MIN)).toMatchObject({
      title: '2 turns still need your decision',
      body: 'The oldest has been waiting for 1 h.',
      route: '/decisions',
    });
    expect(reminderNotice([asked(0, 7), asked(1, 7)], 12 * MIN)?.route).toBe('/decisions/7');
    expect(reminderNotice([], 0)).toBeUndefined();
  });
});

describe('while the app runs', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000 * MIN }));

  it('S0-34 a question that came, or was to be remembered, in the quiet is told at its end while it is open, once', async () => {
    const question = (turnId: number) => ({
      inboxId: turnId,
      turnId,
      kind: 'held',
      question: 'Did it happen?',
      createdAtMs: Date.now(),
      agent: 'researcher',
      ambiguous: [{ tool: 'send_email' }],
      listedTools: [],
    });
    const call = (requestId: number) => ({
      ...question(requestId),
      requestId,
      requestedAtMs: Date.now(),
      tool: 'send_email',
      covers: '',
    });
    let isQuiet = false;
    let decisions = [question(1)];
    let requests: ReturnType<typeof call>[] = [];
    const listeners = new Map<string, () => void>();
    const { heldBack } = followEngine({
      engine: {
        call: (verb: string) =>
          Promise.resolve(
            verb === 'recovery.list' ? { decisions } : { requests, items: [] as const },
          ),
        status: () => ({}),
        on: (event: string, listener: () => void) => void listeners.set(event, listener),
      } as never,
      control: {
        refresh: vi.fn(),
        refreshDecisions: () => Promise.resolve(),
        refreshAnswers: () => Promise.resolve(),
      } as never,
      settings: { get: (key: string) => (key === 'notifications.urgent' ? [] : false) } as never,
      watch: createDecisionWatch(),
      notify: () =>
        Promise.resolve(
          isQuiet ? { kind: 'suppressed', reason: 'do_not_disturb' } : { kind: 'shown' },
        ),
      reminder: { atMs: () => undefined, forget: vi.fn() },
      applySettings: vi.fn(),
      log: { info: vi.fn(), warn: vi.fn() } as never,
    });
    const told = async (): Promise<readonly string[]> =>
      (await heldBack()).map(({ title }) => title);
    await vi.advanceTimersByTimeAsync(1);
    isQuiet = true;
    expect(await told()).toEqual([]);
    decisions = [1, 2, 3].map(question);
    requests = [call(4)];
    listeners.get('inbox.changed')?.();
    await vi.advanceTimersByTimeAsync(1);
    decisions = [1, 2].map(question);
    listeners.get('inbox.changed')?.();
    await vi.advanceTimersByTimeAsync(1);
    expect(await told()).toEqual(['A turn needs your review', 'A tool call needs approval']);
    expect(await told()).toEqual([]);
    await vi.advanceTimersByTimeAsync(10 * MIN);
    expect(await told()).toEqual(['2 turns need your review', 'A tool call needs approval']);
  });

  it('ux 5 f a call of a tool that the person calls urgent comes in the quiet, and is reminded of in it; the other of the 2 is not', async () => {
    const call = (requestId: number, tool: string) => ({
      requestId,
      turnId: requestId,
      kind: 'approval',
      requestedAtMs: Date.now(),
      agent: 'researcher',
      tool,
      covers: tool,
    });
    const requests = [call(1, 'office.send_email'), call(2, 'shell.shell')];
    const shown: Notice[] = [];
    let history = NO_HISTORY;
    followEngine({
      engine: {
        call: (verb: string) =>
          Promise.resolve(verb === 'recovery.list' ? { decisions: [] } : { requests, items: [] }),
        status: () => ({}),
        on: vi.fn(),
      } as never,
      control: {
        refresh: vi.fn(),
        refreshDecisions: () => Promise.resolve(),
        refreshAnswers: () => Promise.resolve(),
      } as never,
      settings: {
        get: (key: string) => (key === 'notifications.urgent' ? ['office.send_email'] : false),
      } as never,
      watch: createDecisionWatch(),
      notify: (notice) => {
        const facts = { mode: 'on', isQuiet: true, focusedRoute: undefined } as const;
        const decided = planNotice(history, notice, { ...facts, nowMs: Date.now() });
        history = decided.history;
        if (decided.plan.kind === 'suppress')
          return Promise.resolve({ kind: 'suppressed', reason: decided.plan.reason });
        shown.push(decided.plan.notice);
        return Promise.resolve({ kind: 'shown' });
      },
      reminder: { atMs: () => undefined, forget: vi.fn() },
      applySettings: vi.fn(),
      log: { info: vi.fn(), warn: vi.fn() } as never,
    });
    await vi.advanceTimersByTimeAsync(1);
    expect(shown.splice(0).map(({ body, route }) => [body, route])).toEqual([
      ['researcher, office.send_email. It hasn’t run yet.', '/decisions/item-1'],
    ]);
    await vi.advanceTimersByTimeAsync(10 * MIN);
    expect(shown.map(({ key, body }) => [key, body])).toEqual([
      ['decisions:urgent', 'researcher, office.send_email. Waiting for 10 min.'],
    ]);
  });

  it('S0-09 reminds at 10 minutes, at an hour and when a person said so, and not of what was answered', async () => {
    const notices: Notice[] = [];
    let wantedAtMs: number | undefined;
    const listeners = new Map<string, () => void>();
    const question = (turnId: number) => ({
      inboxId: turnId,
      turnId,
      kind: 'held',
      question: 'Did it happen?',
      createdAtMs: Date.now(),
      agent: 'researcher',
      ambiguous: [{ tool: 'send_email' }],
      listedTools: [],
    });
    let decisions = [question(1), question(2)];
    const engine = {
      call: (verb: string) =>
        Promise.resolve(verb === 'recovery.list' ? { decisions } : { requests: [], items: [] }),
      status: () => ({}),
      on: (event: string, listener: () => void) => {
        listeners.set(event, listener);
        return () => undefined;
      },
    };
    const { lookAtReminders } = followEngine({
      engine: engine as never,
      control: {
        refresh: vi.fn(),
        refreshDecisions: () => Promise.resolve(),
        refreshAnswers: () => Promise.resolve(),
      } as never,
      settings: { get: (key: string) => (key === 'notifications.urgent' ? [] : false) } as never,
      watch: createDecisionWatch(),
      notify: (notice) => {
        notices.push(notice);
        return Promise.resolve({ kind: 'shown' });
      },
      reminder: {
        atMs: () => wantedAtMs,
        forget: () => {
          wantedAtMs = undefined;
        },
      },
      applySettings: vi.fn(),
      log: { info: vi.fn(), warn: vi.fn() } as never,
    });
    const titles = (): readonly string[] => notices.splice(0).map((notice) => notice.title);
    await vi.advanceTimersByTimeAsync(1);
    expect(titles()).toEqual(['2 turns need your review']);
    await vi.advanceTimersByTimeAsync(9 * MIN);
    expect(titles()).toEqual([]);
    await vi.advanceTimersByTimeAsync(MIN);
    expect(titles()).toEqual(['2 turns still need your decision']);
    decisions = decisions.slice(1);
    listeners.get('inbox.changed')?.();
    await vi.advanceTimersByTimeAsync(60 * MIN);
    expect(titles()).toEqual(['A turn still needs your decision']);
    wantedAtMs = Date.now() + 180 * MIN;
    lookAtReminders();
    await vi.advanceTimersByTimeAsync(179 * MIN);
    expect(titles()).toEqual([]);
    await vi.advanceTimersByTimeAsync(MIN);
    expect([titles(), wantedAtMs]).toEqual([['A turn still needs your decision'], undefined]);
    await vi.advanceTimersByTimeAsync(2_000 * MIN);
    expect([titles(), vi.getTimerCount()]).toEqual([[], 0]);
  });
});
