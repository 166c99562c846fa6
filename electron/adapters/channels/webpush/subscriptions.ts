import { createECDH } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../../../disk/durable-file';
import type { CrashPoints } from '../../../engine/kernel/crash-points';
import { HoldfastError } from '../../../engine/kernel/errors';
import { parsedOutside } from '../../../engine/kernel/json-depth';
import type { PushSubscription, PushSubscriptions } from '../../../ports/push';
import { readPrivateFile } from '../../secrets/private-file';
import { readOrMakeToken } from '../../loopback/saved-token';

/** Maximum browsers per channel; beyond it, the oldest is removed. */
const MOST = 50;
/** Of these, of one person, whose link must not displace the browsers of others. */
const MOST_OF_PERSON = 10;
/** More than 30 channels with all browsers at their longest addresses. */
const MAX_BYTES = 4_000_000;

const browser = z.strictObject({
  person: z.string().min(1).max(200),
  endpoint: z.string().min(1).max(2_000),
  p256dh: z.string().min(1).max(200),
  auth: z.string().min(1).max(100),
});
const kept = z.record(z.string().max(64), z.array(browser).max(MOST));

/** The files are created with the first browser; nothing is read before. */
export function openSubscriptions(dataDir: string, crashPoints: CrashPoints): PushSubscriptions {
  const file = path.join(dataDir, 'push.json');
  /** One change at a time, each based on what is on disk. */
  let last: Promise<unknown> = Promise.resolve();
  const change = (
    channel: string,
    of: (before: readonly PushSubscription[]) => readonly PushSubscription[],
  ): Promise<void> => {
    const next = last.then(async () => {
      const all = await read(file);
      const { [channel]: before = [], ...others } = all;
      const after = of(before);
      const content = after.length === 0 ? others : { ...others, [channel]: after };
      await writeDurably(file, `${JSON.stringify(content, undefined, 2)}\n`, {
        beforeRename: () => crashPoints.hit('push.write.beforeRename'),
        afterRename: () => crashPoints.hit('push.write.afterRename'),
      });
    });
    last = next.catch(() => undefined);
    return next;
  };
  return {
    async of(channel) {
      await last;
      return (await read(file))[channel] ?? [];
    },
    add: (channel, one) =>
      change(channel, (before) => {
        const others = before.filter(({ endpoint }) => endpoint !== one.endpoint);
        const own = others.filter(({ person }) => person === one.person);
        const newest = new Set(own.slice(1 - MOST_OF_PERSON));
        return [
          ...others.filter((other) => other.person !== one.person || newest.has(other)),
          one,
        ].slice(-MOST);
      }),
    remove: (channel, gone) =>
      change(channel, (before) => before.filter(({ endpoint }) => endpoint !== gone)),
    async keys() {
      const token = await readOrMakeToken(path.join(dataDir, 'push.key'), 'of push services');
      const pair = createECDH('prime256v1');
      pair.setPrivateKey(token, 'hex');
      return {
        publicKey: pair.getPublicKey('base64url'),
        privateKey: Buffer.from(token, 'hex').toString('base64url'),
      };
    },
  };
}

/** @throws DATA_DIR_UNSAFE if others could read it, or its content is not ours */
async function read(file: string): Promise<Readonly<Record<string, readonly PushSubscription[]>>> {
  const found = await readPrivateFile(file, MAX_BYTES);
  if (found.kind === 'missing') return {};
  const parsed = found.kind === 'content' ? kept.safeParse(parsedOutside(found.text)) : undefined;
  if (parsed?.success === true) return parsed.data;
  throw new HoldfastError(
    'DATA_DIR_UNSAFE',
    `The browsers of web push are not used: ${found.kind === 'refused' ? found.reason : `${file} is damaged`}.`,
    {
      hint:
        found.kind === 'refused'
          ? found.hint
          : 'Nothing was sent. Move the file away, and subscribe the browsers again.',
    },
  );
}
