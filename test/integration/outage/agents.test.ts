/** Programs of others whose provider is down or whose limit is used up: real children, real database. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { ENDED, turnIn, writeConfig } from '../../helpers/compose-world';
import { createFakeChannel } from '../../helpers/fake-world';
import { createWorkWorld, send, type WorkWorld } from '../work/work-world';
import { healthOf, queueOf, QUICK, until } from './outage-world';
import { ACP_AGENT } from '../../helpers/acp-agent-program';

let site: WorkWorld;
let chat: ReturnType<typeof createFakeChannel>;
afterEach(() => site.end());

/** A program, and how its provider is taken away and given back. */
interface Kind {
  readonly agent: (workspace: string) => Record<string, unknown>;
  readonly down: () => void;
  readonly limit: (untilMs: number) => void;
  readonly up: () => void;
  readonly starts: () => number;
}

const lines = (file: string, pattern: RegExp): number =>
  fs.existsSync(file)
    ? fs
        .readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => pattern.test(line)).length
    : 0;

const acpHome = (name: string): string => path.join(site.world.outside, name);
const inFolder = (name: string): string => path.join(site.world.workspace, name);
const acpFails = (error: unknown): void =>
  fs.writeFileSync(acpHome('provider-down'), JSON.stringify(error));

const KINDS: readonly [readonly [string, Kind], readonly [string, Kind]] = [
  [
    'that speaks the protocol',
    {
      agent: (workspace) => ({
        executor: 'acp',
        command: process.execPath,
        args: [ACP_AGENT, 'plain'],
        workspace,
      }),
      down: () => acpFails({ message: '503 server error' }),
      limit: (untilMs) =>
        acpFails({
          message: 'usage limit reached',
          data: { resets_at: Math.floor(untilMs / 1000) },
        }),
      up: () => fs.rmSync(acpHome('provider-down')),
      starts: () => lines(acpHome('agent.log'), /^prompt /),
    },
  ],
  [
    'that is a command line',
    {
      agent(workspace) {
        fs.writeFileSync(
          path.join(workspace, 'plan.json'),
          '{"calls":[],"text":"ok","hooks":false}',
        );
        const claude = path.join(site.world.root, 'claude');
        fs.copyFileSync(path.resolve('test/helpers/claude-agent.mjs'), claude);
        fs.chmodSync(claude, 0o755);
        return { executor: 'command', command: claude, workspace };
      },
      down: () => fs.writeFileSync(inFolder('refuse'), '529'),
      limit: (untilMs) => fs.writeFileSync(inFolder('limit'), String(Math.floor(untilMs / 1000))),
      up: () => {
        for (const name of ['refuse', 'limit']) fs.rmSync(inFolder(name), { force: true });
      },
      starts: () => lines(inFolder('told.jsonl'), /./),
    },
  ],
];

function configure(kind: Kind, config: Record<string, unknown> = {}, agent = {}): void {
  site = createWorkWorld();
  chat = createFakeChannel({ dir: site.world.outside, name: 'chat' });
  writeConfig(site.world, {
    ...QUICK,
    breakers: { initial_backoff: '100ms', max_backoff: '200ms' },
    ...config,
    agents: { fake: { ...kind.agent(site.world.workspace), ...agent } },
  });
}

const begin = (): Promise<Composition> => site.start({ channels: [chat] });
const ask = async (peer: string): Promise<number> =>
  (await chat.intake().accept({ peer, text: `do: say to ${peer}`, agent: 'fake' })).turnId;
const health = (life: Composition) => healthOf(life, 'agent.fake');
const ids = async (life: Composition) => (await queueOf(life)).map((item) => item.turnId);

