/** Spans to a collector: OTLP over HTTP, as JSON. */

const TIMEOUT_MS = 10_000;
/** Of what a collector says when it refuses. */
const MAX_SAID = 300;

/** `a=1,b=2` with percent signs, as `OTEL_EXPORTER_OTLP_HEADERS` has it. */
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

/** `/v1/traces` behind the address of a collector, unless it is there. */
export const tracesUrl = (endpoint: string): string =>
  endpoint.endsWith('/v1/traces') ? endpoint : `${endpoint.replace(/\/+$/, '')}/v1/traces`;

/** @throws where the collector is not there or does not take it for now; what it never takes is dropped */
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

/** A collector does not decide how much memory its answer takes. */
async function startOf(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let said = '';
  for await (const chunk of answer.body ?? []) {
    said += decoder.decode(chunk, { stream: true });
    // What follows is not read.
    if (said.length >= MAX_SAID) break;
  }
  return said.slice(0, MAX_SAID);
}
