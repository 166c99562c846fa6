import { isTooDeep, parsedOutside } from '../../engine/kernel/json-depth';

/**
 * Reads errors of a provider or the client library by shape, because classes differ between copies.
 */

/** Facts about an error that the provider itself reported. */
export interface ReportedError {
  readonly type?: string;
  readonly code?: string;
  readonly message?: string;
  readonly details?: unknown;
  /** A numeric code in the body that looks like an HTTP status. */
  readonly status?: number;
}

type Shape = Readonly<Record<string, unknown>>;

export const isShape = (value: unknown): value is Shape =>
  typeof value === 'object' && value !== null;

/**
 * Maximum length of an error text that is examined: many patterns are tried on it, and some take
 * time that grows with the square of the length.
 */
const MAX_CHARS = 4_000;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, MAX_CHARS) : undefined;

/** JSON of a body, or undefined. */
export const parseJson = (text: unknown): unknown =>
  // An error page in HTML or plain text has none; its text is used unchanged.
  typeof text === 'string' ? parsedOutside(text) : undefined;

/** FastAPI lists the problems of a request: `{detail: [{msg}]}`. */
function firstMessage(detail: unknown): string | undefined {
  const first: unknown = Array.isArray(detail) ? (detail as readonly unknown[])[0] : undefined;
  return isShape(first) ? textOf(first['msg']) : undefined;
}

/** The error in a body or stream event: `{error: {...}}`, `[{error: …}]`, `{type, message}`, a string. */
export function reportedError(value: unknown): ReportedError | undefined {
  const whole = textOf(value);
  if (whole !== undefined) return { message: whole };
  const outer: unknown = Array.isArray(value) ? (value as readonly unknown[])[0] : value;
  if (!isShape(outer)) return undefined;
  const inner = outer['error'] ?? outer;
  if (typeof inner === 'string') return { message: textOf(inner) ?? '' };
  if (!isShape(inner)) return undefined;
  const code = typeof inner['code'] === 'number' ? inner['code'] : textOf(inner['code']);
  const details = isTooDeep(inner['details']) ? undefined : inner['details'];
  const type = textOf(inner['type']) ?? textOf(inner['status']);
  const message =
    textOf(inner['message']) ??
    textOf(inner['detail']) ??
    textOf(inner['msg']) ??
    firstMessage(inner['detail']);
  const isHttp = typeof code === 'number' && code >= 400 && code < 600;
  if (type === undefined && message === undefined && code === undefined) return undefined;
  return {
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { code: String(code) }),
    ...(message === undefined ? {} : { message }),
    ...(details === undefined ? {} : { details }),
    ...(isHttp ? { status: code } : {}),
  };
}

/** Name, code and message of an error and of its causes, outermost first; cycles end it. */
export function causeChain(thrown: unknown): readonly {
  readonly name: string;
  readonly code: string | undefined;
  readonly message: string;
}[] {
  const chain: { name: string; code: string | undefined; message: string }[] = [];
  const seen = new Set<unknown>();
  let current = thrown;
  while (isShape(current) && !seen.has(current) && chain.length < 10) {
    seen.add(current);
    chain.push({
      name: textOf(current['name']) ?? '',
      code: textOf(current['code']),
      message: textOf(current['message']) ?? '',
    });
    // A host with several addresses fails with one error per address.
    const several = current['errors'];
    current = current['cause'] ?? (Array.isArray(several) ? (several as unknown[])[0] : undefined);
  }
  return chain;
}
