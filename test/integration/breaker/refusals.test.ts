import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import {
  composeIn,
  createWorld,
  ENDED,
  turnIn,
  writeConfig,
  type World,
} from '../../helpers/compose-world';
import {
  startFakeProvider,
  type FakeProvider,
  type FakeRequest,
} from '../../helpers/fake-provider';
import type { FakeReply } from '../../helpers/fake-provider-types';

let world: World;
let fp: FakeProvider;
const lives: Composition[] = [];
afterEach(async () => {
  for (const life of lives.splice(0)) await life.lifecycle.stop('stop');
  await fp.stop();
  world.remove();
});

async function start(
  script: (request: FakeRequest) => FakeReply | Promise<FakeReply>,
  provider: Record<string, unknown> = {},
): Promise<Composition> {
  fp = await startFakeProvider();
  fp.setScript(script);
  world = createWorld();
  writeConfig(world, {
    retry: { rate_limited: { first_wait: '2ms' }, server: { first_wait: '2ms' } },
    work: { requeue_delay: '1h', requeue_max_delay: '1h' },
    agents: {
      a: { provider: 'local', model: 'm', workspace: world.workspace, tools: ['files.read_file'] },
    },
    providers: {
      local: {
        kind: 'openai-compatible',
        base_url: fp.baseUrl('openai-compatible'),
        ...provider,
      },
    },
  });
  return again();
}

async function again(): Promise<Composition> {
  const life = composeIn(world);
  lives.push(life);
  expect(await life.lifecycle.start()).toEqual({ kind: 'started' });
  return life;
}

async function send(life: Composition, text = 'hello'): Promise<number> {
  const message = { text, agent: 'a', session: 's' };
  return (await life.holdfast.call('send', message, 'test')).turnId;
}

const TOO_LONG: Readonly<Record<string, FakeReply>> = {
  '413': { status: 413 },
  '400 context_length_exceeded': {
    status: 400,
    error: { message: 'maximum context length is 8192 tokens', code: 'context_length_exceeded' },
  },
};

describe('S2-29 a conversation that the provider finds too long', () => {
  it.each(Object.keys(TOO_LONG))(
    'S2-29 %s: one more request with the oldest messages left out, and the turn is answered',
    async (name) => {
      const life = await start(({ body }) =>
        body.length > 20_000 ? (TOO_LONG[name] ?? {}) : { text: 'x'.repeat(6_000) },
      );
      for (const chars of [8_000, 3_000])
        await turnIn(life, await send(life, 'y'.repeat(chars)), [...ENDED]);
      const turnId = await send(life, 'and now?');
      expect(await turnIn(life, turnId, [...ENDED])).toMatchObject({ state: 'completed' });
      const asked = fp.calls().slice(2);
      expect(asked.map(({ body }) => body.length > 20_000)).toEqual([true, false]);
      expect(asked[1]?.body).toContain('left out the first 2 messages');
      expect(asked[1]?.body).toContain('and now?');
      const { steps } = await life.holdfast.call('turns.show', { turnId }, 'test');
      expect(steps.map(({ state }) => state)).toEqual(['failed', 'completed']);
      expect(steps[0]?.error).toContain('Holdfast left out its first 2 messages');
      const breaker = await life.holdfast.call('breakers.show', { name: 'provider.local' }, 'test');
      expect(breaker).toMatchObject({ state: 'closed', failures: 0 });
    },
  );

  it('S2-29 a conversation that fits with a shorter answer is sent once more whole, with 1,096 tokens for the answer', async () => {
    const life = await start(({ json }) =>
      (json as { max_tokens?: number }).max_tokens === undefined
        ? {
            status: 400,
            error: {
              message:
                "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (3000 in the messages, 2000 in the completion).",
            },
          }
        : { text: 'short' },
    );
    const turn = await turnIn(life, await send(life), [...ENDED]);
    expect(turn).toMatchObject({ state: 'completed' });
    const asked = fp.calls().map(({ json }) => json as { messages: unknown; max_tokens?: number });
    expect(asked.map(({ max_tokens }) => max_tokens)).toEqual([undefined, 1_096]);
    expect(asked[1]?.messages).toEqual(asked[0]?.messages);
  });

  it('S2-29 413 for ever: exactly 2 requests, then the turn says what to do', async () => {
    let isFull = false;
    const life = await start(() => (isFull ? { status: 413 } : { text: 'x'.repeat(6_000) }));
    await turnIn(life, await send(life), [...ENDED]);
    isFull = true;
    const turn = await turnIn(life, await send(life, 'and now?'), ['parked', 'waiting']);
    expect(turn).toMatchObject({
      state: 'parked',
      reason: expect.stringContaining('local') as string,
    });
    expect(turn.reason).toContain('too long for m');
    expect(fp.calls()).toHaveLength(3);
  });

  it('S2-29 413 for one short message: exactly 1 request, nothing could be left out', async () => {
    const life = await start(() => ({ status: 413 }));
    await turnIn(life, await send(life), ['parked']);
    expect(fp.calls()).toHaveLength(1);
  });

  it('S2-29 S4-10 a turn that was made shorter and stopped goes on shorter: the long request is not sent again', async () => {
    const big = 'big.txt';
    let isHanging = true;
    const life = await start(({ body }) => {
      if (body.length > 20_000) return { status: 413 };
      if (!body.includes('"role":"tool"'))
        return { toolCalls: [{ name: 'read_file', args: { path: big } }] };
      return isHanging ? { fault: 'stall_first_byte' } : { text: 'read' };
    });
    fs.writeFileSync(path.join(world.workspace, big), 'line of text\n'.repeat(2_500));
    const turnId = await send(life, 'read it');
    await fp.waitForRequests(3);
    await life.lifecycle.stop('stop');
    isHanging = false;
    const second = await again();
    expect(await turnIn(second, turnId, [...ENDED])).toMatchObject({ state: 'completed' });
    expect(fp.calls().map(({ body }) => body.length > 20_000)).toEqual([false, true, false, false]);
    // The same bytes as before the stop.
    expect(fp.calls()[3]?.bodySha256).toBe(fp.calls()[2]?.bodySha256);
  });
});

describe('S2-29 a key that the provider refuses', () => {
  const withKey = async (next: string): Promise<{ life: Composition; file: string }> => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-key-'));
    const file = path.join(dir, 'key');
    fs.writeFileSync(file, 'first-key-0123456789', { mode: 0o600 });
    const life = await start(
      ({ headers }) => {
        if (headers['authorization'] === 'Bearer second-key-0123456789') return { text: 'ok' };
        // Another program renews it while the request is under way.
        fs.writeFileSync(file, next);
        return { status: 401 };
      },
      { api_key_file: file },
    );
    return { life, file };
  };

  it('S2-29 401 with a file that holds another key by now: 1 more request with that one', async () => {
    const { life, file } = await withKey('second-key-0123456789');
    expect(await turnIn(life, await send(life), [...ENDED])).toMatchObject({ state: 'completed' });
    expect(fp.calls()).toHaveLength(2);
    fs.rmSync(path.dirname(file), { recursive: true });
  });

  it.each(['first-key-0123456789', 'third-key-0123456789', ''])(
    'S2-29 401 with "%s" in its file: no key is sent twice, and never more than 2 requests',
    async (next) => {
      const { life, file } = await withKey(next);
      const turn = await turnIn(life, await send(life), ['waiting', 'parked', 'held']);
      expect(turn.reason).toContain('local');
      expect(fp.calls()).toHaveLength(next.startsWith('third') ? 2 : 1);
      fs.rmSync(path.dirname(file), { recursive: true });
    },
  );
});
