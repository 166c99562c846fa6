/**
 * How a command reaches the engine: the socket of the running instance, or the data directory
 * itself while nothing runs.
 */
import { closeSync, constants, existsSync, openSync, opendirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EventPayload, Verb, VerbInput, VerbOutput } from '../../shared/contract';
import { quoted } from '../../shared/shell-quoted';
import { afterSilence } from '../../shared/silent-holder';
import { controlSocketPath, controlTokenPath } from '../control/address';
import type { ConnectResult, ControlClient } from '../control/client';
import { connectControl, readControlToken } from '../control/client';
import type { ControlEvent } from '../control/protocol';
import { distrustOf } from '../data-trust';
import { HoldfastError, stoppingError } from '../engine/kernel/errors';
import { holderRecord, holderUnread, isGone, type HolderRecord } from './holder';
import type { CliIo } from './io';

/**
 * `early` always works, even before the first start; `read` needs data; `decide` also works while
 * stopped and then holds the instance lock; `set` is the same for settings, which may exist before
 * any data; `running` needs the running instance.
 */
export type Access = 'early' | 'read' | 'decide' | 'set' | 'running';

/** A reached engine. */
export interface Reach {
  /** False if nothing runs and the answers come from disk. */
  readonly isRunning: boolean;
  call<V extends Verb>(verb: V, input: VerbInput<V>, timeoutMs?: number): Promise<VerbOutput<V>>;
  subscribe(events: readonly ControlEvent[]): Promise<void>;
  on<E extends ControlEvent>(event: E, listener: (payload: EventPayload<E>) => void): () => void;
  /** Never resolves while the engine stays reachable. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 2_000;
/** Another command holds the lock for a moment only; an instance that starts answers soon. */
const LOCK_WAIT_MS = 3_000;
const LOCK_POLL_MS = 50;
/** A start with a migration may take longer: the command then reports that. */
const START_WAIT_MS = 5_000;

/** An existing path that this account cannot read: the folder, something below it, or a parent. */
function closedPath(dataDir: string): string | undefined {
  const token = controlTokenPath(dataDir, process.platform);
  // The dot can be read only in a folder that this account may enter.
  const look = (folder: string) => (): void => {
    opendirSync(`${folder}/.`).closeSync();
  };
  const looks: readonly (readonly [string, () => unknown])[] = [
    [dataDir, look(dataDir)],
    [dirname(token), look(dirname(token))],
    // Opened, not asked for: what may be accessed is asked for the account that started the program.
    [token, () => closeSync(openSync(token, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)))],
  ];
  return looks.find(([, tryIt]) => {
    try {
      tryIt();
      return false;
    } catch (error) {
      // A missing path, or one that is not a folder, is handled by the code that uses it.
      return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
    }
  })?.[0];
}

/** Another account's folder: perhaps only its existence is known. */
function closedError(dataDir: string, closed: string): HoldfastError {
  const ownUid = process.geteuid?.();
  let owner: number | undefined;
  try {
    owner = statSync(closed).uid;
  } catch {
    owner = undefined; // a folder above it is closed, too
  }
  const whose =
    owner === undefined || owner === ownUid
      ? ''
      : `: it belongs to another account (uid ${String(owner)}, not ${String(ownUid)})`;
  return new HoldfastError(
    'DATA_DIR_UNUSABLE',
    `You don't have permission to read ${closed}${whose}. Nothing was changed. It is unknown whether Holdfast is running there.`,
    {
      hint: 'Run the command as the account that uses Holdfast there, or specify your own data directory with --data-dir.',
      facts: { path: closed, dataDir },
    },
  );
}

/** Tries the running instance of `dataDir`. Never throws. */
export async function connectRunning(dataDir: string, io: CliIo): Promise<ConnectResult> {
  const closed = closedPath(dataDir);
  if (closed !== undefined) return { kind: 'refused', error: closedError(dataDir, closed) };
  // Checked before anything in the folder is trusted: an address, a token, settings.
  const distrust = distrustOf(dataDir);
  if (distrust !== undefined) return { kind: 'refused', error: distrust };
  const token = readControlToken(controlTokenPath(dataDir, process.platform));
  const usual = controlSocketPath(dataDir, io.env, process.platform);
  // The address that the holder recorded, because another environment may compute another one.
  const announced = holderRecord(dataDir)?.socketPath;
  const addresses = announced === undefined || announced === usual ? [usual] : [announced, usual];
  let result: ConnectResult | undefined;
  for (const socketPath of addresses) {
    result = await connectControl({
      socketPath,
      token: token ?? '',
      version: io.version,
      timeoutMs: CONNECT_TIMEOUT_MS,
    });
    // A stopping Holdfast deletes the token first: a client in between was not rejected as a user.
    if (result.kind === 'refused' && token === undefined)
      return { kind: 'refused', error: stopping() };
    if (result.kind !== 'absent') return result;
  }
  return result as ConnectResult;
}

