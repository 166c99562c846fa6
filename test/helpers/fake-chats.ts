/** The other ends of chats, on real sockets of 127.0.0.1: ntfy, Slack in Socket Mode, Discord. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

/** A message as it stands in its chat now. */
export interface ShownMessage {
  readonly id: string;
  text: string;
  buttons: readonly { readonly label: string; readonly data: string }[];
  edits: number;
}

/** One chat, whatever it is. */
export interface FakeChat {
  /** The settings of its channel, and the environment with its token. */
  readonly own: Record<string, unknown>;
  readonly env: Readonly<Record<string, string>>;
  /** Who may decide, and somebody of the same chat who may not. */
  readonly owner: string;
  readonly stranger: string;
  readonly shown: ShownMessage[];
  /** Short words for one person, where the chat has such. */
  readonly notes: string[];
  /** Bodies of all requests, as they came. */
  readonly received: string[];
  press(message: ShownMessage, button: string | { readonly data: string }, person?: string): void;
  /** Somebody writes; the chat's name of the message. Undefined: nobody can. */
  says?(text: string, more?: { readonly person?: string; readonly chat?: string }): string;
  /** What was written last comes once more. */
  again?(): void;
  /** How often a connection was accepted. */
  connections(): number;
  /** Cuts what is connected. */
  cut(): void;
  down(): Promise<void>;
  up(): Promise<void>;
}

type Answer = { readonly status: number; readonly json: unknown };
interface Host {
  readonly port: number;
  readonly sockets: Set<WebSocket>;
  connections(): number;
  down(): Promise<void>;
  up(): Promise<void>;
}

/** One server for requests and for connections that stay. */
async function serve(
  handle: (
    request: {
      readonly method: string;
      readonly path: string;
      readonly headers: IncomingMessage['headers'];
      readonly body: string;
    },
    response: ServerResponse,
  ) => Answer | undefined,
  onSocket: (socket: WebSocket) => void = () => undefined,
): Promise<Host> {
  const sockets = new Set<WebSocket>();
  let connections = 0;
  const make = () => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const answer = handle(
          {
            method: request.method ?? '',
            path: request.url ?? '',
            headers: request.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          },
          response,
        );
        if (answer === undefined) return;
        response.writeHead(answer.status, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(answer.json));
      });
    });
    const wss = new WebSocketServer({ server });
    wss.on('connection', (socket) => {
      connections += 1;
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      onSocket(socket);
    });
    return server;
  };
  let server = make();
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    sockets,
    connections: () => connections,
    down: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.terminate();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    async up() {
      server = make();
      await listen(port);
    },
  };
}

const labelled = (message: ShownMessage, button: string | { readonly data: string }): string => {
  const data =
    typeof button === 'string'
      ? message.buttons.find(({ label }) => label === button)?.data
      : button.data;
  if (data === undefined)
    throw new Error(`no button ${JSON.stringify(button)} at "${message.text}"`);
  return data;
};

