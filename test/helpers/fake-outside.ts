/** The other ends of channels: a receiver of webhooks and a Bot API, on real sockets of 127.0.0.1. */
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

interface Posted {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The same as it came, for what is no text. */
  readonly bytes: Buffer;
}

async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Its clients in this process have heard of the end when it resolves: what they send later cannot have arrived. */
const close = async (server: Server): Promise<void> => {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  await delay(100);
};

async function serve(
  answer: (posted: Posted, response: ServerResponse) => void,
): Promise<{ readonly port: number; down(): Promise<void>; up(): Promise<void> }> {
  const make = (): Server =>
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const body = bytes.toString('utf8');
        answer({ path: request.url ?? '', headers: request.headers, body, bytes }, response);
      });
    });
  let server = make();
  const port = await listen(server);
  return {
    port,
    down: () => close(server),
    async up() {
      server = make();
      await listen(server, port);
    },
  };
}

export interface FakeReceiver {
  /** Called with each message as it arrives, before it is answered. */
  onPost?: () => void;
  readonly url: string;
  readonly posted: Posted[];
  /** What it answers to the next requests, before `answer`. */
  readonly next: { status: number; headers?: Record<string, string> }[];
  /** What it answers from now on; 200 at first. */
  answer: { status: number; headers?: Record<string, string> } | 'silence';
  down(): Promise<void>;
  up(): Promise<void>;
}

export async function startReceiver(): Promise<FakeReceiver> {
  const posted: Posted[] = [];
  const server = await serve((one, response) => {
    posted.push(one);
    receiver.onPost?.();
    const answer = receiver.next.shift() ?? receiver.answer;
    if (answer === 'silence') return;
    response.writeHead(answer.status, answer.headers);
    response.end();
  });
  const receiver: FakeReceiver = {
    url: `http://127.0.0.1:${String(server.port)}/hook`,
    posted,
    next: [],
    answer: { status: 200 },
    down: () => server.down(),
    up: () => server.up(),
  };
  return receiver;
}

export const BOT_TOKEN = '123456:canary-token-of-a-bot-0123456789';

export interface TelegramMessage {
  readonly chat: number;
  text: string;
  buttons: { text: string; callback_data: string }[];
  edits: number;
}

export interface FakeTelegram {
  readonly baseUrl: string;
  /** Texts that were sent, with their chats. */
  readonly sent: { readonly chat: number; readonly text: string }[];
  /** Every message with buttons, as it stands in its chat now. */
  readonly messages: Map<number, TelegramMessage>;
  /** What presses were answered with. */
  readonly notes: string[];
  /** Somebody presses a button of a message: by its label, or with data of their own. */
  presses(
    messageId: number,
    button: { readonly label: string } | { readonly data: string },
    person?: number,
  ): number;
  /** The offsets that were asked with. */
  readonly offsets: (number | undefined)[];
  /** A chat says something; the number of its update. */
  says(chat: number, message: Record<string, unknown>): number;
  /** Answers of the next calls of sendMessage; `cut`: it is sent, and the line breaks before the answer. */
  readonly refusals: ({ status: number; body: Record<string, unknown> } | 'cut' | 'usual')[];
  /** What every getUpdates is answered with while it is there, as a bot that is asked twice is. */
  deaf: { status: number; description: string } | undefined;
  /** Answers at once and always with the same, whatever is asked. */
  isEager: boolean;
  /** Updates that were confirmed by an offset above them. */
  confirmed(): number;
  down(): Promise<void>;
  up(): Promise<void>;
}

