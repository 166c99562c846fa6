/**
 * Search: words in prompts, answers, tool calls, results, reasons, and titles, with filters. SR-01
 */
import { Button, Select, TextInput } from '@mantine/core';
import { TextSearch } from 'lucide-react';
import { useCallback, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement, Ref } from 'react';
import { t } from '../../shared/messages';
import { TURN_STATES } from '../../shared/states';
import type { HostView } from '../../shared/types';
import { useVerb } from '../bridge';
import { FarHits, FarHitsAway } from '../hosts/far-hits';
import { foldedHosts } from '../hosts/folded-hosts';
import { connectionKey } from '../hosts/use-far-list';
import { usePageRows } from '../keys/page-rows';
import { oneLine } from '../parts/inert-view';
import { SearchField } from '../parts/search-field';
import { StateChip } from '../parts/state-chip';
import { shownTurn } from '../parts/state-view';
import { EmptyState, TroubleNote } from '../parts/texts';
import { useSettled } from '../parts/use-settled';
import { hrefOf } from '../route';
import { sessionTitle } from '../session/session-title';
import { useStatus } from '../status';
import { HitRow } from './hit-row';
import { setSearchForm, useSearchForm } from './search-form';
import {
  EMPTY_FORM,
  foundText,
  hitRoute,
  isNarrowed,
  markedWords,
  questionOf,
  searchInput,
  type SearchForm,
  type SearchHit,
} from './search-view';
import './search.css';

/** Hits per page; the button loads as many more. */
const PAGE = 50;
const MOST = 500;
const NO_HOSTS: readonly HostView[] = [];

export function SearchPage(): ReactElement {
  const page = useRef<HTMLDivElement>(null);
  usePageRows(page);
  const form = useSearchForm();
  const [limit, setLimit] = useState(PAGE);
  const settled = JSON.parse(useSettled(JSON.stringify(form))) as SearchForm;
  const input = searchInput(settled, limit);
  const found = useVerb('search.find', input);
  const list = useRef<HTMLUListElement>(null);
  const change = (part: Partial<SearchForm>): void => {
    setSearchForm({ ...form, ...part });
    setLimit(PAGE);
  };
  const hits = input === undefined ? undefined : found.data?.hits;
  const isWhole = found.data?.nextBefore === undefined;
  const hosts = useStatus().status?.hosts ?? NO_HOSTS;
  const folded = foldedHosts(hosts);
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>(new Map());
  const onCount = useCallback((host: string, count: number) => {
    setCounts((before) => new Map(before).set(host, count));
  }, []);
  const farCount = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const words = markedWords(settled.words);
  return (
    <div className="page search-page" ref={page}>
      <header className="page-top">
        <div className="grow">
          <h1>{t('nav.search')}</h1>
          <p className="sub" role="status">
            {hits === undefined ? t('search.sub') : foundText(hits.length, isWhole, farCount)}
          </p>
        </div>
      </header>
      <SearchField
        size="md"
        label={t('search.words')}
        value={form.words}
        maxLength={400}
        onSearch={(text) => change({ words: text })}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          linksIn(list.current)[0]?.focus();
        }}
      />
      <Filters form={form} onChange={change} />
      <TroubleNote trouble={input === undefined ? undefined : found.trouble} />
      {hits === undefined ? null : (
        <Hits hits={hits} words={words} list={list} isAlone={hosts.length === 0} />
      )}
      {hits === undefined || isWhole || limit >= MOST ? null : (
        <Button onClick={() => setLimit(Math.min(MOST, limit + PAGE))}>{t('search.more')}</Button>
      )}
      {hits !== undefined && (found.data?.notIndexed ?? 0) > 0 ? (
        <p className="sm t3">{t('search.behind', { count: found.data?.notIndexed ?? 0 })}</p>
      ) : null}
      {input === undefined ? null : (
        <>
          {hosts
            .filter(({ name }) => !folded.has(name))
            .map((host) => (
              <FarHits
                key={connectionKey(host)}
                host={host}
                question={questionOf(input)}
                words={words}
                onCount={onCount}
              />
            ))}
          <FarHitsAway hosts={hosts.filter(({ name }) => folded.has(name))} />
        </>
      )}
    </div>
  );
}

