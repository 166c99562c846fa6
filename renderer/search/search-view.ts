/** The search page: its requests, and the texts of hits. Pure. */
import { t } from '../../shared/messages';
import { TURN_STATES, type TurnState } from '../../shared/states';
import type { VerbInput, VerbOutput } from '../../shared/contract';
import type { FarHit } from '../../shared/types';
import { oneLine } from '../parts/inert-view';
import type { Route } from '../route';

export type SearchHit = VerbOutput<'search.find'>['hits'][number];
type SearchInput = VerbInput<'search.find'>;
/** A hit of this computer or of another one, whose part may have a name unknown to this version. */
export type AnyHit = SearchHit | FarHit;

/** The fields of the page as typed. */
export interface SearchForm {
  readonly words: string;
  readonly agent: string;
  readonly session: string;
  readonly state: string;
  readonly tool: string;
  readonly file: string;
  readonly cost: string;
  /** Days in the format of date fields: `2026-11-27`. */
  readonly since: string;
  readonly until: string;
}

export const EMPTY_FORM: SearchForm = {
  words: '',
  agent: '',
  session: '',
  state: '',
  tool: '',
  file: '',
  cost: '',
  since: '',
  until: '',
};

/** A single letter matches everything. */
const FEWEST_CHARS = 2;

/** Local midnight; undefined if the field contains no day. */
function dayMs(text: string, plusDays: number): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const atMs = new Date(Number(year), Number(month) - 1, Number(day) + plusDays).getTime();
  return Number.isNaN(atMs) || atMs < 0 ? undefined : atMs;
}

const isState = (text: string): text is TurnState =>
  (TURN_STATES as readonly string[]).includes(text);

/** The request to the engine; undefined while the input is too short. */
export function searchInput(form: SearchForm, limit: number): SearchInput | undefined {
  const words = form.words.trim().slice(0, 400);
  if (words.length < FEWEST_CHARS) return undefined;
  const named = (text: string, most = 200): string => text.trim().slice(0, most);
  const [agent, session, tool, file] = [
    named(form.agent),
    named(form.session),
    named(form.tool),
    named(form.file, 1_000),
  ];
  const cost = Number(form.cost.replace(',', '.'));
  const sinceMs = dayMs(form.since, 0);
  // Includes the whole last day.
  const untilMs = dayMs(form.until, 1);
  return {
    words,
    limit,
    ...(agent === '' ? {} : { agent }),
    ...(session === '' ? {} : { session }),
    ...(isState(form.state) ? { state: form.state } : {}),
    ...(tool === '' ? {} : { tool }),
    ...(file === '' ? {} : { file }),
    ...(form.cost.trim() !== '' && cost > 0 ? { minCostUsd: cost } : {}),
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(untilMs === undefined ? {} : { untilMs }),
  };
}

/** The same for other computers: only the first page of each is shown. */
export const questionOf = ({ limit: _limit, before: _before, ...rest }: SearchInput) => rest;

/** The search has filters besides its words. */
export const isNarrowed = (form: SearchForm): boolean =>
  Object.entries(form).some(([name, value]) => name !== 'words' && value !== '');

/** Where a hit is: the title of its turn or session. */
export function hitPlace({ turnId, title = '', session }: AnyHit): string {
  if (turnId === undefined) return oneLine(session, 60);
  return title === '' ? t('turn.title', { id: turnId }) : oneLine(title, 90);
}

/** What the hit is part of: `Result of shell.run, step 3`. */
export function hitPart({ part, tool, step }: AnyHit): string {
  const what = part === undefined ? t('search.part.unknown') : t(`search.part.${part}`);
  const of = tool === undefined ? what : t('search.partOf', { what, tool: oneLine(tool, 80) });
  return step === undefined ? of : t('search.step', { what: of, step });
}

export const hitRoute = ({ turnId, sessionId }: SearchHit): Route =>
  turnId === undefined ? { kind: 'sessions', sessionId } : { kind: 'turn', turnId };

/** The words highlighted in an excerpt, without the quotes of exact phrases. */
export const markedWords = (words: string): readonly string[] =>
  words.toLowerCase().replaceAll('"', ' ').split(/\s+/).filter(Boolean);

/** The result for the headline and for screen readers; `elsewhere`: hits on other computers. */
export function foundText(count: number, isWhole: boolean, elsewhere = 0): string {
  const here = isWhole ? t('search.found', { count }) : t('search.foundMore', { count });
  if (elsewhere === 0) return count === 0 ? t('search.foundNone') : here;
  // The list says that nothing was found here.
  if (count === 0) return t('search.far.only', { count: elsewhere });
  return `${t('host.sentence', { text: here })} ${t('search.far.sub', { count: elsewhere })}`;
}
