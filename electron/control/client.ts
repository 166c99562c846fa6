/**
 * Client side of the control socket: the command line, a second start, tests. `connection.ts` is the
 * other side: it passes each call to the facade.
 */
import { connect } from 'node:net';
import { strangeSocketError } from '../data-trust';
import { faultOfSocket } from '../disk/ownership';
import { readSmallFile } from '../disk/small-file';
import type { Answer, EventPayload, Verb, VerbInput, VerbOutput } from '../../shared/contract';
import type { ErrorCode } from '../engine/kernel/errors';
import { ERROR_CODES, HoldfastError } from '../engine/kernel/errors';
import { createFrameReader, encodeMessage, MAX_FRAME_BYTES } from './frames';
import { isPipe, MAX_SOCKET_PATH_BYTES } from './address';
import { isProof, newNonce } from './proof';
import type { ControlEvent, ServerMessage } from './protocol';
import { serverMessage } from './protocol';

interface ConnectOptions {
  readonly socketPath: string;
  /** Empty if it could not be read: the connection then only tests whether a process listens. */
  readonly token: string;
  readonly version: string;
  /** For connecting and for the handshake together. */
  readonly timeoutMs: number;
}

export interface ControlClient {
  readonly serverVersion: string;
  readonly serverPid: number;
  /**
   * @throws HoldfastError with the code of the answer, or NOT_RUNNING when the connection ends
   * first
   */
  call<V extends Verb>(verb: V, input: VerbInput<V>, timeoutMs?: number): Promise<VerbOutput<V>>;
  /** Receives these events from now on; each call replaces the list. */
  subscribe(events: readonly ControlEvent[]): Promise<void>;
  on<E extends ControlEvent>(event: E, listener: (payload: EventPayload<E>) => void): () => void;
  /** Resolves when the connection has ended, on either side. */
  readonly closed: Promise<void>;
  close(): void;
}

/** Why connecting failed. */
type ConnectFailure =
  /** No socket, or no process behind it. */
  | 'absent'
  /** A process accepts the connection and does not respond. */
  | 'silent'
  /** It answered and rejected us. */
  | 'refused';

export type ConnectResult =
  | { readonly kind: 'connected'; readonly client: ControlClient }
  | { readonly kind: ConnectFailure; readonly error: HoldfastError };

const DEFAULT_CALL_TIMEOUT_MS = 60_000;
/** Maximum answer size: far above every answer of the contract. */
const MAX_ANSWER_BYTES = 64_000_000;

/** The address cannot hold a socket, or no process listens there. */
const NOBODY_THERE: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ECONNREFUSED',
]);

const knownCode = (code: string): ErrorCode =>
  (ERROR_CODES as readonly string[]).includes(code) ? (code as ErrorCode) : 'INTERNAL';

const asError = (said: {
  code: string;
  message: string;
  hint?: string | undefined;
}): HoldfastError =>
  new HoldfastError(
    knownCode(said.code),
    said.message,
    said.hint === undefined ? {} : { hint: said.hint },
  );

const gone = (what: string): HoldfastError =>
  new HoldfastError('NOT_RUNNING', what, {
    hint: 'Accepted work is on disk. List it: holdfast turns list',
    retryable: true,
  });

const notRunning = (): HoldfastError =>
  new HoldfastError('NOT_RUNNING', 'Holdfast is not running on this data directory.');

const unproven = (): HoldfastError =>
  new HoldfastError(
    'SENDER_REFUSED',
    'The program at the control socket did not prove that it is the Holdfast of this data directory. Nothing was sent to it.',
    {
      hint: 'Run the command as the user who started Holdfast, with the same --data-dir. Right after an update: end the old one with SIGTERM, then start again.',
    },
  );

/**
 * A socket of another account, or an address that is too long, counts as absent: no process of ours
 * is behind it.
 */
function strangeAddress(socketPath: string): HoldfastError | undefined {
  if (isPipe(socketPath)) return undefined;
  if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH_BYTES) return notRunning();
  const fault = faultOfSocket(socketPath);
  return fault && strangeSocketError(fault);
}

/** The running instance's token; undefined if it cannot be read. */
export function readControlToken(tokenPath: string): string | undefined {
  const file = readSmallFile(tokenPath);
  // No instance, or not readable for us: the connection will show which.
  const text = file.kind === 'text' ? file.text.trim() : '';
  return /^[0-9a-f]{64}$/.test(text) ? text : undefined;
}

/**
 * Connects, makes the other side prove that it knows the token, and sends hello. Sends nothing to a
 * socket of another account, and no data before the proof. Never throws; resolves within
 * `timeoutMs`. Security C3, C4.
 */
