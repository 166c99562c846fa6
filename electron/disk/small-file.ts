import fs from 'node:fs';

const MAX_BYTES = 65_536;
/** Absent on Windows, where symbolic links need a privilege. */
const NO_FOLLOW = (fs.constants as Partial<typeof fs.constants>).O_NOFOLLOW ?? 0;
/** A named pipe at the path must not hang the start. */
const NO_WAIT = (fs.constants as Partial<typeof fs.constants>).O_NONBLOCK ?? 0;

type SmallFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/** Text of a small regular file; follows a link only if one may be there, never blocks or throws. */
export function readSmallFile(
  target: string,
  { maxBytes = MAX_BYTES, mayLink = false } = {},
): SmallFile {
  let descriptor: number;
  try {
    descriptor = fs.openSync(target, fs.constants.O_RDONLY | NO_WAIT | (mayLink ? 0 : NO_FOLLOW));
  } catch (error) {
    const reason = codeOf(error);
    // The second: what should be its folder is a file.
    return ['ENOENT', 'ENOTDIR'].includes(reason)
      ? { kind: 'absent' }
      : { kind: 'unreadable', reason };
  }
  try {
    const stat = fs.fstatSync(descriptor);
    if (!stat.isFile()) return { kind: 'unreadable', reason: 'not a file' };
    if (stat.size > maxBytes) return { kind: 'unreadable', reason: 'too large' };
    return { kind: 'text', text: fs.readFileSync(descriptor, 'utf8') };
  } catch (error) {
    return { kind: 'unreadable', reason: codeOf(error) };
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The settings are checked by their own reader, which has the same limit. */
const MAX_SETTINGS_BYTES = 1_000_000;

/** Text of `config.json`, for what is needed before the settings are loaded; empty if unreadable. */
export function readSettingsText(path: string): string {
  const file = readSmallFile(path, { maxBytes: MAX_SETTINGS_BYTES, mayLink: true });
  return file.kind === 'text' ? file.text : '';
}
