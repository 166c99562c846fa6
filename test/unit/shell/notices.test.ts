import { describe, expect, it, vi } from 'vitest';
import type { ApprovalView, InboxItem, ReplayDecision, RestartNotice } from '../../../shared/types';
import { createDecisionWatch } from '../../../electron/shell/notices/decision-watch';
import { followEngine } from '../../../electron/shell/follow-engine';
import type { TimedAnswer } from '../../../electron/ports/channel';
import { isRoute } from '../../../electron/shell/windows/links';
import {
  NO_HISTORY,
  planNotice,
  type Notice,
} from '../../../electron/shell/notices/notification-policy';
import {
  answersNotice,
  approvalNotice,
  approvalTitle,
  decisionNotice,
  missedNotice,
  restartNotice,
} from '../../../electron/shell/notices/notices';
import { isUrgentCall } from '../../../shared/questions/is-urgent';
import { stopAllQuestion } from '../../../electron/shell/stop-question';
import { createWindowChannel } from '../../../electron/shell/windows/window-channel';

const restart = (over: Partial<RestartNotice> = {}): RestartNotice => ({
  reason: 'kill',
  startedAtMs: 2,
  downMs: 1,
  resumedTurns: [],
  heldTurns: [],
  parkedTurns: [],
  staleTurns: [],
  restoreSkipped: false,
  isDismissed: false,
  ...over,
});
const decision = (inboxId: number, turnId = inboxId): ReplayDecision =>
  ({
    inboxId,
    turnId,
    kind: 'held',
    question: 'Was the mail to t.okafor@example.com sent?',
    agent: 'researcher',
    promptStart: 'CANARY prompt',
    ambiguous: [{ tool: 'send_email', args: 'CANARY args' }],
    listedTools: ['send_email'],
  }) as unknown as ReplayDecision;

describe('S0-30 restart notice', () => {
  it('S0-30 leads to the one open question, to the list of several, else to what happened', () => {
    expect(restartNotice(restart({ heldTurns: [12] }), 'd', 's').route).toBe('/decisions/12');
    expect(restartNotice(restart({ heldTurns: [12], parkedTurns: [13] }), 'd', 's').route).toBe(
      '/decisions',
    );
    expect(restartNotice(restart({ resumedTurns: [12] }), 'd', 's').route).toBe('/restart');
  });

  it('S0-30 tells an unexpected stop from an orderly one', () => {
    for (const reason of ['crash', 'kill', 'power_loss'] as const) {
      expect(restartNotice(restart({ reason }), 'd', 's').title).toBe('Back after a crash');
    }
    for (const reason of ['clean', 'update', 'takeover', 'os_shutdown'] as const) {
      expect(restartNotice(restart({ reason }), 'd', 's').title).toBe('Holdfast restarted');
    }
  });

  it('S0-29 is shown once for a delivery that comes twice, and an answer not at all', async () => {
    const notify = vi.fn(async () => ({ kind: 'shown' as const }));
    const channel = createWindowChannel({
      isReady: () => true,
      restart: () => restart(),
      notify,
      isQuiet: () => false,
      showDetails: () => false,
      onRestartTold: vi.fn(),
    });
    const delivery = {
      deliveryId: 'a',
      kind: 'restart_notice' as const,
      peer: '',
      sessionKey: '',
      text: 'Restarted.',
    };
    const { signal } = new AbortController();
    await channel.deliver(delivery, signal);
    await channel.deliver(delivery, signal);
    await channel.deliver({ ...delivery, deliveryId: 'b', kind: 'answer' }, signal);
    expect(notify).toHaveBeenCalledTimes(1);
    expect(notify).toHaveBeenCalledWith(expect.objectContaining({ body: 'Restarted.' }));
  });
});

