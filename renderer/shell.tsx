/**
 * The sidebar with live counts and the search box, the page next to it, and keys that work
 * everywhere.
 */
import { Menu, Tooltip } from '@mantine/core';
import {
  Activity,
  ArrowUpRight,
  Bot,
  Calendar,
  ChartColumn,
  TextSearch,
  House,
  Inbox,
  List,
  MonitorSmartphone,
  Play,
  Search,
  SlidersHorizontal,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { useMediaQuery, useWindowEvent } from '@mantine/hooks';
import { Suspense, lazy, useState } from 'react';
import type { ComponentType, ReactElement, ReactNode } from 'react';
import { needsOfAll } from '../shared/host-facts';
import type { StatusSnapshot } from '../shared/types';
import { t } from '../shared/messages';
import type { MessageKey } from '../shared/messages';
import { useBridge, useCommand } from './bridge';
import { isMac } from './keys/key-place';
import { keyText } from './keys/keys-view';
import type { KeyAct } from './keys/keys-view';
import { isPanelOpen } from './keys/own-escape';
import { openActions, useRowActions } from './keys/row-actions';
import { focusPageSearch, useShellKeys } from './keys/shell-keys';
import { openOutages } from './outages/outages-view';
import { PAGES, pagesOf, placeOf } from './pages';
import type { PageRow } from './pages';
import type { Overlay } from './palette/commands';
import { DownCross, HMark, OpenSwitch, PauseMark, TrayGlyph } from './parts/icons';
import { AtRoughly, TroubleNote } from './parts/texts';
import { QuitNote } from './quit-note';
import { goTo, hrefOf } from './route';
import type { Route } from './route';
import { useStatus } from './status';
import { useWindowTitle } from './window-title';
import { sayPaused } from './toasts/said';
import { actNow, useToastsUsed } from './toasts/toasts';

const ICONS: Readonly<Record<PageRow['label'], LucideIcon | ComponentType<{ className: string }>>> =
  {
    'nav.home': House,
    'nav.decisions': Inbox,
    'nav.sessions': List,
    'nav.schedule': Calendar,
    'nav.outages': OpenSwitch,
    'nav.events': Activity,
    'nav.agents': Bot,
    'nav.usage': ChartColumn,
    'nav.search': TextSearch,
    'nav.computers': MonitorSmartphone,
  };

/** The sidebar shows these names itself; they are tooltips only when it shows icons alone. */
const NARROW_TIP = { tooltip: 'only-narrow-tip' };

/** Below 960 px the sidebar shows only icons; names remain for screen readers and as tooltips. */
const useIsNarrow = (): boolean =>
  useMediaQuery('(max-width: 59.9375em)', false, { getInitialValueInEffect: false });
const nameClass = (isNarrow: boolean): string => (isNarrow ? 'sr-only' : 'nav-label');

/** Palette, keyboard map, and their notices: loaded on first use. */
const Commands = lazy(async () => {
  const { Commands: loaded } = await import('./palette/commands');
  return { default: loaded };
});

const ToastHost = lazy(async () => {
  const { ToastHost: loaded } = await import('./toasts/toast-host');
  return { default: loaded };
});

/**
 * Notices at the bottom right. Actions still waiting for their notice are done when the user leaves
 * the window.
 */
function Toasts(): ReactElement | null {
  const isUsed = useToastsUsed();
  useWindowEvent('pagehide', actNow);
  return isUsed ? (
    <Suspense fallback={null}>
      <ToastHost />
    </Suspense>
  ) : null;
}

const PAUSES = [
  { label: 'pause.for15m', forMs: 15 * 60_000 },
  { label: 'pause.for1h', forMs: 60 * 60_000 },
  { label: 'pause.untilResumed', forMs: undefined },
] as const satisfies readonly { label: MessageKey; forMs: number | undefined }[];

/** Holds back new turns, or starts them again. Running turns are not affected. */
function PauseControl(): ReactElement {
  const isNarrow = useIsNarrow();
  const { status } = useStatus();
  const bridge = useBridge();
  const pause = useCommand('intake.pause');
  const resume = useCommand('intake.resume');
  if (status?.paused) {
    return (
      <>
        <Tooltip label={t('pause.resume')} position="right" classNames={NARROW_TIP}>
          <button className="bare nav-item" type="button" onClick={() => void resume.run({})}>
            <Play className="icon" />
            <span className={nameClass(isNarrow)}>{t('pause.resume')}</span>
          </button>
        </Tooltip>
        <TroubleNote trouble={resume.trouble} />
      </>
    );
  }
  return (
    <>
      <Menu position="right-end">
        <Menu.Target>
          <button className="bare nav-item" type="button" title={t('pause.new')}>
            <PauseMark className="icon" />
            <span className={nameClass(isNarrow)}>{t('pause.new')}</span>
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t('pause.about')}</Menu.Label>
          {PAUSES.map(({ label, forMs }) => (
            <Menu.Item
              key={label}
              onClick={() =>
                void pause.run(forMs === undefined ? {} : { forMs }).then((answer) => {
                  if (answer.ok) sayPaused(bridge, answer.value);
                })
              }
            >
              {t(label)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <TroubleNote trouble={pause.trouble} />
    </>
  );
}

function EngineLine(): ReactElement {
  const isNarrow = useIsNarrow();
  const { status, trouble } = useStatus();
  if (!status) {
    return (
      <div className="aligned sm t3 engine-line">
        <TrayGlyph state="stopped" />
        <span className={isNarrow ? 'sr-only' : undefined}>
          {trouble ? t('engine.noAnswer') : t('engine.asking')}
        </span>
      </div>
    );
  }
  return (
    <div className="aligned sm t3 engine-line">
      <TrayGlyph state={status.tray} />
      <span className={isNarrow ? 'sr-only' : undefined}>
        {status.phase === 'running' ? (
          <>
            {t('engine.since')} <AtRoughly atMs={status.startedAtMs} />
          </>
        ) : (
          t(`engine.phase.${status.phase}`)
        )}
        <br />
        {journalText(status.journal)}
      </span>
    </div>
  );
}

function journalText({ refusal, seq, appliedSeq }: StatusSnapshot['journal']): string {
  if (refusal === undefined) return t('engine.journal', { count: Math.max(0, seq - appliedSeq) });
  return t(refusal.of === 'reads' ? 'engine.unread' : 'engine.refused');
}

/** The box at the top of the sidebar; it opens the palette. */
function FindBox({ onOpen }: { onOpen: () => void }): ReactElement {
  const isNarrow = useIsNarrow();
  const keys = keyText('palette', isMac());
  return (
    <Tooltip label={`${t('find.open')}, ${keys}`} position="right" classNames={NARROW_TIP}>
      <button
        type="button"
        className="flex find"
        onClick={onOpen}
        aria-keyshortcuts={`${isMac() ? 'Meta' : 'Control'}+K`}
      >
        <Search className="icon small" />
        {/* Its accessible name is the full sentence, which does not fit here; it begins with the visible text. */}
        {isNarrow ? null : (
          <span className="grow" aria-hidden="true">
            {t('find.word')}
          </span>
        )}
        <span className="sr-only">{t('find.open')}</span>
        {isNarrow ? null : <kbd className="kbd">{keys}</kbd>}
      </button>
    </Tooltip>
  );
}

/** Tells screen-reader users, who do not see the number, that something new needs them. */
function NewNeeds(): ReactElement {
  const { status } = useStatus();
  const count = status && needsOfAll(status.counts, status.hosts);
  const [heard, setHeard] = useState<{ readonly count?: number; readonly said: string }>({
    said: '',
  });
  if (count !== undefined && count !== heard.count) {
    const isMore = heard.count !== undefined && count > heard.count;
    setHeard({ count, said: isMore ? t('nav.needYou', { count }) : '' });
  }
  return (
    <p className="sr-only" aria-live="polite">
      {heard.said}
    </p>
  );
}

/** What the sidebar counts at a page, and how it names that to screen readers. */
function countAt(
  { route }: PageRow,
  status: StatusSnapshot,
):
  | { readonly count: number; readonly label: MessageKey; readonly look?: 'hot' | 'down' }
  | undefined {
  switch (route.kind) {
    case 'decisions':
      return { count: needsOfAll(status.counts, status.hosts), label: 'nav.needYou', look: 'hot' };
    case 'sessions':
      return { count: status.counts.running, label: 'nav.running' };
    case 'schedule':
      return { count: status.schedule?.active ?? 0, label: 'nav.tasks' };
    case 'outages':
      return { count: openOutages(status), label: 'nav.outagesOpen', look: 'down' };
    default:
      return undefined;
  }
}

function NavCount({ page }: { page: PageRow }): ReactElement | null {
  const { status } = useStatus();
  const shown = status && countAt(page, status);
  if (shown === undefined || shown.count === 0) return null;
  const { count, label, look } = shown;
  return (
    <span className={look === undefined ? 'nav-count' : `nav-count ${look}`}>
      {look === 'down' ? <DownCross size={8} /> : null}
      <span aria-hidden="true">{count}</span>
      <span className="sr-only">{t(label as 'nav.needYou', { count })}</span>
    </span>
  );
}

/** Pages opened from another page: Esc goes back to it. */
const isBehindAnother = (route: Route): boolean =>
  route.kind === 'farSession' ||
  route.kind === 'turn' ||
  route.kind === 'drafts' ||
  route.kind === 'runs' ||
  route.kind === 'delivery' ||
  route.kind === 'taskForm' ||
  route.kind === 'restart' ||
  (route.kind === 'sessions' && route.sessionId !== undefined);

/** While a turn runs in a session, Esc Esc stops it; an open part of the page is closed first. */
const keepsEscape = (): boolean =>
  document.querySelector('[data-keeps-escape="true"]') !== null || isPanelOpen();

/** The frame of the recovery window. */
export function Shell({ route, children }: { route: Route; children: ReactNode }): ReactElement {
  const isNarrow = useIsNarrow();
  const { status } = useStatus();
  const openSettings = useCommand('app.openSettings');
  const [overlay, setOverlay] = useState<Overlay>('none');
  // They stay mounted once loaded: their notices outlast the palette.
  const [isAsked, setAsked] = useState(false);
  const show = (wanted: Overlay): void => {
    setAsked(true);
    setOverlay(wanted);
  };
  const here = placeOf(route);

  const onKey = (act: KeyAct): boolean => {
    switch (act.kind) {
      case 'palette':
        show('palette');
        return true;
      case 'help':
        show('keys');
        return true;
      case 'settings':
        void openSettings.run({});
        return true;
      case 'search':
        return focusPageSearch();
      case 'page': {
        const page = PAGES[act.at];
        if (page) goTo(page.route);
        return page !== undefined;
      }
      case 'back':
        // Requested but not drawn yet: then it does not open.
        if (overlay !== 'none') {
          setOverlay('none');
          return true;
        }
        if (!isBehindAnother(route) || keepsEscape()) return false;
        window.history.back();
        return true;
    }
  };
  useShellKeys(onKey);
  // After the page's own handler: a list with row menus opens those.
  useRowActions((focused) => {
    const content = document.getElementById('content');
    return content !== null && openActions(focused, content);
  });
  useWindowTitle(here === undefined ? undefined : t(here.label));

  return (
    <div className="app">
      <a
        className="skip-link"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
      >
        {t('nav.skip')}
      </a>
      <nav className="stack side" aria-label={t('nav.label')}>
        <div className="brand">
          <HMark size={18} className="ink-kept" />
          <span className={isNarrow ? 'sr-only' : undefined}>{t('app.name')}</span>
        </div>
        <NewNeeds />
        <FindBox onOpen={() => show('palette')} />
        <div className="stack nav">
          {pagesOf(status).map((page) => {
            const Icon = ICONS[page.label];
            return (
              <Tooltip
                key={page.label}
                label={t(page.label)}
                position="right"
                classNames={NARROW_TIP}
              >
                <a
                  className="bare nav-item"
                  href={hrefOf(page.route)}
                  aria-current={page === here ? 'page' : undefined}
                >
                  <Icon className="icon" aria-hidden="true" />
                  <span className={nameClass(isNarrow)}>{t(page.label)}</span>
                  <NavCount page={page} />
                </a>
              </Tooltip>
            );
          })}
        </div>
        <div className="side-foot">
          <PauseControl />
          <Tooltip label={t('nav.settings')} position="right" classNames={NARROW_TIP}>
            <button
              className="bare nav-item"
              type="button"
              onClick={() => void openSettings.run({})}
            >
              <SlidersHorizontal className="icon" />
              <span className={nameClass(isNarrow)}>{t('nav.settings')}</span>
              <ArrowUpRight className="icon small end nav-outward" />
            </button>
          </Tooltip>
          <TroubleNote trouble={openSettings.trouble} />
          <EngineLine />
        </div>
      </nav>
      <QuitNote />
      <main className="main" id="content" tabIndex={-1}>
        {children}
      </main>
      {isAsked ? (
        <Suspense fallback={null}>
          <Commands overlay={overlay} onOverlay={setOverlay} />
        </Suspense>
      ) : null}
      <Toasts />
    </div>
  );
}
