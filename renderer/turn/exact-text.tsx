/**
 * A text from a model, a tool, or a file, shown exactly: unusual characters by their code points,
 * and only part of it rendered at a time, so that a hostile text cannot block the window.
 */
import { Button } from '@mantine/core';
import { useMemo, useState, type ReactElement } from 'react';
import { t } from '../../shared/messages';
import { Inert } from '../parts/texts';
import { inertPieces } from '../parts/inert-view';
import './exact-text.css';

/**
 * Pages of a text that are cheap to render: limited in characters and in unusual characters. Pure.
 */
const PAGE_CHARS = 6000;
const PAGE_ODD = 600;

/** Cuts at a page's end, never inside a surrogate pair; joined, the pages are the text. */
function pagesOf(text: string): readonly string[] {
  const pages: string[] = [];
  let at = 0;
  while (at < text.length) {
    let end = Math.min(text.length, at + PAGE_CHARS);
    const pieces = inertPieces(text.slice(at, end));
    let odd = 0;
    let length = 0;
    for (const piece of pieces) {
      if (piece.kind === 'odd') {
        odd += 1;
        if (odd > PAGE_ODD) break;
      }
      length +=
        piece.kind === 'text'
          ? piece.text.length
          : Number.parseInt(piece.code.slice(2), 16) > 0xffff
            ? 2
            : 1;
    }
    if (odd > PAGE_ODD) end = at + length;
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
    if (end <= at) end = at + 1;
    pages.push(text.slice(at, end));
    at = end;
  }
  return pages.length === 0 ? [''] : pages;
}

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
        <Inert key={at} as="span" text={page} />
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
