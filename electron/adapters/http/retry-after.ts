/**
 * Reads the header. Whether the call waits or the turn is put back is decided in
 * engine/retry/plan-retry.ts, and engine/retry/retrying-call.ts waits.
 */

/** A decimal number is more than RFC 9110 allows; providers send it. */
const SECONDS = /^\d+(\.\d+)?$/;

/** An HTTP date, as in RFC 9110; other texts that `Date.parse` would accept are malformed. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .+ GMT$/;

/**
 * The wait in a `Retry-After` header, in ms. Undefined without one, or if it is implausible:
 * malformed, zero, past, above `mostMs`. Dates count from `nowMs`. Pure. S2-25
 */
export function retryAfterMs(
  header: string | null | undefined,
  { nowMs, mostMs }: { readonly nowMs: number; readonly mostMs: number },
): number | undefined {
  const text = header?.trim() ?? '';
  const ms = SECONDS.test(text)
    ? Number(text) * 1_000
    : HTTP_DATE.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN;
  return ms > 0 && ms <= mostMs ? Math.ceil(ms) : undefined;
}
