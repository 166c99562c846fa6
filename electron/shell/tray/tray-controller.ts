/** Keeps the tray up to date: gathers what it shows, and carries out its menu. */
import type { Holdfast } from '../../engine/api/facade';
import { createCoalesced } from '../../engine/kernel/coalesce';
import { toHoldfastError } from '../../engine/kernel/errors';
import type { Log } from '../../ports/log';
import { errorMessage } from '../../../shared/error-messages';
import { diagnosticsText } from '../../../shared/diagnostics';
import type { Page } from '../windows/links';
import { turnTitle } from '../../../shared/turn-title';
import { approvalTitle, decisionRoute, itemRoute } from '../notices/notices';
import type { Notice } from '../notices/notification-policy';
import type { AppTray } from './tray';
import type { ForeseenQuit } from '../stop-question';
import { trayModel } from './tray-view';
import { shownOutages } from './tray-external';
import type { TrayExtras } from './tray-view';
import type { TrayAction } from './tray-row';

interface TrayControllerDeps {
  readonly holdfast: Pick<Holdfast, 'call' | 'status'>;
  readonly tray: AppTray;
  readonly isQuiet: () => boolean;
  readonly setQuiet: (isQuiet: boolean) => void;
  readonly open: (page: Page, route?: string) => void;
  /** Asks the user, or reports what could not be done. */
  readonly confirm: {
    /** True means stop. */
    readonly stopAll: (open: number) => Promise<boolean>;
    /** Shows what would be copied; true to copy. R5 */
    readonly copy: (text: string) => Promise<boolean>;
    /** What was chosen in the menu failed: what happened, and what to do next. */
    readonly failed: (trouble: { readonly message: string; readonly next: string }) => void;
  };
  readonly copyText: (text: string) => void;
  readonly quit: () => void;
  /** The user wants to quit when the running steps are done. */
  readonly onQuitWanted: () => void;
  readonly locale: string;
  readonly log: Log;
  /** Wall ms. */
  readonly nowMs: () => number;
}

export interface TrayController {
  /** Draws the current state; costs little if nothing changed. */
  refresh(): void;
  /** Reads the open questions again, then draws. */
  refreshDecisions(): Promise<void>;
  /** Reads the latest answers again, then draws. */
  refreshAnswers(): Promise<void>;
  /** A notice that the system did not show: it stays in the tray until something is opened. */
  addUnseen(notice: Notice): void;
  act(action: TrayAction): void;
}

const FORESEE_MS = 250;
const ANSWERS_SHOWN = 3;
/** Number of turns shown for each provider; the others are on its page. */
const WAITING_SHOWN = 3;

/** The first turns that wait for each provider that is down. Reads nothing while none is down. */
async function waitingTitles(
  holdfast: Pick<Holdfast, 'call' | 'status'>,
): Promise<NonNullable<TrayExtras['waiting']>> {
  const queues = await Promise.all(
    shownOutages(holdfast.status()).map((provider) =>
      holdfast.call('outage.queue', { provider, limit: WAITING_SHOWN }, 'tray'),
    ),
  );
  return queues.flatMap(({ items }) =>
    items.map(({ provider, turnId, promptStart }) => ({
      provider,
      title: turnTitle(promptStart),
      route: `/turns/${turnId}`,
    })),
  );
}

/** Queued turns resume automatically, too. */
export async function foreseeQuit(
  holdfast: Pick<Holdfast, 'call' | 'status'>,
): Promise<ForeseenQuit | undefined> {
  if (holdfast.status().phase !== 'running') return undefined;
  const { resume, queued, ...rest } = await holdfast.call('instance.foresee', {}, 'tray');
  return { resume: resume + queued, ...rest };
}

/** A user whose menu choice did nothing does not look at the log. */
function troubleOf(error: unknown): { readonly message: string; readonly next: string } {
  const { code, message, hint } = toHoldfastError(error);
  return { message, next: hint ?? errorMessage(code).next };
}

