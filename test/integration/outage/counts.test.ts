/** What counts toward an outage and what does not, turn by turn, in what `provider status` shows. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { turnIn, writeConfig } from '../../helpers/compose-world';
import type { FakeReply } from '../../helpers/fake-provider-types';
import { send } from '../work/work-world';
import { createOutageWorld, healthOf, QUICK, until, type OutageWorld } from './outage-world';
import { SLACK } from '../../helpers/slack';

let world: OutageWorld;
afterEach(() => world.end());

const FAR = '1h';
const ENDS = ['completed', 'waiting', 'parked', 'held'] as const;

/** Every wait is far away, so that nothing counts but what is sent here. */
const start = async (more: Record<string, unknown> = {}): Promise<Composition> => {
  world = await createOutageWorld({
    work: { requeue_delay: FAR, requeue_max_delay: FAR },
    retry: {
      rate_limited: { first_wait: '1ms', max_wait: '20ms' },
      server: { first_wait: '1ms', max_wait: '5ms' },
    },
    breakers: { failure_threshold: 1000 },
    resilience: { ...QUICK.resilience, probe_interval: FAR },
    ...more,
  });
  return world.site.start();
};

let sessions = 0;
/** One turn over these answers, the last of them for ever; the count after it. */
const count = async (life: Composition, ...replies: readonly FakeReply[]): Promise<number> => {
  let next = 0;
  world.fp.setScript(() => replies[Math.min(next++, replies.length - 1)] ?? {});
  sessions += 1;
  const turn = await turnIn(life, await send(life, 'hello', `s${String(sessions)}`), [...ENDS]);
  lastReason = `${turn.state}: ${turn.reason}`;
  return (await healthOf(life)).failedTurns;
};
let lastReason = '';

