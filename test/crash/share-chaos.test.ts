/**
 * Three computers, one PostgreSQL, and everything that goes wrong at random: kills, suspended
 * processes, cut and frozen connections, restarts of the store. At the end each accepted turn has ended
 * once, no effect that is on record was made again, and nothing was written out of its epoch.
 *
 * `npm run chaos -- --minutes 10 [--seed N]` runs it for longer.
 */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCutProxy, type CutProxy } from '../helpers/cut-proxy';
import { linesOf } from '../helpers/fake-world';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../helpers/postgres';
import { openSessions, queueProblems } from '../helpers/queue-evidence';
import { createRandom } from '../helpers/random';
import { through } from '../helpers/shared-computers';
import { isLeftOut } from '../helpers/skips';
import { databaseProblems } from './evidence';
import { createRealm, endRealms, startLife } from './lives';
import type { Life, Realm } from './realm';

const SECONDS = Number(process.env['HOLDFAST_TEST_CHAOS_SECONDS'] ?? 12);
const SEED = Number(
  process.env['HOLDFAST_TEST_CHAOS_SEED'] ?? 1 + Math.floor(Math.random() * 2 ** 31),
);

interface Computer {
  readonly name: string;
  readonly realm: Realm;
  readonly proxy: CutProxy;
  life: Life;
  isFrozen: boolean;
}

let postgres: Postgres;
const all: Computer[] = [];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function createComputer(name: string): Promise<Computer> {
  const realm = createRealm('always', { 'share.lease': '2s', 'share.name': name });
  const proxy = await createCutProxy(postgres);
  const life = startLife(realm);
  await life.ready();
  const [first] = all;
  if (first === undefined) {
    const address = `postgres://owner@127.0.0.1:${String(proxy.port)}/postgres`;
    await life.call('share.host', { address });
  } else {
    const { invitation } = await first.life.call('share.invite', { name });
    await life.call('share.join', { invitation: through(invitation, proxy.port) });
    await first.life.call('share.admit', { name });
  }
  const computer = { name, realm, proxy, life, isFrozen: false };
  all.push(computer);
  return computer;
}

async function revive(computer: Computer): Promise<void> {
  computer.life = startLife(computer.realm);
  await computer.life.ready();
}

function wake(computer: Computer): void {
  if (computer.isFrozen) process.kill(computer.life.pid, 'SIGCONT');
  computer.isFrozen = false;
}

const harms: Readonly<Record<string, (computer: Computer, forMs: number) => Promise<void>>> = {
  async kill(computer, forMs) {
    wake(computer);
    await computer.life.kill();
    await computer.life.ended;
    await pause(forMs);
    await revive(computer);
  },
  async suspend(computer, forMs) {
    process.kill(computer.life.pid, 'SIGSTOP');
    computer.isFrozen = true;
    await pause(forMs);
    wake(computer);
  },
  async cut(computer, forMs) {
    computer.proxy.cut();
    await pause(forMs);
    computer.proxy.heal();
  },
  async freeze(computer, forMs) {
    computer.proxy.freeze();
    await pause(forMs);
    computer.proxy.heal();
  },
  async store() {
    await postgres.kill();
    await postgres.start();
  },
};

async function answerQuestions({ life }: Computer): Promise<void> {
  const { decisions } = await life.call('recovery.list', {});
  for (const { turnId, requestHash } of decisions)
    await life.call('recovery.resume', { turnId, requestHash }).catch(() => undefined);
}

/** What the store has of the turns that problems name: the seed repeats the harms, not their instants. */
async function trailOf(problems: readonly string[]): Promise<string> {
  const sessions = [...new Set(problems.flatMap((one) => /\bs\d+\b/.exec(one) ?? []))];
  const rows = await postgres.sql<{
    session: string;
    n: number;
    epoch: number;
    who: string;
    body: string;
  }>(
    `SELECT t.session, e.n, e.epoch, left(e.machine::text, 4) || '/' || left(e.life::text, 6) AS who, left(e.body, 300) AS body
     FROM holdfast.entry e JOIN holdfast.turn t ON t.id = e.turn
     WHERE t.session = ANY ('{${sessions.join(',')}}') ORDER BY t.session, e.n`,
  );
  return rows
    .map(
      ({ session, n, epoch, who, body }) =>
        `${session} ${String(n)} e${String(epoch)} ${who} ${body}`,
    )
    .join('\n');
}

describe.skipIf(isLeftOut('chaos on shared work', NO_POSTGRES))('three computers in chaos', () => {
  beforeAll(async () => {
    postgres = await createPostgres();
  }, 60_000);
  afterAll(async () => {
    for (const computer of all) wake(computer);
    endRealms();
    await Promise.all(all.map(({ proxy }) => proxy.close()));
    await postgres?.remove();
    endPostgres();
  });

  it(
    `DW-31 ${String(SECONDS)} s of kills, suspends, cuts and restarts lose nothing, repeat nothing on record and write nothing out of epoch (seed ${String(SEED)})`,
    async () => {
      const next = createRandom(SEED);
      const random = (): number => next(1_000_000) / 1_000_000;
      const accepted = new Set<string>();
      for (const name of ['desk-1', 'desk-2', 'desk-3']) await createComputer(name);
      const endMs = performance.now() + SECONDS * 1_000;
      let sent = 0;
      const sending = (async () => {
        while (performance.now() < endMs) {
          const computer = all[Math.floor(random() * all.length)]!;
          sent += 1;
          const session = `s${String(sent)}`;
          if (!computer.isFrozen)
            await Promise.race([
              computer.life
                .call('share.send', { text: `multi ${session}`, agent: 'fake', session })
                .then(
                  () => accepted.add(session),
                  () => undefined,
                ),
              pause(1_000),
            ]);
          await pause(150 + random() * 250);
        }
      })();
      const names = Object.keys(harms);
      while (performance.now() < endMs) {
        const computer = all[Math.floor(random() * all.length)]!;
        const harm = names[Math.floor(random() * names.length)] ?? 'cut';
        await harms[harm]?.(computer, 200 + random() * 3_000);
      }
      await sending;
      for (const computer of all) computer.proxy.heal();
      await expect
        .poll(
          async () => {
            await Promise.all(all.map(answerQuestions));
            return openSessions(
              postgres,
              all.map(({ life }) => life),
            );
          },
          { timeout: 120_000, interval: 300 },
        )
        .toEqual([]);
      expect(accepted.size).toBeGreaterThan(3);
      const effects = all.flatMap(({ realm }) => linesOf(path.join(realm.outside, 'effects.log')));
      const problems = await queueProblems(postgres, accepted, effects);
      expect(problems, await trailOf(problems)).toEqual([]);
      for (const { life, realm } of all) {
        await life.stop();
        expect(databaseProblems(realm)).toEqual([]);
      }
    },
    SECONDS * 1_000 + 120_000,
  );
});
