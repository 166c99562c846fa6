/** Input that a command reads from the user or a pipe. */
import { HoldfastError, invalidInput } from '../engine/kernel/errors';
import type { CliIo } from './io';
import type { KeyView } from '../../shared/types';
import type { Run } from './command';
import { inertLine } from './render';

/** What to do if a prompt or a payload on standard input is rejected. */
const NOT_SENT =
  'Nothing was sent. Put long text into a file in the workspace and mention its path.';

/**
 * All of standard input, at most `maxBytes` of UTF-8. `hint` says what to do if it is not. @throws
 * HoldfastError INPUT_INVALID
 */
export async function readAll(io: CliIo, maxBytes: number, hint = NOT_SENT): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin) {
    const piece = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    bytes += piece.length;
    if (bytes > maxBytes) {
      throw invalidInput(`Standard input is longer than ${String(maxBytes)} bytes.`, hint);
    }
    chunks.push(piece);
  }
  return utf8(Buffer.concat(chunks), 'Standard input');
}

/**
 * @throws HoldfastError INPUT_INVALID for damaged text, which would otherwise be taken as intended
 */
export function utf8(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new HoldfastError('INPUT_INVALID', `${name} is not UTF-8 text.`, {
      hint: 'Nothing was sent. Convert it to UTF-8 and try again, for example with iconv.',
      cause,
    });
  }
}

/**
 * The first line of standard input; undefined if the input ends or `timeoutMs` pass without one.
 */
export function readLine(io: CliIo, timeoutMs: number | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const settle = (line: string | undefined): void => {
      clearTimeout(timer);
      io.stdin.removeListener('data', take);
      io.stdin.removeListener('end', end);
      io.stdin.pause();
      resolve(line);
    };
    const take = (chunk: Buffer | string): void => {
      text += chunk.toString();
      const at = text.indexOf('\n');
      if (at !== -1) settle(text.slice(0, at));
      else if (text.length > 10_000) settle(undefined);
    };
    const end = (): void => settle(text === '' ? undefined : text);
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => settle(undefined), timeoutMs);
    io.stdin.on('data', take);
    io.stdin.on('end', end);
    io.stdin.resume();
  });
}

/** Time limit for an answer on a pipe, which has no user to wait for. */
const PIPED_ANSWER_MS = 5_000;

/**
 * Asks a user at a terminal; any other caller must pass `--yes`. Anything but `yes` is a no.
 * @throws CONFIRMATION_NEEDED
 */
export async function confirm(
  io: CliIo,
  isConfirmed: boolean,
  question: string,
  without: { readonly message: string; readonly hint: string },
): Promise<void> {
  if (isConfirmed) return;
  const isTTY = io.stdin.isTTY === true;
  if (isTTY) io.stderr.write(`${question}\nType yes to continue: `);
  const answer = await readLine(io, isTTY ? undefined : PIPED_ANSWER_MS);
  if (answer?.trim() === 'yes') return;
  throw new HoldfastError('CONFIRMATION_NEEDED', without.message, { hint: without.hint });
}

/** Reads a secret: from a pipe as it is, from a terminal without showing it. */
async function readSecret(io: CliIo, question: string): Promise<string> {
  const { stdin } = io;
  if (stdin.isTTY !== true || !stdin.setRawMode)
    return readAll(io, 16_384, 'Nothing was stored. Pipe only the key.');
  io.stderr.write(question);
  stdin.setRawMode(true);
  try {
    return await new Promise<string>((resolve, reject) => {
      let text = '';
      const take = (chunk: Buffer | string): void => {
        for (const char of chunk.toString()) {
          if (char === '\r' || char === '\n' || char === '\u0004') {
            stdin.removeListener('data', take);
            resolve(text);
            return;
          }
          if (char === '\u0003') {
            stdin.removeListener('data', take);
            reject(new HoldfastError('CONFIRMATION_NEEDED', 'Canceled. Nothing was changed.'));
            return;
          }
          text = char === '\u007f' || char === '\b' ? text.slice(0, -1) : text + char;
        }
      };
      stdin.on('data', take);
      stdin.resume();
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    io.stderr.write('\n');
  }
}

// Keys, tokens and secrets on the command line: they are stored, and only their last characters are
// shown.

const KEPT: Readonly<Record<KeyView['storage'], string>> = {
  'os-keyring': " in this computer's keyring",
  'session-only': ' until Holdfast stops; it is not saved',
  'plaintext-consented': ' in a file of the data directory, not encrypted',
  environment: ' from the environment',
  file: ' from a file',
  none: '',
};

/** Describes a stored key. */
export function keyText(key: KeyView): string {
  const have = key.present ? `…${inertLine(key.last4 ?? '')}${KEPT[key.storage]}` : 'no key';
  return key.problem === undefined ? have : `${have} [${inertLine(key.problem)}]`;
}

/**
 * The key: an environment variable named by the caller, the terminal, or standard input. Never an
 * argument.
 */
export async function keyOf(
  run: Run,
  variable: string | undefined,
  question = 'Key (not shown): ',
): Promise<string> {
  const key = variable === undefined ? await readSecret(run.io, question) : run.io.env[variable];
  const trimmed = key?.trim() ?? '';
  if (trimmed !== '') return trimmed;
  throw invalidInput(
    variable === undefined
      ? 'Standard input contained no key.'
      : `The environment variable ${variable} is empty.`,
    'Nothing was changed. Pipe the key in, or specify a variable with --from-env NAME.',
  );
}
