/**
 * Sends a few hand-written queries to the D-Bus session bus, without a library: whether a tray host
 * shows our icon, and whether the keyring is unlocked. Time-limited, and never an error: "unknown"
 * is a valid answer.
 */
import { connect } from 'node:net';

export type TrayHost = 'available' | 'missing' | 'unknown';

const WATCHER = 'org.kde.StatusNotifierWatcher';

/** Socket path of a bus address; a leading NUL marks an abstract one. */
export function busSocketPath(env: Env): string | undefined {
  for (const part of (env['DBUS_SESSION_BUS_ADDRESS'] ?? '').split(';')) {
    const found = /^unix:(?:.*,)?(path|abstract)=([^,]+)/.exec(part);
    if (found?.[2] !== undefined) {
      const path = decodeURIComponent(found[2]);
      return found[1] === 'abstract' ? `\0${path}` : path;
    }
  }
  return env['XDG_RUNTIME_DIR'] ? `${env['XDG_RUNTIME_DIR']}/bus` : undefined;
}

const align = (length: number, to: number): number => Math.ceil(length / to) * to;

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  const out = Buffer.alloc(4 + bytes.length + 1);
  out.writeUInt32LE(bytes.length, 0);
  bytes.copy(out, 4);
  return out;
}

const padded = (buffer: Buffer, to: number): Buffer =>
  Buffer.concat([buffer, Buffer.alloc(align(buffer.length, to) - buffer.length)]);

/** Header field of type string-like: code, signature of the variant, value; starts at 8. */
function field(code: number, signature: string, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([code, 1, signature.charCodeAt(0), 0]), value]);
}

/** A method call whose arguments are all strings. */
export function encodeCall(
  serial: number,
  call: {
    readonly destination: string;
    readonly path: string;
    readonly iface: string;
    readonly member: string;
    readonly args: readonly string[];
  },
): Buffer {
  const body = call.args.reduce(
    (bytes, argument) => Buffer.concat([padded(bytes, 4), text(argument)]),
    Buffer.alloc(0),
  );
  const signature = 's'.repeat(call.args.length);
  const list = [
    field(1, 'o', text(call.path)),
    field(2, 's', text(call.iface)),
    field(3, 's', text(call.member)),
    field(6, 's', text(call.destination)),
    ...(signature === ''
      ? []
      : [
          field(
            8,
            'g',
            Buffer.concat([Buffer.from([signature.length]), Buffer.from(`${signature}\0`)]),
          ),
        ]),
  ];
  // Fields are padded to 8 between each other; the array's length excludes what follows the last.
  const fields = list.reduce(
    (bytes, next) => Buffer.concat([padded(bytes, 8), next]),
    Buffer.alloc(0),
  );
  const head = Buffer.alloc(16);
  head.write('l', 0, 'latin1');
  head.writeUInt8(1, 1);
  head.writeUInt8(1, 3);
  head.writeUInt32LE(body.length, 4);
  head.writeUInt32LE(serial, 8);
  head.writeUInt32LE(fields.length, 12);
  return Buffer.concat([padded(Buffer.concat([head, fields]), 8), body]);
}

interface Reply {
  readonly type: number;
  readonly replyTo: number;
  readonly body: Buffer;
}

/** The first complete message in `bytes` and what follows it; undefined while it is incomplete. */
export function decodeMessage(
  bytes: Buffer,
): { readonly reply: Reply; readonly rest: Buffer } | undefined {
  if (bytes.length < 16 || bytes.readUInt8(0) !== 0x6c) return undefined;
  const bodyLength = bytes.readUInt32LE(4);
  const fieldsLength = bytes.readUInt32LE(12);
  const bodyAt = align(16 + fieldsLength, 8);
  if (bytes.length < bodyAt + bodyLength) return undefined;
  let replyTo = 0;
  for (let at = 16; at < 16 + fieldsLength;) {
    at = align(at, 8);
    const code = bytes.readUInt8(at);
    const signature = String.fromCharCode(bytes.readUInt8(at + 2));
    at += 4;
    if (signature === 'u') {
      if (code === 5) replyTo = bytes.readUInt32LE(at);
      at += 4;
    } else if (signature === 'g') at += 1 + bytes.readUInt8(at) + 1;
    else if (signature === 's' || signature === 'o') at += 4 + bytes.readUInt32LE(at) + 1;
    else break;
  }
  return {
    reply: { type: bytes.readUInt8(1), replyTo, body: bytes.subarray(bodyAt, bodyAt + bodyLength) },
    rest: bytes.subarray(bodyAt + bodyLength),
  };
}

