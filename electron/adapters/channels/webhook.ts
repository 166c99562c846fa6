import { createHmac } from 'node:crypto';
import type { Delivery } from '../../ports/channel';
import { down, failureWord, refused } from './channel-errors';
import type { ChannelDeps, CreateChannel } from './channel-deps';

/** `t=SECONDS,v1=HEX`: HMAC-SHA256 over the seconds, a dot, and the body as it is sent. */
export function signature(secret: string, seconds: number, body: string): string {
  const mac = createHmac('sha256', secret)
    .update(`${String(seconds)}.${body}`)
    .digest('hex');
  return `t=${String(seconds)},v1=${mac}`;
}

/** The longest `Retry-After` accepted here; how much of it is honored is the sender's decision. */
const MOST_AFTER_MS = 86_400_000;

/**
 * One POST for each message. The delivery id is the same for every attempt, in body and header: who
 * has seen it answers 2xx and does nothing. Redirects are not followed: the secret is for this
 * address alone.
 */
export const createWebhook: CreateChannel<'webhook'> = (deps) => {
  const { url } = deps.spec;
  return {
    deliver: (delivery, signal) =>
      url === undefined
        ? Promise.reject(refused(`${deps.name}: it is inbound only.`))
        : postWebhook(deps, url, delivery, signal),
  };
};

async function postWebhook(
  deps: ChannelDeps<'webhook'>,
  url: string,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<void> {
  const secret = await deps.secret();
  const seconds = Math.floor(deps.clock.nowMs() / 1_000);
  const body = JSON.stringify({
    id: delivery.deliveryId,
    kind: delivery.kind,
    channel: deps.name,
    peer: delivery.peer,
    session: delivery.sessionKey,
    text: delivery.text,
  });
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': `holdfast/${deps.version}`,
        'Idempotency-Key': delivery.deliveryId,
        'Holdfast-Delivery': delivery.deliveryId,
        ...(secret === undefined ? {} : { 'Holdfast-Signature': signature(secret, seconds, body) }),
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(deps.timeoutMs)]),
    });
  } catch (cause) {
    throw down(`${deps.name}: ${failureWord(cause)}.`, { cause });
  }
  await response.body?.cancel();
  const { status } = response;
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400)
    throw down(
      `${deps.name}: it responded with a redirect (${String(status)}), which is not followed.`,
    );
  const afterMs =
    status === 429 || status === 503
      ? askedWaitMs(response.headers.get('retry-after') ?? '', deps.clock.nowMs())
      : undefined;
  throw down(
    `${deps.name}: it responded with status ${String(status)}.`,
    afterMs === undefined ? {} : { afterMs },
  );
}

/** The wait of a `Retry-After`; undefined if implausible: malformed, past, above a day. Pure. */
export function askedWaitMs(value: string, nowMs: number): number | undefined {
  const text = value.trim();
  const isDate = text.endsWith(' GMT');
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : isDate ? Date.parse(text) - nowMs : NaN;
  return ms > 0 && ms <= MOST_AFTER_MS ? ms : undefined;
}