export function connectControl(options: ConnectOptions): Promise<ConnectResult> {
  const strange = strangeAddress(options.socketPath);
  if (strange !== undefined) return Promise.resolve({ kind: 'absent', error: strange });
  return new Promise((resolve) => {
    const socket = connect(options.socketPath);
    const waiting = new Map<number, (answer: Answer<unknown>) => void>();
    const listeners = new Map<ControlEvent, Set<(payload: never) => void>>();
    const nonce = newNonce();
    let hasProof = false;
    let nextId = 1;
    let isWelcome = false;
    let lastWord: HoldfastError | undefined;
    let markClosed: () => void = () => undefined;
    const closed = new Promise<void>((done) => (markClosed = done));

    const settle = (result: ConnectResult): void => {
      clearTimeout(timer);
      if (result.kind !== 'connected') socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => {
      settle({
        kind: 'silent',
        error: gone('Holdfast is using this data directory but is not responding.'),
      });
    }, options.timeoutMs);

    const say = (message: object): void => {
      for (const line of encodeMessage(message)) socket.write(line);
    };

    const ask = (message: object, timeoutMs: number): Promise<unknown> =>
      new Promise((fulfil, reject) => {
        const id = nextId++;
        if (socket.destroyed || socket.writableEnded) {
          reject(lastWord ?? gone('The connection to Holdfast has ended.'));
          return;
        }
        const late = setTimeout(() => {
          waiting.delete(id);
          reject(
            gone(`Holdfast did not respond within ${String(Math.round(timeoutMs / 1000))} s.`),
          );
        }, timeoutMs);
        waiting.set(id, (answer) => {
          clearTimeout(late);
          if (answer.ok) fulfil(answer.value);
          else reject(asError(answer));
        });
        say({ ...message, id });
      });

    const client = (welcome: { version: string; pid: number }): ControlClient => ({
      serverVersion: welcome.version,
      serverPid: welcome.pid,
      call: async (verb, input, timeoutMs = DEFAULT_CALL_TIMEOUT_MS) =>
        (await ask({ kind: 'call', verb, input }, timeoutMs)) as VerbOutput<typeof verb>,
      subscribe: async (events) => {
        await ask({ kind: 'subscribe', events }, DEFAULT_CALL_TIMEOUT_MS);
      },
      on: (event, listener) => {
        const set = listeners.get(event) ?? new Set();
        listeners.set(event, set.add(listener));
        return () => set.delete(listener);
      },
      closed,
      close: () => socket.end(),
    });

    const take = (message: ServerMessage): void => {
      switch (message.kind) {
        case 'proof':
          hasProof = !hasProof && isProof(message.mac, options.token, nonce, options.socketPath);
          if (hasProof) say({ kind: 'hello', token: options.token, version: options.version });
          else settle({ kind: 'refused', error: unproven() });
          return;
        case 'welcome':
          if (!hasProof) return settle({ kind: 'refused', error: unproven() });
          isWelcome = true;
          settle({ kind: 'connected', client: client(message) });
          return;
        case 'refused':
          lastWord = asError(message);
          if (!isWelcome) settle({ kind: 'refused', error: lastWord });
          return;
        case 'answer': {
          const done = waiting.get(message.id);
          waiting.delete(message.id);
          done?.(message.answer as Answer<unknown>);
          return;
        }
        case 'event':
          for (const listener of listeners.get(message.name) ?? [])
            listener(message.payload as never);
          return;
        default:
          return message satisfies never;
      }
    };

    const reader = createFrameReader({
      maxFrameBytes: MAX_FRAME_BYTES,
      maxMessageBytes: MAX_ANSWER_BYTES,
      onFault: () => socket.destroy(),
      onMessage: (message) => {
        const parsed = serverMessage().safeParse(message);
        if (parsed.success) take(parsed.data);
        else socket.destroy();
      },
    });

    socket.on('connect', () => {
      if (options.token === '') settle({ kind: 'refused', error: unproven() });
      else say({ kind: 'challenge', nonce });
    });
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (isWelcome) return; // `close` follows and ends pending calls.
      // Reset before the welcome: the instance is shutting down, and `close` reports it.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return;
      const isAbsent = NOBODY_THERE.has(error.code ?? '');
      settle({
        kind: isAbsent ? 'absent' : 'refused',
        error: isAbsent
          ? notRunning()
          : new HoldfastError(
              'SENDER_REFUSED',
              `The control socket cannot be used: ${error.message}`,
              {
                hint: 'Run the command as the user who started Holdfast.',
              },
            ),
      });
    });
    socket.on('close', () => {
      if (!isWelcome)
        settle({ kind: 'silent', error: lastWord ?? gone('Holdfast ended the connection.') });
      const ended = lastWord ?? gone('Holdfast ended before it answered; the outcome is unknown.');
      for (const [id, done] of waiting) {
        waiting.delete(id);
        done({
          ok: false,
          code: ended.code,
          message: ended.message,
          ...(ended.hint === undefined ? {} : { hint: ended.hint }),
        });
      }
      markClosed();
    });
  });
}
