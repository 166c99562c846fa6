import { createHash, createHmac } from 'node:crypto';
import type { QuestionMessage } from '../../ports/channel';
import { afterMsOf, down, failureWord, refused } from './channel-errors';
import { signedAnswers } from './signed-answers';
import type { ChannelDeps, CreateChannel } from './channel-deps';

/** `t=SECONDS,v1=HEX`: HMAC-SHA256 over the seconds, a dot, and the body as sent. */
export function signature(secret: string, seconds: number, body: string): string {
  const mac = createHmac('sha256', secret)
    .update(`${String(seconds)}.${body}`)
    .digest('hex');
  return `t=${String(seconds)},v1=${mac}`;
}

/**
 * One POST per message. The delivery ID is the same for every attempt, in body and header: a
 * receiver
 * that has seen it answers 2xx and does nothing. Redirects are not followed, because the secret is
 * only for this address.
 *
 * A question comes with signed answers, and its outcome follows later with the same `question` and
 * a separate ID.
 */
export const createWebhook: CreateChannel<'webhook'> = (deps) => {
  const { url, decide } = deps.spec;
  const post = (id: string, body: Readonly<Record<string, unknown>>, signal: AbortSignal) =>
    url === undefined
      ? Promise.reject(refused(`${deps.name}: it is inbound only.`))
      : postWebhook(deps, url, id, body, signal);
  const questionBody = async (question: string, message: QuestionMessage) => ({
    kind: 'question',
    question,
    state: message.buttons.length === 0 && decide !== undefined ? 'closed' : 'open',
    channel: deps.name,
    peer: '',
    session: '',
    text: message.text,
    answers: await signedAnswers(message, decide?.people ?? [], deps.answers.sign),
  });
  return {
    deliver: ({ deliveryId, kind, peer, sessionKey, text }, signal) =>
      post(deliveryId, { kind, channel: deps.name, peer, session: sessionKey, text }, signal),
    async ask({ id, text, buttons }, signal) {
      await post(id, { ...(await questionBody(id, { text, buttons })), state: 'open' }, signal);
      return { peer: '', ref: id };
    },
    async edit({ ref }, message, signal) {
      const said = createHash('sha256').update(JSON.stringify(message)).digest('hex').slice(0, 16);
      await post(`${ref}:${said}`, await questionBody(ref, message), signal);
    },
  };
};

async function postWebhook(
  deps: ChannelDeps<'webhook'>,
  url: string,
  id: string,
  content: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  const secret = await deps.secret();
  const seconds = Math.floor(deps.clock.nowMs() / 1_000);
  const body = JSON.stringify({ id, ...content });
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': `holdfast/${deps.version}`,
        'Idempotency-Key': id,
        'Holdfast-Delivery': id,
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
    status === 429 || status === 503 ? afterMsOf(response, deps.clock.nowMs()) : undefined;
  throw down(`${deps.name}: it responded with status ${String(status)}.`, { afterMs });
}
