/**
 * The settings window: sections on the left, one of them in full, and a search over all settings.
 */
import { Button, TextInput } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import {
  Bell,
  Bot,
  CalendarClock,
  Download,
  FileText,
  FolderOpen,
  House,
  KeyRound,
  MessageSquare,
  PanelTop,
  RefreshCw,
  Search,
  Send,
  TriangleAlert,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry, ConfigProblem } from '../../shared/types';
import { useAgentTitles } from '../agents/agent-titles';
import { useCommand, useVerb } from '../bridge';
import { isMac } from '../keys/key-place';
import { isKey, keyText } from '../keys/keys-view';
import { useShellKeys } from '../keys/shell-keys';
import { useHash } from '../route';
import { OpenSwitch } from '../parts/icons';
import { PageBoundary } from '../parts/page-boundary';
import { Mark } from '../parts/state-chip';
import { EmptyState, Inert, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import { AgentsSection } from './agents-section';
import { ChannelsSection } from './channels-section';
import { DataSection } from './data-section';
import { ProvidersSection } from './providers-section';
import { RecoverySection } from './recovery-section';
import { NotificationsSection } from './notifications-section';
import { DeliverySection } from './delivery-section';
import { OWN_PARTS, SECTIONS } from './setting-groups';
import type { SectionName } from './setting-groups';
import { SettingRow } from './setting-row';
import { SettingGroups } from './setting-rows';
import { findSettings, problemParts } from './settings-view';
import { UpdatesSection } from './updates-section';
import './settings.css';

const ICONS: Readonly<Record<SectionName, LucideIcon | typeof OpenSwitch>> = {
  general: House,
  providers: KeyRound,
  agents: Bot,
  recovery: RefreshCw,
  schedule: CalendarClock,
  outages: OpenSwitch,
  delivery: Send,
  channels: MessageSquare,
  notifications: Bell,
  tray: PanelTop,
  updates: Download,
  data: FileText,
};

const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

const sectionOf = (hash: string): SectionName =>
  SECTIONS.find((section) => hash.replace(/^#?\/?/, '').split('/')[0] === section) ?? 'general';

/** `#/recovery/limits.turn_cost_usd`: shows that setting and focuses it. */
function useSettingInView(hash: string, isThere: boolean): void {
  const key = hash.replace(/^#?\/?/, '').split('/')[1];
  useEffect(() => {
    if (!isThere || key === undefined) return;
    const row = [...document.querySelectorAll<HTMLElement>('[data-setting]')].find(
      (one) => one.dataset['setting'] === key,
    );
    const folded = row?.closest('details');
    if (folded) folded.open = true;
    row?.scrollIntoView({ block: 'center' });
    // A button may remove something: Enter would press it.
    const field = row?.querySelector<HTMLElement>('input, textarea, select');
    (field ?? row?.querySelector<HTMLElement>('button'))?.focus();
  }, [key, isThere]);
}

export function SettingsWindow(): ReactElement {
  useAgentTitles();
  const hash = useHash();
  const section = sectionOf(hash);
  const config = useVerb('config.list', {});
  const [search, setSearch] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const openFolder = useCommand('app.openFolder');
  const toSearch = (): boolean => {
    field.current?.focus();
    field.current?.select();
    return true;
  };
  useShellKeys((act) => act.kind === 'search' && toSearch());
  useWindowEvent('keydown', (event) => {
    if (!isKey('find', event, isMac())) return;
    event.preventDefault();
    toSearch();
  });
  const entries = config.data?.entries ?? [];
  useSettingInView(hash, entries.length > 0);
  const problems = config.data?.problems ?? [];
  // A hint has no effect on the settings.
  const troubles = problems.filter(({ level }) => level !== 'hint').length;
  return (
    <div className="app labeled">
      <nav className="stack side" aria-label={t('settings.sections')}>
        <TextInput
          ref={field}
          className="settings-search"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          placeholder={t('settings.searchHint')}
          aria-label={t('settings.search')}
          leftSection={<Search className="icon small" />}
          rightSection={
            search === '' ? <kbd className="kbd">{keyText('find', isMac())}</kbd> : undefined
          }
          rightSectionWidth="3.5rem"
          rightSectionPointerEvents="none"
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || search === '') return;
            event.preventDefault();
            setSearch('');
          }}
        />
        <div className="stack nav">
          {SECTIONS.map((name) => {
            const Icon = ICONS[name];
            return (
              <a
                key={name}
                className="bare nav-item"
                href={`#/${name}`}
                aria-current={name === section && search === '' ? 'page' : undefined}
                onClick={() => setSearch('')}
              >
                <Icon className="icon" aria-hidden="true" />
                <span className="nav-label">{t(`settings.section.${name}`)}</span>
              </a>
            );
          })}
        </div>
        <div className="side-foot">
          <button
            type="button"
            className="bare nav-item"
            title={config.data?.path}
            onClick={() => void openFolder.run({ which: 'data' })}
          >
            <FolderOpen className="icon" />
            <span className="nav-label">
              {t('settings.openFolder', { file: fileName(config.data?.path ?? 'config.json') })}
            </span>
          </button>
          <TroubleNote trouble={openFolder.trouble} />
          <div className="aligned sm t3 engine-line" role="status">
            {config.data === undefined ? null : troubles === 0 ? (
              <Mark name="check" className="icon small ink-ok" />
            ) : (
              <Mark name="triangle" className="icon small ink-attention" />
            )}
            <span className="engine-text wrap">
              <span className="block">
                {config.data === undefined
                  ? t('common.loading')
                  : troubles === 0
                    ? t('settings.valid')
                    : t('settings.invalid', { count: troubles })}
              </span>
              <span className="block">
                {troubles === 0 ? t('settings.atOnce') : t('settings.lastGood')}
              </span>
            </span>
          </div>
        </div>
      </nav>
      <main className="main">
        <div className="page">
          <TroubleNote trouble={config.trouble} />
          <Problems problems={problems} path={config.data?.path ?? ''} />
          {search.trim() === '' ? (
            <>
              <header className="settings-head">
                <h1>{t(`settings.section.${section}`)}</h1>
                <p className="sub">{t(`settings.sub.${section}`)}</p>
              </header>
              <PageBoundary place={section}>
                <Section name={section} entries={entries} />
              </PageBoundary>
            </>
          ) : (
            <Results search={search} entries={entries} onLeave={() => setSearch('')} />
          )}
        </div>
      </main>
    </div>
  );
}

/** The errors in the file; each with its line, and the value that is used instead. */
function Problems({
  problems,
  path,
}: {
  problems: readonly ConfigProblem[];
  path: string;
}): ReactElement | null {
  if (problems.length === 0) return null;
  const isHint = problems.every((problem) => problem.level === 'hint');
  const file = fileName(path);
  return (
    <div className="problems">
      <NoteLine
        tone={isHint ? 'waiting' : 'attention'}
        role={isHint ? 'status' : 'alert'}
        mark={<TriangleAlert className="icon small" />}
      >
        <ul>
          {problems.map((problem, index) => {
            const { place, key, sentence } = problemParts(problem, file);
            return (
              <li key={index}>
                {place === '' ? null : <strong className="m5">{place}: </strong>}
                {key === '' ? null : <span className="mono">{key} </span>}
                <Inert text={sentence} />
              </li>
            );
          })}
        </ul>
      </NoteLine>
    </div>
  );
}

function Results({
  search,
  entries,
  onLeave,
}: {
  search: string;
  entries: readonly ConfigEntry[];
  onLeave: () => void;
}): ReactElement {
  const found = findSettings(search, entries);
  return (
    <div className="stack settings-stack narrow">
      <h1>{t('settings.found', { count: found.length })}</h1>
      {found.length === 0 ? (
        <EmptyState mark={<Search size={28} />} sentence={t('settings.nothing')} />
      ) : null}
      {SECTIONS.map((section) => {
        const here = found.filter((hit) => hit.section === section);
        if (here.length === 0) return null;
        const plain = here.filter((hit) => !Object.hasOwn(OWN_PARTS, hit.key));
        const own = here.filter((hit) => Object.hasOwn(OWN_PARTS, hit.key));
        return (
          <section key={section}>
            <SectionHead title={t(`settings.section.${section}`)} />
            <ul className="card rows">
              {own.map((hit) => (
                <li key={hit.key} className="row">
                  <div className="row-text">
                    <div className="m5">{t(`setting.${hit.key}`)}</div>
                    <div className="mono t3">{hit.key}</div>
                  </div>
                  <Button size="xs" component="a" href={`#/${section}`} onClick={onLeave}>
                    {t('settings.go')}
                  </Button>
                </li>
              ))}
              {plain.map((hit) => (
                <SettingRow
                  key={hit.key}
                  settingKey={hit.key}
                  entry={entries.find((entry) => entry.key === hit.key)}
                />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

function Section({
  name,
  entries,
}: {
  name: SectionName;
  entries: readonly ConfigEntry[];
}): ReactElement {
  switch (name) {
    case 'general':
      return <GeneralSection entries={entries} />;
    case 'providers':
      return <ProvidersSection entries={entries} />;
    case 'agents':
      return <AgentsSection entries={entries} />;
    case 'recovery':
      return <RecoverySection entries={entries} />;
    case 'schedule':
    case 'outages':
      return (
        <div className="stack settings-stack narrow">
          <SettingGroups section={name} entries={entries} />
        </div>
      );
    case 'updates':
      return <UpdatesSection entries={entries} />;
    case 'delivery':
      return <DeliverySection entries={entries} />;
    case 'channels':
      return <ChannelsSection entries={entries} />;
    case 'notifications':
      return <NotificationsSection entries={entries} />;
    case 'tray':
      return <TraySection entries={entries} />;
    case 'data':
      return <DataSection entries={entries} />;
  }
}

function GeneralSection({ entries }: { entries: readonly ConfigEntry[] }): ReactElement {
  const info = useVerb('app.info', {});
  return (
    <div className="stack settings-stack narrow">
      {info.data && !info.data.loginItem.supported ? (
        <NoteLine tone="waiting">{t('general.noLoginItem')}</NoteLine>
      ) : null}
      <SettingGroups section="general" entries={entries}>
        <ShareLink />
      </SettingGroups>
    </div>
  );
}

/** The only mention of shared work for users who share nothing. DW-28 */
function ShareLink(): ReactElement {
  const open = useCommand('app.openPage');
  return (
    <>
      <ul className="card rows">
        <li className="row">
          <div className="row-text">
            <div className="m5">{t('computers.settings')}</div>
            <div className="sm t3">{t('computers.settings.about')}</div>
          </div>
          <Button
            size="xs"
            loading={open.isBusy}
            onClick={() => void open.run({ route: '/computers' })}
          >
            {t('computers.settings.open')}
          </Button>
        </li>
      </ul>
      <TroubleNote trouble={open.trouble} />
    </>
  );
}

function TraySection({ entries }: { entries: readonly ConfigEntry[] }): ReactElement {
  const info = useVerb('app.info', {});
  return (
    <div className="stack settings-stack narrow">
      {info.data && !info.data.tray.available ? (
        <NoteLine tone="attention">
          <Inert text={info.data.tray.reason || t('tray.none')} />
        </NoteLine>
      ) : null}
      <SettingGroups section="tray" entries={entries} />
      {info.data === undefined || info.data.shortcutProblem === '' ? null : (
        <NoteLine tone="attention">
          <Inert text={info.data.shortcutProblem} />
        </NoteLine>
      )}
    </div>
  );
}
