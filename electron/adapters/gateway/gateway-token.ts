import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { HoldfastError } from '../../engine/kernel/errors';
import { readPrivateFile } from '../secrets';

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const FORM = /^[A-Za-z0-9_-]{32,200}$/;

/**
 * The token that clients show, in a file that only this user can read. It stays from start to
 * start, as it stands in the settings of agents; without the file there is a new one.
 * @throws DATA_DIR_UNSAFE where others could read it
 */
export async function openGatewayToken(
  path: string,
): Promise<{ accepts(candidate: string | undefined): boolean }> {
  const digest = sha256(await readOrMake(path));
  return {
    accepts: (candidate) => candidate !== undefined && timingSafeEqual(sha256(candidate), digest),
  };
}

async function readOrMake(path: string): Promise<string> {
  const file = await readPrivateFile(path);
  if (file.kind === 'refused') {
    throw new HoldfastError(
      'DATA_DIR_UNSAFE',
      `The token of the gateway is not used: ${file.reason}.`,
      {
        hint: file.hint,
      },
    );
  }
  const known = file.kind === 'missing' ? '' : file.text.trim();
  if (FORM.test(known)) return known;
  const token = randomBytes(32).toString('hex');
  const aside = `${path}.${randomBytes(4).toString('hex')}`;
  writeFileSync(aside, `${token}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(aside, path);
  return token;
}

/** The token as clients can show it: as their key, in either dialect, or in the path. */
export function tokenOf(request: IncomingMessage, inPath: string | undefined): string | undefined {
  if (inPath !== undefined) return inPath;
  const bearer = /^Bearer ([\x21-\x7e]{1,400})$/i.exec(request.headers.authorization ?? '')?.[1];
  const key = request.headers['x-api-key'];
  return bearer ?? (typeof key === 'string' ? key : undefined);
}
