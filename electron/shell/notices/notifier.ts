/** Shows notices as native notifications and reports the outcome of each. */
import { Notification } from 'electron';
import { actionsOf } from './notice-actions';
import { NO_HISTORY, heard, outcomeText, planNotice, summariseHeld } from './notification-policy';
import type { Notice, NoticeHistory, NoticeMode, NoticeOutcome } from './notification-policy';

/** A notification service that neither shows nor rejects within this time counts as failed. */
const NO_ANSWER_MS = 10_000;

interface NotifierDeps {
  readonly mode: (notice: Notice) => NoticeMode;
  /** Our icon, on systems that do not take it from the installed program. */
  readonly icon: string | undefined;
  readonly focusedRoute: () => string | undefined;
  readonly onClick: (route: string) => void;
  readonly onSettings: () => void;
  /** The system did not show it: the tray shows it instead. */
  readonly onFailed: (notice: Notice) => void;
  readonly isQuiet: () => boolean;
  /**
   * Removes secrets from a text, because other programs and lock screens can read notifications.
   */
  readonly hide: (text: string) => string;
  /** Held-back notices, stored so that they survive a crash. */
  readonly held: { get(): readonly Notice[]; set(held: readonly Notice[]): void };
  /** Every outcome is recorded, next to the inbox row that the notice points to. */
  readonly record: (facts: { key: string; kind: string; outcome: string }) => void;
  /** Wall ms. */
  readonly nowMs: () => number;
}

export interface Notifier {
  readonly notify: (notice: Notice) => Promise<NoticeOutcome>;
  /** Shows one summary of what was held back, and of the questions that are still open. */
  readonly endQuiet: (questions: readonly Notice[]) => Promise<void>;
  /** Last outcome as text, for `app.info`; empty before the first. */
  readonly lastOutcome: () => string;
}

export function createNotifier(deps: NotifierDeps): Notifier {
  let history: NoticeHistory = { ...NO_HISTORY, held: deps.held.get() };
  let last = '';
  // Keeps a reference, because a garbage-collected Notification loses its click handler. Replaced
  // by key.
  const shown = new Map<string, Notification>();

  const show = (notice: Notice, isSilent: boolean): Promise<NoticeOutcome> => {
    if (!Notification.isSupported())
      return Promise.resolve({ kind: 'failed', reason: 'unsupported' });
    shown.get(notice.key)?.close();
    const actions = actionsOf(notice);
    const notification = new Notification({
      title: notice.title,
      body: notice.body,
      silent: isSilent,
      ...(deps.icon === undefined ? {} : { icon: deps.icon }),
      // Shown on macOS and Windows, and on Linux in Electron versions that support it; otherwise
      // only the click works.
      actions: actions.map(({ label }) => ({ type: 'button', text: label })),
    });
    shown.set(notice.key, notification);
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => resolve({ kind: 'failed', reason: 'no_answer' }),
        NO_ANSWER_MS,
      );
      const settle = (outcome: NoticeOutcome): void => {
        clearTimeout(timer);
        resolve(outcome);
      };
      notification.on('show', () => settle({ kind: 'shown' }));
      notification.on('failed', () => settle({ kind: 'failed', reason: 'refused' }));
      notification.on('click', () => {
        shown.delete(notice.key);
        history = heard(history, notice.key);
        deps.onClick(notice.route);
      });
      notification.on('action', (details, index) => {
        shown.delete(notice.key);
        history = heard(history, notice.key);
        const { does, route = notice.route } =
          actions[typeof index === 'number' ? index : details.actionIndex] ?? {};
        if (does === 'open') deps.onClick(route);
        if (does === 'settings') deps.onSettings();
        notification.close();
      });
      notification.show();
    });
  };

  const record = (notice: Notice, outcome: NoticeOutcome): NoticeOutcome => {
    last = outcomeText(outcome);
    deps.record({ key: notice.key, kind: notice.kind, outcome: last });
    if (outcome.kind === 'failed') deps.onFailed(notice);
    return outcome;
  };

  const notify = async (given: Notice): Promise<NoticeOutcome> => {
    const notice = withoutSecrets(given, deps.hide);
    const decided = planNotice(history, notice, {
      mode: deps.mode(notice),
      isQuiet: deps.isQuiet(),
      focusedRoute: deps.focusedRoute(),
      nowMs: deps.nowMs(),
    });
    if (decided.history.held !== history.held) deps.held.set(decided.history.held);
    history = decided.history;
    const { plan } = decided;
    if (plan.kind === 'suppress')
      return record(notice, { kind: 'suppressed', reason: plan.reason });
    const outcome = await show(plan.notice, plan.isSilent);
    return record(
      notice,
      outcome.kind === 'shown' && plan.isSummary ? { kind: 'summarised' } : outcome,
    );
  };

  return {
    notify,
    async endQuiet(questions) {
      const held = [
        ...history.held,
        ...questions.map((one) => withoutSecrets(one, deps.hide)),
      ].filter((one) => deps.mode(one) !== 'off');
      history = { ...history, held: [] };
      const summary = summariseHeld(held);
      const isSilent = held.every((one) => deps.mode(one) === 'silent');
      if (summary !== undefined) record(summary, await show(summary, isSilent));
      // Written afterward: a crash in between shows it twice instead of never.
      deps.held.set(history.held);
    },
    lastOutcome: () => last,
  };
}

const withoutSecrets = (notice: Notice, hide: (text: string) => string): Notice => ({
  ...notice,
  title: hide(notice.title),
  body: hide(notice.body),
});
