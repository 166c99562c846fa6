/** The search page: what is asked, and what a hit says. Pure. */
import { t } from '../../shared/messages';
import { TURN_STATES, type TurnState } from '../../shared/states';
import type { VerbInput, VerbOutput } from '../../shared/contract';
import { oneLine } from '../parts/inert-view';
import type { Route } from '../route';

export type SearchHit = VerbOutput<'search.find'>['hits'][number];
type SearchInput = VerbInput<'search.find'>;

/** The fields of the page, as typed. */
export interface SearchForm {
  readonly words: string;
  readonly agent: string;
  readonly session: string;
  readonly state: string;
  readonly tool: string;
  readonly file: string;
  readonly cost: string;
  /** Days, as date fields have them: `2026-11-27`. */
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

/** One letter is in everything. */
const FEWEST_CHARS = 2;

/** Midnight of this computer; undefined if the field holds no day. */
function dayMs(text: string, plusDays: number): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const atMs = new Date(Number(year), Number(month) - 1, Number(day) + plusDays).getTime();
  return Number.isNaN(atMs) || atMs < 0 ? undefined : atMs;
}

const isState = (text: string): text is TurnState =>
  (TURN_STATES as readonly string[]).includes(text);

/** What the engine is asked; undefined while there is too little to look for. */
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
  // The whole last day.
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

/** Something narrows the search besides its words. */
export const isNarrowed = (form: SearchForm): boolean =>
  Object.entries(form).some(([name, value]) => name !== 'words' && value !== '');

/** Where a hit is: the title of its turn, or of its session. */
export function hitPlace({ turnId, title = '', session }: SearchHit): string {
  if (turnId === undefined) return oneLine(session, 60);
  return title === '' ? t('turn.title', { id: turnId }) : oneLine(title, 90);
}

/** What the hit is a part of: `Result of shell.run, step 3`. */
export function hitPart({ part, tool, step }: SearchHit): string {
  const what = t(`search.part.${part}`);
  const of = tool === undefined ? what : t('search.partOf', { what, tool: oneLine(tool, 80) });
  return step === undefined ? of : t('search.step', { what: of, step });
}

export const hitRoute = ({ turnId, sessionId }: SearchHit): Route =>
  turnId === undefined ? { kind: 'sessions', sessionId } : { kind: 'turn', turnId };

/** The words that are marked in an excerpt: without the quotes of exact phrases. */
export const markedWords = (words: string): readonly string[] =>
  words.toLowerCase().replaceAll('"', ' ').split(/\s+/).filter(Boolean);

/** The result in one sentence, for the head and for readers. */
export function foundText(count: number, isWhole: boolean): string {
  if (count === 0) return t('search.none');
  return isWhole ? t('search.found', { count }) : t('search.foundMore', { count });
}
