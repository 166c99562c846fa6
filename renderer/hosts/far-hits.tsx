/** Search results from other computers: a section for each, below the local results. HO-02 */
import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { FarHit, HostHits, HostView } from '../../shared/types';
import type { VerbInput } from '../../shared/contract';
import { useVerb, type Trouble } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { StateChip } from '../parts/state-chip';
import { Inert, SectionHead } from '../parts/texts';
import { hrefOf } from '../route';
import { HitRow } from '../search/hit-row';
import { sessionTitle } from '../session/session-title';
import { AwayHosts } from './away-hosts';
import { asSentence, hostNotes } from './host-notes';
import { useFarList } from './use-far-list';
import './hosts.css';

type Question = Omit<VerbInput<'hosts.search'>, 'host'>;

/** One host. It is asked separately, so a slow one delays neither others nor local results. */
export function FarHits({
  host,
  question,
  words,
  onCount,
}: {
  host: HostView;
  question: Question;
  words: readonly string[];
  /** Number of hits shown; 0 if unknown. */
  onCount: (host: string, count: number) => void;
}): ReactElement {
  const { data, trouble } = useFarList('hosts.search', host, { ...question, host: host.name });
  const name = oneLine(host.name, 64);
  const told = host.kind === 'connected' ? data : undefined;
  const hits = told?.kind === 'told' ? told.hits : undefined;
  const count = hits?.length ?? 0;
  // A hit names its session by the key; people know it by its title.
  const sessions = useVerb('hosts.sessions', count === 0 ? undefined : { host: host.name });
  const titles = new Map(
    (sessions.data?.kind === 'told' ? sessions.data.sessions : []).map(
      (one) => [one.id, sessionTitle(one)] as const,
    ),
  );
  useEffect(() => {
    onCount(host.name, count);
    return () => onCount(host.name, 0);
  }, [onCount, host.name, count]);
  const notes = farHitNotes({ host, told, trouble });
  return (
    <section aria-label={t('inbox.far', { name })}>
      <SectionHead title={t('inbox.far', { name })} count={hits?.length} />
      {hits === undefined || hits.length === 0 ? null : (
        <ul className="card rows search-hits" aria-label={t('search.far.hits', { name })}>
          {hits.map((hit, at) => (
            <HitRow
              key={at}
              hit={hit}
              words={words}
              href={hrefOfHit(host.name, hit)}
              session={titles.get(hit.sessionId)}
            >
              {hit.state === undefined ? null : <StateChip state={hit.state} />}
            </HitRow>
          ))}
        </ul>
      )}
      {notes.length === 0 ? null : (
        <Inert as="p" className="sm t2 far-said" role="status" text={notes.join(' ')} />
      )}
    </section>
  );
}

const hrefOfHit = (host: string, { sessionId }: FarHit): string =>
  hrefOf({ kind: 'farSession', host, sessionId });

/** Hosts that were not searched because they cannot be reached, if there are many. */
export const FarHitsAway = ({ hosts }: { hosts: readonly HostView[] }): ReactElement => (
  <AwayHosts
    lines={hosts.map((host) => ({
      host: host.name,
      notes: farHitNotes({ host, told: undefined, trouble: undefined }),
    }))}
    missing={t('search.far.awayNot')}
  />
);

/**
 * What is missing from a host, in sentences, so that a host that could not be asked never looks
 * like one without hits.
 */
function farHitNotes({
  host,
  told,
  trouble,
}: {
  readonly host: HostView;
  readonly told: HostHits | undefined;
  readonly trouble: Trouble | undefined;
}): readonly string[] {
  const name = oneLine(host.name, 64);
  const notes = hostNotes(host);
  if (host.kind !== 'connected') return [...notes, t('search.far.not', { name })];
  if (told === undefined)
    return trouble === undefined
      ? [...notes, t('search.far.asking', { name })]
      : [...notes, asSentence(oneLine(trouble.message, 300)), t('search.far.not', { name })];
  if (told.kind === 'untold')
    return [...notes, asSentence(oneLine(told.why, 500)), t('search.far.not', { name })];
  const { hits, hidden, hasMore, notIndexed } = told;
  return [
    ...notes,
    ...(hits.length === 0 && hidden === 0 ? [t('search.far.none', { name })] : []),
    ...(hidden > 0 ? [t('search.far.hidden', { count: hidden })] : []),
    ...(hasMore ? [t('search.far.more', { count: hits.length, name })] : []),
    ...(notIndexed > 0 ? [t('search.behind', { count: notIndexed })] : []),
  ];
}
