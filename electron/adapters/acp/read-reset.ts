import type { ExternalFailure } from '../../ports/external-agent';

type Resets = NonNullable<ExternalFailure['resets']>;

const YEAR_MS = 366 * 24 * 3_600_000;
/** Epochs from 2001 on, in seconds and in milliseconds. */
const SECONDS = { least: 1e9, most: 1e10 };
const MAX_DEPTH = 4;

const AT = /^(resets?_?at|reset_?time|resets?|available_?at|retry_?at)$/i;
const IN_SECONDS = /^(resets?_?in(_?seconds)?|retry_?after(_?seconds)?)$/i;
const IN_MS = /^(resets?_?in_?ms|retry_?after_?ms)$/i;
/** `Claude AI usage limit reached|1795276800` */
const IN_WORDS = /limit reached\s*\|\s*(\d{10}(?:\d{3})?)\b/i;

/**
 * When the usage limit that an agent reports ends, from its private data or its message: every
 * agent has its own form. Undefined if there is no plausible time. Pure. R4.
 */
export function readReset(message: string, data: unknown): Resets | undefined {
  const words = IN_WORDS.exec(`${message} ${typeof data === 'string' ? data : ''}`)?.[1];
  if (words !== undefined) return instant(Number(words));
  return inData(data, 0);
}

function inData(value: unknown, depth: number): Resets | undefined {
  if (value === null || typeof value !== 'object' || depth > MAX_DEPTH) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = ofKey(key, inner) ?? inData(inner, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofKey(key: string, value: unknown): Resets | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
  if (AT.test(key)) return isNumber ? instant(Number(value)) : date(value);
  if (!isNumber) return undefined;
  if (IN_MS.test(key)) return wait(Number(value));
  return IN_SECONDS.test(key) ? wait(Number(value) * 1_000) : undefined;
}

function instant(epoch: number): Resets | undefined {
  if (epoch >= SECONDS.least && epoch < SECONDS.most) return { atMs: epoch * 1_000 };
  return epoch >= SECONDS.least * 1_000 && epoch < SECONDS.most * 1_000
    ? { atMs: epoch }
    : undefined;
}

function date(value: unknown): Resets | undefined {
  const atMs = typeof value === 'string' && /^\d{4}-/.test(value) ? Date.parse(value) : NaN;
  return Number.isFinite(atMs) ? { atMs } : undefined;
}

function wait(inMs: number): Resets | undefined {
  return inMs > 0 && inMs <= YEAR_MS ? { inMs } : undefined;
}
