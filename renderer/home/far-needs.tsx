/**
 * Other computers with items that need the user, as rows of Home: the answers are in the inbox.
 * HO-02
 */
import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { hostFacts } from '../../shared/host-facts';
import { hostFactText } from '../../shared/host-words';
import { t } from '../../shared/messages';
import type { HostView } from '../../shared/types';
import { oneLine } from '../parts/inert-view';
import { Row } from '../parts/row';
import { Tile } from '../parts/state-chip';
import { SectionHead } from '../parts/texts';
import { hrefOf } from '../route';

export function FarNeeds({
  hosts,
  isFirst,
}: {
  hosts: readonly HostView[] | undefined;
  /** Nothing on this computer needs the user: the first of these has the page's filled button. */
  isFirst: boolean;
}): ReactElement | null {
  const needs = hostFacts(hosts).filter(({ kind }) => kind === 'needs');
  if (needs.length === 0) return null;
  return (
    <section aria-label={t('home.needsYouThere')}>
      <SectionHead title={t('home.needsYouThere')} count={needs.length} />
      <ul className="card rows">
        {needs.map((fact, index) => {
          const text = oneLine(hostFactText(fact, t), 120);
          return (
            <Row key={fact.name} lead={<Tile tone="attention" mark="shield" />} name={text}>
              <Button
                component="a"
                href={hrefOf({ kind: 'decisions' })}
                size="xs"
                variant={isFirst && index === 0 ? 'filled' : 'default'}
                aria-label={t('home.reviewOf', { title: text })}
              >
                {t('home.review')}
              </Button>
            </Row>
          );
        })}
      </ul>
    </section>
  );
}
