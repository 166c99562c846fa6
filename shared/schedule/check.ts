import { quoted, type Refusal } from './refusal';

/** Longer checks are rejected. */
export const MAX_CHECK = 2_000;

/** A task's check before it runs. */
export type Check =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'git'; readonly place: string; readonly ref: string };

type ParsedCheck = { readonly ok: true; readonly check: Check } | Refusal;

const ACCEPTED =
  'use for example "command: ls ~/inbox", "https://example.org/feed" or "git: ~/project main".';

const refused = (input: string, why: string): Refusal => ({
  ok: false,
  code: 'syntax',
  error: `${quoted(input)} is not a check: ${why}`,
});

/**
 * Parses a check as users, agents and scripts write it: one grammar for command line, window, file
 * and tools. Never throws; an unknown form is rejected with the accepted ones. Pure. Source: GT-01,
 * GT-04.
 */
export function parseCheck(input: string): ParsedCheck {
  const text = input.trim();
  if (text.length > MAX_CHECK)
    return refused(text, `it is longer than ${String(MAX_CHECK)} characters.`);
  if (text.includes('\0')) return refused(text, ACCEPTED);
  const bare = /^https?:\/\//i.test(text) ? `url: ${text}` : text;
  const found = /^(command|url|git):\s*(.+)$/is.exec(bare);
  const rest = found?.[2]?.trim() ?? '';
  switch (found?.[1]?.toLowerCase()) {
    case 'command':
      return { ok: true, check: { kind: 'command', command: rest } };
    case 'url':
      return readUrl(text, rest);
    case 'git':
      return readGit(text, rest);
    default:
      return refused(text, ACCEPTED);
  }
}

function readUrl(input: string, url: string): ParsedCheck {
  const isWeb = /^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/i.test(url) && URL.canParse(url);
  return isWeb
    ? { ok: true, check: { kind: 'url', url } }
    : refused(input, 'a URL starts with https:// or http://, and has no password and no spaces.');
}

/** A folder or address, and the branch or tag: `HEAD` if it is left out. */
function readGit(input: string, text: string): ParsedCheck {
  const found = /^(?:"([^"]+)"|(\S+))(?:\s+(\S+))?$/.exec(text);
  const place = found?.[1] ?? found?.[2] ?? '';
  const ref = found?.[3] ?? 'HEAD';
  // A name that starts with a dash would be a git option; `::` selects a helper program.
  const isPlain =
    place !== '' && !/^-|::|[\n\r]/.test(place) && /^[^-~^:?*[\\\s][^~^:?*[\\\s]*$/.test(ref);
  return isPlain
    ? { ok: true, check: { kind: 'git', place, ref } }
    : refused(
        input,
        'write "git:", a folder or address, and a branch, as in "git: ~/project main".',
      );
}
