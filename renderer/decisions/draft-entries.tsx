/** Drafts in the inbox: they block nothing, so they come after everything that does. */
import { Button } from '@mantine/core';
import { PencilLine } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { DraftGroup } from '../drafts/drafts-view';
import { Tile } from '../parts/state-chip';
import { oneLine } from '../parts/inert-view';
import { Ago, Inert } from '../parts/texts';
import { hrefOf } from '../route';
import { agentTitle } from '../agents/agent-titles';

/** Further ones are on the drafts page. */
const SHOWN = 12;

export function DraftEntries({
  groups,
  picked,
  onPick,
}: {
  groups: readonly DraftGroup[];
  /** The session whose drafts are shown. */
  picked: number | undefined;
  onPick: (sessionId: number) => void;
}): ReactElement | null {
  if (groups.length === 0) return null;
  return (
    <section aria-label={t('inbox.drafts')}>
      <h2 className="group-head">
        {t('inbox.drafts')} <span className="group-count">{groups.length}</span>
      </h2>
      <ul>
        {groups.map((group) => (
          <li key={group.sessionId}>
            <a
              className="aligned entry"
              href={hrefOf({ kind: 'decisions' })}
              aria-current={picked === group.sessionId ? 'true' : undefined}
              onClick={() => onPick(group.sessionId)}
            >
              <Tile tone="kept" mark={PencilLine} />
              <span className="grow">
                <span className="flex">
                  <span className="m5 ellipsis grow">
                    {t('inbox.drafts.of', {
                      count: group.paths.length,
                      name: oneLine(agentTitle(group.agent), 64),
                    })}
                  </span>
                  <span className="xs t3 nw">
                    <Ago atMs={group.stagedAtMs} />
                  </span>
                </span>
                <span className="sm t3 ellipsis entry-second">
                  {oneLine(group.paths.join(', '), 160)}
                </span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function DraftsPane({ group }: { group: DraftGroup }): ReactElement {
  const href = hrefOf({ kind: 'drafts', sessionId: group.sessionId });
  const more = group.paths.length - SHOWN;
  return (
    <div className="decision">
      <div className="flex decision-head">
        <Tile tone="kept" mark={PencilLine} />
        <div className="grow">
          <div className="xs t3">{t('inbox.drafts')}</div>
          <h2 className="decision-question">
            {t('inbox.drafts.of', {
              count: group.paths.length,
              name: oneLine(agentTitle(group.agent), 64),
            })}
          </h2>
          <p className="t2 wrap">{t('inbox.drafts.about', { title: oneLine(group.title, 120) })}</p>
        </div>
      </div>
      <ul className="stack draft-paths mono sm">
        {group.paths.slice(0, SHOWN).map((path) => (
          <Inert key={path} as="li" className="wrap" text={path} />
        ))}
        {more > 0 ? <li className="t3">{t('inbox.drafts.more', { count: more })}</li> : null}
      </ul>
      <div className="decision-actions">
        <Button component="a" href={href}>
          {t('inbox.drafts.review', { count: group.paths.length })}
        </Button>
      </div>
    </div>
  );
}
