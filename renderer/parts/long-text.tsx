import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { Inert } from './texts';

/** Longer texts are cut until they are opened: a page of them must not hold up the window. */
const LONG_CHARS = 2000;

/** Foreign text, inert; a long one is cut until it is expanded. */
export function LongText({
  text,
  isTruncated,
}: {
  text: string;
  isTruncated: boolean;
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > LONG_CHARS;
  return (
    <>
      <div className="inert">
        <Inert text={isLong && !isOpen ? text.slice(0, LONG_CHARS) : text} />
      </div>
      {isLong ? (
        <Button size="xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t('chat.less') : t('chat.all', { count: text.length })}
        </Button>
      ) : null}
      {isTruncated ? <p className="sm t3">{t('common.truncated')}</p> : null}
    </>
  );
}
