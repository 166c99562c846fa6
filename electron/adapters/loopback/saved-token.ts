import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { HoldfastError } from '../../engine/kernel/errors';
import { writeDurably } from '../../disk/durable-file';
import { readPrivateFile } from '../secrets/private-file';

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
interface KeptToken {
  accepts(candidate: string | undefined): boolean;
}

const FORM = /^[A-Za-z0-9_-]{32,200}$/;

/**
 * The token that clients present, in a file that only this user can read. It is the same at every
 * start, because the settings of other programs contain it; a missing file is created with a new
 * token. @throws DATA_DIR_UNSAFE if others could read it
 */
export async function openKeptToken(path: string, whose: string): Promise<KeptToken> {
  const digest = sha256(await readOrMakeToken(path, whose));
  return {
    accepts: (candidate) => candidate !== undefined && timingSafeEqual(sha256(candidate), digest),
  };
}

/** The same text at every start. @throws DATA_DIR_UNSAFE if others could read it */
export async function readOrMakeToken(path: string, whose: string): Promise<string> {
  const file = await readPrivateFile(path);
  if (file.kind === 'refused') {
    throw new HoldfastError('DATA_DIR_UNSAFE', `The token ${whose} is not used: ${file.reason}.`, {
      hint: file.hint,
    });
  }
  const known = file.kind === 'missing' ? '' : file.text.trim();
  if (FORM.test(known)) return known;
  return replaceToken(path);
}

/** The previous token becomes invalid with the next read of the file. */
export async function replaceToken(path: string): Promise<string> {
  const token = randomBytes(32).toString('hex');
  await writeDurably(path, `${token}\n`);
  return token;
}

/** Whether `hash`, SHA-256 in hex, is that of `candidate`; takes the same time for any input. */
export const isTokenOf = (candidate: string, hash: string): boolean => {
  const kept = Buffer.from(hash, 'hex');
  return kept.length === 32 && timingSafeEqual(sha256(candidate), kept);
};
