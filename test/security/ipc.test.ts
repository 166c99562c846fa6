/** IPC. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { VERBS } from '../../shared/contract';
import { verbChannel } from '../../shared/verbs';
import type { WINDOW_VERBS } from '../../shared/verbs';
import { callVerb } from '../../electron/engine/api/create-facade';
import type { Holdfast } from '../../electron/engine/api/facade';
import { refuseSender, registerIpc } from '../../electron/ipc/register';
import { checkedFacade } from '../integration/control/fake-holdfast';
import { createTokenBucket } from '../../shared/token-bucket';

const frame = (over: object = {}) => ({ parent: null, origin: 'holdfast://app', ...over });
const event = (over: object = {}) => ({
  senderFrame: frame(),
  sender: { id: 7, isDestroyed: () => false },
  ...over,
});
const isOurs = (id: number): boolean => id === 7;

function registered(call = vi.fn(async () => ({ ok: true })), holdfast = checkedFacade(call)) {
  const handlers = new Map<
    string,
    (event: never, input: unknown) => Promise<{ ok: boolean; code?: string }>
  >();
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  let nowMs = 0;
  const registration = registerIpc({
    ipc: {
      handle: (channel, handler) => void handlers.set(channel, handler as never),
      removeHandler: (channel) => void handlers.delete(channel),
    },
    holdfast,
    isOurs,
    log,
    nowMs: () => nowMs,
  });
  return {
    handlers,
    log,
    call,
    registration,
    setNow: (ms: number) => (nowMs = ms),
    ask: (verb: (typeof WINDOW_VERBS)[number], input: unknown, from: object = event()) =>
      handlers.get(verbChannel(verb))!(from as never, input),
  };
}

describe('I2 sender', () => {
  it('I2 accepts the top frame of a window of ours', () => {
    expect(refuseSender(event(), isOurs)).toBeUndefined();
  });

  it.each([
    ['no frame', { senderFrame: null }, 'no_frame'],
    ['a frame inside our page', { senderFrame: frame({ parent: {} }) }, 'sub_frame'],
    [
      'developer tools',
      { senderFrame: frame({ origin: 'devtools://devtools' }) },
      'foreign_origin',
    ],
    [
      'a host that begins like ours',
      { senderFrame: frame({ origin: 'holdfast://app.evil' }) },
      'foreign_origin',
    ],
    ['a web page', { senderFrame: frame({ origin: 'https://example.com' }) }, 'foreign_origin'],
    ['an opaque origin', { senderFrame: frame({ origin: 'null' }) }, 'foreign_origin'],
    ['a destroyed frame', { senderFrame: frame({ isDestroyed: () => true }) }, 'destroyed'],
    ['a destroyed page', { sender: { id: 7, isDestroyed: () => true } }, 'destroyed'],
    [
      'a page that we did not make',
      { sender: { id: 8, isDestroyed: () => false } },
      'not_our_window',
    ],
  ])('I2 refuses %s', async (_name, over, reason) => {
    expect(refuseSender(event(over), isOurs)).toBe(reason);
    const { ask, call } = registered();
    expect(await ask('status.get', {}, event(over))).toMatchObject({
      ok: false,
      code: 'SENDER_REFUSED',
    });
    expect(call).not.toHaveBeenCalled();
  });
});

describe('I1 surface', () => {
  it('I1 registers exactly the verbs of windows, and none that only the control socket may use', () => {
    const { handlers } = registered();
    const expected = Object.entries(VERBS)
      .filter(([, spec]) => spec.surface !== 'control')
      .map(([verb]) => `holdfast:call:${verb}`);
    expect([...handlers.keys()].sort()).toEqual(expected.sort());
    expect([...handlers.keys()].some((channel) => channel.includes('instance.'))).toBe(false);
  });

  it('I1 takes its handlers back when it stops', () => {
    const { handlers, registration } = registered();
    registration.stop();
    expect(handlers.size).toBe(0);
  });
});

describe('I3 refusals', () => {
  it('I3 counts and logs a refusal without what was sent', async () => {
    const { ask, registration, log } = registered();
    const answer = await ask('turns.show', { turnId: 'CANARY-1234', extra: 'CANARY-5678' });
    expect(answer).toMatchObject({ ok: false, code: 'INPUT_INVALID' });
    expect(registration.refusals()).toEqual({ 'turns.show input': 1 });
    expect(log.warn).toHaveBeenCalledTimes(1);
    expect(JSON.stringify([answer, log.warn.mock.calls])).not.toContain('CANARY');
  });

  it('I3 logs 1000 refusals of one kind in 10 lines', async () => {
    const { ask, registration, log, setNow } = registered();
    for (let round = 0; round < 1000; round += 1) {
      setNow(round * 100);
      await ask('turns.show', {});
    }
    expect(registration.refusals()['turns.show input']).toBe(1000);
    expect(log.warn).toHaveBeenCalledTimes(10);
  });

  it('I3 never answers undefined: a wrong output becomes an error that says so', async () => {
    const call: Holdfast['call'] = (verb, input, origin) =>
      callVerb(VERBS, { 'status.get': async () => undefined } as never, verb, input, origin);
    const { ask } = registered(undefined, { ...checkedFacade(vi.fn()), call });
    expect(await ask('status.get', {})).toMatchObject({
      ok: false,
      code: 'INTERNAL',
      message: 'The answer to status.get does not match its contract and is not shown.',
    });
  });

  it('I3 gives a thrown error its code and keeps its stack to itself', async () => {
    const { ask } = registered(
      vi.fn(async () => {
        throw new Error('boom at /home/x/secret.ts');
      }),
    );
    const answer = await ask('status.get', {});
    expect(answer).toMatchObject({ ok: false, code: 'INTERNAL' });
    expect(JSON.stringify(answer)).not.toContain('    at ');
  });
});

describe('I4 and I5 contract', () => {
  it('I4 every verb that needs a confirmation carries the hash of what the person saw', () => {
    for (const [verb, spec] of Object.entries(VERBS)) {
      if (spec.danger !== 'confirm') continue;
      const shape = (spec.input() as unknown as z.ZodObject).shape;
      expect([verb, Object.keys(shape)]).toEqual([verb, expect.arrayContaining(['requestHash'])]);
    }
  });

  it('I5 no output has a place for a key or a secret', () => {
    for (const [verb, spec] of Object.entries(VERBS)) {
      const names =
        JSON.stringify(z.toJSONSchema(spec.output(), { unrepresentable: 'any' })).match(
          /"[a-zA-Z0-9]+":/g,
        ) ?? [];
      const secrets = names.filter((name) =>
        /"(apiKey|secret|token|password|authorization)":/i.test(name),
      );
      expect([verb, secrets]).toEqual([verb, []]);
    }
  });
});

describe('I6 rate', () => {
  it('I6 lets 120 calls through at once, refuses the next, and 40 more after a second', async () => {
    const { ask, call, setNow } = registered();
    for (let round = 0; round < 130; round += 1) await ask('app.openSettings', {});
    expect(call).toHaveBeenCalledTimes(120);
    expect(await ask('app.openSettings', {})).toMatchObject({ ok: false, code: 'RATE_LIMITED' });
    setNow(1000);
    for (let round = 0; round < 60; round += 1) await ask('app.openSettings', {});
    expect(call).toHaveBeenCalledTimes(160);
  });

  it('I6 a clock that goes back gives no tokens', () => {
    const bucket = createTokenBucket(1, 1);
    expect([bucket.take(5000), bucket.take(0), bucket.take(500)]).toEqual([true, false, false]);
  });
});

describe('I7 preload', () => {
  it('I7 imports electron, types and names only', () => {
    const source = readFileSync(new URL('../../electron/preload.ts', import.meta.url), 'utf8');
    const imports = [...source.matchAll(/^import (type )?.* from '([^']+)';$/gm)].map(
      ([, type, from]) => `${type ?? ''}${from ?? ''}`,
    );
    expect(imports).toEqual([
      'electron',
      'type electron',
      'type ../shared/contract',
      '../shared/verbs',
    ]);
    const names = readFileSync(new URL('../../shared/verbs.ts', import.meta.url), 'utf8');
    expect([...names.matchAll(/^import (?!type)/gm)]).toEqual([]);
  });
});