const stopping = (): HoldfastError =>
  stoppingError('Nothing was accepted. Try again when it is running.');

/**
 * A starting instance is ready soon, and this request has changed nothing: a command right after a
 * crash or start waits instead of failing. S2-48
 */
async function onceStarted<T>(ask: () => Promise<T>): Promise<T> {
  const endMs = performance.now() + START_WAIT_MS;
  for (;;) {
    try {
      return await ask();
    } catch (thrown) {
      const isStarting = thrown instanceof HoldfastError && thrown.code === 'STARTING';
      if (!isStarting || performance.now() > endMs) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
    }
  }
}

function overSocket(client: ControlClient): Reach {
  return {
    isRunning: true,
    call: (verb, input, timeoutMs) => onceStarted(() => client.call(verb, input, timeoutMs)),
    subscribe: (events) => client.subscribe(events),
    on: (event, listener) => client.on(event, listener),
    closed: client.closed,
    close: () => {
      client.close();
      return client.closed;
    },
  };
}

/** True if nothing has been accepted here yet. */
export const hasNoData = (dataDir: string): boolean => !existsSync(join(dataDir, 'holdfast.db'));

/** @throws HoldfastError DATA_DIR_UNUSABLE where something else than a folder is at that place */
function assertFolder(dataDir: string): void {
  let isFolder = true;
  try {
    isFolder = statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() ?? true;
  } catch {
    isFolder = false; // a path that leads nowhere: a circle of links, a name too long
  }
  if (isFolder) return;
  throw new HoldfastError('DATA_DIR_UNUSABLE', `${dataDir} is not a directory.`, {
    hint: 'Nothing was changed. Specify the data directory with --data-dir.',
  });
}

async function onDisk(
  access: Exclude<Access, 'running'>,
  dataDir: string,
  io: CliIo,
  silent?: Partial<HolderRecord>,
): Promise<Reach> {
  assertFolder(dataDir);
  const isMissing =
    access !== 'set' &&
    access !== 'early' &&
    hasNoData(dataDir) &&
    (access === 'decide' || !existsSync(join(dataDir, 'config.json')));
  if (isMissing) throw notRunning(dataDir, `No Holdfast data was found in ${dataDir} yet.`);
  const opened =
    access === 'read' || access === 'early'
      ? await io.offline.openReadOnly(dataDir, silent)
      : await io.offline.openForDecision(dataDir);
  return {
    isRunning: false,
    call: (verb, input) => opened.holdfast.call(verb, input, 'cli'),
    subscribe: () => Promise.resolve(),
    on: () => () => undefined,
    closed: new Promise(() => undefined),
    close: async () => opened.close(),
  };
}

/** The command with which a user starts Holdfast on this data. */
export const startLine = (dataDir: string): string =>
  `holdfast start --headless --data-dir ${quoted(dataDir)}`;

/** The error of a command that needs the running instance. */
export function notRunning(dataDir: string, what: string): HoldfastError {
  return new HoldfastError('NOT_RUNNING', what, {
    hint: `Start it with: ${startLine(dataDir)} (or open the app)`,
  });
}

/** Its record may name an address at which it would be found. */
export function unknownHolder(dataDir: string): HoldfastError | undefined {
  const unread = holderUnread(dataDir);
  return unread === undefined
    ? undefined
    : new HoldfastError(
        'DATA_DIR_UNUSABLE',
        `It is unknown whether Holdfast is running: ${unread}.`,
        {
          hint: `Nothing was changed. Check what it is: ls -ld ${quoted(join(dataDir, 'agent.lock'))}`,
        },
      );
}

/** The error of a command that needs the instance while that does not respond. */
export const silentError = (dataDir: string): HoldfastError =>
  new HoldfastError(
    'NOT_RUNNING',
    'Holdfast is running on this data directory but not responding. Everything it accepted is saved.',
    { hint: afterSilence(dataDir, holderRecord(dataDir)?.pid), retryable: true },
  );

/**
 * Like {@link onDisk}. If the holder of the lock does not listen, it is another command that
 * records its decision, or an instance that is starting or stopping: both take only a moment.
 */
