import { table } from '../../../shared/table';

const NAMED = table<string>({
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  mdash: '—',
  ndash: '–',
  hellip: '…',
  copy: '©',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  rarr: '→',
  larr: '←',
});

/** Elements whose content is not readable text. */
const DROPPED = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object']);

/** Elements that start a new line. */
const BLOCKS = new Set(
  (
    'address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hr li main nav ol option p pre section table tbody td th thead title tr ul'
  ).split(' '),
);

function decodeEntities(text: string): string {
  return text.replace(
    /&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});/g,
    (whole, name: string) => {
      if (!name.startsWith('#')) return NAMED[name] ?? whole;
      const code = /^#[xX]/.test(name) ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10);
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
        ? String.fromCodePoint(code)
        : '\ufffd';
    },
  );
}

/** Text is converted in chunks of this length, so that no single step takes long. */
const PIECE_CHARS = 32 * 1024;
const SLICE_MS = 5;

/** Only ASCII: a full toLowerCase can change the length, and positions would no longer match. */
function lowerPiece(piece: string): string {
  const lower = piece.toLowerCase();
  return lower.length === piece.length
    ? lower
    : piece.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** End of the next chunk: not within a word if a space is near. */
function endOfPiece(text: string, from: number, to: number): number {
  if (to - from <= PIECE_CHARS) return to;
  const space = text.lastIndexOf(' ', from + PIECE_CHARS);
  return space > from + PIECE_CHARS - 100 ? space : from + PIECE_CHARS;
}

/** Joins lines: one space between words, at most one empty line between others. */
function createLines(): { text(piece: string): void; end(): string } {
  const lines: string[] = [];
  let open: string[] = [];
  let isAfterEmpty = true;
  const endLine = (): void => {
    const line = open.join('').trim();
    open = [];
    if (line !== '' || !isAfterEmpty) lines.push(line);
    isAfterEmpty = line === '';
  };
  return {
    text(piece) {
      const [first = '', ...more] = piece.replace(/ +/g, ' ').split('\n');
      const isDouble = first.startsWith(' ') && (open.at(-1)?.endsWith(' ') ?? false);
      const words = isDouble ? first.slice(1) : first;
      if (words !== '') open.push(words);
      for (const line of more) {
        endLine();
        if (line !== '') open.push(line);
      }
    },
    end() {
      endLine();
      return lines.join('\n').trim();
    },
  };
}

/**
 * The text of an HTML page, with the targets of its links. One pass from left to right; nothing is
 * executed, loaded or trusted. Time grows with the page's length, and other work runs every 5 ms.
 */
export async function htmlToText(html: string): Promise<string> {
  const steps = textSteps(html);
  for (let untilMs = performance.now() + SLICE_MS; ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < untilMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    untilMs = performance.now() + SLICE_MS;
  }
}

/** Yields after each small chunk of work. */
function* textSteps(html: string): Generator<void, string> {
  const out = createLines();
  const lowered: string[] = [];
  for (let at = 0; at < html.length; at += PIECE_CHARS) {
    lowered.push(lowerPiece(html.slice(at, at + PIECE_CHARS)));
    yield;
  }
  const lower = lowered.join('');
  /**
   * Positions after which a search found nothing: it is not repeated, so unclosed tags cannot make
   * it quadratic.
   */
  const noMore = new Set<string>();
  const find = (needle: string, from: number): number => {
    if (noMore.has(needle)) return -1;
    const found = lower.indexOf(needle, from);
    if (found === -1) noMore.add(needle);
    return found;
  };
  let href: string | undefined;
  let at = 0;
  while (at < html.length) {
    yield;
    const next = html.indexOf('<', at);
    const open = next === -1 ? html.length : next;
    while (at < open) {
      const end = endOfPiece(html, at, open);
      out.text(decodeEntities(html.slice(at, end).replace(/\s+/g, ' ')));
      at = end;
      yield;
    }
    if (next === -1) break;
    if (lower.startsWith('<!--', open)) {
      const close = find('-->', open + 4);
      at = close === -1 ? html.length : close + 3;
      continue;
    }
    const name = /^<(\/?)([a-z][a-z0-9-]{0,30})/.exec(lower.slice(open, open + 40));
    if (name === null && !lower.startsWith('<!', open) && !lower.startsWith('<?', open)) {
      out.text('<');
      at = open + 1;
      continue;
    }
    const close = find('>', open);
    if (close === -1) break;
    at = close + 1;
    if (name === null) continue;
    const [, slash, tag = ''] = name;
    if (slash === '' && DROPPED.has(tag)) {
      const end = find(`</${tag}`, at);
      const endClose = end === -1 ? -1 : find('>', end);
      at = endClose === -1 ? html.length : endClose + 1;
      continue;
    }
    if (BLOCKS.has(tag)) out.text(slash === '' && tag === 'li' ? '\n- ' : '\n');
    else if (tag === 'a' && slash === '')
      href = linkTarget(html.slice(open, Math.min(close, open + 3_000)));
    else if (tag === 'a' && href !== undefined) {
      out.text(` <${href}>`);
      href = undefined;
    }
  }
  return out.end();
}

function linkTarget(tag: string): string | undefined {
  const match = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag);
  const target = decodeEntities(match?.[1] ?? match?.[2] ?? match?.[3] ?? '').trim();
  return /^https?:\/\//i.test(target) && target.length <= 500 ? target : undefined;
}