describe('S0-24 tasks that were missed', () => {
  const item = (over: Partial<InboxItem> = {}): InboxItem => ({
    id: 5,
    kind: 'problem',
    taskId: 3,
    title: 'Missed: CANARY\u202e name',
    detail: 'CANARY detail',
    createdAtMs: 100,
    ...over,
  });

  it('S0-24 R11 D4 one is named by its number and leads to where it can be run; by its name only where details are asked for', () => {
    const notice = missedNotice([item()], false);
    expect(notice).toMatchObject({
      title: 'Task 3 was missed',
      body: 'It didn’t run. You can run it now.',
      route: '/decisions/item-5',
    });
    expect(JSON.stringify(notice)).not.toContain('CANARY');
    expect(isRoute(notice?.route ?? '')).toBe(true);
    expect(missedNotice([item()], true)?.title).toBe('Missed: CANARY name');
  });

  it('S0-24 3 at once are one notice that counts them, none is none', () => {
    const of3 = [item(), item({ id: 6, taskId: 4 }), item({ id: 7, taskId: 5 })];
    expect(missedNotice(of3, true)).toMatchObject({
      title: '3 tasks were missed',
      route: '/decisions',
      standsFor: 3,
    });
    expect(missedNotice([], false)).toBeUndefined();
  });

  it('R11 D4 a timer is told of without the name that an agent gave it', () => {
    const { taskId: _, ...other } = item();
    const timer = { ...other, timerId: 'CANARY' };
    expect(missedNotice([timer], false)).toMatchObject({
      title: 'A timer was missed',
      route: '/decisions/item-5',
    });
    expect(missedNotice([timer, timer], false)?.title).toBe('2 timers were missed');
    expect(missedNotice([timer, item()], false)?.title).toBe('2 tasks and timers were missed');
    expect(createDecisionWatch().freshMissed([timer], 100)).toEqual([timer]);
  });

  it('S0-24 each is told once, of this start only; what is settled or another problem is not', () => {
    const watch = createDecisionWatch();
    const { taskId: _, ...other } = item({ id: 8 });
    const all = [
      item(),
      item({ id: 6, settledAtMs: 101 }),
      item({ id: 7, createdAtMs: 99 }),
      other,
    ];
    const ids = (sinceMs: number) => watch.freshMissed(all, sinceMs).map(({ id }) => id);
    expect(ids(100)).toEqual([5]);
    expect(ids(100)).toEqual([]);
    expect(ids(0)).toEqual([7]);
  });

  it.each([
    ['clean', 'Task 3 was missed'],
    ['kill', '2 tasks were missed'],
  ] as const)(
    'S0-24 after a start whose reason is %s the notice says "%s": one is of this start, one of the day before',
    async (reason, title) => {
      vi.useFakeTimers({ now: 50 * 3_600_000 });
      const nowMs = Date.now();
      const told: Notice[] = [];
      const items = [item({ createdAtMs: nowMs }), item({ id: 6, createdAtMs: nowMs - 3_600_000 })];
      followEngine({
        engine: {
          call: (verb: string) =>
            Promise.resolve(verb === 'inbox.list' ? { items } : { decisions: [], requests: [] }),
          status: () => ({ restart: restart({ reason }), startedAtMs: nowMs - 10, nowMs }),
          on: vi.fn(),
        } as never,
        control: {
          refresh: vi.fn(),
          refreshDecisions: () => Promise.resolve(),
          refreshAnswers: () => Promise.resolve(),
        } as never,
        settings: { get: (key: string) => (key === 'notifications.urgent' ? [] : false) } as never,
        watch: createDecisionWatch(),
        notify: (notice) => {
          told.push(notice);
          return Promise.resolve({ kind: 'shown' });
        },
        reminder: { atMs: () => undefined, forget: vi.fn() },
        applySettings: vi.fn(),
        log: { info: vi.fn(), warn: vi.fn() } as never,
      });
      await vi.advanceTimersByTimeAsync(5_000);
      vi.useRealTimers();
      expect(told.map((notice) => notice.title)).toEqual([title]);
    },
  );
});

