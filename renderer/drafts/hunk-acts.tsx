/** Applies or discards single changes of a draft. The others stay staged. */
import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { DraftDiff } from '../../shared/types/drafts';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { TroubleNote } from '../parts/texts';
import type { HunkActs } from './diff-view';
import { hunkChoices } from './drafts-view';

interface HunkDeps {
  readonly diff: DraftDiff | undefined;
  readonly isStale: boolean;
  /** The draft still exists, with fewer changes. */
  readonly onPart: (sentence: string) => void;
  readonly onLook: () => void;
}

/**
 * The buttons of each change; `question` replaces the other buttons while one asks for
 * confirmation.
 */
export function useHunkActs({ diff, isStale, onPart, onLook }: HunkDeps): {
  readonly acts: HunkActs | undefined;
  readonly question: ReactElement | undefined;
  readonly trouble: ReactElement;
} {
  const apply = useCommand('drafts.promote');
  const discard = useCommand('drafts.discard');
  const [asked, setAsked] = useState<number | undefined>(undefined);
  const choices = diff === undefined ? undefined : hunkChoices(diff);
  const trouble = <TroubleNote trouble={apply.trouble ?? discard.trouble} />;
  if (diff === undefined || choices === undefined)
    return { acts: undefined, question: undefined, trouble };
  const { draftId, requestHash, path } = diff.draft;
  const file = oneLine(path);
  const run = async (act: 'apply' | 'discard', at: number): Promise<void> => {
    setAsked(undefined);
    const given = { draftId, requestHash, hunks: [at] };
    const done = await (act === 'apply' ? apply.run(given) : discard.run(given));
    if (done.ok) onPart(t(`drafts.said.hunk.${act}`, { file }));
    else onLook();
  };
  return {
    trouble,
    acts: {
      count: choices.count,
      isBusy: apply.isBusy || discard.isBusy || isStale || asked !== undefined,
      onApply: choices.canApply ? (at) => void run('apply', at) : undefined,
      onDiscard: setAsked,
    },
    question:
      asked === undefined ? undefined : (
        <Question
          text={t('drafts.ask.hunk', { number: asked + 1, count: choices.count, file })}
          onNo={() => setAsked(undefined)}
          onYes={() => void run('discard', asked)}
        />
      ),
  };
}

function Question({
  text,
  onNo,
  onYes,
}: {
  text: string;
  onNo: () => void;
  onYes: () => void;
}): ReactElement {
  const acts = useRef<HTMLDivElement>(null);
  // The harmless answer first.
  useEffect(() => acts.current?.querySelector('button')?.focus(), []);
  return (
    <div className="flex flex-wrap draft-acts" ref={acts} role="group" aria-label={text}>
      <span className="grow">{text}</span>
      <Button variant="default" onClick={onNo}>
        {t('drafts.ask.no')}
      </Button>
      <Button variant="default" className="destructive" onClick={onYes}>
        {t('drafts.ask.yesDiscard')}
      </Button>
    </div>
  );
}
