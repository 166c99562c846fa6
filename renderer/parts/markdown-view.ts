/**
 * A model's Markdown as a tree of plain values. There is no node for HTML, and none that loads
 * anything, so neither can be drawn. Pure.
 */
import MarkdownIt from 'markdown-it';
import { table } from '../../shared/table';

export type MdInline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }
  /** At the start of a list item: shown, and nothing to press. */
  | { readonly kind: 'check'; readonly isDone: boolean }
  | { readonly kind: 'strong' | 'em' | 'strike'; readonly children: readonly MdInline[] }
  /** A web address; it opens only after the user has seen its host. */
  | {
      readonly kind: 'link';
      readonly href: string;
      readonly title: string;
      readonly children: readonly MdInline[];
    }
  /** An address that is not on the web, such as a path: shown, but cannot be opened. */
  | {
      readonly kind: 'place';
      readonly href: string;
      readonly title: string;
      readonly children: readonly MdInline[];
    }
  /** An image is never loaded: its description is shown, with its address as a link. */
  | {
      readonly kind: 'picture';
      readonly href: string;
      readonly title: string;
      readonly about: string;
    };

export type MdBlock =
  | { readonly kind: 'paragraph'; readonly children: readonly MdInline[] }
  /** `level` is at least 2, and at most one deeper than the previous heading. */
  | { readonly kind: 'heading'; readonly level: number; readonly children: readonly MdInline[] }
  /** `info` is everything after the fence; its first word is the language. */
  | {
      readonly kind: 'code';
      readonly language: string;
      readonly info: string;
      readonly text: string;
    }
  | { readonly kind: 'quote'; readonly children: readonly MdBlock[] }
  | {
      readonly kind: 'list';
      readonly start: number | undefined;
      readonly items: readonly (readonly MdBlock[])[];
    }
  | {
      readonly kind: 'table';
      readonly head: readonly MdCell[];
      readonly rows: readonly (readonly MdCell[])[];
    }
  | { readonly kind: 'rule' };

interface MdCell {
  readonly align: 'left' | 'center' | 'right';
  readonly children: readonly MdInline[];
}

/** A longer text is shown unformatted: parsing it would block the window. */
export const MAX_MARKDOWN_CHARS = 20_000;
/** With deeper lists and quotes the parser would omit parts, so the text is shown unformatted. */
const MAX_DEPTH = 24;
/** Maximum number of elements; a text with more is shown unformatted. */
const MAX_TOKENS = 12_000;
/** A table row may be one character long and still has a cell in each column. */
const MAX_CELLS = 12_000;

const reader = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false });
// A link definition would be removed from the text and so be hidden.
reader.disable('reference');
reader.set({ maxNesting: MAX_DEPTH });
// An address counts only with its scheme: a file name is not a host.
reader.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

type Token = ReturnType<typeof reader.parse>[number];

/** Undefined if the text must be shown unformatted. */
export function markdownBlocks(text: string): readonly MdBlock[] | undefined {
  if (text.length > MAX_MARKDOWN_CHARS) return undefined;
  if (mostCells(text) > MAX_CELLS) return undefined;
  const tokens = reader.parse(text, {});
  if (tokens.length > MAX_TOKENS) return undefined;
  if (tokens.some((token) => token.level >= MAX_DEPTH - 2)) return undefined;
  return readBlocks(createReading(tokens), undefined);
}

/** Upper bound of a text's table cells: the columns of its widest delimiter row, in each line. */
function mostCells(text: string): number {
  const lines = text.split('\n');
  const columns = lines.map((line) => (/^[\s|:>*+\d.-]+$/.test(line) ? line.split('|').length : 0));
  return Math.max(...columns) * lines.length;
}

/** An advancing position in a list of tokens. */
interface Reading {
  readonly next: () => Token | undefined;
  readonly headings: { readonly ranks: readonly number[]; before: number };
}

function createReading(tokens: readonly Token[]): Reading {
  let at = 0;
  const ranks = [
    ...new Set(tokens.flatMap((token) => (token.type === 'heading_open' ? [rankOf(token)] : []))),
  ];
  return {
    next: () => tokens[at++],
    headings: { ranks: ranks.toSorted((one, other) => one - other), before: 1 },
  };
}

const attribute = (token: Token, name: string): string => String(token.attrGet(name) ?? '');
const rankOf = (token: Token): number => Number(token.tag.slice(1));

