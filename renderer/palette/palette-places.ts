/** Palette rows for tasks, agents, settings, and texts of turns. Pure. */
import { t } from '../../shared/messages';
import type { MessageKey } from '../../shared/messages';
import type { TaskView } from '../../shared/schedule/model';
import { isPageRoute } from '../../shared/page-route';
import type { VerbOutput } from '../../shared/contract';
import type { AgentView, HistoryEvent } from '../../shared/types';
import { eventText } from '../events/events-view';
import { oneLine } from '../parts/inert-view';
import { SECTIONS, isRemembered, sectionKeys } from '../settings/setting-groups';
import { excerpt } from './palette-search';
import type { PaletteItem } from './palette-item';
import { agentTitle } from '../agents/agent-titles';

export const taskItems = (tasks: readonly TaskView[]): PaletteItem[] =>
  tasks.map((task) => ({
    id: `task.${String(task.id)}`,
    group: 'tasks',
    label: oneLine(task.name, 100),
    about: oneLine(agentTitle(task.agent), 64),
    act: { kind: 'go', route: { kind: 'schedule', taskId: task.id } },
  }));

export const agentItems = (agents: readonly AgentView[]): PaletteItem[] =>
  agents.map((agent) => ({
    id: `agent.${agent.name}`,
    group: 'agents',
    label: oneLine(agentTitle(agent.name), 64),
    about: t('nav.agents'),
    act: { kind: 'go', route: { kind: 'agents' } },
  }));

/** Only the section, if the setting's name does not fit into a route. */
const placeOf = (section: string, key: string): string =>
  isPageRoute(`/${section}/${key}`) ? `${section}/${key}` : section;

/** Every section of the settings window, and every setting in it, which its key finds too. */
export const settingItems = (): PaletteItem[] =>
  SECTIONS.flatMap((section) => {
    const name = t(`settings.section.${section}`);
    return [
      {
        id: `settings.${section}`,
        group: 'settings',
        label: name,
        about: t('nav.settings'),
        act: { kind: 'settings', at: section },
      } as const,
      ...sectionKeys(section)
        .filter((key) => !isRemembered(key))
        .map((key): PaletteItem => ({
          id: `setting.${key}`,
          group: 'settings',
          label: t(`setting.${key}` as MessageKey as 'setting.app.theme'),
          about: name,
          also: key.toLowerCase(),
          act: { kind: 'settings', at: placeOf(section, key) },
        })),
    ];
  });

/** What is searched in the journal: prompts, tool arguments, files, questions, and notes. */
export const SEARCHED_KINDS = [
  'session.created',
  'message.accepted',
  'step.started',
  'step.ended',
  'draft.staged',
  'approval.requested',
  'approval.answered',
] as const;

const MAX_FOUND = 12;

/** Journal entries that contain the text, newest first, one per turn and kind. */
export function foundItems(events: readonly HistoryEvent[], search: string): PaletteItem[] {
  const seen = new Set<string>();
  return events
    .filter((event) => {
      const key = `${event.kind} ${String(event.turnId ?? event.sessionId ?? event.id)}`;
      if (seen.has(key) || (event.turnId === undefined && event.sessionId === undefined))
        return false;
      seen.add(key);
      return true;
    })
    .slice(0, MAX_FOUND)
    .map((event) => {
      const words = eventText(event);
      const isInDetail =
        !words.toLowerCase().includes(search.toLowerCase()) && event.detail !== undefined;
      return {
        id: `found.${event.id}`,
        group: 'found',
        label: excerpt(isInDetail ? (event.detail ?? '') : words, search, 100),
        about: event.turnId === undefined ? '' : t('turn.title', { id: event.turnId }),
        act: {
          kind: 'go',
          route:
            event.turnId !== undefined
              ? { kind: 'turn', turnId: event.turnId }
              : { kind: 'sessions', sessionId: event.sessionId ?? 0 },
        },
      };
    });
}

/** A text of a turn that contains the words. */
export type SearchHit = VerbOutput<'search.find'>['hits'][number];

/**
 * Answers and results that contain the words and are not among the entries above: the newest of
 * each turn. SR-01
 */
export function hitItems(
  hits: readonly SearchHit[],
  search: string,
  shown: readonly PaletteItem[],
): PaletteItem[] {
  const taken = new Set(
    shown.flatMap(({ act }) =>
      act.kind === 'go' && act.route.kind === 'turn' ? [act.route.turnId] : [],
    ),
  );
  return hits.flatMap(({ turnId, step, excerpt: text }): PaletteItem[] => {
    if (turnId === undefined || taken.has(turnId)) return [];
    taken.add(turnId);
    return [
      {
        id: `hit.${String(turnId)}.${String(step ?? 0)}`,
        group: 'found',
        label: excerpt(text, search, 100),
        about: t('turn.title', { id: turnId }),
        act: { kind: 'go', route: { kind: 'turn', turnId } },
      },
    ];
  });
}
