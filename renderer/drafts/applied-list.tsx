/** Applied drafts of a session, and how to undo them. S3-20 */
import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { DraftView } from '../../shared/types/drafts';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { undoneKey } from './drafts-view';
import { oneLine } from '../parts/inert-view';
import { Ago, Inert, TroubleNote } from '../parts/texts';

/** Further ones are available on the command line. */
const MOST = 20;

export function AppliedList({
  drafts,
  onDone,
}: {
  /** Those that can be undone, the newest first. */
  drafts: readonly DraftView[];
  onDone: (sentence: string) => void;
}): ReactElement | null {
  const kept = drafts.slice(0, MOST);
  if (kept.length === 0) return null;
  return (
    <section className="card applied" aria-label={t('drafts.applied')}>
      <h2>{t('drafts.applied')}</h2>
      {kept.map((draft) => (
        <AppliedRow key={draft.draftId} draft={draft} onDone={onDone} />
      ))}
    </section>
  );
}

function AppliedRow({
  draft,
  onDone,
}: {
  draft: DraftView;
  onDone: (sentence: string) => void;
}): ReactElement {
  const restore = useCommand('drafts.restore');
  const [isAsking, setAsking] = useState(false);
  const row = useRef<HTMLDivElement>(null);
  const wasAsking = useRef(false);
  const file = oneLine(draft.path);
  // The pressed button is gone: the focus goes to the harmless answer, and back again.
  useEffect(() => {
    if (isAsking || wasAsking.current) row.current?.querySelector('button')?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  const doRestore = async (): Promise<void> => {
    setAsking(false);
    const { draftId, requestHash } = draft;
    const done = await restore.run({ draftId, requestHash });
    if (done.ok) onDone(t(undoneKey(done.value.outcome), { file }));
  };
  return (
    <>
      <div className="flex flex-wrap draft-acts" ref={row} role="group" aria-label={file}>
        <span className="grow wrap">
          <Inert text={draft.path} />{' '}
          <span className="xs t3">
            {draft.decidedAtMs === undefined ? null : <Ago atMs={draft.decidedAtMs} />}
          </span>
        </span>
        {isAsking ? (
          <>
            <span>
              {t(draft.isNewFile ? 'drafts.ask.removeNew' : 'drafts.ask.restore', { file })}
            </span>
            <Button variant="default" onClick={() => setAsking(false)}>
              {t('drafts.ask.no')}
            </Button>
            <Button variant="default" className="destructive" onClick={() => void doRestore()}>
              {t(draft.isNewFile ? 'drafts.ask.yesRemoveNew' : 'drafts.ask.yesRestore')}
            </Button>
          </>
        ) : (
          <Button variant="default" disabled={restore.isBusy} onClick={() => setAsking(true)}>
            {t('drafts.restore')}
          </Button>
        )}
      </div>
      <TroubleNote trouble={restore.trouble} />
    </>
  );
}
