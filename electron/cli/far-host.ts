/**
 * `--host box`: the command runs on another computer, with the Holdfast there, through the system's `ssh`
 * with its settings, keys and agent. Nothing listens on a network, and the far side owns everything: what
 * ends here changes nothing there. HO-01, HO-03
 */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { parseAddress, sshArguments, type FarAddress } from '../../shared/ssh-address';
import { HoldfastError } from '../engine/kernel/errors';
import { resolveAliases, wordPositions } from './aliases';
import type { ExitCode } from './exit-codes';
import { EXIT } from './exit-codes';
import { createFarText } from './far-text';
import type { CliIo, ProgramEnvironment } from './io';
import { inertLine } from './render';

/** The host that `--host` names, and the arguments without it. */
export function splitHost(argv: readonly string[]): {
  readonly host?: string;
  readonly rest: readonly string[];
} {
  const end = argv.indexOf('--');
  if (namesMailServer(argv)) return { rest: argv };
  const at = argv.findIndex((one) => one === '--host' || one.startsWith('--host='));
  if (at < 0 || (end >= 0 && at > end)) return { rest: argv };
  const given = argv[at] ?? '';
  const isJoined = given.startsWith('--host=');
  return {
    host: isJoined ? given.slice('--host='.length) : (argv[at + 1] ?? ''),
    rest: [...argv.slice(0, at), ...argv.slice(at + (isJoined ? 1 : 2))],
  };
}

/** For these commands `--host` is an option of their own: the host of a mail server. */
function namesMailServer(argv: readonly string[]): boolean {
  const args = resolveAliases(argv);
  const [family, verb] = wordPositions(args).map((at) => args[at] ?? '');
  return family === 'channels' && ['add', 'edit', 'set'].includes(verb ?? '');
}

/** Exit codes of ssh if ssh itself failed, and of a shell that does not find the program. */
const SSH_FAILED = 255;
const NO_PROGRAM = 127;

export const unreachable = (host: string, why: string): HoldfastError =>
  new HoldfastError('HOST_UNREACHABLE', `${host} could not be reached${why}.`, {
    hint: `Try it yourself: ssh ${host}`,
    retryable: true,
  });

const notInstalled = (host: string): HoldfastError =>
  new HoldfastError('HOST_UNREACHABLE', `${host} has no Holdfast on its PATH.`, {
    hint: 'Install it there, or add it to the PATH that commands over ssh use.',
  });

interface FarTarget {
  readonly host: string;
  readonly address: FarAddress;
  /** The command there writes JSON. */
  readonly isJson: boolean;
}

/** What is written to this terminal is made harmless; a pipe gets the bytes as they come. */
function showFar(from: Readable | null, to: CliIo['stdout'], isJson: boolean): void {
  if (from === null) return;
  const text = createFarText(isJson);
  from.on('data', (chunk: Buffer) => to.write(text.push(chunk)));
  from.on('end', () => to.write(text.end()));
}

/** Runs one command there, with this terminal. @throws HOST_UNREACHABLE */
export async function runFar(
  io: Pick<CliIo, 'stdin' | 'stdout' | 'stderr'>,
  env: ProgramEnvironment,
  { host, address, isJson }: FarTarget,
  args: readonly string[],
): Promise<ExitCode> {
  const isTerminal = io.stdin.isTTY === true && io.stdout.isTTY;
  const code = await new Promise<number>((resolve, reject) => {
    const outputs = [io.stdout, io.stderr].map(({ isTTY }) => (isTTY ? 'pipe' : 'inherit'));
    const child = spawn('ssh', [...sshArguments(address, args, { isTerminal })], {
      env,
      stdio: ['inherit', ...outputs],
    });
    showFar(child.stdout, io.stdout, isJson);
    showFar(child.stderr, io.stderr, false);
    child.on('error', () => {
      reject(
        new HoldfastError('HOST_UNREACHABLE', 'There is no ssh on this computer.', {
          hint: 'Install the OpenSSH client.',
        }),
      );
    });
    child.on('close', (ended) => resolve(ended ?? SSH_FAILED));
  });
  if (code === SSH_FAILED) throw unreachable(host, '');
  if (code === NO_PROGRAM) throw notInstalled(host);
  return Object.values(EXIT).find((one) => one === code) ?? EXIT.failed;
}

/** Result of a question to a host. */
type FarAnswer =
  | { readonly kind: 'answer'; readonly value: unknown }
  /** Its state is not known. */
  | { readonly kind: 'unreachable'; readonly problem: string }
  /** It answered, but the answer cannot be shown. */
  | { readonly kind: 'strange'; readonly problem: string };

