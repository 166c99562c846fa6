/** Subscribes tray, settings and notices to the engine's events. */
import { agentTitleIn } from '../../shared/agent-title';
import { isNamedIn } from '../../shared/named-provider';
import type { Holdfast } from '../engine/api/facade';
import type { ApprovalView } from '../../shared/types';
import type { Log } from '../ports/log';
import type { SettingsPort } from '../ports/settings';
import type { DecisionWatch } from './notices/decision-watch';
import { followFarDecisions } from './notices/far-decisions';
import {
  approvalNotice,
  asUrgent,
  decisionNotice,
  isUnexpected,
  missedNotice,
} from './notices/notices';
import { isUrgentCall } from '../../shared/questions/is-urgent';
import type { Notice, NoticeOutcome } from './notices/notification-policy';
import { createOutageWatch } from './notices/outage-watch';
import { dueQuestions, reminderNotice, untilNextMs } from './notices/reminders';
import type { OpenQuestion } from './notices/reminders';
import type { TrayController } from './tray/tray-controller';

/** Open questions are notified separately only after the restart notice had this long. */
const RESTART_TOLD_MS = 4_000;
const SETTLE_MS = 100;
/**
 * A timer does not count time asleep: while a reminder is due, it is checked at least this often.
 */
const LOOK_AGAIN_MS = 60_000;
/** After a sudden end, tasks missed this recently are notified again. */
const MISSED_AGAIN_MS = 24 * 3_600_000;

interface FollowDeps {
  readonly engine: Holdfast;
  readonly control: TrayController;
  readonly settings: Pick<SettingsPort, 'get'>;
  readonly watch: DecisionWatch;
  readonly notify: (notice: Notice) => Promise<NoticeOutcome>;
  /** When the user wants to be reminded of open decisions; cleared afterward. */
  readonly reminder: {
    readonly atMs: () => number | undefined;
    readonly forget: () => void;
  };
  /** `isAsked`: the login switch itself was changed. */
  readonly applySettings: (isAsked: boolean) => void;
  readonly log: Log;
}

interface Following {
  readonly lookAtReminders: () => void;
  /** Notices about questions that were held back and are still open; each once. */
  readonly heldBack: () => Promise<readonly Notice[]>;
}

