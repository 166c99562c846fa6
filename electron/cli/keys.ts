/** Keys, tokens and secrets on the command line: they go in, and only their last characters come out. */
import type { KeyView } from '../../shared/types';
import { HoldfastError } from '../engine/kernel/errors';
import type { Run } from './command';
import { readSecret } from './input';
import { inertLine } from './render';

const KEPT: Readonly<Record<KeyView['storage'], string>> = {
  'os-keyring': ' in the keyring of this computer',
  'session-only': ' until Holdfast stops; nothing keeps it',
  'plaintext-consented': ' in a file of the data folder, not encrypted',
  environment: ' from the environment',
  file: ' from a file',
  none: '',
};

/** What is told of a stored key. */
export function keyText(key: KeyView): string {
  const have = key.present ? `…${inertLine(key.last4 ?? '')}${KEPT[key.storage]}` : 'no key';
  return key.problem === undefined ? have : `${have} [${inertLine(key.problem)}]`;
}

/** The key: an environment variable named by the caller, the terminal, or standard input. Never an argument. */
export async function keyOf(
  run: Run,
  variable: string | undefined,
  question = 'Key (not shown): ',
): Promise<string> {
  const key = variable === undefined ? await readSecret(run.io, question) : run.io.env[variable];
  const trimmed = key?.trim() ?? '';
  if (trimmed !== '') return trimmed;
  throw new HoldfastError(
    'INPUT_INVALID',
    variable === undefined
      ? 'No key came on standard input.'
      : `The environment variable ${variable} is empty.`,
    { hint: 'Nothing was changed. Pipe the key in, or name a variable with --env NAME.' },
  );
}
