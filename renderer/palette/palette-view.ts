/** What the palette offers, and what a search finds in it. Pure. */
import type { WindowVerb } from '../../shared/contract';
import { t } from '../../shared/messages';
import type { TaskView } from '../../shared/schedule/model';
import type {
  AgentView,
  ApprovalView,
  HistoryEvent,
  InboxItem,
  ReplayDecision,
  SessionView,
  StatusSnapshot,
  TurnSummary,
} from '../../shared/types';
import { entryTitle } from '../decisions/decision-view';
import { oneLine } from '../parts/inert-view';
import { shownTurn } from '../parts/state-view';
import { keyText } from '../keys/keys-view';
import { PAGES, pagesOf } from '../pages';

import { firstSentence } from '../parts/title-view';
import type { PaletteAct, PaletteGroup, PaletteItem } from './palette-item';
import {
  agentItems,
  foundItems,
  hitItems,
  settingItems,
  taskItems,
  type SearchHit,
} from './palette-places';
import { parseSearch, wordsOf } from './palette-search';
import { agentTitle } from '../agents/agent-titles';

export interface PaletteFacts {
  readonly status: StatusSnapshot | undefined;
  readonly inbox: readonly InboxItem[];
  readonly decisions: readonly ReplayDecision[];
  readonly requests: readonly ApprovalView[];
  readonly turns: readonly TurnSummary[];
  readonly sessions: readonly SessionView[];
  readonly agents: readonly AgentView[];
  readonly tasks: readonly TaskView[];
  readonly isMac: boolean;
}

const MINUTE_MS = 60_000;

/** Turns that Stop all would end. */
export const stoppable = (status: StatusSnapshot | undefined): number =>
  status === undefined ? 0 : status.counts.running + status.counts.queued + status.counts.waiting;

const pages = ({ isMac, status }: PaletteFacts): PaletteItem[] => [
  ...pagesOf(status).map(({ route, label }, at): PaletteItem => ({
    id: `page.${route.kind}`,
    group: 'pages',
    label: t(label),
    // The page that exists only while work is shared has no key.
    ...(at < PAGES.length ? { keys: String(at + 1) } : {}),
    ...(route.kind === 'decisions' ? { also: 'decisions approvals review' } : {}),
    act: { kind: 'go', route },
  })),
  // Without shared work the sidebar has no link to it, so the palette and the settings offer it.
  ...(status?.shared === undefined
    ? [
        {
          id: 'page.computers',
          group: 'pages',
          label: t('computers.off.title'),
          act: { kind: 'go', route: { kind: 'computers' } },
        } satisfies PaletteItem,
      ]
    : []),
  {
    id: 'page.runs',
    group: 'pages',
    label: t('runs.title'),
    act: { kind: 'go', route: { kind: 'runs' } },
  },
  {
    id: 'page.settings',
    group: 'pages',
    label: t('nav.settings'),
    verb: 'app.openSettings',
    keys: keyText('settings', isMac),
    act: { kind: 'settings' },
  },
];

const intake = (status: StatusSnapshot | undefined): PaletteItem[] => {
  if (status === undefined) return [];
  if (status.paused) {
    return [
      {
        id: 'do.resume',
        group: 'commands',
        label: t('do.resume'),
        verb: 'intake.resume',
        act: { kind: 'resume' },
      },
    ];
  }
  const pause = (
    label: 'do.pause15m' | 'do.pause1h' | 'do.pause',
    forMs?: number,
  ): PaletteItem => ({
    id: label,
    group: 'commands',
    label: t(label),
    verb: 'intake.pause',
    act: { kind: 'pause', ...(forMs === undefined ? {} : { forMs }) },
  });
  return [
    pause('do.pause15m', 15 * MINUTE_MS),
    pause('do.pause1h', 60 * MINUTE_MS),
    pause('do.pause'),
  ];
};

