import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { HoldfastError } from '../../engine/kernel/errors';
import { readPrivateFile } from '../secrets';

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const FORM = /^[A-Za-z0-9_-]{32,200}$/;

/**
 * The token that clients show, in a file that only this user can read. It stays from start to
 * start, as it stands in the settings of other programs; without the file there is a new one.
 * @throws DATA_DIR_UNSAFE where others could read it
 */
export async function openKeptToken(
  path: string,
  whose: string,
): Promise<{ accepts(candidate: string | undefined): boolean }> {
  const digest = sha256(await readOrMake(path, whose));
  return {
    accepts: (candidate) => candidate !== undefined && timingSafeEqual(sha256(candidate), digest),
  };
}

async function readOrMake(path: string, whose: string): Promise<string> {
  const file = await readPrivateFile(path);
  if (file.kind === 'refused') {
    throw new HoldfastError('DATA_DIR_UNSAFE', `The token ${whose} is not used: ${file.reason}.`, {
      hint: file.hint,
    });
  }
  const known = file.kind === 'missing' ? '' : file.text.trim();
  if (FORM.test(known)) return known;
  const token = randomBytes(32).toString('hex');
  const aside = `${path}.${randomBytes(4).toString('hex')}`;
  writeFileSync(aside, `${token}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(aside, path);
  return token;
}
