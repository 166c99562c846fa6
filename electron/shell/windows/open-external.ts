/** The only place that hands an address to the browser (W6). */
import { shell } from 'electron';
import type { WebLink } from './open-link';

/** Pages on which people make a key for a provider. Nothing else of Holdfast is on the web. */
const EXTERNAL_HOSTS: ReadonlySet<string> = new Set([
  'platform.openai.com',
  'console.anthropic.com',
  'aistudio.google.com',
]);

/** True for an https address on exactly one of the allowed hosts, without credentials or port. */
export function isAllowedExternal(text: string): boolean {
  if (text.length > 2000) return false;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return false; // Not an address at all.
  }
  return (
    url.protocol === 'https:' &&
    url.username === '' &&
    url.password === '' &&
    url.port === '' &&
    EXTERNAL_HOSTS.has(url.hostname)
  );
}

/** Opens an allowed address in the browser; anything else does nothing and answers false. */
export function openAllowedExternal(text: string): boolean {
  if (!isAllowedExternal(text)) return false;
  void shell.openExternal(text);
  return true;
}

/** Opens a link of an answer; call it after the person has seen its host and said yes. */
export const openConfirmed = (link: WebLink): Promise<void> => shell.openExternal(link.url);