const commands = ({ status, agents, isMac }: PaletteFacts): PaletteItem[] => {
  const item = (id: string, label: string, act: PaletteAct, verb?: WindowVerb): PaletteItem => ({
    id,
    group: 'commands',
    label,
    act,
    ...(verb === undefined ? {} : { verb }),
  });
  const open = stoppable(status);
  return [
    ...intake(status),
    ...(open === 0
      ? []
      : [
          {
            ...item('do.stopAll', t('do.stopAll'), { kind: 'confirmStopAll' }, 'turns.cancelAll'),
            also: 'stop',
          },
        ]),
    item('do.newTask', t('do.newTask'), { kind: 'go', route: { kind: 'taskForm' } }),
    ...agents
      .filter((agent) => agent.problem === undefined)
      .map((agent) =>
        item(
          `do.session.${agent.name}`,
          t('do.session', { name: oneLine(agentTitle(agent.name), 64) }),
          { kind: 'startSession', agent: agent.name },
          'session.create',
        ),
      ),
    item('do.doctor', t('do.doctor'), { kind: 'doctor' }, 'doctor.run'),
    item(
      'do.testNotification',
      t('do.testNotification'),
      { kind: 'testNotification' },
      'app.testNotification',
    ),
    ...(['data', 'logs', 'practice'] as const).map((which) =>
      item(
        `do.folder.${which}`,
        t(`do.folder.${which}`),
        { kind: 'folder', which },
        'app.openFolder',
      ),
    ),
    item('do.practice', t('do.practice'), { kind: 'go', route: { kind: 'welcome' } }),
    { ...item('do.keys', t('do.keys'), { kind: 'keys' }), keys: keyText('help', isMac) },
  ];
};

/**
 * Open entries of the inbox, oldest first; an interrupted turn is named by its question and task.
 */
const needsYou = ({ inbox, decisions, requests }: PaletteFacts): PaletteItem[] =>
  inbox
    .filter((one) => one.settledAtMs === undefined && one.kind !== 'restart_notice')
    .toSorted((a, b) => a.createdAtMs - b.createdAtMs || a.id - b.id)
    .map((one) => {
      const decision = decisions.find((open) => open.inboxId === one.id);
      const request = requests.find((open) => open.requestId === one.id);
      const about = decision?.promptStart ?? request?.promptStart;
      return {
        id: `inbox.${String(one.id)}`,
        group: 'decisions',
        label: oneLine(entryTitle({ item: one, decision, request }), 100),
        about: about === undefined ? t(`inboxKind.${one.kind}`) : oneLine(about, 80),
        act: {
          kind: 'go',
          route:
            one.kind === 'approval'
              ? { kind: 'decisions', itemId: one.id }
              : one.turnId === undefined
                ? { kind: 'decisions' }
                : { kind: 'decisions', turnId: one.turnId },
        },
      };
    });

const turns = (given: readonly TurnSummary[]): PaletteItem[] =>
  given.map((turn) => ({
    id: `turn.${String(turn.id)}`,
    group: 'turns',
    label: firstSentence(turn.promptStart),
    about: t('find.turn', {
      id: turn.id,
      text: t(shownTurn(turn.state).label as 'state.running'),
    }),
    act: { kind: 'go', route: { kind: 'turn', turnId: turn.id } },
  }));

const sessions = (given: readonly SessionView[]): PaletteItem[] =>
  given.map((session) => ({
    id: `session.${String(session.id)}`,
    group: 'sessions',
    label: oneLine(session.title, 100),
    about: oneLine(agentTitle(session.agent), 64),
    act: { kind: 'go', route: { kind: 'sessions', sessionId: session.id } },
  }));

/** Everything the palette contains, by group. */
export function paletteItems(facts: PaletteFacts): readonly PaletteItem[] {
  return [
    ...pages(facts),
    ...needsYou(facts),
    ...turns(facts.turns),
    ...commands(facts),
    ...sessions(facts.sessions),
    ...taskItems(facts.tasks),
    ...agentItems(facts.agents),
    ...settingItems(),
  ];
}

/** Without a search, only the last sessions are shown below the other groups. */
const SESSIONS_UNASKED = 5;
/** Groups that are shown only in a search, because they are too long to read through. */
const ONLY_SEARCHED: readonly PaletteGroup[] = ['tasks', 'agents', 'settings', 'found'];
const RECENT_SHOWN = 5;
const FOUND_AT_MOST = 50;

