/**
 * A text from a model, a tool or a file, exact and inert: every odd character by its code point,
 * and only so much of it drawn at a time that a hostile one cannot hold up the window.
 */
import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { Inert } from '../parts/texts';
import { pagesOf } from './exact-text-view';
import './exact-text.css';

export function ExactText({
  text,
  label,
  isMono = true,
}: {
  text: string;
  label: string;
  /** False for prose. */
  isMono?: boolean;
}): ReactElement {
  const [shown, setShown] = useState(1);
  const pages = useMemo(() => pagesOf(text), [text]);
  const left = pages.length - shown;
  return (
    <div
      className={isMono ? 'plain-text-box exact' : 'card padded answer-text inert'}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {pages.slice(0, shown).map((page, at) => (
        <span key={at}>
          <Inert text={page} />
        </span>
      ))}
      {left > 0 ? (
        <div>
          <Button
            size="xs"
            variant="subtle"
            onClick={() => setShown((pagesShown) => pagesShown + 1)}
          >
            {t('exact.more', {
              count: pages.slice(shown).reduce((sum, page) => sum + page.length, 0),
            })}
          </Button>
        </div>
      ) : null}
    </div>
  );
}
