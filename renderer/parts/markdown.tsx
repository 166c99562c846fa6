/**
 * A model's text rendered as Markdown: no HTML, no images, and no address that opens without
 * asking. All text in it is shown as plain text, as everywhere else.
 */
import { Square, SquareCheck } from 'lucide-react';
import { memo, useMemo } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { callVerb, useBridge } from '../bridge';
import { markdownBlocks, type MdBlock, type MdInline } from './markdown-view';
import { oneLine } from './inert-view';
import { CopyText, Inert } from './texts';
import { useCodeColor, type CodePiece } from './use-code-color';
import './markdown.css';

/** Falls back to unformatted text if it is too long or nested too deeply. */
export const Markdown = memo(function DrawnMarkdown({ text }: { text: string }): ReactElement {
  const blocks = useMemo(() => markdownBlocks(text), [text]);
  if (blocks === undefined) return <Inert as="div" className="inert" text={text} />;
  return (
    <div className="md">
      <Blocks blocks={blocks} />
    </div>
  );
});

const Blocks = ({ blocks }: { blocks: readonly MdBlock[] }): ReactElement => (
  <>
    {blocks.map((block, at) => (
      <Block key={at} block={block} />
    ))}
  </>
);

function Block({ block }: { block: MdBlock }): ReactElement {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p>
          <Spans spans={block.children} />
        </p>
      );
    case 'heading':
      return (
        <div
          className="md-heading"
          role="heading"
          aria-level={block.level}
          data-level={block.level}
        >
          <Spans spans={block.children} />
        </div>
      );
    case 'code':
      return <CodeBlock text={block.text} language={block.language} info={block.info} />;
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.children} />
        </blockquote>
      );
    case 'list':
      return <List block={block} />;
    case 'table':
      return <Table block={block} />;
    case 'rule':
      return <hr />;
  }
}

function List({ block }: { block: Extract<MdBlock, { kind: 'list' }> }): ReactElement {
  const items = block.items.map((item, at) => (
    <li key={at}>
      <Blocks blocks={item} />
    </li>
  ));
  return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
}

function Table({ block }: { block: Extract<MdBlock, { kind: 'table' }> }): ReactElement {
  return (
    <div className="md-table" tabIndex={0} role="region" aria-label={t('markdown.table')}>
      <table>
        <thead>
          <tr>
            {block.head.map((cell, at) => (
              <th key={at} scope="col" data-align={cell.align}>
                <Spans spans={cell.children} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} data-align={cell.align}>
                  <Spans spans={cell.children} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Spans = ({ spans }: { spans: readonly MdInline[] }): ReactElement => (
  <>
    {spans.map((span, at) => (
      <Span key={at} span={span} />
    ))}
  </>
);

function Span({ span }: { span: MdInline }): ReactElement {
  switch (span.kind) {
    case 'text':
      return <Inert text={span.text} />;
    case 'code':
      return <Inert as="code" text={span.text} />;
    case 'break':
      return <br />;
    case 'check':
      return (
        <span
          className="md-check"
          role="img"
          aria-label={t(span.isDone ? 'markdown.done' : 'markdown.open')}
          data-check={span.isDone ? 'x' : ' '}
        >
          {span.isDone ? <SquareCheck className="icon small" /> : <Square className="icon small" />}
        </span>
      );
    case 'strong':
      return (
        <strong>
          <Spans spans={span.children} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Spans spans={span.children} />
        </em>
      );
    case 'strike':
      return (
        <s>
          <Spans spans={span.children} />
        </s>
      );
    case 'link':
      return (
        <WebLink href={span.href} title={span.title}>
          <Spans spans={span.children} />
        </WebLink>
      );
    case 'place':
      return (
        <span title={addressText(span.href, span.title)}>
          <Spans spans={span.children} />
        </span>
      );
    case 'picture':
      return <Picture href={span.href} title={span.title} about={span.about} />;
  }
}

/** No `href`, so the page has nothing to navigate to. The shell shows the host and asks first. */
function WebLink({
  href,
  title,
  children,
}: {
  href: string;
  title: string;
  children: ReactElement;
}): ReactElement {
  const bridge = useBridge();
  return (
    <button
      type="button"
      className="md-link"
      title={t('markdown.opens', { text: addressText(href, title) })}
      data-address={href}
      onClick={() => void callVerb(bridge, 'app.openLink', { url: href })}
    >
      {children}
    </button>
  );
}

const addressText = (href: string, title: string): string =>
  oneLine(title === '' ? href : `${href} (${title})`, 300);

function Picture({
  href,
  title,
  about,
}: {
  href: string;
  title: string;
  about: string;
}): ReactElement {
  const label = t('markdown.picture', { text: oneLine(about === '' ? href : about, 200) });
  return /^https?:\/\//i.test(href) ? (
    <WebLink href={href} title={title}>
      <>{label}</>
    </WebLink>
  ) : (
    <span title={addressText(href, title)}>{label}</span>
  );
}

/** Code with its language and a copy button; highlighted as soon as the grammars are loaded. */
export function CodeBlock({
  text,
  language,
  info = language,
}: {
  text: string;
  language: string;
  /** The full info string of the code block. */
  info?: string;
}): ReactElement {
  const colour = useCodeColor();
  const lines = useMemo(
    () =>
      colour === undefined || language === ''
        ? undefined
        : colour.linesOf(text, language.toLowerCase()),
    [colour, text, language],
  );
  const label = info === '' ? t('markdown.code') : oneLine(info, 200);
  return (
    <div className="md-code">
      <div className="md-code-head">
        <span className="xs t3">{label}</span>
        <CopyText text={text} label={t('markdown.copyCode')} />
      </div>
      <pre tabIndex={0} role="region" aria-label={label} data-language={language}>
        <code>{lines === undefined ? <Inert text={text} /> : <ColouredLines lines={lines} />}</code>
      </pre>
    </div>
  );
}

const ColouredLines = ({ lines }: { lines: readonly (readonly CodePiece[])[] }): ReactElement => (
  <>
    {lines.map((line, at) => (
      <span key={at}>
        {at === 0 ? '' : '\n'}
        {line.map((piece, index) =>
          piece.role === undefined ? (
            <Inert key={index} text={piece.text} />
          ) : (
            <Inert key={index} className={`code-${piece.role}`} text={piece.text} />
          ),
        )}
      </span>
    ))}
  </>
);