/** As the Bot API writes: each letter beyond ASCII is six bytes. */
const escaped = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** As the Bot API: updates stay until an offset above them is asked with; questions are held open. */
export async function startTelegram(): Promise<FakeTelegram> {
  const updates: Record<string, unknown>[] = [];
  const sent: FakeTelegram['sent'] = [];
  const messages: FakeTelegram['messages'] = new Map();
  const notes: string[] = [];
  const offsets: FakeTelegram['offsets'] = [];
  const refusals: FakeTelegram['refusals'] = [];
  const held = new Set<() => void>();
  let confirmed = 0;
  let nextId = 1_000;
  const server = await serve((posted, response) => {
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(escaped(JSON.stringify(body)));
    };
    // A look whether it is there has no body.
    const input = JSON.parse(posted.body || '{}') as {
      offset?: number;
      limit?: number;
      timeout?: number;
      chat_id?: number;
      text?: string;
      message_id?: number;
      reply_markup?: { inline_keyboard?: TelegramMessage['buttons'][] };
    };
    const buttons = input.reply_markup?.inline_keyboard?.flat();
    if (!posted.path.startsWith(`/bot${BOT_TOKEN}/`))
      return reply(401, { ok: false, description: 'Unauthorized' });
    if (posted.path.endsWith('/sendMessage')) {
      const refusal = refusals.shift();
      if (typeof refusal === 'object') return reply(refusal.status, { ok: false, ...refusal.body });
      sent.push({ chat: input.chat_id ?? 0, text: input.text ?? '' });
      const message_id = sent.length;
      if (buttons !== undefined)
        messages.set(message_id, {
          chat: input.chat_id ?? 0,
          text: input.text ?? '',
          buttons,
          edits: 0,
        });
      if (refusal === 'cut') return void response.destroy();
      return reply(200, { ok: true, result: { message_id } });
    }
    if (posted.path.endsWith('/answerCallbackQuery')) {
      notes.push(input.text ?? '');
      return reply(200, { ok: true, result: true });
    }
    if (posted.path.endsWith('/editMessageText')) {
      const message = messages.get(input.message_id ?? 0);
      if (message === undefined)
        return reply(400, { ok: false, description: 'Bad Request: message to edit not found' });
      const isSame =
        message.text === input.text && JSON.stringify(message.buttons) === JSON.stringify(buttons);
      if (isSame)
        return reply(400, { ok: false, description: 'Bad Request: message is not modified' });
      message.text = input.text ?? '';
      message.buttons = buttons ?? [];
      message.edits += 1;
      return reply(200, { ok: true, result: {} });
    }
    const { offset, timeout = 0, limit = 100 } = input;
    offsets.push(offset);
    if (telegram.deaf !== undefined)
      return reply(telegram.deaf.status, { ok: false, description: telegram.deaf.description });
    if (telegram.isEager) return reply(200, { ok: true, result: updates.slice(0, limit) });
    confirmed = Math.max(confirmed, (offset ?? 0) - 1);
    const look = (): readonly unknown[] =>
      updates.filter((one) => (one['update_id'] as number) > confirmed).slice(0, limit);
    const tell = (): void => {
      held.delete(tell);
      reply(200, { ok: true, result: look() });
    };
    if (look().length > 0 || timeout === 0) return tell();
    held.add(tell);
    response.on('close', () => held.delete(tell));
  });
  const telegram: FakeTelegram = {
    baseUrl: `http://127.0.0.1:${String(server.port)}`,
    sent,
    messages,
    notes,
    offsets,
    refusals,
    deaf: undefined,
    isEager: false,
    says(chat, message) {
      const id = nextId;
      nextId += 1;
      const { edited, ...said } = message;
      const inner = { message_id: id, chat: { id: chat }, from: { id: chat }, ...said };
      updates.push({ update_id: id, [edited === true ? 'edited_message' : 'message']: inner });
      for (const tell of [...held]) tell();
      return id;
    },
    presses(messageId, button, person) {
      const message = messages.get(messageId);
      const data =
        'data' in button
          ? button.data
          : message?.buttons.find(({ text }) => text === button.label)?.callback_data;
      if (message === undefined || data === undefined)
        throw new Error(`message ${String(messageId)} has no button ${JSON.stringify(button)}`);
      const id = nextId;
      nextId += 1;
      updates.push({
        update_id: id,
        callback_query: {
          id: String(id),
          from: { id: person ?? message.chat },
          message: { message_id: messageId, chat: { id: message.chat } },
          data,
        },
      });
      for (const tell of [...held]) tell();
      return id;
    },
    confirmed: () => confirmed,
    down: () => server.down(),
    up: () => server.up(),
  };
  return telegram;
}
