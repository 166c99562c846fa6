/** While you were away: one list, until it is dismissed. */
import { ActionIcon } from '@mantine/core';
import { X } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useVerb } from '../bridge';
import { Tile } from '../parts/state-chip';
import { At, SectionHead } from '../parts/texts';
import { hrefOf } from '../route';
import { awayRows, type Away } from './away-view';
import { useAway } from './use-away';

const ENDED = { states: ['completed', 'failed'], limit: 200 } as const;

export function WhileAway(): ReactElement | null {
  const { away, dismiss } = useAway();
  return away === undefined ? null : <AwayNote away={away} onDismiss={dismiss} />;
}

function AwayNote({ away, onDismiss }: { away: Away; onDismiss: () => void }): ReactElement | null {
  const turns = useVerb('turns.list', { ...ENDED, states: [...ENDED.states] });
  const outages = useVerb('outage.list', { limit: 50 });
  const runs = useVerb('tasks.history', { limit: 100 });
  const inbox = useVerb('inbox.list', {});
  if (turns.data === undefined || inbox.data === undefined) return null;
  const { rows, more } = awayRows(away, {
    turns: turns.data.turns,
    outages: outages.data?.outages ?? [],
    runs: runs.data?.runs ?? [],
    items: inbox.data.items,
  });
  if (rows.length === 0) return null;
  return (
    <section aria-label={t('away.title')}>
      <SectionHead
        title={t('away.title')}
        count={
          <>
            {t('away.since')} <At atMs={away.fromMs} />
          </>
        }
      >
        <ActionIcon
          className="end"
          variant="subtle"
          size={26}
          aria-label={t('away.dismiss')}
          onClick={onDismiss}
        >
          <X className="icon" />
        </ActionIcon>
      </SectionHead>
      <ul className="card rows">
        {rows.map(({ key, tone, mark, text, atMs, route }) => (
          <li key={key} className="row">
            <Tile tone={tone} mark={mark} />
            <a className="grow wrap" href={hrefOf(route)}>
              {text}
            </a>
            <span className="sm t3 nw">
              <At atMs={atMs} />
            </span>
          </li>
        ))}
        {more > 0 ? (
          <li className="row more-row">
            <a className="sm" href={hrefOf({ kind: 'events' })}>
              {t('away.more', { count: more })}
            </a>
          </li>
        ) : null}
      </ul>
    </section>
  );
}
