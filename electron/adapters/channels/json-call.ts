import { createJsonMeter, MAX_VALUES } from '../../engine/kernel/json-meter';
import { afterMsOf, down, failureWord, mayHaveReached } from './channel-errors';
import { parsedOutside } from '../../engine/kernel/json-depth';

/** Longest answer that is read. */
const MAX_BYTES = 1_048_576;

interface JsonAnswer {
  readonly status: number;
  /** Undefined if it is not JSON. */
  readonly json: unknown;
  /** The wait that it requests. */
  readonly afterMs: number | undefined;
}

/**
 * One request to a JSON service. Redirects are not followed, because the headers are meant only
 * for this address. Errors never contain the address, which may contain a secret.
 * @throws CHANNEL_DOWN if there was no answer
 */
export async function callJson(
  name: string,
  url: string,
  options: {
    readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly mostBytes?: number;
  },
): Promise<JsonAnswer> {
  const { method = 'POST', headers = {}, body, timeoutMs, signal, mostBytes = MAX_BYTES } = options;
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    return {
      status: response.status,
      json: await boundedJson(response, mostBytes),
      // A date in it counts from the clock that has set it.
      afterMs: afterMsOf(response, Date.parse(response.headers.get('date') ?? '')),
    };
  } catch (thrown) {
    throw down(`${name}: ${failureWord(thrown)}.`, { mayHaveArrived: mayHaveReached(thrown) });
  }
}

/**
 * The response's JSON; undefined if it is not JSON.
 * @throws Error above `mostBytes`, or with more values than may be parsed at once
 */
async function boundedJson(response: Response, mostBytes: number): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  const meter = createJsonMeter(MAX_VALUES);
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes || meter.isAbove(chunk)) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return parsedOutside(Buffer.concat(chunks).toString('utf8'));
}