/** As an ntfy server: a topic is a stream of lines, kept for who comes later. */
export async function startNtfy({
  knowsSequences = true,
}: { readonly knowsSequences?: boolean } = {}): Promise<FakeChat & { readonly replyUrl: string }> {
  const TOKEN = 'tk_canary0123456789abcdef';
  const shown: ShownMessage[] = [];
  const received: string[] = [];
  const kept: { id: string; time: number; event: string; topic: string; message: string }[] = [];
  const readers = new Set<ServerResponse>();
  let count = 0;
  let asked = 0;
  const publish = (topic: string, message: string): { id: string } => {
    count += 1;
    const one = {
      id: `m${String(count)}`,
      time: Math.floor(Date.now() / 1_000),
      event: 'message',
      topic,
      message,
    };
    kept.push(one);
    if (topic === 'replies') for (const reader of readers) reader.write(`${JSON.stringify(one)}\n`);
    return one;
  };
  const host = await serve(({ method, path, headers, body }, response) => {
    if (method === 'GET' && path.startsWith('/replies/json')) {
      asked += 1;
      const since = new URL(path, 'http://x').searchParams.get('since') ?? '';
      const afterS = /^\d+$/.test(since) ? Number(since) : 0;
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
      response.write(`${JSON.stringify({ id: 'o', time: 1, event: 'open', topic: 'replies' })}\n`);
      for (const one of kept)
        if (one.topic === 'replies' && one.time >= afterS)
          response.write(`${JSON.stringify(one)}\n`);
      readers.add(response);
      response.on('close', () => readers.delete(response));
      return undefined;
    }
    received.push(body);
    if (method === 'POST' && path === '/replies')
      return { status: 200, json: publish('replies', body) };
    if (headers.authorization !== `Bearer ${TOKEN}`)
      return { status: 403, json: { code: 40_301, http: 403, error: 'forbidden' } };
    const input = JSON.parse(body) as {
      topic: string;
      message: string;
      sequence_id?: string;
      actions?: { label: string; body: string }[];
    };
    if (Buffer.byteLength(input.message) > 4_096)
      return { status: 413, json: { code: 41_301, http: 413, error: 'message too large' } };
    if ((input.actions ?? []).length > 3)
      return { status: 400, json: { code: 40_018, http: 400, error: 'actions invalid: only 3' } };
    const buttons = (input.actions ?? []).map((one) => ({ label: one.label, data: one.body }));
    const earlier = knowsSequences ? shown.find(({ id }) => id === input.sequence_id) : undefined;
    if (earlier === undefined)
      shown.push({
        id: input.sequence_id ?? `n${String(shown.length)}`,
        text: input.message,
        buttons,
        edits: 0,
      });
    else {
      earlier.text = input.message;
      earlier.buttons = buttons;
      earlier.edits += 1;
    }
    return { status: 200, json: publish(input.topic, input.message) };
  });
  const server = `http://127.0.0.1:${String(host.port)}`;
  return {
    own: { kind: 'ntfy', server, topic: 'desk', reply_topic: 'replies', token_env: 'NTFY' },
    env: { NTFY: TOKEN },
    owner: 'ann',
    stranger: 'ann',
    replyUrl: `${server}/replies`,
    shown,
    notes: [],
    received,
    press(message, button) {
      publish('replies', labelled(message, button));
    },
    connections: () => asked,
    cut() {
      for (const reader of readers) reader.destroy();
    },
    down: host.down,
    up: host.up,
  };
}

