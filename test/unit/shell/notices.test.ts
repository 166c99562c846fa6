import { describe, expect, it, vi } from 'vitest';
import type { ApprovalView, ReplayDecision, RestartNotice } from '../../../shared/model';
import { createDecisionWatch } from '../../../electron/shell/decision-watch';
import type { DueAnswer } from '../../../electron/compose-options';
import { isRoute } from '../../../electron/shell/links';
import { NO_HISTORY, planNotice, summariseHeld } from '../../../electron/shell/notification-policy';
import {
  answerNotice,
  approvalNotice,
  approvalTitle,
  decisionNotice,
  restartNotice,
} from '../../../electron/shell/notices';
import { stopAllQuestion } from '../../../electron/shell/stop-question';
import { createWindowChannel } from '../../../electron/shell/window-channel';

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
  it('S0-30 leads to the one open question, to the list of several, else to Home', () => {
    expect(restartNotice(restart({ heldTurns: [12] }), 'd', 's').route).toBe('/decisions/12');
    expect(restartNotice(restart({ heldTurns: [12], parkedTurns: [13] }), 'd', 's').route).toBe(
      '/decisions',
    );
    expect(restartNotice(restart({ resumedTurns: [12] }), 'd', 's').route).toBe('/');
  });

  it('S0-30 tells an unexpected stop from an orderly one', () => {
    for (const reason of ['crash', 'kill', 'power_loss'] as const) {
      expect(restartNotice(restart({ reason }), 'd', 's').title).toBe(
        'Back after an unexpected stop',
      );
    }
    for (const reason of ['clean', 'update', 'takeover', 'os_shutdown'] as const) {
      expect(restartNotice(restart({ reason }), 'd', 's').title).toBe('Holdfast started again');
    }
  });

  it('S0-29 is shown once for a delivery that comes twice, and an answer not at all', async () => {
    const notify = vi.fn(async () => ({ kind: 'shown' as const }));
    const channel = createWindowChannel({
      isReady: () => true,
      restart: () => restart(),
      notify,
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

describe('S1-02 answers of what time made', () => {
  const answer = (over: Partial<DueAnswer> = {}): DueAnswer => ({
    turnId: 40,
    sessionId: 7,
    agent: 'researcher',
    isFailed: false,
    by: { kind: 'task', taskId: 3, name: 'CANARY prompt\u202e\nof the task' },
    ...over,
  });

  it.each([
    [answer(), 'Task 3 has an answer'],
    [answer({ isFailed: true }), 'Task 3 could not be finished'],
    [answer({ by: { kind: 'timer' } }), 'A timer has an answer'],
    [answer({ by: { kind: 'heartbeat' } }), 'A heartbeat has an answer'],
  ])('S1-02 S1-38 %#: says who answered, and leads to the session', (given, title) => {
    const notice = answerNotice(given, false);
    expect(notice).toMatchObject({ title, key: 'answer:7', kind: 'answer', route: '/sessions/7' });
    expect(notice.body).toMatch(/^researcher\. .*session/);
    expect(isRoute(notice.route)).toBe(true);
  });

  it('D4 names a task by its number; by its name, in one plain line, only where details are asked for', () => {
    expect(JSON.stringify(answerNotice(answer(), false))).not.toContain('CANARY');
    expect(answerNotice(answer(), true).title).toBe('CANARY prompt of the task has an answer');
  });

  it('S1-02 is not shown while the session or the turn is in front; 2 of a session are 1 and held ones lead to the sessions', () => {
    const plan = (focusedRoute: string | undefined, isQuiet = false) =>
      planNotice(NO_HISTORY, answerNotice(answer(), false), {
        mode: 'on',
        isQuiet,
        focusedRoute,
        nowMs: 0,
      });
    expect(plan('/sessions/7').plan).toEqual({ kind: 'suppress', reason: 'in_view' });
    expect(plan('/turns/40').plan).toEqual({ kind: 'suppress', reason: 'in_view' });
    expect(plan('/sessions/8').plan.kind).toBe('show');
    expect(plan(undefined, true).plan).toEqual({ kind: 'suppress', reason: 'do_not_disturb' });
    const held = [7, 7, 8].reduce(
      (history, sessionId) =>
        planNotice(history, answerNotice(answer({ sessionId }), false), {
          mode: 'on',
          isQuiet: true,
          focusedRoute: undefined,
          nowMs: 0,
        }).history,
      NO_HISTORY,
    );
    expect(summariseHeld(held.held)).toMatchObject({
      title: 'While you were away: 2 notices',
      route: '/sessions',
    });
  });
});

describe('S0-34 decisions', () => {
  it('S0-34 12 cut-off turns are one notice that leads to the list', () => {
    const notice = decisionNotice(
      Array.from({ length: 12 }, (_one, index) => decision(index + 1)),
      false,
    );
    expect(notice).toMatchObject({ title: '12 turns wait for your decision', route: '/decisions' });
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
  it('S3-06 one call leads to exactly its item; agent and tool are named, its input never (D4)', () => {
    const notice = approvalNotice([approval(15)], false);
    expect(notice).toEqual({
      key: 'approvals',
      kind: 'decision',
      title: 'A call waits for your approval',
      body: 'Repo mender, shell. It has not been made.',
      route: '/decisions/item-15',
    });
    const open = approvalNotice([approval(15)], true);
    expect(open?.title).toBe('May git push run?');
    expect(JSON.stringify(open)).not.toContain('CANARY');
    expect(approvalNotice([], false)).toBeUndefined();
  });

  it('S3-06 several calls are one notice that leads to the list', () => {
    expect(approvalNotice([approval(15), approval(16)], false)).toMatchObject({
      title: '2 calls wait for your approval',
      route: '/decisions',
    });
  });

  it('S3-09 a tool that is carried out outside is asked for its result', () => {
    const custom = approval(17, { kind: 'custom_tool', tool: 'custom.look_up', covers: '' });
    expect(approvalTitle(custom)).toBe('What did look_up return?');
    expect(approvalNotice([custom], false)).toMatchObject({
      title: 'A tool waits for its result',
      body: 'Repo mender, look_up. The turn waits on disk.',
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
    [1, 'Stop the turn?'],
    [2, 'Stop both turns?'],
    [5, 'Stop all 5 turns?'],
  ])('asks about %i turns: %s', (open, message) => {
    expect(stopAllQuestion(open).message).toBe(message);
    expect(stopAllQuestion(open).detail).toContain('never replayed');
  });
});
