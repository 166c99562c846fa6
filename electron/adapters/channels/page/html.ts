/**
 * Answer pages for a user who is away: plain HTML that works without scripts, in both themes. Pure.
 */
import { createHash } from 'node:crypto';
import type { QuestionFact } from '../../../ports/channel';

/** Escapes agent text for any place in the page. */
const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${String(sign.charCodeAt(0))};`);

const STYLE = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:40rem;padding:1.25rem}
h1{font-size:1.25rem;margin:0 0 1rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem .75rem;margin:0 0 1rem}
dt{opacity:.7}dd{margin:0;overflow-wrap:anywhere}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;border-radius:6px;padding:.75rem;max-height:20rem;overflow:auto}
form{display:inline-block;margin:0 .5rem .5rem 0}
button{font:inherit;min-height:44px;padding:.5rem 1rem;border:1px solid;border-radius:6px;background:none;color:inherit;cursor:pointer}
.note{white-space:pre-wrap;overflow-wrap:anywhere}
`;

/** A page may only show itself and send its forms here; one of our scripts only if requested. */
export function pageHeaders(hasScript: boolean): Readonly<Record<string, string>> {
  const style = createHash('sha256').update(STYLE).digest('base64');
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'sha256-${style}'`,
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      ...(hasScript ? ["script-src 'self'", "worker-src 'self'", "connect-src 'self'"] : []),
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // Its own forms send a referrer; no other site learns the link.
    'Referrer-Policy': 'same-origin',
    'X-Robots-Tag': 'noindex, nofollow',
  };
}

/** One answer, with the token that its form sends. */
export interface PageButton {
  readonly label: string;
  readonly token: string;
}

interface PageContent {
  readonly title: string;
  readonly notes?: readonly string[];
  readonly facts?: readonly QuestionFact[];
  readonly input?: string;
  /** Target of the buttons' forms. */
  readonly action?: string;
  readonly buttons?: readonly PageButton[];
  /** A script of this server, and its data. */
  readonly script?: { readonly src: string; readonly facts: Readonly<Record<string, string>> };
}

export function pageHtml({
  title,
  notes = [],
  facts = [],
  input,
  action = '',
  buttons = [],
  script,
}: PageContent): string {
  const rows = facts.map(
    ({ label, text }) => `<dt>${escaped(label)}</dt><dd>${escaped(text)}</dd>`,
  );
  const forms = buttons.map(
    ({ label, token }) =>
      `<form method="post" action="${escaped(action)}"><input type="hidden" name="token" value="${escaped(token)}"><button>${escaped(label)}</button></form>`,
  );
  const data = Object.entries(script?.facts ?? {}).map(
    ([name, value]) => ` data-${name}="${escaped(value)}"`,
  );
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title><style>${STYLE}</style></head><body><main>`,
    `<h1>${escaped(title)}</h1>`,
    ...notes.map((note) => `<p class="note">${escaped(note)}</p>`),
    rows.length === 0 ? '' : `<dl>${rows.join('')}</dl>`,
    input === undefined ? '' : `<pre tabindex="0">${escaped(input)}</pre>`,
    ...forms,
    script === undefined
      ? ''
      : `<p><button id="subscribe"${data.join('')}>Subscribe this browser</button></p><p id="said" role="status"></p><noscript><p>Notifications need JavaScript on this page.</p></noscript><script src="${escaped(script.src)}"></script>`,
    '</main></body></html>\n',
  ].join('');
}