/** As Slack: what is not confirmed comes again with the next connection. */
export async function startSlack(): Promise<FakeChat> {
  const APP = 'xapp-1-canary0123456789';
  const BOT = 'xoxb-1-canary0123456789';
  const shown: ShownMessage[] = [];
  const notes: string[] = [];
  const received: string[] = [];
  const history: Record<string, unknown>[] = [];
  const waiting = new Map<string, Record<string, unknown>>();
  let count = 0;
  const ts = (): string => {
    count += 1;
    return `${(Date.now() / 1_000).toFixed(3)}${String(count % 1_000).padStart(3, '0')}`;
  };
  const post = (envelope: Record<string, unknown>): void => {
    count += 1;
    const id = `e${String(count)}`;
    const one = { envelope_id: id, ...envelope };
    waiting.set(id, one);
    for (const socket of host.sockets) socket.send(JSON.stringify(one));
  };
  const host = await serve(
    ({ path, headers, body }) => {
      received.push(body);
      const input = JSON.parse(body || '{}') as {
        channel?: string;
        text?: string;
        ts?: string;
        oldest?: string;
        blocks?: {
          type: string;
          text?: { text: string };
          elements?: { text: { text: string }; value: string }[];
        }[];
      };
      const ok = (more: Record<string, unknown> = {}): Answer => ({
        status: 200,
        json: { ok: true, ...more },
      });
      const failed = (error: string): Answer => ({ status: 200, json: { ok: false, error } });
      if (path === '/apps.connections.open')
        return headers.authorization === `Bearer ${APP}`
          ? ok({ url: `ws://127.0.0.1:${String(host.port)}/link?ticket=canary` })
          : failed('invalid_auth');
      if (headers.authorization !== `Bearer ${BOT}`) return failed('invalid_auth');
      if (path === '/conversations.history')
        return ok({
          messages: history
            .filter((one) => Number(one['ts']) >= Number(input.oldest ?? 0))
            .toReversed(),
        });
      if (path === '/chat.postEphemeral') {
        notes.push(input.text ?? '');
        return ok();
      }
      const section = input.blocks?.find(({ type }) => type === 'section')?.text?.text;
      const text = section ?? input.text ?? '';
      const buttons = (input.blocks ?? [])
        .flatMap(({ elements = [] }) => elements)
        .map((one) => ({ label: one.text.text, data: one.value }));
      if (path === '/chat.update') {
        const message = shown.find(({ id }) => id === input.ts);
        if (message === undefined) return failed('message_not_found');
        Object.assign(message, { text, buttons, edits: message.edits + 1 });
        return ok({ ts: message.id });
      }
      if (input.channel !== 'C0000000007') return failed('channel_not_found');
      const message = { id: ts(), text, buttons, edits: 0 };
      shown.push(message);
      return ok({ ts: message.id });
    },
    (socket) => {
      socket.on('message', (data: Buffer) => {
        const { envelope_id: id } = JSON.parse(String(data)) as { envelope_id: string };
        waiting.delete(id);
      });
      socket.send(JSON.stringify({ type: 'hello', num_connections: 1 }));
      for (const one of waiting.values()) socket.send(JSON.stringify(one));
    },
  );
  return {
    own: {
      kind: 'slack',
      base_url: `http://127.0.0.1:${String(host.port)}`,
      chats: ['C0000000007'],
      token_env: 'SLACK',
      agent: 'fake',
    },
    env: { SLACK: `${BOT},${APP}` },
    owner: 'U0000000001',
    stranger: 'U0000000002',
    shown,
    notes,
    received,
    press(message, button, person = 'U0000000001') {
      post({
        type: 'interactive',
        payload: {
          type: 'block_actions',
          user: { id: person },
          channel: { id: 'C0000000007' },
          message: { ts: message.id },
          actions: [{ type: 'button', action_id: 'x', value: labelled(message, button) }],
        },
      });
    },
    says(text, { person = 'U0000000001', chat = 'C0000000007' } = {}) {
      const event = { type: 'message', channel: chat, user: person, text, ts: ts() };
      history.push(event);
      post({ type: 'events_api', payload: { type: 'event_callback', event } });
      return `${chat}:${event.ts}`;
    },
    again() {
      const event = history.at(-1);
      post({ type: 'events_api', payload: { type: 'event_callback', event } });
    },
    connections: host.connections,
    cut() {
      for (const socket of host.sockets) socket.terminate();
    },
    down: host.down,
    up: host.up,
  };
}

