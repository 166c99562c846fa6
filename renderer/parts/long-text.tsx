import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { Markdown } from './markdown';
import { Inert } from './texts';

/**
 * Longer texts are cut until they are expanded: rendering a page of them must not block the window.
 */
const LONG_CHARS = 2000;

/** Rendered as Markdown, more of a text fits into the same height. */
const LONG_MARKDOWN_CHARS = 4000;

/** External text, shown as plain text; a long one is cut until it is expanded. */
export function LongText({
  text,
  isTruncated,
  isMarkdown = false,
}: {
  text: string;
  isTruncated: boolean;
  isMarkdown?: boolean;
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const most = isMarkdown ? LONG_MARKDOWN_CHARS : LONG_CHARS;
  const isLong = text.length > most;
  const shown = isLong && !isOpen ? text.slice(0, most) : text;
  return (
    <>
      {isMarkdown ? <Markdown text={shown} /> : <Inert as="div" className="inert" text={shown} />}
      {isLong ? (
        <Button size="xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t('chat.less') : t('chat.all', { count: text.length })}
        </Button>
      ) : null}
      {isTruncated ? <p className="sm t3">{t('common.truncated')}</p> : null}
    </>
  );
}