/** Blocks up to the token that closes them. */
function readBlocks(reading: Reading, close: string | undefined): readonly MdBlock[] {
  const blocks: MdBlock[] = [];
  for (
    let token = reading.next();
    token !== undefined && token.type !== close;
    token = reading.next()
  ) {
    const block = readBlock(token, reading);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

function readBlock(token: Token, reading: Reading): MdBlock | undefined {
  switch (token.type) {
    case 'paragraph_open':
      return { kind: 'paragraph', children: readInline(reading, 'paragraph_close') };
    case 'heading_open': {
      const { headings } = reading;
      const wanted = 2 + headings.ranks.indexOf(rankOf(token));
      headings.before = Math.min(wanted, headings.before + 1);
      return {
        kind: 'heading',
        level: headings.before,
        children: readInline(reading, 'heading_close'),
      };
    }
    case 'fence':
      return {
        kind: 'code',
        language: languageIn(token.info),
        info: token.info.trim(),
        text: withoutLastBreak(token.content),
      };
    case 'code_block':
      return { kind: 'code', language: '', info: '', text: withoutLastBreak(token.content) };
    case 'blockquote_open':
      return { kind: 'quote', children: readBlocks(reading, 'blockquote_close') };
    case 'bullet_list_open':
      return { kind: 'list', start: undefined, items: readItems(reading, 'bullet_list_close') };
    case 'ordered_list_open':
      return {
        kind: 'list',
        start: Number(token.attrGet('start') ?? 1),
        items: readItems(reading, 'ordered_list_close'),
      };
    case 'table_open':
      return readTable(reading);
    case 'hr':
      return { kind: 'rule' };
    case 'inline':
      return { kind: 'paragraph', children: inlineOf(token) };
    default:
      // No other token can occur, because other rules are not loaded. If one does, its text is
      // shown.
      return token.content === ''
        ? undefined
        : { kind: 'paragraph', children: [{ kind: 'text', text: token.content }] };
  }
}

const languageIn = (info: string): string => (info.trim().split(/\s+/)[0] ?? '').slice(0, 40);
const withoutLastBreak = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text);

function readItems(reading: Reading, close: string): readonly (readonly MdBlock[])[] {
  const items: (readonly MdBlock[])[] = [];
  for (
    let token = reading.next();
    token !== undefined && token.type !== close;
    token = reading.next()
  )
    if (token.type === 'list_item_open')
      items.push(withCheck(readBlocks(reading, 'list_item_close')));
  return items;
}

/** `[ ]` and `[x]` before the text of a list item are check boxes. */
function withCheck(item: readonly MdBlock[]): readonly MdBlock[] {
  const [first, ...below] = item;
  if (first?.kind !== 'paragraph') return item;
  const [start, ...rest] = first.children;
  const found = start?.kind === 'text' ? /^\[([ xX])\](\s.*)$/s.exec(start.text) : null;
  if (found === null) return item;
  const [, sign = '', text = ''] = found;
  const check: MdInline = { kind: 'check', isDone: sign !== ' ' };
  return [{ ...first, children: [check, { kind: 'text', text }, ...rest] }, ...below];
}

function readTable(reading: Reading): MdBlock {
  const rows: MdCell[][] = [];
  let align: MdCell['align'] = 'left';
  for (
    let token = reading.next();
    token !== undefined && token.type !== 'table_close';
    token = reading.next()
  ) {
    if (token.type === 'tr_open') rows.push([]);
    if (token.type === 'th_open' || token.type === 'td_open') {
      const style = attribute(token, 'style');
      align = style.endsWith('right') ? 'right' : style.endsWith('center') ? 'center' : 'left';
    }
    if (token.type === 'inline') rows.at(-1)?.push({ align, children: inlineOf(token) });
  }
  const [head = [], ...rest] = rows;
  return { kind: 'table', head, rows: rest };
}

function readInline(reading: Reading, close: string): readonly MdInline[] {
  const children: MdInline[] = [];
  for (
    let token = reading.next();
    token !== undefined && token.type !== close;
    token = reading.next()
  )
    if (token.type === 'inline') children.push(...inlineOf(token));
  return children;
}

const inlineOf = (token: Token): readonly MdInline[] => {
  const children = token.children ?? [];
  let at = 0;
  return readSpans(() => children[at++], undefined);
};

const SPANS = table<'strong' | 'em' | 'strike'>({
  strong_open: 'strong',
  em_open: 'em',
  s_open: 'strike',
});

function readSpans(next: () => Token | undefined, close: string | undefined): readonly MdInline[] {
  const spans: MdInline[] = [];
  for (let token = next(); token !== undefined && token.type !== close; token = next()) {
    const kind = SPANS[token.type];
    if (kind !== undefined) {
      spans.push({ kind, children: readSpans(next, token.type.replace('open', 'close')) });
      continue;
    }
    switch (token.type) {
      case 'code_inline':
        spans.push({ kind: 'code', text: token.content });
        break;
      case 'softbreak':
      case 'hardbreak':
        spans.push({ kind: 'break' });
        break;
      case 'link_open': {
        const href = attribute(token, 'href');
        const children = readSpans(next, 'link_close');
        const title = attribute(token, 'title');
        spans.push({ kind: isWebAddress(href) ? 'link' : 'place', href, title, children });
        break;
      }
      case 'image':
        spans.push({
          kind: 'picture',
          href: attribute(token, 'src'),
          title: attribute(token, 'title'),
          about: token.content,
        });
        break;
      default:
        if (token.content !== '') spans.push({ kind: 'text', text: token.content });
    }
  }
  return spans;
}

/** True for addresses that the shell may be asked to open; it checks again. */
const isWebAddress = (href: string): boolean => /^https?:\/\//i.test(href) && href.length <= 2_000;