/** As Discord: nothing comes again by itself, but can be asked for. */
export async function startDiscord(): Promise<FakeChat> {
  const BOT = 'canary.token-of_a.bot0123456789';
  const CHAT = '700000000000000007';
  const shown: ShownMessage[] = [];
  const notes: string[] = [];
  const received: string[] = [];
  const history: { id: string; channel_id: string }[] = [];
  const pressed = new Map<string, ShownMessage>();
  let count = 0;
  let sequence = 0;
  let accepted = 0;
  const snowflake = (): string => {
    count += 1;
    return String((BigInt(Date.now() - 1_420_070_400_000) << 22n) + BigInt(count));
  };
  const ready = new Set<WebSocket>();
  const dispatch = (t: string, d: unknown): void => {
    sequence += 1;
    for (const socket of ready) socket.send(JSON.stringify({ op: 0, t, s: sequence, d }));
  };
  interface Body {
    content?: string;
    components?: { components: { label: string; custom_id: string }[] }[];
  }
  const read = (input: Body) => ({
    text: (input.content ?? '').replaceAll(/\\(.)/g, '$1'),
    buttons: (input.components ?? [])
      .flatMap(({ components }) => components)
      .map((one) => ({ label: one.label, data: one.custom_id })),
  });
  const host = await serve(
    ({ method, path, headers, body }) => {
      if (headers.authorization !== `Bot ${BOT}`)
        return { status: 401, json: { code: 0, message: '401: Unauthorized' } };
      if (body !== '') received.push(body);
      if (path === '/gateway/bot')
        return { status: 200, json: { url: `ws://127.0.0.1:${String(host.port)}`, shards: 1 } };
      const [, , place, , id] = path.split(/[/?]/);
      if (method === 'GET') {
        const after = BigInt(new URL(path, 'http://x').searchParams.get('after') ?? '0');
        const found = history.filter((one) => one.channel_id === place && BigInt(one.id) > after);
        return { status: 200, json: found.toReversed() };
      }
      const input = JSON.parse(body) as Body & { type?: number; data?: Body };
      if ((input.content ?? '').length > 2_000)
        return { status: 400, json: { code: 50_035, message: 'Invalid Form Body' } };
      if (path.startsWith('/interactions/')) {
        const message = pressed.get(place ?? '');
        if (input.type === 7 && message !== undefined)
          Object.assign(message, { ...read(input.data ?? {}), edits: message.edits + 1 });
        if (input.type === 4) notes.push(read(input.data ?? {}).text);
        return { status: 200, json: {} };
      }
      if (method === 'PATCH') {
        const message = shown.find((one) => one.id === id);
        if (message === undefined)
          return { status: 404, json: { code: 10_008, message: 'Unknown' } };
        Object.assign(message, { ...read(input), edits: message.edits + 1 });
        return { status: 200, json: { id } };
      }
      const message = { id: snowflake(), ...read(input), edits: 0 };
      shown.push(message);
      return { status: 200, json: { id: message.id } };
    },
    (socket) => {
      socket.on('message', (data: Buffer) => {
        const said = JSON.parse(String(data)) as { op: number; d: { token?: string } };
        if (said.op === 1) socket.send(JSON.stringify({ op: 11 }));
        if (said.op !== 2) return;
        if (said.d.token !== BOT) {
          socket.close(4_004);
          return;
        }
        ready.add(socket);
        accepted += 1;
        socket.send(JSON.stringify({ op: 0, t: 'READY', s: 1, d: { session_id: 'x' } }));
      });
      socket.on('close', () => ready.delete(socket));
      socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 1_000 } }));
    },
  );
  return {
    own: {
      kind: 'discord',
      base_url: `http://127.0.0.1:${String(host.port)}`,
      chats: [CHAT],
      token_env: 'DISCORD',
      agent: 'fake',
    },
    env: { DISCORD: BOT },
    owner: '100000000000000001',
    stranger: '100000000000000002',
    shown,
    notes,
    received,
    press(message, button, person = '100000000000000001') {
      const id = snowflake();
      pressed.set(id, message);
      dispatch('INTERACTION_CREATE', {
        id,
        token: 'interaction-token',
        type: 3,
        channel_id: CHAT,
        message: { id: message.id },
        member: { user: { id: person } },
        data: { custom_id: labelled(message, button), component_type: 2 },
      });
    },
    says(text, { person = '100000000000000001', chat = CHAT } = {}) {
      const message = {
        id: snowflake(),
        channel_id: chat,
        author: { id: person },
        type: 0,
        content: text,
      };
      history.push(message);
      dispatch('MESSAGE_CREATE', message);
      return message.id;
    },
    again: () => dispatch('MESSAGE_CREATE', history.at(-1)),
    connections: () => accepted,
    cut() {
      for (const socket of host.sockets) socket.terminate();
    },
    down: host.down,
    up: host.up,
  };
}
