/** Delivery: the state of the event broker, and the settings that define it. */
import type { ReactElement } from 'react';
import type { ConfigEntry } from '../../shared/types';
import { useVerb } from '../bridge';
import { deliveryHead } from '../events/delivery-view';
import { Mark } from '../parts/state-chip';
import { Inert, NoteLine, TroubleNote } from '../parts/texts';
import { SettingGroups } from './setting-rows';

export function DeliverySection({ entries }: { entries: readonly ConfigEntry[] }): ReactElement {
  return (
    <div className="stack settings-stack narrow">
      <SettingGroups section="delivery" entries={entries} above={{ broker: <BrokerLine /> }} />
    </div>
  );
}

/** The state of the broker in one sentence, with its last problem. */
function BrokerLine(): ReactElement | null {
  const queue = useVerb('queue.status', {});
  if (queue.data === undefined) return <TroubleNote trouble={queue.trouble} />;
  const { tone, mark, text } = deliveryHead(queue.data);
  return (
    <NoteLine tone={tone} role="status" mark={<Mark name={mark} className="icon small" />}>
      {text}
      {queue.data.problem === undefined ? null : (
        <Inert className="block" text={queue.data.problem} />
      )}
    </NoteLine>
  );
}
