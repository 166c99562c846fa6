/** Actions on a draft. Answers carry the hash of the shown difference (I4). */
import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { DraftDiff } from '../../shared/types/drafts';
import { t } from '../../shared/messages';
import { useBridge, useCommand } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { TroubleNote } from '../parts/texts';
import { clockText } from '../parts/time-view';
import { sayApplied } from '../toasts/said';
import { canApply, fitFacts, fits } from './drafts-view';
import { agentTitle } from '../agents/agent-titles';

interface DraftActsProps {
  readonly diff: DraftDiff;
  /** No other button of the page is filled. */
  readonly isAlone: boolean;
  /** The shown data is older than the list: it is being fetched again. */
  readonly isStale: boolean;
  /** The agent was already asked to update exactly this. */
  readonly isAsked: boolean;
  readonly onDone: (sentence: string) => void;
  readonly onAsked: (requestHash: string, sentence: string) => void;
  readonly onLook: () => void;
}

export function DraftActs(props: DraftActsProps): ReactElement {
  const { diff, isAlone, isStale, onDone, onLook } = props;
  const { draft, summary } = diff;
  const { draftId, requestHash } = draft;
  const file = oneLine(draft.path);
  const bridge = useBridge();
  const apply = useCommand('drafts.promote');
  const discard = useCommand('drafts.discard');
  const [asking, setAsking] = useState<'apply' | 'discard' | undefined>(undefined);
  const acts = useRef<HTMLDivElement>(null);
  const asked = useRef<'apply' | 'discard' | undefined>(undefined);
  // The pressed button is gone: the focus goes to the harmless answer, and back again.
  useEffect(() => {
    const opener = asked.current;
    asked.current = asking;
    if (asking !== undefined) acts.current?.querySelector('button')?.focus();
    else if (opener !== undefined)
      acts.current?.querySelector<HTMLElement>(`[data-opens="${opener}"]`)?.focus();
  }, [asking]);
  const doApply = async (overChanged: boolean): Promise<void> => {
    setAsking(undefined);
    const done = await apply.run({
      draftId,
      requestHash,
      ...(overChanged ? { overChanged } : {}),
    });
    if (done.ok) {
      onDone(t(`drafts.said.${done.value.outcome}`, { file }));
      if (done.value.outcome === 'promoted') sayApplied(bridge, draft, onDone);
    } else onLook();
  };
  const doDiscard = async (): Promise<void> => {
    setAsking(undefined);
    const done = await discard.run({ draftId, requestHash });
    if (done.ok) onDone(t('drafts.said.discarded', { file }));
    else onLook();
  };
  const isBusy = apply.isBusy || discard.isBusy || isStale;
  if (asking !== undefined) {
    const question = t(`drafts.ask.${asking}`, { file });
    return (
      <div className="flex flex-wrap draft-acts" ref={acts} role="group" aria-label={question}>
        <span className="grow">{question}</span>
        <Button variant="default" onClick={() => setAsking(undefined)}>
          {t('drafts.ask.no')}
        </Button>
        <Button
          variant="default"
          className="destructive"
          onClick={() => void (asking === 'apply' ? doApply(true) : doDiscard())}
        >
          {t(asking === 'apply' ? 'drafts.ask.yesApply' : 'drafts.ask.yesDiscard')}
        </Button>
      </div>
    );
  }
  return (
    <>
      <TroubleNote trouble={apply.trouble ?? discard.trouble} />
      <div className="flex flex-wrap draft-acts" ref={acts}>
        <FitButton {...props} isBusy={isBusy} />
        {!canApply(draft) ? null : fits(draft) || draft.state === 'in_sync' ? (
          <Button
            variant={isAlone && fits(draft) ? 'filled' : 'default'}
            disabled={isBusy}
            onClick={() => void doApply(false)}
          >
            {t('drafts.apply')}
          </Button>
        ) : (
          <Button
            data-opens="apply"
            disabled={isBusy}
            variant="default"
            onClick={() => setAsking('apply')}
          >
            {t('drafts.applyOver', { count: summary.newer })}
          </Button>
        )}
        <Button
          data-opens="discard"
          disabled={isBusy || draft.stage !== 'staged'}
          variant="default"
          className="destructive"
          onClick={() => setAsking('discard')}
        >
          {t('drafts.discard')}
        </Button>
        <span className="end sm t3">
          {t(draft.isNewFile && !draft.sourceChanged ? 'drafts.newNote' : 'drafts.keptNote')}
        </span>
      </div>
    </>
  );
}

/** Tells the agent what has changed in the file; it updates its draft, not the file. */
function FitButton({
  diff,
  isAsked,
  isBusy,
  onAsked,
}: DraftActsProps & { readonly isBusy: boolean }): ReactElement | null {
  const send = useCommand('send');
  const { draft } = diff;
  const facts = fitFacts(diff);
  if (facts === undefined) return null;
  const file = oneLine(draft.path);
  const name = oneLine(agentTitle(draft.agent));
  const ask = async (): Promise<void> => {
    const changedAtMs = draft.fileChangedAtMs ?? draft.updatedAtMs;
    const time = clockText(changedAtMs, changedAtMs, undefined, true);
    const text = [
      t('drafts.fit.text', { file, time }),
      facts.lines,
      ...(facts.isCut ? [t('drafts.fit.cut')] : []),
      t('drafts.fit.wish', { file }),
    ].join('\n\n');
    const sent = await send.run({ text, session: draft.sessionKey });
    if (sent.ok) onAsked(draft.requestHash, t('drafts.said.asked', { file, name }));
  };
  return (
    <>
      <TroubleNote trouble={send.trouble} />
      <Button
        variant="default"
        loading={send.isBusy}
        disabled={isBusy || isAsked}
        onClick={() => void ask()}
      >
        {t(isAsked ? 'drafts.fit.asked' : 'drafts.fit', { name })}
      </Button>
    </>
  );
}