export function followEngine({
  engine,
  control,
  settings,
  watch,
  notify,
  reminder,
  applySettings,
  log,
}: FollowDeps): Following {
  const report = (event: string) => (error: unknown) =>
    log.warn(event, { message: String(error).slice(0, 300) });

  const nameOf = (agent: string): string => agentTitleIn(settings.get('agents'), agent);
  const outside = createOutageWatch(nameOf, (provider) =>
    isNamedIn({ providers: settings.get('providers'), agents: settings.get('agents') }, provider),
  );
  outside.look(engine.status());
  let isSettling = false;
  engine.on('status.changed', () => {
    if (isSettling) return;
    isSettling = true;
    setTimeout(() => {
      isSettling = false;
      control.refresh();
      for (const notice of outside.look(engine.status())) {
        notify(notice).catch(report('notification.failed'));
      }
    }, SETTLE_MS);
  });

  const far = followFarDecisions({
    engine,
    settings,
    notify,
    onFailed: report('notification.failed'),
  });
  let open: readonly OpenQuestion[] = [];
  let lookedMs = Date.now();
  let timer: NodeJS.Timeout | undefined;
  /** Shows a notice about questions; during quiet hours it is held for later. */
  const ask = async (
    notice: Notice | undefined,
    about: readonly { readonly turnId: number }[],
  ): Promise<void> => {
    if (notice === undefined) return;
    const outcome = await notify(notice);
    if (outcome.kind !== 'suppressed' || outcome.reason !== 'do_not_disturb') return;
    watch.holdBack(about.map(({ turnId }) => turnId));
  };

  /** Notifies of reminders due since the last check, and sets the timer for the next. */
  const remind = (): void => {
    clearTimeout(timer);
    const nowMs = Date.now();
    const wantedAtMs = reminder.atMs();
    const due = dueQuestions(open, {
      lookedMs,
      nowMs,
      ...(wantedAtMs === undefined ? {} : { wantedAtMs }),
    });
    lookedMs = nowMs;
    if (wantedAtMs !== undefined && wantedAtMs <= nowMs) reminder.forget();
    for (const isUrgent of [true, false]) {
      const some = due.filter((one) => one.isUrgent === isUrgent);
      const notice = reminderNotice(some, nowMs);
      ask(isUrgent ? asUrgent(notice) : notice, some).catch(report('notification.failed'));
    }
    const waitMs = untilNextMs(open, nowMs, reminder.atMs());
    if (waitMs === undefined) return;
    timer = setTimeout(remind, Math.min(waitMs, LOOK_AGAIN_MS));
    // The timer must not keep the process alive.
    timer.unref();
  };

  const areDetailsShown = (): boolean => settings.get('notifications.show_details');
  const isUrgent = (call: ApprovalView): boolean =>
    isUrgentCall(call, settings.get('notifications.urgent'));
  const openQuestions = async () => {
    const { decisions } = await engine.call('recovery.list', {}, 'tray');
    const { requests } = await engine.call('approvals.list', {}, 'tray');
    return { decisions, requests };
  };
  const tellMissed = async (): Promise<void> => {
    const { items } = await engine.call('inbox.list', { limit: 1_000 }, 'tray');
    const { restart, startedAtMs, nowMs } = engine.status();
    const isSudden = restart !== undefined && isUnexpected(restart);
    const missed = watch.freshMissed(items, isSudden ? nowMs - MISSED_AGAIN_MS : startedAtMs);
    const notice = missedNotice(missed, areDetailsShown());
    if (notice !== undefined) await notify(notice);
  };
  const tell = async (): Promise<void> => {
    const { decisions, requests } = await openQuestions();
    open = [
      ...decisions.map((one) => ({
        turnId: one.turnId,
        askedAtMs: one.createdAtMs,
        agent: nameOf(one.agent),
        tool: one.ambiguous[0]?.tool ?? one.listedTools[0],
        isUrgent: false,
      })),
      ...requests.map((one) => ({
        turnId: one.turnId,
        askedAtMs: one.requestedAtMs,
        agent: nameOf(one.agent),
        tool: one.tool,
        isUrgent: isUrgent(one),
      })),
    ];
    remind();
    const fresh = watch.fresh(decisions);
    log.info('decisions.looked_at', { open: decisions.length, fresh: fresh.length });
    await ask(decisionNotice(fresh, areDetailsShown(), nameOf), fresh);
    const calls = watch.freshApprovals(requests);
    const urgent = calls.filter(isUrgent);
    await ask(asUrgent(approvalNotice(urgent, areDetailsShown(), nameOf)), urgent);
    const others = calls.filter((call) => !isUrgent(call));
    await ask(approvalNotice(others, areDetailsShown(), nameOf), others);
    await tellMissed();
  };
  let isTelling = false;
  engine.on('inbox.changed', () => {
    control.refreshDecisions().catch(report('tray.refresh_failed'));
    if (isTelling) tell().catch(report('notification.failed'));
  });
  // A step that starts or ends may change what a quit would interrupt.
  const readAnswers = (): void => {
    control.refreshAnswers().catch(report('tray.refresh_failed'));
  };
  engine.on('turn.changed', ({ state }) => {
    if (state === 'completed') readAnswers();
    else control.refresh();
  });
  readAnswers();
  engine.on('config.changed', ({ keys }) => applySettings(keys.includes('app.start_at_login')));

  control.refreshDecisions().catch(report('tray.refresh_failed'));
  // The restart notice goes first: the questions it names are not notified again.
  const wait = engine.status().restart === undefined ? 0 : RESTART_TOLD_MS;
  setTimeout(() => {
    isTelling = true;
    tell().catch(report('notification.failed'));
  }, wait);
  return {
    lookAtReminders() {
      if (isTelling) remind();
    },
    async heldBack() {
      const there = await far.heldBack();
      const turns = watch.takeHeldBack();
      if (turns.size === 0) return there;
      const { decisions, requests } = await openQuestions();
      const held = decisions.filter(({ turnId }) => turns.has(turnId));
      const calls = requests.filter(
        ({ turnId, answer }) => answer === undefined && turns.has(turnId),
      );
      return [
        decisionNotice(held, areDetailsShown(), nameOf),
        approvalNotice(calls, areDetailsShown(), nameOf),
        ...there,
      ].filter((notice) => notice !== undefined);
    },
  };
}
