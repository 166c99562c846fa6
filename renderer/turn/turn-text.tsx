/** A text of a turn; one that exceeds a page response is loaded in full on request. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import type { Answer, VerbInput, VerbOutput } from '../../shared/contract';
import { t } from '../../shared/messages';
import { callVerb, useBridge, type Trouble } from '../bridge';
import { Markdown } from '../parts/markdown';
import { MAX_MARKDOWN_CHARS } from '../parts/markdown-view';
import { TroubleNote } from '../parts/texts';
import { ExactText } from './exact-text';

type Wanted = Omit<VerbInput<'turns.text'>, 'fromChar'>;

export function TurnText({
  wanted,
  start,
  isTruncated,
  label,
  isMono = true,
  isMarkdown = false,
}: {
  wanted: Wanted;
  /** The part that is already loaded. */
  start: string;
  isTruncated: boolean;
  label: string;
  isMono?: boolean;
  /** Rendered as Markdown if it is short enough, or else exactly. */
  isMarkdown?: boolean;
}): ReactElement {
  const bridge = useBridge();
  const [whole, setWhole] = useState<string>();
  const [isLoading, setLoading] = useState(false);
  const [trouble, setTrouble] = useState<Trouble>();
  const load = async (): Promise<void> => {
    setLoading(true);
    setTrouble(undefined);
    const pages: string[] = [];
    for (let fromChar: number | undefined = 0; fromChar !== undefined;) {
      const answer: Answer<VerbOutput<'turns.text'>> = await callVerb(bridge, 'turns.text', {
        ...wanted,
        fromChar,
      });
      if (!answer.ok) {
        setTrouble(answer);
        setLoading(false);
        return;
      }
      pages.push(answer.value.text);
      fromChar = answer.value.nextChar;
    }
    setWhole(pages.join(''));
    setLoading(false);
  };
  return (
    <>
      {isMarkdown && (whole ?? start).length <= MAX_MARKDOWN_CHARS ? (
        <div className="card padded answer-text" tabIndex={0} role="region" aria-label={label}>
          <Markdown text={whole ?? start} />
        </div>
      ) : (
        <ExactText text={whole ?? start} label={label} isMono={isMono} />
      )}
      <TroubleNote trouble={trouble} />
      {isTruncated && whole === undefined ? (
        <Button size="xs" variant="subtle" loading={isLoading} onClick={() => void load()}>
          {t('turn.wholeText')}
        </Button>
      ) : null}
    </>
  );
}
