/** One hit: where it is, what it is part of, its text, and its time. */
import type { ReactElement, ReactNode } from 'react';
import { agentTitle } from '../agents/agent-titles';
import { useNow } from '../clock';
import { oneLine } from '../parts/inert-view';
import { Marked } from '../parts/marked';
import { Inert } from '../parts/texts';
import { clockText, fullTimeText } from '../parts/time-view';
import { keyTitle } from '../parts/title-view';
import { hitPart, hitPlace, type AnyHit } from './search-view';
import './search.css';

export function HitRow({
  hit,
  words,
  href,
  session = keyTitle(hit.session),
  children,
}: {
  hit: AnyHit;
  words: readonly string[];
  href: string;
  /** The title of its session, if the page knows it. */
  session?: string | undefined;
  /** Shown before the time. */
  children?: ReactNode;
}): ReactElement {
  const nowMs = useNow('minute');
  return (
    <li>
      <a className="row search-hit" href={href}>
        <span className="row-text">
          <span className="search-where">
            <span className="m5">{hitPlace(hit)}</span>
            <span className="sm t2">{hitPart(hit)}</span>
            <Inert className="sm t3" text={oneLine(`${agentTitle(hit.agent)} · ${session}`, 90)} />
          </span>
          <span className="search-text wrap">
            <Marked text={oneLine(hit.excerpt, 400)} words={words} />
          </span>
        </span>
        {children}
        <time className="sm t3 nw" title={fullTimeText(hit.atMs)}>
          {clockText(hit.atMs, nowMs)}
        </time>
      </a>
    </li>
  );
}
