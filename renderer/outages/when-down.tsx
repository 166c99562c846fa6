/** Explains what Holdfast does when a provider goes down; shown while all are up. */
import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ProviderHealth } from '../../shared/types/outage';
import { useCommand } from '../bridge';
import { SectionHead, TroubleNote } from '../parts/texts';

const STEPS = ['wait', 'check', 'back'] as const;

export function WhenDown({
  providers,
}: {
  providers: readonly Pick<ProviderHealth, 'outageThreshold'>[];
}): ReactElement | null {
  const openSettings = useCommand('app.openSettings');
  const [first] = providers;
  if (first === undefined) return null;
  return (
    <section aria-label={t('whenDown.title')}>
      <SectionHead title={t('whenDown.title')}>
        <span className="end">
          <Button
            size="xs"
            variant="subtle"
            onClick={() => void openSettings.run({ at: 'outages' })}
          >
            {t('whenDown.settings')}
          </Button>
        </span>
      </SectionHead>
      <TroubleNote trouble={openSettings.trouble} />
      <ol className="card when-down">
        {[
          t('whenDown.declared', { count: first.outageThreshold }),
          ...STEPS.map((step) => t(`whenDown.${step}`)),
        ].map((text, at) => (
          <li key={text}>
            <span className="outage-end">{at + 1}</span>
            <span className="t2 wrap">{text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
