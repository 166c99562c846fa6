/**
 * Find or do: one field for pages, open decisions and turns, sessions, and actions. The frame is
 * Mantine's Spotlight. The list is our own listbox, so that a screen reader reads the selected row
 * while the focus stays in the field.
 */
import '@mantine/spotlight/styles.layer.css';
import { Spotlight, createSpotlight } from '@mantine/spotlight';
import {
  Activity,
  Bell,
  Calendar,
  ChartColumn,
  Bot,
  CirclePause,
  FileText,
  FolderOpen,
  House,
  Inbox,
  Keyboard,
  List,
  MonitorSmartphone,
  ListChecks,
  MessageSquarePlus,
  Play,
  Search,
  SlidersHorizontal,
  Square,
  TextSearch,
  Stethoscope,
  Zap,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useVerb } from '../bridge';
import { isMac } from '../keys/key-place';
import { nextIndex } from '../keys/keys-view';
import { OpenSwitch } from '../parts/icons';
import { useStatus } from '../status';
import { Marked } from '../parts/marked';
import { useSettled } from '../parts/use-settled';
import { readRecent, rememberRecent } from './palette-recent';
import { SEARCHED_KINDS } from './palette-places';
import { parseSearch, wordsOf } from './palette-search';
import { findInPalette, paletteItems, paletteSections } from './palette-view';
import type { PaletteAct, PaletteItem } from './palette-item';
import './palette.css';

const iconOf = ({ group, act }: PaletteItem): LucideIcon | typeof OpenSwitch => {
  switch (act.kind) {
    case 'pause':
      return CirclePause;
    case 'resume':
      return Play;
    case 'folder':
      return FolderOpen;
    case 'startSession':
      return MessageSquarePlus;
    case 'confirmStopAll':
      return Square;
    case 'doctor':
      return Stethoscope;
    case 'settings':
      return SlidersHorizontal;
    case 'testNotification':
      return Bell;
    case 'keys':
      return Keyboard;
    case 'searchHosts':
      return TextSearch;
    case 'go':
      break;
  }
  if (group === 'decisions') return Inbox;
  if (group === 'found') return TextSearch;
  switch (act.route.kind) {
    case 'home':
    case 'restart':
      return House;
    case 'decisions':
      return Inbox;
    case 'sessions':
    case 'farSession':
      return List;
    case 'turn':
      return Play;
    case 'drafts':
      return FileText;
    case 'runs':
      return ListChecks;
    case 'schedule':
    case 'taskForm':
      return Calendar;
    case 'outages':
      return OpenSwitch;
    case 'events':
    case 'delivery':
      return Activity;
    case 'agents':
      return Bot;
    case 'usage':
      return ChartColumn;
    case 'search':
      return TextSearch;
    case 'computers':
      return MonitorSmartphone;
    case 'welcome':
      return Zap;
  }
};

export function Palette({
  isOpen,
  onClose,
  onAct,
}: {
  isOpen: boolean;
  onClose: () => void;
  onAct: (act: PaletteAct) => void;
}): ReactElement {
  const [[store, spotlight]] = useState(createSpotlight);
  useEffect(() => {
    if (isOpen) spotlight.open();
    else spotlight.close();
  }, [isOpen, spotlight]);
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      onSpotlightClose={onClose}
      size={620}
      yOffset={64}
      centered={false}
      zIndex={250}
      overlayProps={{ backgroundOpacity: 0.3, blur: 0 }}
      transitionProps={{ duration: 120, transition: 'fade' }}
      attributes={{ content: { 'aria-label': t('find.label') } }}
      className="palette"
    >
      <PaletteBody
        onTake={(act) => {
          spotlight.close();
          onAct(act);
        }}
      />
    </Spotlight.Root>
  );
}

