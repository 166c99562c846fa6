/** Sidebar with live counts, the page beside it, keys 1 to 4. */
import { Menu, Tooltip } from '@mantine/core';
import {
  ArrowUpRight,
  Bot,
  House,
  Inbox,
  List,
  Pause,
  Play,
  SlidersHorizontal,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { useEffect } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../shared/messages';
import type { MessageKey } from '../shared/messages';
import { useCommand } from './bridge';
import { HMark, TrayGlyph } from './parts/icons';
import { At, TroubleNote } from './parts/texts';
import { goTo, hrefOf } from './route';
import type { Route } from './route';
import { useStatus } from './status';

interface Page {
  readonly route: Route;
  readonly label: 'nav.home' | 'nav.decisions' | 'nav.sessions' | 'nav.agents';
  readonly Icon: LucideIcon;
  readonly kinds: readonly Route['kind'][];
}

/** Pages in the order of their keys. */
const PAGES: readonly Page[] = [
  { route: { kind: 'home' }, label: 'nav.home', Icon: House, kinds: ['home'] },
  { route: { kind: 'decisions' }, label: 'nav.decisions', Icon: Inbox, kinds: ['decisions'] },
  { route: { kind: 'sessions' }, label: 'nav.sessions', Icon: List, kinds: ['sessions', 'turn'] },
  { route: { kind: 'agents' }, label: 'nav.agents', Icon: Bot, kinds: ['agents'] },
];

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="menu"]') !==
    null;

const usePageKeys = (): void => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const page = PAGES[Number(event.key) - 1];
      if (page) goTo(page.route);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
};

const PAUSES = [
  { label: 'pause.for15m', forMs: 15 * 60_000 },
  { label: 'pause.for1h', forMs: 60 * 60_000 },
  { label: 'pause.untilResumed', forMs: undefined },
] as const satisfies readonly { label: MessageKey; forMs: number | undefined }[];

/** Lets new turns wait, or start again. Running ones are not touched. */
function PauseControl(): ReactElement {
  const { status } = useStatus();
  const pause = useCommand('intake.pause');
  const resume = useCommand('intake.resume');
  if (status?.paused) {
    return (
      <>
        <button className="nav-item" type="button" onClick={() => void resume.run({})}>
          <Play className="icon" aria-hidden="true" />
          <span className="nav-label">{t('pause.resume')}</span>
        </button>
        <TroubleNote trouble={resume.trouble} />
      </>
    );
  }
  return (
    <>
      <Menu position="right-end">
        <Menu.Target>
          <button className="nav-item" type="button">
            <Pause className="icon" aria-hidden="true" />
            <span className="nav-label">{t('pause.new')}</span>
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t('pause.about')}</Menu.Label>
          {PAUSES.map(({ label, forMs }) => (
            <Menu.Item
              key={label}
              onClick={() => void pause.run(forMs === undefined ? {} : { forMs })}
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
  const { status, trouble } = useStatus();
  if (!status) {
    return (
      <div className="engine-line">
        <TrayGlyph state="stopped" />
        <span className="engine-text">{trouble ? t('engine.noAnswer') : t('engine.asking')}</span>
      </div>
    );
  }
  const behind = Math.max(0, status.journal.seq - status.journal.appliedSeq);
  return (
    <div className="engine-line">
      <TrayGlyph state={status.tray} />
      <span className="engine-text">
        {status.phase === 'running' ? (
          <>
            {t('engine.since')} <At atMs={status.startedAtMs} />
          </>
        ) : (
          t(`engine.phase.${status.phase}`)
        )}
        <br />
        {status.journal.refusal ? t('engine.refused') : t('engine.journal', { count: behind })}
      </span>
    </div>
  );
}

/** The frame of the recovery window. */
export function Shell({ route, children }: { route: Route; children: ReactNode }): ReactElement {
  usePageKeys();
  const { status } = useStatus();
  const openSettings = useCommand('app.openSettings');
  const counts: Partial<Record<Page['label'], ReactElement>> = {};
  if (status && status.counts.needsYou > 0) {
    counts['nav.decisions'] = (
      <span
        className="nav-count hot"
        aria-label={t('nav.needYou', { count: status.counts.needsYou })}
      >
        {status.counts.needsYou}
      </span>
    );
  }
  if (status && status.counts.running > 0) {
    counts['nav.sessions'] = (
      <span className="nav-count" aria-label={t('nav.running', { count: status.counts.running })}>
        {status.counts.running}
      </span>
    );
  }
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
      <nav className="side" aria-label={t('nav.label')}>
        <div className="brand">
          <HMark size={18} className="ink-kept" />
          <span className="brand-name">{t('app.name')}</span>
        </div>
        <div className="nav">
          {PAGES.map(({ route: to, label, Icon, kinds }) => (
            <Tooltip key={label} label={t(label)} position="right" className="only-narrow-tip">
              <a
                className="nav-item"
                href={hrefOf(to)}
                aria-current={kinds.includes(route.kind) ? 'page' : undefined}
              >
                <Icon className="icon" aria-hidden="true" />
                <span className="nav-label">{t(label)}</span>
                {counts[label]}
              </a>
            </Tooltip>
          ))}
        </div>
        <div className="side-foot">
          <PauseControl />
          <button className="nav-item" type="button" onClick={() => void openSettings.run({})}>
            <SlidersHorizontal className="icon" aria-hidden="true" />
            <span className="nav-label">{t('nav.settings')}</span>
            <ArrowUpRight className="icon small end nav-outward" aria-hidden="true" />
          </button>
          <TroubleNote trouble={openSettings.trouble} />
          <EngineLine />
        </div>
      </nav>
      <main className="main" id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
