import { table } from '../table';
import { epochReset, readWhen, spanReset, type LimitReset } from './read-when';

/** The data is untrusted, so only this much of it is read. */
const MAX_DEPTH = 8;
const MAX_VALUES = 2_000;
const MAX_JSON_CHARS = 64_000;

/** Keys in lower case without `-` and `_`; only their ending matters. */
const OWNER = '(?:x|anthropic|unified|quota|usage|rate|limits?|window|next)*';
const AT = new RegExp(
  `^${OWNER}(?:resets?|(?:resets?|retry|available)(?:at|on|date|time|timestamp))$`,
);
const IN = new RegExp(
  `^${OWNER}(?:resets?|retry|available)(?:in|after|delay)(seconds|secs|ms|millis|minutes|hours)?$`,
);
/** An instant in some services, seconds in others. */
const EITHER = /^x?ratelimitreset$/;
/** A number without a unit means seconds. */
const UNIT_MS = table<number>({
  ms: 1,
  millis: 1,
  minutes: 60_000,
  hours: 3_600_000,
});

/**
 * When a usage limit ends, from an agent's private data or a response's body or headers: each has
 * its own form. Also reads JSON within a text. Undefined if no time is named. Pure. R4 LM-01
 */
export function readReset(data: unknown): LimitReset | undefined {
  let values = 0;
  let chars = 0;
  const inText = (text: string, depth: number): LimitReset | undefined => {
    const [from, to] = [text.indexOf('{'), text.lastIndexOf('}') + 1];
    chars += Math.max(0, to - from);
    if (from < 0 || to <= from || chars > MAX_JSON_CHARS) return undefined;
    try {
      return inData(JSON.parse(text.slice(from, to)), depth);
    } catch {
      return undefined; // A text with braces.
    }
  };
  const inData = (value: unknown, depth: number): LimitReset | undefined => {
    if (depth > MAX_DEPTH) return undefined;
    if (typeof value === 'string') return inText(value, depth + 1);
    if (value === null || typeof value !== 'object') return undefined;
    for (const key in value) {
      if (++values > MAX_VALUES) return undefined;
      // The received data may contain anything.
      if (!Object.hasOwn(value, key) || key.startsWith('request')) continue;
      const inner = (value as Readonly<Record<string, unknown>>)[key];
      const found = ofKey(key, inner) ?? inData(inner, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return inData(data, 0);
}

function ofKey(key: string, value: unknown): LimitReset | undefined {
  if (key.length > 64 || (typeof value !== 'string' && typeof value !== 'number')) return undefined;
  const name = key.toLowerCase().replaceAll(/[-_]/g, '');
  const span = IN.exec(name);
  if (span === null && !AT.test(name)) return undefined;
  const text = String(value).trim();
  if (!/^\d+(?:\.\d+)?$/.test(text)) return inWords(text, span === null ? 'at' : 'in');
  const number = Number(text);
  if (span === null && !EITHER.test(name)) return epochReset(number);
  return spanReset(number * (UNIT_MS[span?.[1] ?? ''] ?? 1_000)) ?? epochReset(number);
}

function inWords(text: string, lead: 'at' | 'in'): LimitReset | undefined {
  // A header's date is exact to the second.
  const atMs = / GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(atMs) ? { atMs } : readWhen(`resets ${lead} ${text.slice(0, 100)}`);
}
