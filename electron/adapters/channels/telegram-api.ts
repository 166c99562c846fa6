import { z } from 'zod';
import { down, refused } from './channel-errors';
import { callJson } from './json-call';

const answer = z.object({
  ok: z.boolean(),
  // Absent if it failed.
  result: z.unknown().optional(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number().positive().max(86_400).optional() }).optional(),
});

/** Updates per request. */
export const MAX_UPDATES = 25;
/**
 * This many messages of maximum length, each with the one that it answers, in an alphabet with six
 * bytes per letter: a larger answer would be the same when it is requested again.
 */
const MAX_BYTES = 8 * 1_048_576;

export interface TelegramApiDeps {
  readonly name: string;
  readonly baseUrl: string;
  /** @throws SECRET_UNREADABLE */
  readonly token: () => Promise<string>;
}

type TelegramMethod = 'getUpdates' | 'sendMessage' | 'editMessageText' | 'answerCallbackQuery';

/** Methods whose rejection is permanent and concerns this message only. */
const OF_MESSAGE: ReadonlySet<TelegramMethod> = new Set([
  'sendMessage',
  'editMessageText',
  'answerCallbackQuery',
]);

/**
 * One call of the Bot API. The token is part of the address, so no error contains that.
 * @throws CHANNEL_REFUSED for a message that will never be accepted, CHANNEL_DOWN for anything else
 */
export async function callTelegram(
  deps: TelegramApiDeps,
  method: TelegramMethod,
  input: Readonly<Record<string, unknown>>,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<unknown> {
  const token = await deps.token();
  const { status, json } = await callJson(deps.name, `${deps.baseUrl}/bot${token}/${method}`, {
    headers: { 'Content-Type': 'application/json' },
    body: input,
    mostBytes: MAX_BYTES,
    ...options,
  });
  const parsed = answer.safeParse(json);
  if (parsed.success && parsed.data.ok && status === 200) return parsed.data.result;
  const said = parsed.success ? (parsed.data.description ?? '').replaceAll(token, '…') : '';
  const what = `${deps.name}: Telegram responded with ${String(status)}${said === '' ? '' : ` (${said.slice(0, 200)})`}.`;
  const afterSeconds = parsed.success ? parsed.data.parameters?.retry_after : undefined;
  if (status === 429) throw down(what, { afterMs: (afterSeconds ?? 1) * 1_000 });
  // The message already has this text.
  if (method === 'editMessageText' && /message is not modified/i.test(said)) return undefined;
  // The chat is gone or has blocked the bot. A wrong token is 401 or 404: that can be fixed.
  if (OF_MESSAGE.has(method) && (status === 400 || status === 403)) throw refused(what);
  // An unknown answer, or a server error, does not mean that the message was not accepted.
  throw down(what, { mayHaveArrived: status >= 500 || !parsed.success });
}
