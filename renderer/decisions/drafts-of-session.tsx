/** Staged drafts of the session in an approval, because the tool call may concern them. */
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import { useVerb } from '../bridge';
import { draftGroups } from '../drafts/drafts-view';
import { oneLine } from '../parts/inert-view';
import { hrefOf } from '../route';

export function DraftsOfSession({ sessionId }: { sessionId: number }): ReactElement | null {
  const drafts = useVerb('drafts.list', {});
  const group = draftGroups(drafts.data?.drafts ?? []).find((one) => one.sessionId === sessionId);
  if (group === undefined) return null;
  return (
    <Fact name={t('approval.drafts')}>
      <span className="mono wrap">{oneLine(group.paths.join(', '), 200)}</span>{' '}
      <a href={hrefOf({ kind: 'drafts', sessionId })}>
        {t('inbox.drafts.review', { count: group.paths.length })}
      </a>
    </Fact>
  );
}
