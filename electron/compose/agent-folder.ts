import { homedir } from 'node:os';
import { isAbsolute, normalize } from 'node:path';
import { resolvePath } from '../data-dir';
import { HoldfastError } from '../engine/kernel/errors';

/**
 * The folder of an agent as it is stored: absolute, `~` read as the home. A relative one would mean
 * another folder at each start. @throws HoldfastError INPUT_INVALID
 */
export function storedFolder(written: string): string {
  if (isAbsolute(written)) return normalize(written);
  if (/^~($|[/\\])/.test(written)) return resolvePath(written, homedir());
  throw new HoldfastError('INPUT_INVALID', `The folder "${written.slice(0, 200)}" is relative.`, {
    hint: 'Nothing was changed. Enter the full path of the folder, or one that starts with ~/.',
  });
}
