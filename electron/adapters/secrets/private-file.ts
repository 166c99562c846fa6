import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Content of a private file, or one sentence that says why it is not used. */
type PrivateFile =
  | { readonly kind: 'content'; readonly text: string }
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly hint: string;
      /** The same file may be readable in a moment. */
      readonly isPassing?: boolean;
    };

const PASSING: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO']);

const MAX_BYTES = 65_536;

/**
 * Reads a file that holds a secret, if only we can access it: a regular file, owned by this user,
 * with no access for anyone else. Checks the opened file, so nothing can be swapped in between.
 * Windows has no modes: there only the kind and the size are checked. Security: K2, K5.
 */
export async function readPrivateFile(path: string, maxBytes = MAX_BYTES): Promise<PrivateFile> {
  const refused = (reason: string, hint: string, isPassing = false): PrivateFile => ({
    kind: 'refused',
    reason,
    hint,
    ...(isPassing ? { isPassing } : {}),
  });
  try {
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const facts = await handle.stat();
      if (!facts.isFile())
        return refused(`${path} is not a file`, 'Use a file that contains the key.');
      if (process.platform !== 'win32') {
        const user = process.geteuid?.();
        if (user !== undefined && facts.uid !== user) {
          return refused(`${path} belongs to another user`, `Run: chown "$USER" '${path}'`);
        }
        if ((facts.mode & 0o077) !== 0) {
          const mode = (facts.mode & 0o777).toString(8).padStart(4, '0');
          return refused(
            `other users can read or change ${path} (mode ${mode})`,
            `Run: chmod 600 '${path}'`,
          );
        }
      }
      if (facts.size > maxBytes) {
        const size = `${String(Math.floor(maxBytes / 1_024))} KB`;
        return refused(`${path} is larger than ${size}`, 'A key file contains only the key.');
      }
      return { kind: 'content', text: await handle.readFile('utf8') };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    if (code === 'ENOENT') return { kind: 'missing' };
    const reason = `${path} cannot be read (${code})`;
    return refused(reason, 'Check the path and its permissions.', PASSING.has(code));
  }
}