export function createTrayController(deps: TrayControllerDeps): TrayController {
  let decisions: TrayExtras['decisions'] = [];
  let answers: NonNullable<TrayExtras['answers']> = [];
  let unseen: readonly Notice[] = [];
  let waitingTurns: NonNullable<TrayExtras['waiting']> = [];
  let isAsking = false;
  let foreseen: ForeseenQuit | undefined;
  let isForeseeing = false;

  const draw = (): void => {
    deps.tray.apply(
      trayModel(deps.holdfast.status(), deps.nowMs(), deps.locale, {
        decisions,
        isQuiet: deps.isQuiet(),
        unseen,
        answers,
        waiting: waitingTurns,
        foreseen,
      }),
    );
  };

  /** Computed again after each change; changes during the computation trigger one more. */
  const foresee = createCoalesced(
    () => {
      if (isForeseeing) {
        foresee();
        return;
      }
      isForeseeing = true;
      Promise.all([foreseeQuit(deps.holdfast), waitingTitles(deps.holdfast)])
        .then(([next, titles]) => {
          foreseen = next;
          waitingTurns = titles;
          draw();
        })
        .catch(() => undefined) // Starting or stopping: the label then says nothing about turns.
        .finally(() => {
          isForeseeing = false;
        });
    },
    (work) => {
      setTimeout(work, FORESEE_MS).unref();
    },
  );
  const refresh = (): void => {
    draw();
    foresee();
  };

  const stopAll = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      const { running, queued, waiting } = deps.holdfast.status().counts;
      if (await deps.confirm.stopAll(running + queued + waiting)) {
        await deps.holdfast.call('turns.cancelAll', {}, 'tray');
      }
    } finally {
      isAsking = false;
    }
  };

  const copyDiagnostics = async (): Promise<void> => {
    const text = diagnosticsText(await deps.holdfast.call('doctor.run', { toShare: true }, 'tray'));
    if (await deps.confirm.copy(text)) deps.copyText(text);
  };

  const run = async (action: TrayAction): Promise<void> => {
    switch (action.kind) {
      case 'open':
        unseen = [];
        deps.open('index', action.route);
        break;
      case 'settings':
        if (action.at === undefined) deps.open('settings');
        else deps.open('settings', `/${action.at}`);
        break;
      case 'ask':
        deps.open('quick');
        break;
      case 'probe':
        await deps.holdfast.call('outage.probe', { provider: action.provider }, 'tray');
        break;
      case 'let_sleep':
        await deps.holdfast.call('instance.letSleep', {}, 'tray');
        break;
      case 'stop_all':
        await stopAll();
        break;
      case 'pause':
        await deps.holdfast.call(
          'intake.pause',
          action.forMs === undefined ? {} : { forMs: action.forMs },
          'tray',
        );
        break;
      case 'resume':
        await deps.holdfast.call('intake.resume', {}, 'tray');
        break;
      case 'toggle_quiet':
        deps.setQuiet(!deps.isQuiet());
        break;
      case 'copy_diagnostics':
        await copyDiagnostics();
        break;
      case 'quit':
        deps.quit();
        break;
      case 'quit_when_done':
        if (action.isWanted) deps.onQuitWanted();
        await deps.holdfast.call('instance.quitWhenDone', { isWanted: action.isWanted }, 'tray');
        break;
    }
  };

  return {
    refresh,
    async refreshDecisions() {
      const { decisions: open } = await deps.holdfast.call('recovery.list', {}, 'tray');
      const { requests } = await deps.holdfast.call('approvals.list', {}, 'tray');
      // Oldest first, as everywhere: the order does not depend on the reason.
      decisions = [
        ...open.map(({ question, turnId, createdAtMs }) => ({
          atMs: createdAtMs,
          title: question,
          route: decisionRoute(turnId),
        })),
        ...requests.map((request) => ({
          atMs: request.requestedAtMs,
          title: approvalTitle(request),
          route: itemRoute(request.requestId),
        })),
      ].toSorted((one, other) => one.atMs - other.atMs);
      refresh();
    },
    async refreshAnswers() {
      const { turns } = await deps.holdfast.call(
        'turns.list',
        { states: ['completed'], limit: ANSWERS_SHOWN },
        'tray',
      );
      answers = turns.map(({ id, promptStart }) => ({
        title: turnTitle(promptStart),
        route: `/turns/${id}`,
      }));
      refresh();
    },
    addUnseen(notice) {
      unseen = [...unseen.filter(({ key }) => key !== notice.key), notice].slice(-20);
      refresh();
    },
    act(action) {
      run(action).then(refresh, (error: unknown) => {
        deps.log.error('tray.action_failed', {
          action: action.kind,
          message: String(error).slice(0, 300),
        });
        deps.confirm.failed(troubleOf(error));
        refresh();
      });
    },
  };
}
