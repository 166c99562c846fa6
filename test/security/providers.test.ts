/** T6 and R2 for model providers: where the key may go, and where it must never appear. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Composition } from '../../electron/compose/options';
import { toHoldfastError } from '../../electron/engine/kernel/errors';
import { composeIn, createWorld, writeConfig } from '../helpers/compose-world';
import { startFakeProvider } from '../helpers/fake-provider';
import type { FakeProvider } from '../helpers/fake-provider';
import type { FakeReply } from '../helpers/fake-provider-types';
import {
  ask,
  CANARY,
  DIALECTS,
  failureOf,
  rigFor,
  rigOf,
} from '../integration/providers/provider-harness';

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterEach(() => {
  fake.setScript([]);
});
afterAll(() => fake.stop());

describe('T6 the address of a provider', () => {
  it.each([
    'http://api.example.com/v1',
    'http://192.168.1.10:11434/v1',
    'http://0.0.0.0:11434/v1',
    'http://localhost.evil.example/v1',
    'http://127.0.0.1.evil.example/v1',
    'http://[::ffff:127.0.0.1]/v1',
    'ftp://127.0.0.1/v1',
    'file:///etc/passwd',
    'javascript:alert(1)',
    `https://user:${CANARY}@api.example.com/v1`,
    `https://api.example.com/v1?key=${CANARY}`,
    'https://api.example.com/v1#x',
    'not an address',
  ])('%s is refused before a key is read, and not repeated', async (base_url) => {
    const rig = rigOf({ kind: 'openai-compatible', base_url });
    const error = await rig.providers.get('office').then(() => undefined, toHoldfastError);
    expect(rig.keyReads()).toBe(0);
    expect(error?.code).toBe('PROVIDER_URL_REFUSED');
    expect(error?.hint).toContain('providers.office.base_url');
    expect(JSON.stringify([error?.message, error?.hint, error?.facts])).not.toContain(CANARY);
  });

  it.each([
    'https://api.example.com/v1',
    'http://localhost:11434/v1',
    'http://127.9.8.7/v1',
    'http://[::1]:1234/v1/',
  ])('%s is taken', async (base_url) => {
    await expect(
      rigOf({ kind: 'openai-compatible', base_url }).providers.get('office'),
    ).resolves.toMatchObject({
      name: 'office',
    });
  });

  it('a provider elsewhere without a key is refused with the settings key to set', async () => {
    const rig = rigOf(
      { kind: 'anthropic', base_url: 'https://api.example.com' },
      { key: undefined },
    );
    const error = await rig.providers.get('office').catch(toHoldfastError);
    expect(error).toMatchObject({ code: 'PROVIDER_KEY_MISSING' });
    expect((error as { hint?: string }).hint).toContain('providers.office.api_key_env');
  });

  it('names out of the prototype are no providers', async () => {
    const rig = rigOf({ kind: 'anthropic' });
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(await rig.providers.get(name).catch(toHoldfastError)).toMatchObject({
        code: 'PROVIDER_UNKNOWN',
      });
    }
  });
});

describe.each(DIALECTS)('T6 redirects over %s', (dialect) => {
  it.each([301, 302, 303, 307, 308])(
    '%i is not followed: the key and the prompt go nowhere else',
    async (status) => {
      const seen: string[] = [];
      const other = createServer((request, response) => {
        seen.push(request.url ?? '');
        response.end('{}');
      });
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      try {
        const { port } = other.address() as AddressInfo;
        const location = `http://127.0.0.1:${String(port)}/elsewhere?token=${CANARY}`;
        fake.setScript([{ status, headers: { location }, body: 'moved' }]);
        const failure = failureOf(await rigFor(fake, dialect).call(ask('hi')));
        expect(failure).toMatchObject({ kind: 'config', isRetryable: false });
        expect(failure.message).toContain(`http://127.0.0.1:${String(port)}/elsewhere`);
        expect(failure.hint).toContain('providers.office.base_url');
        expect(JSON.stringify(failure)).not.toContain(CANARY);
        expect(seen).toEqual([]);
      } finally {
        other.close();
      }
    },
  );
});

describe.each(DIALECTS)('R2 S2-30 the key over %s', (dialect) => {
  const quote = `Incorrect API key provided: ${CANARY}, header Bearer ${CANARY}, start ${CANARY.slice(0, 14)}, end ${CANARY.slice(-12)}, url https://x.example/?key=${CANARY}`;
  const replies: readonly (readonly [string, FakeReply])[] = [
    ['401', { status: 401, error: { message: quote } }],
    ['400 as plain text', { status: 400, body: quote }],
    ['429', { status: 429, error: { message: quote } }],
    ['500', { status: 500, error: { message: quote } }],
    ['an error in the stream', { text: 'a b c', fault: 'error_event', error: { message: quote } }],
    ['an error as the body of a 200', { body: { error: { message: quote } } }],
    ['a login page', { body: quote, headers: { 'content-type': 'text/html' } }],
    ['a cut answer', { text: `a ${quote}`, fault: 'cut' }],
    ['the name of a tool', { toolCalls: [{ name: `read_${CANARY}`, rawArgs: '{' }] }],
    ['a reset', { fault: 'reset' }],
  ];

  it.each(replies)(
    'is neither in the message nor in the log, nor a long piece of it: %s',
    async (_title, reply) => {
      fake.setScript([reply]);
      const rig = rigFor(fake, dialect);
      const failure = failureOf(await rig.call(ask('a secret prompt')));
      const shown = JSON.stringify([failure, rig.logged]);
      for (let start = 0; start + 10 <= CANARY.length; start += 1) {
        expect(shown).not.toContain(CANARY.slice(start, start + 10));
      }
      expect(rig.logged.length).toBeGreaterThan(0);
    },
  );

  it('R3 the log holds neither prompt nor answer', async () => {
    fake.setScript([
      { text: 'the secret answer' },
      { status: 400, error: { message: 'bad: a secret prompt' } },
    ]);
    const rig = rigFor(fake, dialect);
    await rig.call(ask('a secret prompt'));
    await rig.call(ask('a secret prompt'));
    expect(rig.logged).toHaveLength(2);
    expect(JSON.stringify(rig.logged)).not.toMatch(/secret/);
  });

  it('control and direction characters of the provider do not reach a person', async () => {
    fake.setScript([
      { status: 400, error: { message: 'bad \u001b[31m red \u202e turned \u0007 x' } },
    ]);
    const { message } = failureOf(await rigFor(fake, dialect).call(ask('hi')));

    expect(message).not.toMatch(/[\u0000-\u001f\u202a-\u202e]/);
    expect(message).toContain('turned');
  });
});

describe('K1 a stored key belongs to the host that it was entered for', () => {
  it('K1 is sent to no other host, whether a window, the command line or the file names it, until it is entered again', async () => {
    const world = createWorld();
    let life = composeIn(world);
    await life.lifecycle.start();
    const call: Composition['holdfast']['call'] = (verb, input) =>
      life.holdfast.call(verb, input, 'test');
    const at = (base_url: string) => ({ kind: 'openai-compatible' as const, base_url });
    const listed = async () => (await call('provider.list', {}, 'test')).providers[0];
    const seen = () =>
      fake.requests.filter(({ headers }) => headers['authorization'] !== undefined);
    const before = seen().length;
    try {
      const [one, here] = [at('https://one.example/v1'), at(fake.baseUrl('openai-compatible'))];
      await call('provider.set', { name: 'office', provider: one }, 'test');
      await call('provider.setKey', { name: 'office', key: CANARY, allowPlaintext: true }, 'test');
      expect((await listed())?.key).toMatchObject({ present: true });
      expect((await listed())?.key.problem).toBeUndefined();
      const changed = await call('provider.set', { name: 'office', provider: here }, 'test');
      const told =
        'API key of office: it was entered for https://one.example, and is not sent to this computer. Enter the key again for the new address, or change base_url back.';
      expect(changed.key.problem).toBe(told);
      expect(await call('provider.models', { name: 'office' }, 'test')).toMatchObject({
        ok: false,
        message: told,
      });
      expect(await call('provider.test', { name: 'office', model: 'm' }, 'test')).toMatchObject({
        ok: false,
        message: told,
      });
      // The same where a person or a program edits the file, and after a restart.
      await life.lifecycle.stop('stop');
      writeConfig(world, { providers: { office: at('https://two.example/v1') } });
      life = composeIn(world);
      await life.lifecycle.start();
      expect((await listed())?.key.problem).toContain('is not sent to https://two.example.');
      expect(seen()).toHaveLength(before);
      // Another path of the same host is no other host.
      const path = at('https://one.example/other');
      const same = await call('provider.set', { name: 'office', provider: path }, 'test');
      expect(same.key.problem).toBeUndefined();
      await call('provider.set', { name: 'office', provider: here }, 'test');
      await call('provider.setKey', { name: 'office', key: CANARY, allowPlaintext: true }, 'test');
      expect(await call('provider.models', { name: 'office' }, 'test')).toMatchObject({ ok: true });
      expect(seen()).toHaveLength(before + 1);
    } finally {
      await life.lifecycle.stop('stop');
      world.remove();
    }
  });
});