/** Maximum length of an answer that is read, and of an error message of ssh. */
const MAX_CHARS = 16_000_000;
const MAX_COMPLAINT_CHARS = 4_000;

interface Ended {
  readonly code: number | null;
  readonly told: string;
  readonly complaint: string;
}

/** Asks the host one question. Never throws: a problem is a sentence about the host. */
export async function askFar(
  env: ProgramEnvironment,
  host: string,
  address: FarAddress,
  args: readonly string[],
  timeoutMs: number,
): Promise<FarAnswer> {
  const ended = await new Promise<Ended | Error>((resolve) => {
    const child = spawn('ssh', [...sshArguments(address, args, { isTerminal: false })], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      // A process that hangs may not react to any other signal.
      killSignal: 'SIGKILL',
    });
    child.on('error', resolve);
    if (child.pid === undefined) return; // it may have no pipes
    let told = '';
    let complaint = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      told += part;
      if (told.length > MAX_CHARS) child.kill('SIGKILL');
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      complaint = (complaint + part).slice(-MAX_COMPLAINT_CHARS);
    });
    child.on('close', (code) => resolve({ code, told, complaint }));
  });
  return judgeAnswer(host, ended, timeoutMs);
}

const ANSWER_MS = 20_000;

/** The same for an address as it is written in the settings. */
export async function askAt(
  env: ProgramEnvironment,
  host: string,
  address: string,
  args: readonly string[],
): Promise<FarAnswer> {
  const where = parseAddress(address);
  return where === undefined
    ? { kind: 'unreachable', problem: `${address} is not the address of a host.` }
    : askFar(env, host, where, args, ANSWER_MS);
}

/** What the exit of ssh says about the host. Pure. HO-02 */
export function judgeAnswer(host: string, ended: Ended | Error, timeoutMs: number): FarAnswer {
  if (ended instanceof Error)
    return { kind: 'unreachable', problem: 'There is no ssh on this computer.' };
  const { code, told, complaint } = ended;
  if (told.length > MAX_CHARS)
    return { kind: 'strange', problem: `${host} sent more than 16 MB. None of it is shown.` };
  if (code === null) {
    const seconds = String(Math.round(timeoutMs / 1_000));
    return { kind: 'unreachable', problem: `${host} did not answer within ${seconds} s.` };
  }
  if (code === NO_PROGRAM) return { kind: 'unreachable', problem: notInstalled(host).message };
  if (code === SSH_FAILED) {
    const why = inertLine(complaint.trim().split('\n').at(-1) ?? '').slice(0, 300);
    return {
      kind: 'unreachable',
      problem: unreachable(host, why === '' ? '' : `: ${why}`).message,
    };
  }
  try {
    return { kind: 'answer', value: JSON.parse(told) };
  } catch {
    const what = told === '' ? 'sent no response' : 'sent an unexpected response';
    return { kind: 'strange', problem: `${host} ${what}, and ended with ${String(code)}.` };
  }
}

const farError = z.object({ error: z.object({ message: z.string() }) });

/**
 * Why an answer cannot be shown: the error of the other side, or that its version differs. Pure.
 */
export function problemOf(host: string, answer: unknown): string {
  const told = farError.safeParse(answer);
  if (told.success) return inertLine(told.data.error.message).slice(0, 500);
  return `${host} runs a version of Holdfast that is not compatible with this one.`;
}

/** Entries of one host that are shown at once. */
const MAX_ENTRIES = 2_000;

/**
 * Reads a list entry by entry. An entry that this version does not understand, or one too many, is
 * counted and does not affect the others. Undefined if it is no such list. Pure. HO-02
 */
export function readEntries<T>(
  host: string,
  answer: unknown,
  { list, entry }: { readonly list: string; readonly entry: z.ZodType<T> },
): { readonly entries: readonly T[]; readonly problem?: string } | undefined {
  const found = z.object({ [list]: z.array(z.unknown()) }).safeParse(answer);
  if (!found.success) return undefined;
  const all = found.data[list] ?? [];
  const entries = all.slice(0, MAX_ENTRIES).flatMap((one) => {
    const read = entry.safeParse(one);
    return read.success ? [read.data] : [];
  });
  if (entries.length === all.length) return { entries };
  const missing = String(all.length - entries.length);
  return {
    entries,
    problem: `${missing} of ${String(all.length)} entries are not shown: ask ${host} itself, with --host ${host}.`,
  };
}
