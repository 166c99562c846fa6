const NAMED: Readonly<Record<string, string>> = {
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
};

/** Their content is not text for reading. */
const DROPPED = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object']);

/** They start a new line. */
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

/**
 * The text of an HTML page, with the targets of its links. One pass from left to right; nothing is
 * executed, loaded or trusted. Time grows with the length of the page.
 */
export function htmlToText(html: string): string {
  const out: string[] = [];
  // Only ASCII: a full toLowerCase can change the length, and places would no longer match.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  /** Where a search found nothing: it is not made again, so unclosed tags cannot make it quadratic. */
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
    const open = html.indexOf('<', at);
    out.push(decodeEntities(html.slice(at, open === -1 ? html.length : open).replace(/\s+/g, ' ')));
    if (open === -1) break;
    if (lower.startsWith('<!--', open)) {
      const close = find('-->', open + 4);
      at = close === -1 ? html.length : close + 3;
      continue;
    }
    const name = /^<(\/?)([a-z][a-z0-9-]{0,30})/.exec(lower.slice(open, open + 40));
    if (name === null && !lower.startsWith('<!', open) && !lower.startsWith('<?', open)) {
      out.push('<');
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
    if (BLOCKS.has(tag)) out.push(slash === '' && tag === 'li' ? '\n- ' : '\n');
    else if (tag === 'a' && slash === '')
      href = linkTarget(html.slice(open, Math.min(close, open + 3_000)));
    else if (tag === 'a' && href !== undefined) {
      out.push(` <${href}>`);
      href = undefined;
    }
  }
  return out
    .join('')
    .split('\n')
    .map((line) => line.replace(/ +/g, ' ').trim())
    .filter((line, index, lines) => line !== '' || (index > 0 && lines[index - 1] !== ''))
    .join('\n')
    .trim();
}

function linkTarget(tag: string): string | undefined {
  const match = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag);
  const target = decodeEntities(match?.[1] ?? match?.[2] ?? match?.[3] ?? '').trim();
  return /^https?:\/\//i.test(target) && target.length <= 500 ? target : undefined;
}
