import { createKnownSecrets } from './secrets/known-secrets';
import { hideShapes } from './secrets/secret-shapes';

/**
 * The one redactor: everything that the log, the audit and the diagnostics write goes through here;
 * no other code redacts. By key (`authorization`, `api_key`, `token`, …, but not `max_tokens`), by
 * the shape of a value (`sk-…`, `Bearer …`, a JWT, an NKey seed, user information and `?key=` in an
 * address), and by the values it has learned. Security: R1, R3, R4.
 */
export const REDACTED = '[redacted]';

/** Limits of one redacted value. */
interface RedactLimits {
  /** Characters retained of one text. */
  readonly maxText: number;
  /** Entries retained of one object or list. */
  readonly maxEntries: number;
  /** Total values visited. */
  readonly maxNodes: number;
  /** Total characters retained; texts after that are withheld. */
  readonly maxKept: number;
}

/** One log field: 8 KB of text (R4); one line: the size of a few fields. */
export const LOG_LIMITS: RedactLimits = {
  maxText: 8192,
  maxEntries: 100,
  maxNodes: 2000,
  maxKept: 20_000,
};

/**
 * Maximum characters read in one call. A text built against the redactor costs seven times as much
 * as an ordinary one, so longer text is withheld and never passed unread: its author must not
 * decide how long the process is blocked.
 */
export const MAX_READ = 128 * 1024;
/** Dropped before a cut: half a secret there would go unrecognized. */
const BEFORE_CUT = 1024;

/** Hides secrets in any value. Pure except for learned values. */
export interface Redactor {
  /** A JSON-compatible copy: plain, without cycles, bounded, without secrets. Never throws. */
  redact(value: unknown, limits?: RedactLimits): unknown;
  /** The same for one text; what is after {@link MAX_READ} characters is withheld. */
  redactText(text: string): string;
  /**
   * Hides learned values in a text of any length, and leaves what only looks like a secret: for
   * texts that the user requested. One step for each part of the text.
   */
  hideKnown(text: string): Generator<undefined, string>;
  /**
   * From now on this value is hidden wherever it occurs, including encoded. Values shorter than 6
   * characters are ignored.
   */
  learn(secret: string): void;
  /**
   * True if a learned secret of at least `leastChars` is in the text in any form, or if the text is
   * too long to tell.
   */
  holds(text: string, leastChars: number): boolean;
  /** Number of learned values. While it is unchanged, a text without secrets stays without. */
  known(): number;
}

const SECRET_WORDS = new Set(
  (
    'authorization cookie cookies secret secrets password passwords passwd passphrase pwd nkey seed ' +
    'credential credentials creds cred token apikey bearer jwt passcode mnemonic'
  ).split(' '),
);
/** Words before `key` that denote no secret: `sessionKey`, `idempotency_key`, `settingKey`. */
const OPEN_KEYS = new Set(
  'session idempotency memo public primary foreign sort setting config cache'.split(' '),
);
/** Words after `token` that make it a count: `token_count`, `tokenUsage`. */
const COUNT_WORDS = new Set('count counts limit usage budget used total details price'.split(' '));

/** True if a field of this name holds a secret. Token counts do not count as secrets. */
export function isSecretKey(key: string): boolean {
  const words = key
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const last = words.at(-1);
  if (last === undefined) return false;
  if (COUNT_WORDS.has(last)) return false;
  if (words.some((word) => SECRET_WORDS.has(word))) return true;
  const before = words.at(-2);
  return last === 'key' && before !== undefined && !OPEN_KEYS.has(before);
}

/** A final word of a field that holds either a login or the way to log in: text is hidden. */
const LOGIN_WORD = /(?:^|[^a-z])(?:auth|pass|pw|dsn)$/i;

/** Lists of secrets: `tokens: ['a']`, but not `tokens: 12`. */
function isSecretField(key: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return false;
  if (isSecretKey(key) || (typeof value === 'string' && LOGIN_WORD.test(key))) return true;
  return /tokens$/i.test(key) && (typeof value === 'string' || Array.isArray(value));
}

/** Header names that precede their value in a flat list. */
const HEADER_NAMES =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|(?:x-)?(?:goog-)?api-key)$/i;

/** Remaining characters for one value. */
interface Room {
  read: number;
  kept: number;
}

const cutMark = (text: string): string => `… [${String(text.length)} characters]`;

