/** The selection of a page as Markdown: the reverse of markdown.tsx, and plain text elsewhere. */
import { table } from '../../shared/table';

/** Empty if nothing is selected. */
export function selectionMarkdown(selection: Selection | null): string {
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return '';
  const range = selection.getRangeAt(0);
  const around = range.commonAncestorContainer;
  const parent = around instanceof Element ? around : around.parentElement;
  // Part of a code block is copied as that code, without a fence around it.
  if (parent?.closest('pre') !== null && parent !== null) return range.toString();
  return nodeMarkdown(range.cloneContents());
}

/** Markdown of a part of a page. */
export const nodeMarkdown = (node: ParentNode & Node): string =>
  blocksOf(node, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

/** Elements meant only for the screen, or only for screen readers. */
const LEFT_OUT = '.sr-only, .md-code-head, .answer-acts, svg, [aria-hidden="true"]';

const SURROUND = table<string>({ STRONG: '**', EM: '*', S: '~~' });

/**
 * Characters that would be parsed as Markdown; before a link, the last one would make it an image.
 */
const escaped = (text: string): string => text.replace(/[\\`*[\]<]|!$/g, '\\$&');

/** With a fence that nothing in the text closes, even if the agent tried to. */
function codeMarkdown(text: string): string {
  const mark = '`'.repeat(longestRun(text, '`') + 1);
  const room = /^`|`$/.test(text) ? ' ' : '';
  return mark + room + text + room + mark;
}

const addressMarkdown = (address: string): string =>
  /[()\\]/.test(address) ? `<${address.replaceAll('\\', '%5C')}>` : address;

function inlineOf(node: Node): string {
  if (node.nodeType === 3) return escaped(node.textContent ?? '');
  if (!(node instanceof Element)) return childrenOf(node).map(inlineOf).join('');
  if (node.matches(LEFT_OUT)) return '';
  if (node.tagName === 'BR') return '\n';
  const check = node.getAttribute('data-check');
  if (check !== null) return `[${check}]`;
  if (node.tagName === 'CODE') return codeMarkdown(node.textContent);
  const inner = childrenOf(node).map(inlineOf).join('');
  const around = SURROUND[node.tagName];
  if (around !== undefined && inner !== '') return around + inner + around;
  const address = node.getAttribute('data-address');
  return address === null ? inner : `[${inner}](${addressMarkdown(address)})`;
}

const childrenOf = (node: Node): readonly Node[] => [...node.childNodes];

/** Displayed as blocks by our styles or the browser's. */
const BLOCKS =
  'p, div, li, ul, ol, pre, blockquote, table, hr, section, article, header, h1, h2, h3, h4, dl, dt, dd';

function blocksOf(node: Node, indent: string): string {
  let written = '';
  let line = '';
  const flush = (): void => {
    if (line.trim() !== '') written += `${indented(line, indent)}\n\n`;
    line = '';
  };
  for (const child of childrenOf(node)) {
    if (!(child instanceof Element) || !child.matches(BLOCKS)) {
      line += inlineOf(child);
      continue;
    }
    flush();
    if (!child.matches(LEFT_OUT)) written += blockOf(child, indent);
  }
  flush();
  return written;
}

const indented = (text: string, indent: string): string => text.replace(/^(?=.)/gm, indent);

function blockOf(element: Element, indent: string): string {
  const level = Number(
    element.getAttribute('aria-level') ?? /^H([1-4])$/.exec(element.tagName)?.[1],
  );
  if (level > 0) return `${indent}${'#'.repeat(level)} ${inlineOf(element)}\n\n`;
  switch (element.tagName) {
    case 'HR':
      return `${indent}---\n\n`;
    case 'PRE': {
      const text = element.textContent;
      const language = element.getAttribute('data-language') ?? '';
      const sign = language.includes('`') ? '~' : '`';
      const fence = sign.repeat(Math.max(3, longestRun(text, sign) + 1));
      return `${indented(`${fence}${language}\n${text}\n${fence}`, indent)}\n\n`;
    }
    case 'BLOCKQUOTE':
      return `${indented(nodeMarkdown(element), `${indent}> `)}\n\n`;
    case 'UL':
    case 'OL':
      return `${itemsOf(element, indent)}\n`;
    case 'TABLE':
      return `${indented(tableOf(element), indent)}\n\n`;
    default:
      return blocksOf(element, indent);
  }
}

const longestRun = (text: string, sign: '`' | '~'): number =>
  Math.max(0, ...[...text.matchAll(sign === '`' ? /`+/g : /~+/g)].map(([run]) => run.length));

function itemsOf(list: Element, indent: string): string {
  const start = Number(list.getAttribute('start') ?? 1);
  return [...list.children]
    .map((item, at) => {
      const mark = list.tagName === 'OL' ? `${String(start + at)}. ` : '- ';
      const inner = nodeMarkdown(item).replace(/\n\n(?=\s*(?:-|\d+\.) )/g, '\n');
      const [first = '', ...rest] = inner.split('\n');
      const below = rest.map((one) => (one === '' ? '' : indent + ' '.repeat(mark.length) + one));
      return `${[indent + mark + first, ...below].join('\n')}\n`;
    })
    .join('');
}

function tableOf(shown: Element): string {
  const rows = [...shown.querySelectorAll('tr')].map((row) => [...row.children]);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const texts = rows.map((row) =>
    line(row.map((cell) => inlineOf(cell).replace(/\|/g, '\\|').replace(/\n/g, ' '))),
  );
  const rule = line((rows[0] ?? []).map(ruleOf));
  return [texts[0] ?? '', rule, ...texts.slice(1)].join('\n');
}

const ruleOf = (cell: Element): string => {
  const align = cell.getAttribute('data-align');
  return align === 'right' ? '---:' : align === 'center' ? ':---:' : '---';
};