describe.each(KINDS)('an agent %s', (_title, kind) => {
  it('S0-17 S0-18 S0-20 R3 has its turns in the queue of all outages: declared at the 2nd failure of 2, in order, moved and stopped by a person, over a restart; 1 canary, then the rest, each answer to who asked', async () => {
    configure(kind, {
      resilience: { outage_threshold: 2, probe_interval: '1h', early_probe: false },
    });
    let life = await begin();
    kind.down();
    const a = await ask('a');
    await until(async () =>
      expect(await health(life)).toMatchObject({ state: 'down', waiting: 1 }),
    );
    expect((await health(life)).failedTurns).toBe(2);
    const starts = kind.starts();
    const [b, c, d] = [await ask('b'), await ask('c'), await ask('d')];
    await until(async () => expect(await ids(life)).toEqual([a, b, c, d]));
    const status = await life.holdfast.call('status.get', {}, 'test');
    expect([status.tray, status.counts.waiting]).toEqual(['outage', 4]);
    expect(status.outside?.providers[0]?.sentence).toMatch(
      /^Agent fake down since .*4 turns wait\.$/,
    );
    await life.holdfast.call('outage.move', { turnId: d, beforeTurnId: b }, 'test');
    await life.holdfast.call('turns.cancel', { turnId: c }, 'test');
    expect(await ids(life)).toEqual([a, d, b]);

    await life.lifecycle.stop('stop');
    life = await begin();
    expect(await ids(life)).toEqual([a, d, b]);
    expect((await health(life)).state).toBe('down');
    // Nobody was started for any of it, and the first canary still fails: back to the head.
    expect(kind.starts()).toBe(starts);
    await life.holdfast.call('outage.probe', { provider: 'agent.fake' }, 'test');
    await until(async () => expect((await health(life)).state).toBe('down'));
    await until(() => expect(kind.starts()).toBe(starts + 1));
    await until(async () => expect(await ids(life)).toEqual([a, d, b]));

    kind.up();
    await life.holdfast.call('outage.probe', { provider: 'agent.fake' }, 'test');
    // The first is the notice of the restart.
    await until(() => expect(chat.received()).toHaveLength(4));
    expect(chat.received().map((one) => one.peer)).toEqual(['', 'a', 'd', 'b']);
    expect(kind.starts()).toBe(starts + 4);
    const { outages } = await life.holdfast.call('outage.list', {}, 'test');
    expect(outages).toEqual([expect.objectContaining({ provider: 'agent.fake', drained: 3 })]);
    await until(async () => expect((await health(life)).state).toBe('answering'));
  });

  it('R4 S2-25 a limit with its end is a time to retry at for all of its turns, over a restart; at that time they go', async () => {
    configure(kind);
    let life = await begin();
    const untilMs = Math.ceil((Date.now() + 2_500) / 1000) * 1000;
    kind.limit(untilMs);
    const first = await send(life, 'do: say one', 's1');
    await until(async () => expect(await ids(life)).toEqual([first]));
    const second = await send(life, 'do: say two', 's2');
    await until(async () => expect(await ids(life)).toEqual([first, second]));
    const [item] = await queueOf(life);
    expect(item).toMatchObject({ cause: 'quota', provider: 'agent.fake' });
    expect(item?.untilMs).toBeGreaterThanOrEqual(untilMs);
    const limited = { state: 'quota', failedTurns: 0, waiting: 2 };
    await until(async () => expect(await health(life)).toMatchObject(limited));
    await life.lifecycle.stop('stop');
    expect(kind.starts()).toBe(1);
    kind.up();
    life = await begin();
    for (const turnId of [first, second])
      expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
    expect(Date.now()).toBeGreaterThanOrEqual(untilMs);
    expect(kind.starts()).toBe(3);
  });

  it('R9 S0-+07 wait: false, and wait_for_quota off, put its turns to a person', async () => {
    configure(kind, {}, { wait: false });
    const life = await begin();
    kind.limit(Date.now() + 3_600_000);
    const turn = await turnIn(life, await send(life, 'hi', 's'), ['parked']);
    expect(turn.reason).toContain('Automatic waiting is off');
    expect(await queueOf(life)).toEqual([]);
  });

  it('S2-06 S2-22 R1 turns behind its open circuit wait in the same queue and go when it is closed', async () => {
    configure(kind, { breakers: { initial_backoff: '1h', max_backoff: '1h' } });
    let life = await begin();
    await life.holdfast.call('breakers.trip', { name: 'agent.fake', reason: 'a look' }, 'test');
    const turnId = await send(life, 'do: say hi', 's');
    await until(async () => expect(await ids(life)).toEqual([turnId]));
    expect((await queueOf(life))[0]?.cause).toBe('breaker');
    await life.lifecycle.stop('stop');
    life = await begin();
    expect(await ids(life)).toEqual([turnId]);
    const shown = await life.holdfast.call('breakers.show', { name: 'agent.fake' }, 'test');
    expect(shown.explanation).toContain('1 turn waits');
    expect(kind.starts()).toBe(0);
    await life.holdfast.call('breakers.reset', { name: 'agent.fake' }, 'test');
    expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
  });
});

it('R4 S4-20 a limit with its end that leaves a call unknown: that turn is put to a person, and its others keep that time', async () => {
  const [[, kind]] = KINDS;
  configure(kind);
  const life = await begin();
  const untilS = Math.ceil(Date.now() / 1000) + 3_600;
  const first = await send(life, `do: limit ${String(untilS)}`, 's1');
  const turn = await turnIn(life, first, ['parked']);
  expect(turn.reason).toContain('usage limit reached');
  const second = await send(life, 'do: say two', 's2');
  await until(async () => expect(await ids(life)).toEqual([second]));
  const [item] = await queueOf(life);
  expect(item?.cause).toBe('quota');
  expect(item?.untilMs).toBeGreaterThanOrEqual(untilS * 1000);
  expect(await health(life)).toMatchObject({ state: 'quota', failedTurns: 0, waiting: 1 });
  expect(kind.starts()).toBe(1);
  // Until a person asks it: nobody but a turn can.
  await life.holdfast.call('outage.probe', { provider: 'agent.fake' }, 'test');
  expect((await turnIn(life, second, [...ENDED])).state).toBe('completed');
});

it('S0-19 S2-07 an agent whose provider nobody can ask is tried by the first turn that waits, in the rhythm of a breaker, until it answers', async () => {
  const [, kind] = KINDS[1];
  configure(kind, { resilience: { outage_threshold: 1, probe_interval: '1h' } });
  const life = await begin();
  kind.down();
  const turnId = await send(life, 'do: say hi', 's');
  await until(async () => expect((await health(life)).state).toBe('down'));
  const starts = kind.starts();
  await until(() => expect(kind.starts()).toBeGreaterThan(starts + 1));
  kind.up();
  expect((await turnIn(life, turnId, [...ENDED])).state).toBe('completed');
});
