import { epochReset, spanReset, type LimitReset } from '../../../shared/limits/read-when';

const MAX_DEPTH = 4;

const AT = /^(resets?_?at|reset_?time|resets?|available_?at|retry_?at)$/i;
const IN_SECONDS = /^(resets?_?in(_?seconds)?|retry_?after(_?seconds)?)$/i;
const IN_MS = /^(resets?_?in_?ms|retry_?after_?ms)$/i;

/**
 * When the usage limit that an agent reports ends, from its private data: every agent has its own
 * form. Undefined if there is no plausible time. Pure. R4.
 */
export function readReset(data: unknown): LimitReset | undefined {
  return inData(data, 0);
}

function inData(value: unknown, depth: number): LimitReset | undefined {
  if (value === null || typeof value !== 'object' || depth > MAX_DEPTH) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = ofKey(key, inner) ?? inData(inner, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofKey(key: string, value: unknown): LimitReset | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
  if (AT.test(key)) return isNumber ? epochReset(Number(value)) : date(value);
  if (!isNumber) return undefined;
  if (IN_MS.test(key)) return spanReset(Number(value));
  return IN_SECONDS.test(key) ? spanReset(Number(value) * 1_000) : undefined;
}

function date(value: unknown): LimitReset | undefined {
  const atMs = typeof value === 'string' && /^\d{4}-/.test(value) ? Date.parse(value) : NaN;
  return Number.isFinite(atMs) ? { atMs } : undefined;
}