async function onceUnlocked(
  access: Exclude<Access, 'running'>,
  dataDir: string,
  io: CliIo,
): Promise<Reach> {
  const endMs = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      return await onDisk(access, dataDir, io);
    } catch (thrown) {
      const isHeld = thrown instanceof HoldfastError && thrown.code === 'LOCK_HELD';
      if (!isHeld || performance.now() > endMs) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
      const result = await connectRunning(dataDir, io);
      if (result.kind === 'connected') return overSocket(result.client);
      if (result.kind === 'refused') throw result.error;
    }
  }
}

/**
 * Reaches the engine as `access` allows. @throws HoldfastError NOT_RUNNING, SENDER_REFUSED, LOCK_…
 */
export async function reach(
  access: Access,
  dataDir: string,
  io: CliIo,
  isQuiet = false,
): Promise<Reach> {
  const result = await connectRunning(dataDir, io);
  switch (result.kind) {
    case 'connected':
      return overSocket(result.client);
    case 'refused':
      // The instance runs and rejects this call: reading from disk instead would hide that.
      throw result.error;
    case 'silent':
      // The instance closed the connection because it is ending, so nothing will be running.
      return isGone(holderRecord(dataDir)?.pid)
        ? besideNobody(access, dataDir, io, isQuiet)
        : besideSilent(access, dataDir, io);
    case 'absent':
      // Another process owns the address, and a user who needs the running instance must be told.
      if (access === 'running' && result.error.code === 'DATA_DIR_UNSAFE') throw result.error;
      return besideNobody(access, dataDir, io, isQuiet);
    default:
      return result satisfies never;
  }
}

/** Reaches the engine for one piece of work. @throws as {@link reach} does */
export async function withReach<T>(
  access: Access,
  { dataDir, io }: { readonly dataDir: string; readonly io: CliIo },
  work: (engine: Reach) => Promise<T>,
  isQuiet = false,
): Promise<T> {
  const engine = await reach(access, dataDir, io, isQuiet);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

async function besideNobody(
  access: Access,
  dataDir: string,
  io: CliIo,
  isQuiet: boolean,
): Promise<Reach> {
  if (access === 'running') {
    throw (
      unknownHolder(dataDir) ??
      notRunning(dataDir, 'Holdfast is not running. Everything it accepted is saved.')
    );
  }
  const engine = await onceUnlocked(access, dataDir, io);
  if (access === 'read' && !isQuiet) {
    const unknown = unknownHolder(dataDir)?.message ?? 'Holdfast is not running.';
    io.stderr.write(`${unknown} Showing the last saved state.\n`);
  }
  return engine;
}

/**
 * Next to an instance that does not respond, only reads from disk are allowed. It may be shutting
 * down: then the lock is free soon.
 */
async function besideSilent(access: Access, dataDir: string, io: CliIo): Promise<Reach> {
  if (access === 'running') throw silentError(dataDir);
  if (access === 'decide' || access === 'set') {
    return onceUnlocked(access, dataDir, io).catch((thrown: unknown) => {
      const isHeld = thrown instanceof HoldfastError && thrown.code === 'LOCK_HELD';
      throw isHeld ? silentError(dataDir) : thrown;
    });
  }
  const silent = holderRecord(dataDir) ?? {};
  const engine = await onDisk(access, dataDir, io, silent);
  io.stderr.write(
    `Holdfast is running but not responding. Showing the last saved state.\n${afterSilence(dataDir, silent.pid)}\n`,
  );
  return engine;
}

/**
 * Waits for the instance to be back after a crash or restart. Resolves with undefined after
 * `timeoutMs`, or if `isWanted` turns false.
 */
export async function reachAgain(
  dataDir: string,
  io: CliIo,
  options: { readonly timeoutMs: number; readonly isWanted: () => boolean },
): Promise<Reach | undefined> {
  const endMs = performance.now() + options.timeoutMs;
  while (options.isWanted() && performance.now() < endMs) {
    const result = await connectRunning(dataDir, io);
    if (result.kind === 'connected') {
      const engine = overSocket(result.client);
      const phase = await engine.call('status.get', {}).then(
        (status) => status.phase,
        () => 'stopped', // it went away again: one more round
      );
      if (phase === 'running') return engine;
      await engine.close();
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return undefined;
}

/** True for a failure that ends with the instance coming back. */
export function isAbsence(thrown: unknown): boolean {
  return (
    thrown instanceof HoldfastError && ['NOT_RUNNING', 'STARTING', 'STOPPING'].includes(thrown.code)
  );
}