/** Loads only while the palette is open: closing it unmounts this. */
function PaletteBody({ onTake }: { onTake: (act: PaletteAct) => void }): ReactElement {
  const { status } = useStatus();
  const inbox = useVerb('inbox.list', {});
  const recovery = useVerb('recovery.list', {});
  const approvals = useVerb('approvals.list', {});
  const turns = useVerb('turns.list', {
    states: ['queued', 'running', 'requires_action', 'waiting', 'held', 'parked'],
    limit: 100,
  });
  const sessions = useVerb('sessions.list', { limit: 500 });
  const agents = useVerb('agents.list', {});
  const tasks = useVerb('tasks.list', {});
  const [search, setSearch] = useState('');
  const asked = parseSearch(useSettled(search));
  // A single letter matches everything.
  const found = useVerb(
    'events.list',
    asked.text.length < 2 || asked.scope === 'commands'
      ? undefined
      : { text: asked.text.slice(0, 200), kinds: [...SEARCHED_KINDS], limit: 60 },
  );
  // Also answers and results, which the entries above do not contain.
  const hits = useVerb(
    'search.find',
    asked.text.length < 2 || asked.scope === 'commands'
      ? undefined
      : { words: asked.text.slice(0, 200), limit: 30 },
  );
  const [recent] = useState(readRecent);
  const [at, setAt] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const items = useMemo(
    () =>
      paletteItems({
        status,
        inbox: inbox.data?.items ?? [],
        decisions: recovery.data?.decisions ?? [],
        requests: approvals.data?.requests ?? [],
        turns: turns.data?.turns ?? [],
        sessions: sessions.data?.sessions ?? [],
        agents: agents.data?.agents ?? [],
        tasks: tasks.data?.tasks ?? [],
        isMac: isMac(),
      }),
    [
      status,
      inbox.data,
      recovery.data,
      approvals.data,
      turns.data,
      sessions.data,
      agents.data,
      tasks.data,
    ],
  );
  const isSettled = parseSearch(search).text === asked.text;
  const events = isSettled ? found.data?.events : undefined;
  const texts = isSettled ? hits.data?.hits : undefined;
  const sections = useMemo(
    () =>
      paletteSections(
        findInPalette(items, search, {
          recent,
          hasHosts: status?.hosts !== undefined,
          ...(events === undefined ? {} : { found: events }),
          ...(texts === undefined ? {} : { hits: texts }),
        }),
      ),
    [items, search, recent, events, texts, status?.hosts],
  );
  const words = wordsOf(parseSearch(search).text);
  const rows = sections.flatMap((section) => section.items);
  const chosen = Math.min(at, rows.length - 1);
  const optionId = (index: number): string => `${listId}-${String(index)}`;

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, search]);

  const take = (item: PaletteItem | undefined): void => {
    if (!item) return;
    rememberRecent(item.id);
    onTake(item.act);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    switch (event.key) {
      case 'ArrowDown':
        setAt(chosen === rows.length - 1 ? 0 : nextIndex(rows.length, chosen, 1));
        break;
      case 'ArrowUp':
        setAt(chosen === 0 ? rows.length - 1 : nextIndex(rows.length, chosen, -1));
        break;
      case 'Home':
        if (search !== '') return;
        setAt(0);
        break;
      case 'End':
        if (search !== '') return;
        setAt(rows.length - 1);
        break;
      case 'Enter':
        take(rows[chosen]);
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  let index = -1;
  return (
    <>
      <Spotlight.Search
        size="md"
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        placeholder={t('find.placeholder')}
        aria-label={t('find.label')}
        leftSection={<Search className="icon" />}
        role="combobox"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={rows.length > 0 ? optionId(chosen) : undefined}
        autoComplete="off"
        spellCheck={false}
      />
      <div
        className="palette-list"
        role="listbox"
        id={listId}
        aria-label={t('find.label')}
        ref={list}
      >
        {sections.map((section) => (
          <div
            key={section.group}
            role="group"
            aria-label={t(`find.group.${section.group}`)}
            className="palette-section"
          >
            <div className="group-head" aria-hidden="true">
              {t(`find.group.${section.group}`)}
            </div>
            {section.items.map((item) => {
              index += 1;
              return (
                <PaletteRow
                  key={item.id}
                  id={optionId(index)}
                  item={item}
                  words={words}
                  isChosen={index === chosen}
                  onTake={() => take(item)}
                />
              );
            })}
          </div>
        ))}
        {rows.length === 0 ? <p className="palette-empty">{t('find.nothing')}</p> : null}
      </div>
      <p className="aligned flex-wrap palette-foot xs t3" aria-hidden="true">
        <kbd className="kbd">↑</kbd>
        <kbd className="kbd">↓</kbd> {t('find.foot.move')}
        <kbd className="kbd">Enter</kbd> {t('find.foot.open')}
        <kbd className="kbd">Esc</kbd> {t('find.foot.close')}
        <kbd className="kbd">{'>'}</kbd> {t('find.foot.commands')}
        <kbd className="kbd">#</kbd> {t('find.foot.turns')}
      </p>
      <p className="sr-only" role="status">
        {search === '' ? '' : t('find.results', { count: rows.length })}
      </p>
    </>
  );
}

function PaletteRow({
  id,
  item,
  words,
  isChosen,
  onTake,
}: {
  id: string;
  item: PaletteItem;
  words: readonly string[];
  isChosen: boolean;
  onTake: () => void;
}): ReactElement {
  const Icon = iconOf(item);
  return (
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      className="aligned palette-row"
      // The focus stays in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onTake}
    >
      <Icon className="icon" aria-hidden="true" />
      <span className="grow ellipsis">
        <span className="m5">
          <Marked text={item.label} words={words} />
        </span>
        {item.about === undefined ? null : (
          <span className="sm t3">
            {' '}
            <Marked text={item.about} words={words} />
          </span>
        )}
      </span>
      {item.keys === undefined ? null : <kbd className="kbd">{item.keys}</kbd>}
    </div>
  );
}