describe('S1-02 answers of what time made', () => {
  const answer = (over: Partial<TimedAnswer> = {}): TimedAnswer => ({
    turnId: 40,
    sessionId: 7,
    agent: 'researcher',
    isFailed: false,
    by: { kind: 'task', taskId: 3, name: 'CANARY prompt\u202e\nof the task' },
    mayBeSecond: false,
    ...over,
  });
  const told = (answers: readonly TimedAnswer[], showDetails = false): Notice => {
    const notice = answersNotice(answers, showDetails);
    if (notice === undefined) throw new Error('nothing is told');
    return notice;
  };

  it.each([
    [answer(), 'Reply: Task 3'],
    [answer({ isFailed: true }), 'Failed: Task 3'],
    [answer({ by: { kind: 'timer' } }), 'Reply: A timer'],
    [answer({ by: { kind: 'heartbeat' } }), 'Reply: A heartbeat'],
    [answer({ by: { kind: 'wake' } }), 'Reply: A timer or heartbeat'],
  ])('S1-02 S1-38 %#: says who answered, and leads to the session', (given, title) => {
    const notice = told([given]);
    expect(notice).toMatchObject({ title, key: 'answer:7', kind: 'answer', route: '/sessions/7' });
    expect(notice.body).toMatch(/^researcher\. .*session/);
    expect(isRoute(notice.route)).toBe(true);
  });

  it('D4 names a task by its number; by its name, in one plain line, only where details are asked for', () => {
    expect(JSON.stringify(told([answer()]))).not.toContain('CANARY');
    expect(told([answer()], true).title).toBe('Reply: CANARY prompt of the task');
  });

  it('S1-02 2 of one session are the newer one, 3 of two sessions are one notice that counts them, none is none', () => {
    expect(told([answer({ turnId: 40 }), answer({ turnId: 41 })]).alsoAt).toEqual(['/turns/41']);
    const of3 = [answer(), answer({ isFailed: true }), answer({ sessionId: 8 })];
    expect(told(of3)).toMatchObject({
      key: 'summary:answer',
      title: '3 replies from tasks, timers and heartbeats',
      body: '1 failed. See Sessions.',
      route: '/sessions',
    });
    expect(answersNotice([], false)).toBeUndefined();
  });

  it('R12 one that may have been seen says so, alone and among others', () => {
    const second = answer({ mayBeSecond: true });
    expect(told([second]).body).toMatch(/You may have seen this before\.$/);
    expect(told([second, answer({ sessionId: 8 })]).body).toMatch(/seen some before\.$/);
  });

  it('S1-02 the 4th notice within a minute counts the answers of all four', () => {
    const of5 = [1, 2, 3, 4, 5].map((sessionId) => answer({ sessionId }));
    let history = NO_HISTORY;
    const plans = [[answer()], of5, [answer({ sessionId: 8 })], [answer({ sessionId: 9 })]].map(
      (answers) => {
        const decided = planNotice(history, told(answers), {
          mode: 'on',
          isQuiet: false,
          focusedRoute: undefined,
          nowMs: 0,
        });
        history = decided.history;
        return decided.plan;
      },
    );
    expect(plans.at(-1)).toMatchObject({
      isSummary: true,
      notice: { title: '8 replies from tasks, timers and heartbeats within a minute' },
    });
  });

  it('S1-02 is not shown while the session or the turn is in front', () => {
    const plan = (focusedRoute: string) =>
      planNotice(NO_HISTORY, told([answer()]), {
        mode: 'on',
        isQuiet: false,
        focusedRoute,
        nowMs: 0,
      }).plan;
    expect(plan('/sessions/7')).toEqual({ kind: 'suppress', reason: 'in_view' });
    expect(plan('/turns/40')).toEqual({ kind: 'suppress', reason: 'in_view' });
    expect(plan('/sessions/8').kind).toBe('show');
  });

  it('S1-02 is not taken while the person is not to be disturbed: it waits on disk, not in memory', async () => {
    let isQuiet = true;
    const notify = vi.fn(async () => ({ kind: 'shown' as const }));
    const { timed } = createWindowChannel({
      isReady: () => true,
      restart: () => undefined,
      notify,
      isQuiet: () => isQuiet,
      showDetails: () => false,
      onRestartTold: vi.fn(),
    });
    expect(timed?.isHeld()).toBe(true);
    await expect(timed?.tell([answer()])).rejects.toMatchObject({ code: 'CHANNEL_DOWN' });
    expect(notify).not.toHaveBeenCalled();
    isQuiet = false;
    await timed?.tell([answer()]);
    expect(notify).toHaveBeenCalledTimes(1);
  });
});

describe('S0-34 decisions', () => {
  it('S0-34 12 cut-off turns are one notice that leads to the list', () => {
    const notice = decisionNotice(
      Array.from({ length: 12 }, (_one, index) => decision(index + 1)),
      false,
    );
    expect(notice).toMatchObject({ title: '12 turns need your review', route: '/decisions' });
  });

  it('S0-34 one cut-off turn leads to itself', () => {
    expect(decisionNotice([decision(3, 40)], false)?.route).toBe('/decisions/40');
    expect(decisionNotice([], false)).toBeUndefined();
  });

  it('D4 names agent and tool, and neither prompt nor arguments nor the question unless asked to', () => {
    const text = JSON.stringify(decisionNotice([decision(3)], false));
    expect(text).toContain('researcher, send_email');
    expect(text).not.toContain('CANARY');
    expect(text).not.toContain('okafor');
    expect(decisionNotice([decision(3)], true)?.title).toContain('okafor');
  });

  it('S0-34 a question is told once, and not again where the restart notice has named it', () => {
    const watch = createDecisionWatch();
    watch.toldByRestart(restart({ heldTurns: [1] }));
    expect(watch.fresh([decision(1), decision(2)]).map(({ turnId }) => turnId)).toEqual([2]);
    expect(watch.fresh([decision(1), decision(2)])).toEqual([]);
    expect(watch.fresh([decision(9, 1)]).map(({ inboxId }) => inboxId)).toEqual([9]);
  });
});

const approval = (requestId: number, over: Partial<ApprovalView> = {}): ApprovalView =>
  ({
    requestId,
    kind: 'approval',
    turnId: 40,
    agent: 'Repo mender',
    tool: 'shell.shell',
    covers: 'shell.shell git push',
    hint: 'git push CANARY-hint',
    promptStart: 'CANARY prompt',
    args: '{"command":"git push CANARY-args"}',
    ...over,
  }) as ApprovalView;