function Filters({
  form,
  onChange,
}: {
  form: SearchForm;
  onChange: (part: Partial<SearchForm>) => void;
}): ReactElement {
  const agents = useVerb('agents.list', {});
  const names = (agents.data?.agents ?? []).map(({ name }) => name);
  const text = (name: 'session' | 'tool' | 'file' | 'cost', most: number): ReactElement => (
    <TextInput
      size="xs"
      label={t(`search.${name}`)}
      value={form[name]}
      maxLength={most}
      {...(name === 'cost' ? { inputMode: 'decimal' as const } : {})}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  );
  const day = (name: 'since' | 'until'): ReactElement => (
    <TextInput
      size="xs"
      type="date"
      label={t(`search.${name}`)}
      value={form[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <div className="search-filters" role="group" aria-label={t('search.filters')}>
      <Select
        size="xs"
        label={t('search.agent')}
        placeholder={t('search.any')}
        value={form.agent === '' ? null : form.agent}
        onChange={(value) => onChange({ agent: value ?? '' })}
        clearable
        data={names.map((name) => ({ value: name, label: oneLine(name, 64) }))}
      />
      <Select
        size="xs"
        label={t('search.state')}
        placeholder={t('search.any')}
        value={form.state === '' ? null : form.state}
        onChange={(value) => onChange({ state: value ?? '' })}
        clearable
        data={TURN_STATES.map((state) => ({
          value: state,
          label: t(shownTurn(state).label as 'state.running'),
        }))}
      />
      {text('session', 200)}
      {text('tool', 200)}
      {text('file', 1_000)}
      {text('cost', 12)}
      {day('since')}
      {day('until')}
      {isNarrowed(form) ? (
        <Button
          size="xs"
          variant="subtle"
          onClick={() => onChange({ ...EMPTY_FORM, words: form.words })}
        >
          {t('search.clear')}
        </Button>
      ) : null}
    </div>
  );
}

const linksIn = (list: HTMLElement | null): readonly HTMLElement[] =>
  list === null ? [] : [...list.querySelectorAll<HTMLElement>('a.search-hit')];

/** Up and down move between hits, and from the first one back to the field. */
function onArrows(event: KeyboardEvent<HTMLUListElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const links = linksIn(event.currentTarget);
  const at = links.findIndex((link) => link === document.activeElement);
  if (at + step < 0) document.querySelector<HTMLElement>('[data-page-search]')?.focus();
  else links[at + step]?.focus();
}

function Hits({
  hits,
  words,
  list,
  isAlone,
}: {
  hits: readonly SearchHit[];
  words: readonly string[];
  list: Ref<HTMLUListElement>;
  /** No hits of other computers follow. */
  isAlone: boolean;
}): ReactElement {
  const sessions = useVerb('sessions.list', { limit: 500 });
  const titles = new Map(
    (sessions.data?.sessions ?? []).map((one) => [one.key, sessionTitle(one)] as const),
  );
  if (hits.length === 0 && !isAlone) return <p className="sm t2">{t('search.noneHere')}</p>;
  if (hits.length === 0)
    return (
      <section className="card">
        <EmptyState mark={<TextSearch className="icon" />} sentence={t('search.none')} />
      </section>
    );
  return (
    <ul
      ref={list}
      className="card rows search-hits"
      aria-label={t('search.hits')}
      onKeyDown={onArrows}
    >
      {hits.map((hit, at) => (
        <HitRow
          key={at}
          hit={hit}
          words={words}
          href={hrefOf(hitRoute(hit))}
          session={titles.get(hit.session)}
        >
          {hit.state === undefined ? null : <StateChip state={hit.state} />}
        </HitRow>
      ))}
    </ul>
  );
}
