/** Small components that every page uses: times, external text, empty lists, errors, sources. */
import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { Check, Copy, TriangleAlert } from 'lucide-react';
import { Fragment } from 'react';
import type { HTMLAttributes, ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { SettingSource } from '../../shared/settings';
import type { Trouble } from '../bridge';
import { useNow } from '../clock';
import { inertPieces } from './inert-view';
import type { Tone } from './state-view';
import { troubleText } from './trouble-view';
import {
  ageText,
  clockText,
  durationText,
  fullTimeText,
  roughlyText,
  untilText,
} from './time-view';

/** A moment in any words, with the absolute time as tooltip. */
export const Moment = ({ atMs, children }: { atMs: number; children: ReactNode }): ReactElement => (
  <time dateTime={new Date(atMs).toISOString()} title={fullTimeText(atMs)}>
    {children}
  </time>
);

/** A past moment as its age ("29 min"), with the absolute time as tooltip. */
export function Ago({ atMs }: { atMs: number }): ReactElement {
  const nowMs = useNow('minute');
  return <Moment atMs={atMs}>{ageText(atMs, nowMs)}</Moment>;
}

/** A moment as clock time ("14:02"), with the date if it is not today. */
export function At({
  atMs,
  withSeconds = false,
  withDay = true,
}: {
  atMs: number;
  withSeconds?: boolean;
  /** False in tables, where the date is in the tooltip. */
  withDay?: boolean;
}): ReactElement {
  const nowMs = useNow('minute');
  return (
    <Moment atMs={atMs}>{clockText(atMs, withDay ? nowMs : atMs, undefined, withSeconds)}</Moment>
  );
}

/** The time if it is today, or else only the date; both in the tooltip. */
export function AtRoughly({ atMs }: { atMs: number }): ReactElement {
  const nowMs = useNow('minute');
  return <Moment atMs={atMs}>{roughlyText(atMs, nowMs)}</Moment>;
}

const Seconds = ({ untilMs }: { untilMs: number }): ReactElement => (
  <>{untilText(untilMs, useNow('second'))}</>
);

/** Remaining time: seconds only in the last two minutes, so that a long wait does not tick. */
export function Countdown({ untilMs }: { untilMs: number }): ReactElement {
  const nowMs = useNow('minute');
  return (
    <Moment atMs={untilMs}>
      {untilMs - nowMs <= 150_000 ? <Seconds untilMs={untilMs} /> : untilText(untilMs, nowMs)}
    </Moment>
  );
}

const ElapsedSeconds = ({ sinceMs }: { sinceMs: number }): ReactElement => {
  const nowMs = useNow('second');
  const past = Math.max(0, Math.floor((nowMs - sinceMs) / 1000) * 1000);
  return <span className="digits">{durationText(past)}</span>;
};

/** Elapsed time: seconds only in the first two minutes. */
export function Elapsed({ sinceMs }: { sinceMs: number }): ReactElement {
  const nowMs = useNow('minute');
  const past = nowMs - sinceMs;
  if (past < 120_000) return <ElapsedSeconds sinceMs={sinceMs} />;
  return <>{durationText(Math.floor(past / 60_000) * 60_000)}</>;
}

interface InertProps extends Pick<HTMLAttributes<HTMLElement>, 'className' | 'title' | 'role'> {
  readonly text: string;
  /** The element around it; a `span` if only a class is given, none without both. */
  readonly as?: 'span' | 'div' | 'p' | 'strong' | 'td' | 'h1' | 'h2' | 'li' | 'code';
}

/** External text: never markup, with unusual characters shown by their code points. W8. */
export function Inert({ text, as, ...rest }: InertProps): ReactElement {
  const pieces = inertPieces(text).map((piece, index) =>
    piece.kind === 'text' ? (
      piece.text
    ) : (
      <span key={index} className="odd-char" title={t(`inert.${piece.name}`)}>
        {piece.code}
      </span>
    ),
  );
  const Around = as ?? (rest.className === undefined ? undefined : 'span');
  return Around === undefined ? <>{pieces}</> : <Around {...rest}>{pieces}</Around>;
}

/** A block of external text: fixed width, scrollable, reachable by keyboard. */
export function InertBlock({ text, label }: { text: string; label: string }): ReactElement {
  return (
    <pre className="plain-text-box" tabIndex={0} role="region" aria-label={label}>
      <Inert text={text} />
    </pre>
  );
}

/** An empty list: a mark, one sentence, and one command to copy. */
export function EmptyState({
  mark,
  sentence,
  command,
  children,
}: {
  mark: ReactNode;
  sentence: string;
  command?: string;
  children?: ReactNode;
}): ReactElement {
  return (
    <div className="empty">
      <span className="mark">{mark}</span>
      <p>{sentence}</p>
      {command ? <CommandLine command={command} /> : null}
      {children}
    </div>
  );
}

/** A command for a terminal, with a copy button. */
export function CommandLine({ command }: { command: string }): ReactElement {
  return (
    <span className="command-line">
      <span className="command-text">
        {command.split(' ').map((word, index) => (
          <Fragment key={index}>
            {index > 0 ? ' ' : null}
            {/* Prevents a line break between the two dashes of an option and its name. */}
            <span className="command-word">{word}</span>
          </Fragment>
        ))}
      </span>
      <CopyText text={command} label={t('common.copyCommand')} tip={t('common.copy')} size={26} />
    </span>
  );
}

/** A small button that copies a text exactly, unusual characters included. */
export const CopyText = ({
  text,
  label,
  tip = label,
  size = 22,
}: {
  text: string;
  label: string;
  /** Shown at the pointer, where the page shows what it copies. */
  tip?: string;
  size?: number;
}): ReactElement => (
  <CopyButton value={text}>
    {({ copied, copy }) => (
      <Tooltip label={copied ? t('common.copied') : tip}>
        <ActionIcon
          size={size}
          variant="subtle"
          onClick={copy}
          aria-label={copied ? t('common.copied') : label}
        >
          {copied ? <Check className="icon small" /> : <Copy className="icon small" />}
        </ActionIcon>
      </Tooltip>
    )}
  </CopyButton>
);

/** One line on the tinted background of a state. */
export function NoteLine({
  tone,
  mark,
  children,
  role,
}: {
  tone: Tone;
  mark?: ReactNode;
  children: ReactNode;
  role?: 'alert' | 'status';
}): ReactElement {
  return (
    <div className={`note-line tone-${tone}`} role={role}>
      {mark}
      <div className="grow">{children}</div>
    </div>
  );
}

/** What is shown has changed meanwhile, so that nothing was done. */
export const Outdated = ({ children }: { children: ReactNode }): ReactElement => (
  <NoteLine tone="attention" role="alert" mark={<TriangleAlert className="icon small" />}>
    {children}
  </NoteLine>
);

/** What went wrong and what to do next. */
export function TroubleNote({ trouble }: { trouble: Trouble | undefined }): ReactElement | null {
  if (!trouble) return null;
  const { sentence, detail, next } = troubleText(trouble);
  return (
    <NoteLine tone="outage" role="alert" mark={<TriangleAlert className="icon small" />}>
      <strong className="m5">
        <Inert text={sentence} />
      </strong>{' '}
      {detail === undefined ? null : (
        <>
          <Inert text={detail} />{' '}
        </>
      )}
      <Inert text={next} /> <span className="mono nw">{trouble.code}</span>
    </NoteLine>
  );
}

/** Where a setting's value comes from. */
export function SourceTag({ source }: { source: SettingSource }): ReactElement {
  return (
    <span className={source === 'default' ? 'source-tag' : 'source-tag set'}>
      {t(`source.${source === 'command line' ? 'commandLine' : source}`)}
    </span>
  );
}

/** Heading of a section, with a count and its end content. */
export function SectionHead({
  title,
  count,
  children,
  level = 2,
}: {
  title: string;
  count?: ReactNode;
  children?: ReactNode;
  level?: 2 | 3;
}): ReactElement {
  const Heading = `h${level}` as const;
  return (
    <div className="section-head">
      <Heading>{title}</Heading>
      {count === undefined ? null : <span className="count">{count}</span>}
      {children}
    </div>
  );
}
