/** For you: drafts to review and unread answers. Nothing here blocks anything. */
import { Button } from '@mantine/core';
import { MessageSquareText, PencilLine } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { Tile } from '../parts/state-chip';
import { oneLine } from '../parts/inert-view';
import { outcomeOf } from '../parts/outcome-view';
import { Row } from '../parts/row';
import { At, SectionHead } from '../parts/texts';
import { hrefOf } from '../route';
import type { DraftGroup } from '../drafts/drafts-view';
import type { ForYouGiven } from './use-for-you';
import { firstSentence } from '../parts/title-view';
import { agentTitle } from '../agents/agent-titles';

/** Further ones are in Sessions. */
const SHOWN = 4;

export function ForYou({
  given: { drafts, answers, readAll },
}: {
  given: ForYouGiven;
}): ReactElement | null {
  if (drafts.length + answers.length === 0) return null;
  const more = answers.length - SHOWN;
  return (
    <section aria-label={t('home.forYou')}>
      <SectionHead title={t('home.forYou')} count={drafts.length + answers.length}>
        {answers.length === 0 ? null : (
          <Button className="end" size="xs" variant="subtle" onClick={readAll}>
            {t('home.forYou.read')}
          </Button>
        )}
      </SectionHead>
      <ul className="card rows">
        {drafts.slice(0, SHOWN).map((group) => (
          <Drafts key={group.sessionId} group={group} />
        ))}
        {answers.slice(0, SHOWN).map((turn) => (
          <Row
            key={turn.id}
            lead={<Tile tone="ok" mark={MessageSquareText} />}
            name={firstSentence(turn.promptStart)}
            href={hrefOf({ kind: 'sessions', sessionId: turn.sessionId })}
            second={`${agentTitle(turn.agent)} · ${oneLine(outcomeOf(turn), 140)}`}
          >
            <span className="sm t3 nw">
              <At atMs={turn.endedAtMs ?? turn.acceptedAtMs} />
            </span>
            <Button
              component="a"
              href={hrefOf({ kind: 'sessions', sessionId: turn.sessionId })}
              size="xs"
              aria-label={t('home.forYou.answer', { title: oneLine(turn.promptStart, 80) })}
            >
              {t('home.forYou.read1')}
            </Button>
          </Row>
        ))}
        {more > 0 ? (
          <li className="row more-row">
            <a className="sm" href={hrefOf({ kind: 'sessions' })}>
              {t('home.forYou.more', { count: more })}
            </a>
          </li>
        ) : null}
      </ul>
    </section>
  );
}

function Drafts({ group }: { group: DraftGroup }): ReactElement {
  const href = hrefOf({ kind: 'drafts', sessionId: group.sessionId });
  return (
    <Row
      lead={<Tile tone="kept" mark={PencilLine} />}
      name={t('home.forYou.drafts', { count: group.paths.length })}
      href={href}
      quiet={<span className="mono">{oneLine(group.paths.join(', '), 120)}</span>}
      second={`${agentTitle(group.agent)} · ${oneLine(group.title, 100)}`}
    >
      <Button
        component="a"
        href={href}
        size="xs"
        aria-label={t('home.forYou.draftsOf', { title: oneLine(group.title, 80) })}
      >
        {t('home.review')}
      </Button>
    </Row>
  );
}