describe('the count of failed turns', () => {
  it('S0-14 R4 goes up by 1 for a turn whose 5 tries met 429, and by 0 where a try was answered; an answer sets it to 0', async () => {
    const life = await start();
    expect(await count(life, { status: 429 })).toBe(1);
    expect(world.fp.calls()).toHaveLength(5);
    expect(await count(life, { status: 429 })).toBe(2);
    expect(await count(life, { status: 429 }, { status: 429 }, { text: 'ok' })).toBe(0);
    expect(lastReason).toMatch(/^completed/);
    expect(await count(life, { status: 429 })).toBe(1);
  });

  it('BU-03 answers that were billed and cannot be used count in the budgets and the turn, those of tries that were repeated and of the last one', async () => {
    const life = await start({
      budgets: { caps: { all: { scope: 'all', per: 'day', usd: 100 } }, timezone: 'UTC' },
      limits: { turn_cost_usd: 50 },
    });
    const price = { price_input_per_million_usd: 1, price_output_per_million_usd: 1 };
    const value = {
      fp: { kind: 'openai-compatible', base_url: world.fp.baseUrl('openai-compatible'), ...price },
      other: { kind: 'openai-compatible', base_url: world.other.baseUrl('openai-compatible') },
    };
    await life.holdfast.call('config.set', { key: 'providers', value }, 'test');
    const usage = { inputTokens: 1_000_000, outputTokens: 0 };
    const bad = { toolCalls: [{ name: 'files.read', rawArgs: '{"path": no' }], usage };
    const spent = async () => {
      const { turns } = await life.holdfast.call('turns.list', { limit: 9 }, 'test');
      const { budgets } = await life.holdfast.call('budgets.list', {}, 'test');
      const ofTurns = turns.reduce((sum, { usage: of }) => sum + (of.costUsd ?? 0), 0);
      return [world.fp.calls().length, budgets[0]?.spentUsd, ofTurns];
    };
    await count(life, bad, bad, { text: 'ok', usage });
    expect(lastReason).toMatch(/^completed/);
    expect(await spent()).toEqual([3, 3, 3]);
    await count(life, bad);
    expect(lastReason).toMatch(/^waiting/);
    const asked = world.fp.calls().length;
    expect(asked).toBeGreaterThan(4);
    expect(await spent()).toEqual([asked, asked, asked]);
  });

  it('S0-14 S2-25 LM-04 a hard limit without an end is 1 request and counts nothing; the turn waits, says what to do and that no time was given', async () => {
    const life = await start();
    const error = { message: 'You exceeded your current quota', code: 'insufficient_quota' };
    expect(await count(life, { status: 429, error })).toBe(0);
    expect(world.fp.calls()).toHaveLength(1);
    expect(lastReason).toContain('The usage limit or credit at fp is used up');
    expect(lastReason).toMatch(/^waiting: .*No reset time was given: it is retried at/);
  });

  it('S0-15 is 1 after 500, and still 1 after 401, 400, 403 and 404; the wrong key is said with the name of its provider', async () => {
    const life = await start();
    expect(await count(life, { status: 500 })).toBe(1);
    for (const status of [400, 403, 404, 401])
      expect([status, await count(life, { status })]).toEqual([status, 1]);
    expect(lastReason).toContain('fp rejected the API key');
    expect(await healthOf(life)).toMatchObject({ state: 'key', breaker: { failures: 1 } });
    const { items } = await life.holdfast.call('inbox.list', {}, 'test');
    expect(items.map(({ title }) => title).join()).toMatch(/fp/i);
    expect((await life.holdfast.call('outage.list', {}, 'test')).outages).toEqual([]);
  });

  it('S2-30 a refused key and a setting that cannot be are said within 2 s where a person looks and in the audit, with what to do, and the key is in no file', async () => {
    world = await createOutageWorld();
    const { fp, site } = world;
    const key = 'sk-canary-0123456789abcdef';
    const keyFile = path.join(site.world.outside, 'key');
    fs.writeFileSync(keyFile, key, { mode: 0o600 });
    const config = (threshold: unknown) => ({
      ...QUICK,
      providers: {
        fp: {
          kind: 'openai-compatible',
          base_url: fp.baseUrl('openai-compatible'),
          api_key_file: keyFile,
        },
      },
      agents: { fake: { provider: 'fp', model: 'm', workspace: site.world.workspace } },
      resilience: { ...QUICK.resilience, outage_threshold: threshold },
    });
    writeConfig(site.world, config(3));
    const life = await site.start();
    fp.setScript(() => ({ status: 401, error: { message: `no such key: ${key}` } }));
    const sentMs = Date.now();
    const turnId = await send(life, 'hello');
    const told = async () => {
      const { items } = await life.holdfast.call('inbox.list', {}, 'test');
      const { turn } = await life.holdfast.call('turns.show', { turnId }, 'test');
      const audit = site.audit().filter(({ event }) => event === 'provider_misconfigured');
      return { items, turn, audit };
    };
    await until(async () => {
      const { items, turn, audit } = await told();
      expect(items.map(({ title }) => title)).toEqual(['Fp rejected the API key']);
      expect(turn.reason).toContain('providers.fp');
      expect(audit.map(({ facts }) => facts)).toEqual([
        {
          provider: 'fp',
          message: expect.stringContaining('fp rejected the API key') as string,
          hint: expect.stringContaining('providers.fp.') as string,
        },
      ]);
    });
    expect(Date.now() - sentMs).toBeLessThan(2_000 * SLACK);
    const editedMs = Date.now();
    writeConfig(site.world, config('3'));
    await until(() => {
      expect(life.holdfast.status().configProblems.map((one) => one.key)).toEqual([
        'resilience.outage_threshold',
      ]);
      expect(site.audit().filter(({ event }) => event === 'setting_problem')).toMatchObject([
        { facts: { key: 'resilience.outage_threshold', line: expect.any(Number) as number } },
      ]);
    });
    expect(Date.now() - editedMs).toBeLessThan(2_000 * SLACK);
    await life.lifecycle.stop('stop');
    const files = fs
      .readdirSync(site.world.dataDir, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile());
    expect(files.length).toBeGreaterThan(3);
    for (const { parentPath, name } of files)
      expect(fs.readFileSync(path.join(parentPath, name)).includes(key), name).toBe(false);
  });

  it.each<[string, FakeReply]>([
    ['408', { status: 408 }],
    ['a malformed stream', { text: 'half of it', fault: 'malformed_event' }],
    ['a cut stream', { text: 'half of it', fault: 'cut' }],
    ['a reset connection', { fault: 'reset' }],
  ])('S0-15 S0-16 is 1 after a turn that met %s', async (_name, reply) => {
    const life = await start({ resilience: { ...QUICK.resilience, outage_threshold: 10 } });
    expect(await count(life, reply)).toBe(1);
    expect(await count(life, reply)).toBe(2);
  });

  it('S0-16 S0-17 2 turns that meet a closed port are 2 and no outage, also after a restart; the 3rd declares 1, and a 4th none', async () => {
    let life = await start();
    await world.fp.down();
    expect([await count(life, {}), await count(life, {})]).toEqual([1, 2]);
    const outages = async () => (await life.holdfast.call('outage.list', {}, 'test')).outages;
    expect([(await healthOf(life)).state, await outages()]).toEqual(['failing', []]);
    await life.lifecycle.stop('stop');
    life = await world.site.start();
    expect((await healthOf(life)).failedTurns).toBe(2);
    await count(life, {});
    await until(async () => expect((await healthOf(life)).state).toBe('down'));
    await count(life, {});
    expect(await outages()).toMatchObject([{ provider: 'fp', failedTurns: 3 }]);
    const { items } = await life.holdfast.call('inbox.list', {}, 'test');
    expect(items.map(({ title }) => title)).toEqual(['Fp is down']);
  });

  it('S0-17 S0-38 at a threshold of 1 three turns that fail at once are one outage and one notice', async () => {
    const life = await start({ resilience: { ...QUICK.resilience, outage_threshold: 1 } });
    const waits: (() => void)[] = [];
    world.fp.setScript(async () => {
      if (waits.length < 3) await new Promise<void>((resolve) => waits.push(resolve));
      return { status: 500 };
    });
    const turns = [];
    for (const session of ['a', 'b', 'c']) turns.push(await send(life, 'hello', session));
    await world.fp.waitForRequests(3);
    for (const go of waits) go();
    for (const turnId of turns) await turnIn(life, turnId, ['waiting']);
    await until(async () => {
      expect((await life.holdfast.call('outage.list', {}, 'test')).outages).toHaveLength(1);
      expect((await life.holdfast.call('inbox.list', {}, 'test')).items).toHaveLength(1);
    });
  });
});
