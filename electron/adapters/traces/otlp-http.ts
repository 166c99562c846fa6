/** Sends spans to a collector: OTLP over HTTP, as JSON. */

const TIMEOUT_MS = 10_000;
/** Maximum length of the reason that is kept when a collector rejects a request. */
const MAX_SAID = 300;

/** Reads `a=1,b=2`, percent-encoded, the format of `OTEL_EXPORTER_OTLP_HEADERS`. */
export function headersOf(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? '').split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    if (!/^[\w-]+$/.test(name)) return [];
    try {
      return [[name, decodeURIComponent(pair.slice(at + 1).trim())]];
    } catch {
      return [[name, pair.slice(at + 1).trim()]];
    }
  });
  return Object.fromEntries(pairs);
}

/** Adds `/v1/traces` to the address of a collector, unless the address already ends with it. */
export const tracesUrl = (endpoint: string): string =>
  endpoint.endsWith('/v1/traces') ? endpoint : `${endpoint.replace(/\/+$/, '')}/v1/traces`;

/**
 * Spans that the collector will never accept are dropped. @throws if the collector is unreachable
 * or rejects the request for now
 */
export async function sendSpans(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  body: object,
  onRefused: (why: string) => void,
): Promise<void> {
  const answer = await fetch(tracesUrl(endpoint), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const said = await startOf(answer);
  if (answer.ok) return;
  const isForNow = answer.status === 429 || (answer.status >= 500 && answer.status !== 501);
  if (isForNow) throw new Error(`HTTP ${String(answer.status)}`);
  onRefused(`HTTP ${String(answer.status)} ${said}`);
}

/** Reads only the start of an answer, so that a collector cannot make us use much memory. */
async function startOf(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let said = '';
  for await (const chunk of answer.body ?? []) {
    said += decoder.decode(chunk, { stream: true });
    // The rest is not read.
    if (said.length >= MAX_SAID) break;
  }
  return said.slice(0, MAX_SAID);
}
