import { z } from 'zod';
import { HoldfastError } from '../../../engine/kernel/errors';
import { DISCORD_URL } from '../../../../shared/settings/channel-kinds/discord';
import type { ChannelDeps } from '../channel-deps';
import { down, refused } from '../channel-errors';
import { callJson } from '../json-call';

const trouble = z.looseObject({
  code: z.number().optional(),
  retry_after: z.number().positive().max(86_400).optional(),
});

/**
 * Permanent rejections of one message: unknown channel or message, recipient not reachable, invalid
 * form.
 */
const OF_MESSAGE: ReadonlySet<number> = new Set([10_003, 10_008, 50_007, 50_035, 50_083]);

export interface DiscordApi {
  /** The bot token. @throws SECRET_UNREADABLE */
  token(): Promise<string>;
  /**
   * One request; `path` follows the API's address.
   * @throws CHANNEL_REFUSED for a message that will never be accepted, CHANNEL_DOWN for anything
   * else
   */
  call(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    input: Readonly<Record<string, unknown>> | undefined,
    signal: AbortSignal,
  ): Promise<unknown>;
}

export function createDiscordApi(deps: ChannelDeps<'discord'>): DiscordApi {
  const { name, spec, secret, timeoutMs, version } = deps;
  const baseUrl = (spec.base_url ?? DISCORD_URL).replace(/\/+$/, '');
  const token = async (): Promise<string> => {
    const known = await secret();
    if (known !== undefined && /^[\w.-]{10,300}$/.test(known)) return known;
    const what = known === undefined ? 'it has no token yet' : 'that is not a bot token';
    throw new HoldfastError('SECRET_UNREADABLE', `${name}: ${what}.`, {
      hint: 'Store the token of the bot, from its page in the developer portal.',
    });
  };
  return {
    token,
    async call(method, path, input, signal) {
      const { status, json, afterMs } = await callJson(name, `${baseUrl}${path}`, {
        method,
        headers: {
          Authorization: `Bot ${await token()}`,
          'User-Agent': `DiscordBot (holdfast, ${version})`,
        },
        body: input,
        timeoutMs,
        signal,
      });
      if (status >= 200 && status < 300) return json;
      const { code, retry_after: seconds } = trouble.safeParse(json).data ?? {};
      const what = `${name}: Discord responded with ${String(status)}${code === undefined ? '' : ` (${String(code)})`}.`;
      if (status === 429)
        throw down(what, {
          afterMs: seconds === undefined ? (afterMs ?? 5_000) : Math.ceil(seconds * 1_000),
        });
      if (code !== undefined && OF_MESSAGE.has(code)) throw refused(what);
      throw down(what, { mayHaveArrived: status >= 500 });
    },
  };
}
