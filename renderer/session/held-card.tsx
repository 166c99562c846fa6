/**
 * A turn in the chat that waits for a usage limit or a provider, shown in place of its next line.
 * LM-10
 */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { TurnSummary } from '../../shared/types';
import type { HeldItem } from '../../shared/types/outage';
import { useVerb } from '../bridge';
import { useNow } from '../clock';
import { HeldActs } from '../outages/held-acts';
import { heldText } from '../outages/limit-view';
import { Mark } from '../parts/state-chip';
import { At, Inert } from '../parts/texts';
import { hrefOf } from '../route';

/** One card per waiting turn; nothing is loaded while no turn waits. */
export function HeldCards({ turns }: { turns: readonly TurnSummary[] }): ReactElement {
  const isHeld = turns.some(({ state }) => state === 'waiting');
  const queue = useVerb('outage.queue', isHeld ? { limit: 1000 } : undefined);
  const held = (isHeld ? (queue.data?.items ?? []) : []).filter(({ turnId }) =>
    turns.some(({ id }) => id === turnId),
  );
  return (
    <>
      {held.map((item) => (
        <HeldCard key={item.turnId} item={item} />
      ))}
    </>
  );
}

function HeldCard({ item }: { item: HeldItem }): ReactElement {
  const nowMs = useNow('minute');
  return (
    <li className="card wait-card">
      <div className="aligned flex-wrap wait-head">
        <Mark name="clock" />
        <Inert className="m5" text={heldText(item, nowMs)} />
        <span className="sm t2">
          {t('decide.since')} <At atMs={item.sinceMs} withSeconds />
        </span>
        <a className="end sm m5" href={hrefOf({ kind: 'outages', provider: item.provider })}>
          {t('queue.all')}
        </a>
      </div>
      <div className="wait-body flex flex-wrap">
        <HeldActs item={item} />
      </div>
    </li>
  );
}
