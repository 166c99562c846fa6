/** Links in answers. An agent wrote them, so the user sees the host before anything opens (W6). */
import { say } from '../say';
import { parsedUrl } from '../../../shared/parsed-url';

export interface WebLink {
  /** The host as the browser will resolve it: names outside ASCII in their `xn--` form. */
  readonly host: string;
  /** The whole address, in ASCII. */
  readonly url: string;
  /** What is unusual about it; empty if nothing is. */
  readonly warning: string;
}

const LONGEST = 2_000;

/** Undefined for everything except a web address without credentials. */
export function readWebLink(text: string): WebLink | undefined {
  const url = text.length > LONGEST ? undefined : parsedUrl(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined;
  if (url.username !== '' || url.password !== '' || url.host === '') return undefined;
  return { host: url.host, url: url.href.slice(0, LONGEST), warning: warningOf(url) };
}

function warningOf(url: URL): string {
  const labels = url.hostname.split('.');
  if (labels.some((label) => label.startsWith('xn--'))) return say('dialog.link.lookalike');
  return url.protocol === 'http:' ? say('dialog.link.plain') : '';
}

interface LinkOpenerDeps {
  readonly confirm: (link: WebLink) => Promise<boolean>;
  readonly open: (link: WebLink) => Promise<void>;
}

/** One question at a time: while one is open, all other links are declined. */
export function createLinkOpener({ confirm, open }: LinkOpenerDeps) {
  let isAsking = false;
  return async (text: string): Promise<boolean> => {
    const link = readWebLink(text);
    if (link === undefined || isAsking) return false;
    isAsking = true;
    try {
      if (!(await confirm(link))) return false;
      await open(link);
      return true;
    } finally {
      isAsking = false;
    }
  };
}
