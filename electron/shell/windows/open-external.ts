/** The only place that hands an address to the browser (W6). */
import { shell } from 'electron';
import type { WebLink } from './open-link';
import { parsedUrl } from '../../../shared/parsed-url';

/** Pages on which users create a key for a provider. Holdfast opens no other pages automatically. */
const EXTERNAL_HOSTS: ReadonlySet<string> = new Set([
  'platform.openai.com',
  'console.anthropic.com',
  'aistudio.google.com',
]);

/** True for an https address on exactly one of the allowed hosts, without credentials or port. */
export function isAllowedExternal(text: string): boolean {
  const url = text.length > 2000 ? undefined : parsedUrl(text);
  return (
    url?.protocol === 'https:' &&
    url.username === '' &&
    url.password === '' &&
    url.port === '' &&
    EXTERNAL_HOSTS.has(url.hostname)
  );
}

/**
 * Opens an allowed address in the browser. For any other address it does nothing and returns false.
 */
export function openAllowedExternal(text: string): boolean {
  if (!isAllowedExternal(text)) return false;
  void shell.openExternal(text);
  return true;
}

/** Opens a link of an answer. Call it only after the user has seen its host and agreed. */
export const openConfirmed = (link: WebLink): Promise<void> => shell.openExternal(link.url);