/**
 * How well a row matches: 0 not at all; the start of a name beats the start of a word, which beats
 * other matches.
 */
const score = (item: PaletteItem, words: readonly string[]): number => {
  const label = item.label.toLowerCase();
  const text = `${label} ${item.about ?? ''} ${item.verb ?? ''} ${item.also ?? ''}`.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (!text.includes(word)) return 0;
    if (label.startsWith(word)) sum += 4;
    else if (label.includes(` ${word}`)) sum += 3;
    else if (label.includes(word)) sum += 2;
    else sum += 1;
  }
  return sum;
};

const isInScope = (item: PaletteItem, scope: 'all' | 'commands' | 'turns'): boolean => {
  switch (scope) {
    case 'all':
      return true;
    case 'commands':
      return item.group === 'commands';
    case 'turns':
      return item.act.kind === 'go' && item.act.route.kind === 'turn';
  }
};

/** `#12` is a turn, whether or not the list contains it. */
const turnByNumber = (text: string): readonly PaletteItem[] =>
  /^[1-9]\d{0,14}$/.test(text)
    ? [
        {
          id: `number.${text}`,
          group: 'turns',
          label: t('turn.title', { id: Number(text) }),
          act: { kind: 'go', route: { kind: 'turn', turnId: Number(text) } },
        },
      ]
    : [];

const searchHosts = (text: string): PaletteItem => ({
  id: 'search.hosts',
  group: 'found',
  label: t('find.hosts', { text: oneLine(text, 60) }),
  act: { kind: 'searchHosts', words: text.slice(0, 400) },
});

/**
 * Rows that contain all words of the search, best first; without words the default ones, recently
 * chosen ones on top. `found` are the journal entries that contain the text.
 */
export function findInPalette(
  items: readonly PaletteItem[],
  search: string,
  {
    found = [],
    hits = [],
    recent = [],
    hasHosts = false,
  }: {
    readonly found?: readonly HistoryEvent[];
    readonly hits?: readonly SearchHit[];
    readonly recent?: readonly string[];
    /** There are other computers: the palette does not search them, but the search page does. */
    readonly hasHosts?: boolean;
  } = {},
): readonly PaletteItem[] {
  const { scope, text } = parseSearch(search);
  const words = wordsOf(text);
  const here = items.filter((item) => isInScope(item, scope));
  if (words.length === 0) {
    if (scope !== 'all') return here;
    const usual = here.filter(({ group }) => !ONLY_SEARCHED.includes(group));
    const last = usual.filter((item) => item.group === 'sessions').slice(0, SESSIONS_UNASKED);
    const again = recent
      .flatMap((id): PaletteItem[] => {
        const item = items.find((one) => one.id === id);
        return item === undefined ? [] : [{ ...item, group: 'recent' }];
      })
      .slice(0, RECENT_SHOWN);
    const isAgain = new Set(again.map(({ id }) => id));
    return [...again, ...usual.filter((item) => item.group !== 'sessions'), ...last].filter(
      (item) => item.group === 'recent' || !isAgain.has(item.id),
    );
  }
  const byName = here
    .map((item) => ({ item, fits: score(item, words) }))
    .filter(({ fits }) => fits > 0)
    .toSorted((a, b) => b.fits - a.fits)
    .slice(0, FOUND_AT_MOST)
    .map(({ item }) => item);
  const entries = scope === 'commands' ? [] : foundItems(found, text);
  const inWork = scope === 'commands' ? [] : [...entries, ...hitItems(hits, text, entries)];
  return [
    ...(scope === 'turns' ? turnByNumber(text) : []),
    ...byName,
    ...inWork.filter((item) => isInScope(item, scope)),
    ...(hasHosts && scope === 'all' ? [searchHosts(text)] : []),
  ];
}

/** Rows under their headings; the group with the best row comes first. */
export function paletteSections(
  found: readonly PaletteItem[],
): readonly { readonly group: PaletteGroup; readonly items: readonly PaletteItem[] }[] {
  return [...new Set(found.map((item) => item.group))].map((group) => ({
    group,
    items: found.filter((item) => item.group === group),
  }));
}