describe('S3-06 approvals', () => {
  it.each([
    ['nothing', [], false],
    ['its agent', ['Repo mender'], true],
    ['its tool', ['shell.shell'], true],
    ['what leave for it covers', ['shell.shell git push'], true],
    ['other agents and tools, and words of its input', ['coder', 'git push', 'shell'], false],
  ])('ux 5 f a call is urgent where the person has named %s', (_what, urgent, isUrgent) => {
    expect(isUrgentCall(approval(15), urgent)).toBe(isUrgent);
  });

  it('S3-06 one call leads to exactly its item; agent and tool are named, its input only if you chose details (D4)', () => {
    const notice = approvalNotice([approval(15)], false);
    expect(notice).toEqual({
      key: 'approvals',
      kind: 'decision',
      title: 'A tool call needs approval',
      body: 'Repo mender, shell. It hasn’t run yet.',
      route: '/decisions/item-15',
      turnId: 40,
    });
    const open = approvalNotice([approval(15)], true);
    expect(JSON.stringify(notice)).not.toContain('CANARY');
    expect(open?.title).toBe('Repo mender asks: Allow a push?');
    const turn = approval(15, { promptStart: 'Fix the flaky test. Then push it.\nCANARY-2' });
    expect(approvalNotice([turn], false)?.body).toBe('Repo mender, shell. It hasn’t run yet.');
    expect(approvalNotice([turn], true)?.body).toBe(
      'Repo mender, shell, “Fix the flaky test”. It hasn’t run yet.',
    );
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const secret = approval(15, { args: JSON.stringify({ command: `login ${token}` }) });
    expect(approvalNotice([secret], true)?.title).toBe('Repo mender asks: Allow `login …`?');
    expect(approvalNotice([], false)).toBeUndefined();
    // An agent's own tools carry its name, which stands before them already.
    const own = approval(15, { agent: 'opencode', tool: 'opencode.shell' });
    expect(approvalNotice([own], false)?.body).toBe('opencode, shell. It hasn’t run yet.');
  });

  it('S3-06 says the display name of an agent, in one line and without hidden characters', () => {
    const named = (agent: string): string => (agent === 'mender' ? 'Repo\n\u202emender' : agent);
    const one = approval(15, { agent: 'mender', tool: 'mender.shell' });
    expect(approvalNotice([one], true, named)?.title).toMatch(/^Repo [^\n\u202e]*mender asks: /);
    const body = approvalNotice([one], false, named)?.body ?? '';
    expect(body).toMatch(/^Repo [^\n\u202e]*mender, shell\. It hasn’t run yet\.$/);
    const held = { ...decision(3), agent: 'mender' };
    expect(decisionNotice([held], false, () => 'Repo mender')?.body).toMatch(/^Repo mender, /);
  });

  it('S3-06 several calls are one notice that leads to the list', () => {
    expect(approvalNotice([approval(15), approval(16)], false)).toMatchObject({
      title: '2 tool calls need approval',
      route: '/decisions',
    });
  });

  it('S3-09 a tool that is carried out outside is asked for its result', () => {
    const custom = approval(17, { kind: 'custom_tool', tool: 'custom.look_up', covers: '' });
    expect(approvalTitle(custom)).toBe('What did look_up return?');
    expect(approvalNotice([custom], false)).toMatchObject({
      title: 'A tool call needs its result',
      body: 'Repo mender, look_up. The turn waits for it.',
    });
  });

  it('S3-07 an open call is told once in the life of a process, an answered one never', () => {
    const watch = createDecisionWatch();
    const told = (open: readonly ApprovalView[]) =>
      watch.freshApprovals(open).map(({ requestId }) => requestId);
    expect(told([approval(15), approval(16, { answer: 'allowed' })])).toEqual([15]);
    expect(told([approval(15), approval(18)])).toEqual([18]);
    expect(createDecisionWatch().freshApprovals([approval(15)])).toHaveLength(1);
  });
});

describe('stop all', () => {
  it.each([
    [1, 'Cancel the turn?', ['Keep it running', 'Cancel turn']],
    [2, 'Cancel both turns?', ['Keep them running', 'Cancel all turns']],
    [5, 'Cancel all 5 turns?', ['Keep them running', 'Cancel all turns']],
  ])('asks about %i turns: %s', (open, message, buttons) => {
    expect(stopAllQuestion(open).buttons).toEqual(buttons);
    expect(stopAllQuestion(open).message).toBe(message);
    expect(stopAllQuestion(open).detail).toContain('never resume');
  });
});
