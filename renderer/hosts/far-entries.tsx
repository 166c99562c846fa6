/** Pending decisions on other computers, in the inbox list: one section for each. HO-02 */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { QuestionText } from '../decisions/question-text';
import { oneLine } from '../parts/inert-view';
import { Tile } from '../parts/state-chip';
import { Ago, Inert } from '../parts/texts';
import { hrefOf } from '../route';
import { AwayHosts } from './away-hosts';
import { farSecond, farTitle, matchesFar, type FarEntry, type FarGroup } from './far-inbox-view';
import './hosts.css';

export function FarEntries({
  groups,
  search,
  picked,
  onPick,
}: {
  groups: readonly FarGroup[];
  search: string;
  picked: string | undefined;
  onPick: (key: string) => void;
}): ReactElement {
  return (
    <>
      {groups
        .filter(({ isFolded }) => !isFolded)
        .map(({ host, entries, isKnown, notes }) => {
          const found = entries.filter((entry) => matchesFar(entry, search));
          const name = oneLine(host, 64);
          return (
            <section key={host} aria-label={t('inbox.far', { name })}>
              <h2 className="group-head">
                {t('inbox.far', { name })}{' '}
                {isKnown ? <span className="group-count">{found.length}</span> : null}
              </h2>
              <ul>
                {found.map((entry) => (
                  <FarRow
                    key={entry.key}
                    entry={entry}
                    isPicked={entry.key === picked}
                    onPick={onPick}
                  />
                ))}
              </ul>
              {notes.length === 0 ? null : (
                <Inert as="p" className="far-note sm t3" text={notes.join(' ')} />
              )}
            </section>
          );
        })}
      <AwayHosts
        lines={groups.filter(({ isFolded }) => isFolded)}
        missing={t('inbox.far.awayUnknown')}
      />
    </>
  );
}

/** Mark of the kind of question: a call that needs approval, or an interrupted turn. */
export const FarTile = ({ entry }: { entry: FarEntry }): ReactElement =>
  entry.ask.kind === 'call' ? (
    <Tile tone="attention" mark="shield" />
  ) : (
    <Tile tone="ambiguous" mark="diamond" />
  );

function FarRow({
  entry,
  isPicked,
  onPick,
}: {
  entry: FarEntry;
  isPicked: boolean;
  onPick: (key: string) => void;
}): ReactElement {
  const { ask, key } = entry;
  const title = farTitle(ask);
  return (
    <li>
      <a
        className="aligned entry"
        href={hrefOf({ kind: 'decisions' })}
        aria-current={isPicked ? 'true' : undefined}
        onClick={() => onPick(key)}
      >
        <FarTile entry={entry} />
        <span className="grow">
          <span className="flex">
            <span className="m5 grow clamp" title={title}>
              <QuestionText text={title} />
            </span>
            <span className="xs t3 nw">
              <Ago atMs={ask.askedAtMs} />
            </span>
          </span>
          <span className="sm t3 ellipsis entry-second" title={oneLine(farSecond(ask), 300)}>
            {oneLine(farSecond(ask))}
          </span>
        </span>
      </a>
    </li>
  );
}
