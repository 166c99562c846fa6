/** A spent budget: allow the same amount again for the rest of its period. BU-02 */
import { Button } from '@mantine/core';
import { CircleDollarSign } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { InboxItem } from '../../shared/types';
import { useCommand, useVerb } from '../bridge';
import { TroubleNote } from '../parts/texts';
import { moneyText } from '../parts/time-view';

export function SpentBudget({
  budget: { name, key },
  onDone,
}: {
  budget: NonNullable<InboxItem['budget']>;
  onDone: () => void;
}): ReactElement {
  const budgets = useVerb('budgets.list', {});
  const allow = useCommand('budgets.allow');
  const found = budgets.data?.budgets.find((one) => one.name === name && one.key === key);
  return (
    <>
      <TroubleNote trouble={allow.trouble} />
      {found === undefined ? null : (
        <Button
          loading={allow.isBusy}
          leftSection={<CircleDollarSign className="icon small" />}
          onClick={() => {
            void allow.run({ name, key, usd: found.usd }).then((answer) => {
              if (answer.ok) onDone();
            });
          }}
        >
          {t('decisions.allowBudget', { cost: moneyText(found.usd) })}
        </Button>
      )}
    </>
  );
}