const DRIVER = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  iface: 'org.freedesktop.DBus',
};
const METHOD_RETURN = 2;
const HELLO = 1;
const FIRST = 2;
const SECOND = 3;

type Call = Parameters<typeof encodeCall>[1];
type Env = Readonly<Record<string, string | undefined>>;

/** The queries, and what their answers mean; undefined while that is not decided. */
interface Talk<T> {
  /** There is no bus. */
  readonly missing: T;
  /** Unknown: no answer in time, or an answer without the value. */
  readonly unknown: T;
  readonly first: Call;
  readonly onReply: (reply: Reply, ask: (call: Call) => void) => T | undefined;
}

/** Sends one or two queries; resolves within `timeoutMs`, never rejects. */
function converse<T>(env: Env, timeoutMs: number, talk: Talk<T>): Promise<T> {
  const path = busSocketPath(env);
  if (path === undefined) return Promise.resolve(talk.missing);
  return new Promise((resolve) => {
    const socket = connect({ path });
    let received = Buffer.alloc(0);
    let isAuthenticated = false;
    const done = (answer: T): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => done(talk.unknown), timeoutMs);
    socket.on('error', (error: NodeJS.ErrnoException) =>
      done(error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? talk.missing : talk.unknown),
    );
    socket.on('close', () => done(talk.unknown));
    socket.on('connect', () => {
      const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
      socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
    });
    const ask = (call: Call): void => void socket.write(encodeCall(SECOND, call));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (!isAuthenticated) {
        const end = received.indexOf('\r\n');
        if (end < 0) return;
        if (!received.subarray(0, end).toString('latin1').startsWith('OK ')) {
          done(talk.unknown);
          return;
        }
        received = received.subarray(end + 2);
        isAuthenticated = true;
        socket.write(
          Buffer.concat([
            Buffer.from('BEGIN\r\n'),
            encodeCall(HELLO, { ...DRIVER, member: 'Hello', args: [] }),
            encodeCall(FIRST, talk.first),
          ]),
        );
      }
      for (let next = decodeMessage(received); next !== undefined; next = decodeMessage(received)) {
        received = Buffer.from(next.rest);
        const answer = talk.onReply(next.reply, ask);
        if (answer !== undefined) done(answer);
      }
    });
  });
}

const property = (
  of: { destination: string; path: string },
  iface: string,
  name: string,
): Call => ({
  ...of,
  iface: 'org.freedesktop.DBus.Properties',
  member: 'Get',
  args: [iface, name],
});

/** A variant of a boolean: signature (1, 'b', 0), one byte of padding, four bytes of value. */
const truth = ({ type, body }: Reply): boolean | undefined =>
  type === METHOD_RETURN && body.length >= 8 ? body.readUInt32LE(4) !== 0 : undefined;

/** Whether a tray icon would be visible; resolves within `timeoutMs`, never rejects. */
export const askTrayHost = (env: Env, timeoutMs: number): Promise<TrayHost> =>
  converse<TrayHost>(env, timeoutMs, {
    // Without a bus no icon can be registered.
    missing: 'missing',
    unknown: 'unknown',
    first: { ...DRIVER, member: 'NameHasOwner', args: [WATCHER] },
    onReply(reply, ask) {
      if (reply.replyTo === FIRST) {
        if (reply.type !== METHOD_RETURN || reply.body.length < 4) return 'unknown';
        if (reply.body.readUInt32LE(0) === 0) return 'missing';
        const watcher = { destination: WATCHER, path: '/StatusNotifierWatcher' };
        ask(property(watcher, WATCHER, 'IsStatusNotifierHostRegistered'));
      }
      // A watcher that does not answer this query still accepts icons.
      if (reply.replyTo === SECOND) return truth(reply) === false ? 'missing' : 'available';
      return undefined;
    },
  });

export type KeyringState = 'open' | 'locked' | 'missing';

const SECRETS = 'org.freedesktop.secrets';

/**
 * Whether the keyring of the desktop returns and stores keys without a prompt. The query may start
 * it, and never causes a prompt. Resolves within `timeoutMs`, never rejects.
 */
export const askKeyring = (env: Env, timeoutMs: number): Promise<KeyringState> =>
  converse<KeyringState>(env, timeoutMs, {
    missing: 'missing',
    unknown: 'missing',
    first: property(
      { destination: SECRETS, path: '/org/freedesktop/secrets/aliases/default' },
      'org.freedesktop.Secret.Collection',
      'Locked',
    ),
    onReply(reply) {
      if (reply.replyTo !== FIRST) return undefined;
      const isLocked = truth(reply);
      // No keyring yet: creating one prompts the user for its password.
      if (isLocked === undefined) return 'missing';
      return isLocked ? 'locked' : 'open';
    },
  });