/** A redactor that knows the patterns, and the values added by `learn`. */
export function createRedactor(): Redactor {
  const secrets = createKnownSecrets();

  const hidden = (text: string): string => hideShapes(secrets.hide(text, REDACTED), REDACTED);

  /** The displayable part of a text whose first `chars` characters are read. */
  function readStart(text: string, chars: number): string {
    if (text.length <= chars) return hidden(text);
    return hidden(text.slice(0, chars)).slice(0, -BEFORE_CUT);
  }

  function cleanText(text: string): string {
    const clean = readStart(text, MAX_READ);
    return text.length > MAX_READ ? `${clean}${cutMark(text)}` : clean;
  }

  /** Redacts first, then truncates. `room` is the remaining budget for the whole value. */
  function boundedText(text: string, maxText: number, room: Room): string {
    const most = Math.min(maxText, room.kept);
    const read = Math.min(8 * maxText, room.read);
    if (text !== '' && (most <= 0 || read <= 0)) return cutMark(text);
    const clean = readStart(text, read);
    const isCut = clean.length > most || text.length > read;
    const shown = clean.length > most ? clean.slice(0, most) : clean;
    room.read -= Math.min(text.length, read);
    room.kept -= shown.length;
    return isCut ? `${shown}${cutMark(text)}` : shown;
  }

  return {
    redactText: cleanText,
    hideKnown: (text) => secrets.hideInSteps(text, REDACTED),
    learn(secret) {
      secrets.learn(secret);
    },
    holds: (text, leastChars) => text.length > MAX_READ || secrets.isIn(text, leastChars),
    known: () => secrets.size,
    redact(value, limits = LOG_LIMITS) {
      let nodes = 0;
      const room: Room = { read: MAX_READ, kept: limits.maxKept };
      const path = new Set<object>();

      function fields(entries: Iterable<readonly [unknown, unknown]>): unknown {
        const result: [string, unknown][] = [];
        let left = 0;
        const all = [...entries];
        // {name: 'OPENAI_API_KEY', value: '…'}: the name is in the sibling field.
        const named = all.some(
          ([key, text]) =>
            (key === 'name' || key === 'key') && typeof text === 'string' && isSecretKey(text),
        );
        for (const [rawKey, item] of all) {
          if (result.length >= limits.maxEntries) {
            left += 1;
            continue;
          }
          const key = typeof rawKey === 'string' ? rawKey : String(rawKey);
          const isHidden = isSecretField(key, item) || (named && key === 'value');
          result.push([boundedText(key, 200, room), isHidden ? REDACTED : visit(item)]);
        }
        if (left > 0) result.push(['…', `${String(left)} more`]);
        return Object.fromEntries(result);
      }

      function list(items: readonly unknown[]): unknown {
        const result = items.slice(0, limits.maxEntries).map((item, index) => {
          const before = items[index - 1];
          const isHeader = typeof before === 'string' && HEADER_NAMES.test(before);
          return isHeader && typeof item === 'string' ? REDACTED : visit(item);
        });
        const left = items.length - result.length;
        return left > 0 ? [...result, `… ${String(left)} more`] : result;
      }

      function error(thrown: Error): unknown {
        const own = Object.entries(thrown).filter(
          ([key]) => !['name', 'message', 'stack'].includes(key),
        );
        return fields([
          ['name', thrown.name],
          ['message', thrown.message],
          ['stack', thrown.stack],
          ...own,
          ...(thrown.cause === undefined ? [] : [['cause', thrown.cause] as const]),
          ...(thrown instanceof AggregateError ? [['errors', thrown.errors] as const] : []),
        ]);
      }

      function inside(item: object): unknown {
        if (item instanceof Error) return error(item);
        if (item instanceof Map) return fields(item as Map<unknown, unknown>);
        if (item instanceof Set) return list([...(item as Set<unknown>)]);
        if (Array.isArray(item)) return list(item);
        if (item instanceof Date)
          return Number.isNaN(item.getTime()) ? 'invalid date' : item.toISOString();
        if (item instanceof URL) return boundedText(item.href, limits.maxText, room);
        if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer)
          return `[${String(item.byteLength)} bytes]`;
        return fields(Object.entries(item));
      }

      function visit(item: unknown): unknown {
        nodes += 1;
        if (nodes > limits.maxNodes) return '…';
        switch (typeof item) {
          case 'string':
            return boundedText(item, limits.maxText, room);
          case 'number':
            return Number.isFinite(item) ? item : String(item);
          case 'boolean':
          case 'undefined':
            return item;
          case 'bigint':
            return item.toString();
          case 'symbol':
          case 'function':
            return `[${typeof item}]`;
          case 'object': {
            if (item === null) return null;
            if (path.has(item)) return '[circular]';
            if (path.size >= 10) return '[deep]';
            path.add(item);
            try {
              return inside(item);
            } catch {
              // A getter or a proxy that throws must not keep the rest from the log.
              return '[unreadable]';
            } finally {
              path.delete(item);
            }
          }
        }
      }
      return visit(value);
    },
  };
}

const plain = createRedactor();

/** Redacts by key and by pattern, without learned values: for diagnostics and messages. */
export function redact(value: unknown, limits?: RedactLimits): unknown {
  return plain.redact(value, limits);
}

/** {@link redact} for one text. */
export function redactText(text: string): string {
  return plain.redactText(text);
}
