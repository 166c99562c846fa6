import { z } from 'zod';
import { HoldfastError } from '../../../engine/kernel/errors';
import { SLACK_URL } from '../../../../shared/settings/channel-kinds/slack';
import type { ChannelDeps } from '../channel-deps';
import { down, refused } from '../channel-errors';
import { callJson } from '../json-call';

const answer = z.looseObject({ ok: z.boolean(), error: z.string().optional() });

/** Permanent rejections of one message; any other error can be fixed. */
const OF_MESSAGE: ReadonlySet<string> = new Set([
  'channel_not_found',
  'is_archived',
  'msg_too_long',
  'no_text',
  'invalid_blocks',
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
]);

type SlackMethod =
  | 'apps.connections.open'
  | 'chat.postMessage'
  | 'chat.update'
  | 'chat.postEphemeral'
  | 'conversations.history';

export interface SlackApi {
  /**
   * @throws CHANNEL_REFUSED for a message that will never be accepted, CHANNEL_DOWN for anything
   * else
   */
  call(
    method: SlackMethod,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
}

export function createSlackApi({ name, spec, secret, timeoutMs }: ChannelDeps<'slack'>): SlackApi {
  const baseUrl = (spec.base_url ?? SLACK_URL).replace(/\/+$/, '');
  return {
    async call(method, input, signal) {
      const { app, bot } = await tokensOf(name, secret);
      const token = method === 'apps.connections.open' ? app : bot;
      const { status, json, afterMs } = await callJson(name, `${baseUrl}/${method}`, {
        headers: { Authorization: `Bearer ${token}` },
        body: input,
        timeoutMs,
        signal,
      });
      const parsed = answer.safeParse(json);
      if (status === 200 && parsed.data?.ok === true) return parsed.data;
      const why = /^\w{1,60}$/.exec(parsed.data?.error ?? '')?.[0];
      const what = `${name}: Slack responded with ${why ?? String(status)}.`;
      if (status === 429) throw down(what, { afterMs: afterMs ?? 30_000 });
      if (why !== undefined && OF_MESSAGE.has(why)) throw refused(what);
      throw down(what, { mayHaveArrived: status >= 500 || !parsed.success });
    },
  };
}

/** Both tokens of the app, in one secret. */
async function tokensOf(
  name: string,
  secret: () => Promise<string | undefined>,
): Promise<{ readonly app: string; readonly bot: string }> {
  const all = ((await secret()) ?? '').split(',').map((one) => one.trim());
  const find = (head: string): string | undefined =>
    all.find((one) => one.startsWith(head) && /^[\w-]{10,300}$/.test(one));
  const app = find('xapp-');
  const bot = find('xoxb-');
  if (app !== undefined && bot !== undefined) return { app, bot };
  throw new HoldfastError('SECRET_UNREADABLE', `${name}: it does not have both tokens yet.`, {
    hint: 'Store the bot token and the app token as one line, separated by a comma: xoxb-…,xapp-…',
  });
}
