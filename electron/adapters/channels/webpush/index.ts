import { createHash } from 'node:crypto';
import { pushPeople } from '../../../../shared/settings/channels';
import type { QuestionMessage } from '../../../ports/channel';
import type { PushSubscription } from '../../../ports/push';
import type { ChannelDeps, CreateChannel } from '../channel-deps';
import { afterMsOf, down, failureWord, mayHaveReached, refused } from '../channel-errors';
import { clipped, piecesOf, withRepeatNote } from '../pieces';
import { toLook } from '../signed-answers';

type Deps = ChannelDeps<'webpush'>;

/** Text of one message, as it is sent: push services take 4,096 bytes with what encrypts it and a link. */
const MAX_BYTES = 2_900;
const sentBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
/** How long a push service keeps a message for an offline browser. */
const KEPT_SECONDS = 86_400;

/** The notification that the page's worker shows; the same `tag` replaces one. */
interface Push {
  readonly tag: string;
  readonly text: string;
  /** Opened by a click. */
  readonly url?: string;
  /** True: replaces the shown notification silently. */
  readonly isQuiet?: boolean;
}

/**
 * Browser notifications, encrypted for each browser. A question opens its page, where the user
 * decides: the notification itself decides nothing.
 */
export const createWebpush: CreateChannel<'webpush'> = (deps) => {
  const { spec, answers } = deps;
  const linkOf = async (person: string, { buttons }: QuestionMessage) => {
    const [first] = buttons.flat();
    if (first === undefined || spec.decide?.people.includes(person) !== true) return {};
    return { url: await answers.pageUrl(await answers.sign(person, toLook(first.data))) };
  };
  const question = (tag: string, message: QuestionMessage, signal: AbortSignal) =>
    sendToAll(deps, signal, async ({ person }) => ({
      tag,
      text: clipped(message.text, MAX_BYTES, sentBytes),
      ...(await linkOf(person, message)),
      ...(message.buttons.length === 0 ? { isQuiet: true } : {}),
    }));
  return {
    async deliver({ deliveryId, text }, signal) {
      const pieces = piecesOf(text, MAX_BYTES, sentBytes);
      for (const [index, piece] of pieces.entries())
        await sendToAll(deps, signal, () =>
          Promise.resolve({ tag: `${tagOf(deliveryId)}-${String(index)}`, text: piece }),
        );
    },
    async ask({ id, repeatNote, ...message }, signal) {
      const text = withRepeatNote(message.text, repeatNote);
      await question(tagOf(id), { ...message, text }, signal);
      return { peer: '', ref: tagOf(id) };
    },
    edit: ({ ref }, message, signal) => question(ref, message, signal),
  };
};

const tagOf = (id: string): string =>
  `hf-${createHash('sha256').update(id).digest('hex').slice(0, 20)}`;

/** One browser that accepted it is enough: the others would get it twice with the next attempt. */
async function sendToAll(
  deps: Deps,
  signal: AbortSignal,
  pushFor: (one: PushSubscription) => Promise<Push>,
): Promise<void> {
  const { name, spec, answers } = deps;
  const browsers = await answers.browsers();
  const people = pushPeople(spec);
  const all = (await browsers.of(name)).filter(({ person }) => people.includes(person));
  if (all.length === 0)
    throw down(`${name}: no browser has subscribed. Run "holdfast channels link ${name}".`);
  const ends = await Promise.allSettled(
    all.map(async (one) => send(deps, one, await pushFor(one), signal)),
  );
  if (ends.some(({ status }) => status === 'fulfilled')) return;
  const [failed] = ends.filter((end) => end.status === 'rejected');
  throw failed?.reason as Error;
}

async function send(
  { name, spec, answers, timeoutMs, clock }: Deps,
  { endpoint, p256dh, auth }: PushSubscription,
  content: Push,
  signal: AbortSignal,
): Promise<void> {
  const { default: webPush } = await import('web-push');
  const { url, ...request } = await requestOf();
  let response: Response;
  try {
    response = await fetch(url, {
      ...request,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
  } catch (cause) {
    throw down(`${name}: ${failureWord(cause)}.`, {
      cause,
      mayHaveArrived: mayHaveReached(cause),
    });
  }
  await response.body?.cancel();
  const { status } = response;
  if (status >= 200 && status < 300) return;
  if (status === 404 || status === 410) {
    await (await answers.browsers()).remove(name, endpoint);
    throw down(`${name}: a browser is no longer subscribed.`);
  }
  const what = `${name}: the push service responded with status ${String(status)}.`;
  if (status === 413) throw refused(what);
  throw down(what, { afterMs: afterMsOf(response, clock.nowMs()) });

  async function requestOf() {
    const { publicKey, privateKey } = await (await answers.browsers()).keys();
    const {
      endpoint: to,
      method,
      headers,
      body,
    } = webPush.generateRequestDetails(
      { endpoint, keys: { p256dh, auth } },
      JSON.stringify(content),
      {
        vapidDetails: { subject: `mailto:${spec.contact}`, publicKey, privateKey },
        TTL: KEPT_SECONDS,
        urgency: content.isQuiet === true ? 'low' : 'high',
        // Replaces an undelivered one too. At most 32 characters.
        topic: content.tag,
      },
    );
    // `fetch` sets the length itself.
    const { 'Content-Length': _length, ...others } = headers as Record<string, unknown>;
    return {
      url: to,
      method,
      headers: Object.fromEntries(
        Object.entries(others).map(([key, value]) => [key, String(value)]),
      ),
      body: body as Buffer<ArrayBuffer>,
    };
  }
}
