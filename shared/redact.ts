/**
 * The one redactor: what the log, the audit and the diagnostics write goes through here, and
 * nowhere else is anything hidden by hand. By key (`authorization`, `api_key`, `token`, …, but not
 * `max_tokens`), by the look of a value (`sk-…`, `Bearer …`, a JWT, an NKey seed, user information
 * and `?key=` in an address), and by the values it was told to know. Security: R1, R3, R4.
 */
export const REDACTED = '[redacted]';

/** Bounds of one redacted value. */
interface RedactLimits {
  /** Characters kept of one text. */
  readonly maxText: number;
  /** Entries kept of one object or list. */
  readonly maxEntries: number;
  /** Values visited in all. */
  readonly maxNodes: number;
}

/** One log field: 8 KB of text (R4). */
export const LOG_LIMITS: RedactLimits = { maxText: 8192, maxEntries: 100, maxNodes: 2000 };

/** Hides secrets in anything. Pure apart from what it has learned. */
export interface Redactor {
  /** A copy that JSON can carry: plain, without cycles, bounded, without secrets. Never throws. */
  redact(value: unknown, limits?: RedactLimits): unknown;
  /** The same for one text. */
  redactText(text: string): string;
  /** From now on this exact value is hidden wherever it occurs. Shorter than 6 characters: ignored. */
  learn(secret: string): void;
  /** How many it knows. A text that showed nothing to hide still does as long as this is the same. */
  known(): number;
}

const SECRET_WORDS = new Set(
  (
    'authorization cookie cookies secret secrets password passwords passwd passphrase pwd nkey seed ' +
    'credential credentials token apikey bearer jwt'
  ).split(' '),
);
/** Words before `key` that name no secret: `sessionKey`, `idempotency_key`, `settingKey`. */
const OPEN_KEYS = new Set(
  'session idempotency memo public primary foreign sort setting config cache'.split(' '),
);
/** Words after `token` that make it a count: `token_count`, `tokenUsage`. */
const COUNT_WORDS = new Set('count counts limit usage budget used total details price'.split(' '));

/** True where a field of this name holds a secret. Counts of tokens are none. */
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

/** Lists of secrets: `tokens: ['a']`, but not `tokens: 12`. */
function isSecretField(key: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return false;
  if (isSecretKey(key)) return true;
  return /tokens$/i.test(key) && (typeof value === 'string' || Array.isArray(value));
}

// Every pattern starts at a rare text and is bounded, so that hostile text cannot make it slow.
// None crosses a quote or a backslash: they run over finished JSON lines as well.
const KEPT_PREFIX = `$1${REDACTED}`;
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [
    /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^"]{0,8000}?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
    REDACTED,
  ],
  [
    /((?:authorization|cookie)[\\"']{0,4}\s{0,4}[:=]\s{0,4}[\\"']{0,4})[^\r\n"'\\]{1,4000}/gi,
    KEPT_PREFIX,
  ],
  [/(\bbearer\s{1,4})[A-Za-z0-9._~+/=-]{6,4000}/gi, KEPT_PREFIX],
  [/\beyJ[A-Za-z0-9_-]{5,4000}\.[A-Za-z0-9_-]{5,8000}(?:\.[A-Za-z0-9_-]{0,4000})?/g, REDACTED],
  [/\b[sr]k[-_][A-Za-z0-9_-]{8,400}/g, REDACTED],
  [
    /\b(?:gsk_|hf_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|npm_|xox[abeprs]-)[A-Za-z0-9_-]{10,400}/g,
    REDACTED,
  ],
  [/\bAIza[0-9A-Za-z_-]{30,60}/g, REDACTED],
  [/\bAKIA[0-9A-Z]{16}\b/g, REDACTED],
  [/\bAGE-SECRET-KEY-1[0-9A-Z]{20,100}/g, REDACTED],
  [/\bS[UAONCX][A-Z2-7]{50,60}\b/g, REDACTED],
  [/(:\/\/)[^\s/?#"\\<>]{1,2000}@/g, `$1${REDACTED}@`],
  [
    /([?&][a-z0-9_.-]{0,40}(?:key|token|secret|password|passwd|signature|sig|auth|credential)=)[^&#\s"'\\]{1,4000}/gi,
    KEPT_PREFIX,
  ],
  [
    /((?:api[_-]?key|secret(?:[_-]?key)?|private[_-]?key|access[_-]?key|passw(?:or)?d|passphrase|token|credentials?|nkey)[\\"']{0,4}\s{0,4}[:=]\s{0,4}[\\"']{0,4})(?!\[redacted\])[^\s"',;&}\\]{4,4000}/gi,
    KEPT_PREFIX,
  ],
];

/** Header names that stand before their value in a flat list. */
const HEADER_NAMES =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|(?:x-)?(?:goog-)?api-key)$/i;

/** A redactor that knows the patterns, and what `learn` tells it. */
export function createRedactor(): Redactor {
  const learned = new Set<string>();

  function cleanText(text: string): string {
    let result = text;
    for (const secret of learned) result = result.replaceAll(secret, REDACTED);
    for (const [pattern, replacement] of PATTERNS) result = result.replace(pattern, replacement);
    return result;
  }

  function boundedText(text: string, maxText: number): string {
    // Redact first, cut after: half a secret at the cut would be recognised by nobody.
    const clean = cleanText(text.length > 8 * maxText ? text.slice(0, 8 * maxText) : text);
    return clean.length > maxText
      ? `${clean.slice(0, maxText)}… [${String(text.length)} characters]`
      : clean;
  }

  return {
    redactText: cleanText,
    learn(secret) {
      const text = secret.trim();
      if (text.length < 6) return;
      learned.add(text);
      const escaped = JSON.stringify(text).slice(1, -1);
      if (escaped !== text) learned.add(escaped);
      if (!/[\uD800-\uDFFF]/.test(text) && encodeURIComponent(text) !== text) {
        learned.add(encodeURIComponent(text));
      }
    },
    known: () => learned.size,
    redact(value, limits = LOG_LIMITS) {
      let nodes = 0;
      const path = new Set<object>();

      function fields(entries: Iterable<readonly [unknown, unknown]>): unknown {
        const result: [string, unknown][] = [];
        let left = 0;
        const all = [...entries];
        // {name: 'OPENAI_API_KEY', value: '…'}: the name stands in the neighbour.
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
          result.push([boundedText(key, 200), isHidden ? REDACTED : visit(item)]);
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
        if (item instanceof URL) return boundedText(item.href, limits.maxText);
        if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer)
          return `[${String(item.byteLength)} bytes]`;
        return fields(Object.entries(item));
      }

      function visit(item: unknown): unknown {
        nodes += 1;
        if (nodes > limits.maxNodes) return '…';
        switch (typeof item) {
          case 'string':
            return boundedText(item, limits.maxText);
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
