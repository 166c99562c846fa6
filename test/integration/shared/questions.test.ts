import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createPostgresStore } from '../../../electron/adapters/shared-store/postgres-store';
import { createStoreOwner } from '../../../electron/adapters/shared-store/owner';
import { charging, type createComputers, type Computer } from '../../helpers/shared-computers';
import { NO_POSTGRES, type Postgres } from '../../helpers/postgres';
import { eachOnAnEmptyStore } from '../../helpers/shared-store-hooks';
import { isLeftOut } from '../../helpers/skips';

let postgres: Postgres;
let computers: ReturnType<typeof createComputers>;

const LIMIT = { timeout: 120_000, interval: 30 };
const open = async (computer: Computer) =>
  (await computer.app.holdfast.call('approvals.list', {}, 'test')).requests;
const asked = async (computer: Computer) => {
  await expect.poll(async () => (await open(computer)).length, LIMIT).toBe(1);
  return (await open(computer))[0]!;
};
const callOf = async (computer: Computer): Promise<unknown> => {
  const [one] = await open(computer);
  return one === undefined ? undefined : JSON.parse(one.args);
};
const answer = async (computer: Computer, verb: 'approvals.allow' | 'approvals.deny') => {
  const { requestId, requestHash } = await asked(computer);
  return computer.app.holdfast.call(verb, { requestId, requestHash }, 'test');
};

describe.skipIf(isLeftOut('questions of shared turns', NO_POSTGRES))(
  'a question of a shared turn',
  () => {
    eachOnAnEmptyStore((store, fresh) => {
      postgres = store;
      computers = fresh;
    });

    const start = (name: string): Promise<Computer> =>
      computers.start({
        name,
        script: charging(2),
        config: {
          share: { name, lease: '3s', labels: [name] },
          approvals: { mode: 'all_effects' },
        },
      });
    const stateOf = (computer: Computer, turnId: number) => () =>
      computer.turn(turnId).then(({ state }) => state);

    it('DW-23 is asked on the computer that sent the turn and on the one that runs it; the first answer counts, wherever it is given, and the other one is told', async () => {
      const [a, b] = [await start('desk-1'), await start('desk-2')];
      const turnId = await a.send('charge', { needs: ['label:desk-2'], session: 'cards' });
      const [here, there] = [await asked(a), await asked(b)];
      expect([here.tool, here.args, here.inputHash, here.reason]).toEqual([
        there.tool,
        there.args,
        there.inputHash,
        there.reason,
      ]);
      const { items } = await a.app.holdfast.call('inbox.list', {}, 'test');
      expect(items.map(({ kind }) => kind)).toEqual(['approval']);
      // Answered at home, where nothing runs.
      await answer(a, 'approvals.allow');
      await expect.poll(() => b.effects().length, LIMIT).toBe(1);
      const [said] = (
        await b.app.holdfast.call('approvals.list', { includeAnswered: true }, 'test')
      ).requests.filter(({ answer: given }) => given !== undefined);
      expect([said?.answer, said?.by]).toEqual(['allowed', 'test on desk-1']);
      // The second call is answered over there: here its question goes.
      await expect
        .poll(async () => [await callOf(a), await callOf(b)], LIMIT)
        .toEqual([{ n: 2 }, { n: 2 }]);
      const late = (await open(a))[0]!;
      await answer(b, 'approvals.allow');
      await expect.poll(async () => (await open(a)).length, LIMIT).toBe(0);
      await expect(
        a.app.holdfast.call(
          'approvals.deny',
          { requestId: late.requestId, requestHash: late.requestHash },
          'test',
        ),
      ).rejects.toMatchObject({ code: 'REQUEST_ANSWERED' });
      await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
      expect(b.effects().map(({ args }) => args.n)).toEqual([1, 2]);
      expect((await a.app.holdfast.call('inbox.list', {}, 'test')).items).toEqual([]);
    });

    it('DW-23 of two opposite answers in the same moment one counts on both computers, and the other is refused with who was first', async () => {
      const [a, b] = [await start('desk-1'), await start('desk-2')];
      const turnId = await a.send('charge', { needs: ['label:desk-2'], session: 'cards' });
      await Promise.all([asked(a), asked(b)]);
      const both = await Promise.allSettled([
        answer(a, 'approvals.allow'),
        answer(b, 'approvals.deny'),
      ]);
      const lost = both.find((one) => one.status === 'rejected');
      expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(lost?.reason).toMatchObject({
        code: 'REQUEST_ANSWERED',
        message: expect.stringMatching(/test on desk-[12]/) as unknown,
      });
      // What counts has come to both, and only that was done.
      await expect.poll(() => callOf(a), LIMIT).toEqual({ n: 2 });
      const wasAllowed = both[0].status === 'fulfilled';
      expect(b.effects()).toHaveLength(wasAllowed ? 1 : 0);
      await answer(a, 'approvals.allow');
      await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
      expect(b.effects().map(({ args }) => args.n)).toEqual(wasAllowed ? [1, 2] : [2]);
    });

    it('DW-23 of 1,000 answers of 4 computers to 50 questions one counts for each, and none after another run has the turn', async () => {
      const stores = await Promise.all(
        ['a', 'b', 'c', 'd'].map(async (name) => {
          const address = await postgres.invite(name);
          const store = createPostgresStore({
            address,
            timeoutMs: 10_000,
            seen: 0,
            log: { warn: () => undefined },
          });
          const self = {
            key: randomUUID(),
            name,
            life: randomUUID(),
            version: '1',
            caps: [],
            clockMs: 0,
          };
          const { machine } = await store.hello(self);
          await createStoreOwner(postgres.owner).admit(machine);
          return store;
        }),
      );
      try {
        const [owner, other] = stores;
        const turn = randomUUID();
        await owner!.send({
          id: turn,
          session: 's',
          priority: 1,
          dedupe: undefined,
          needs: [],
          isHere: false,
          body: '{}',
        });
        const claim = { request: randomUUID(), leaseMs: 60_000, maxWaitMs: 60_000 };
        const granted = await owner!.claim(claim);
        expect(granted).toMatchObject({ kind: 'granted', epoch: 1 });
        const ids = Array.from({ length: 50 }, (_one, n) => `question ${String(n)}`);
        for (const id of ids) expect(await owner!.ask({ turn, epoch: 1, id, body: id })).toBe(true);
        // Nobody else may ask in its name.
        expect(await other!.ask({ turn, epoch: 1, id: 'x', body: 'x' })).toBe(false);
        const said = await Promise.all(
          Array.from({ length: 1_000 }, async (_one, n) => {
            const id = ids[n % ids.length]!;
            const given = { turn, epoch: 1, id, answer: `answer ${String(n)}`, by: String(n) };
            return { id, n, said: await stores[n % stores.length]!.answer(given) };
          }),
        );
        const taken = said.filter((one) => one.said.kind === 'taken');
        expect(taken.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
        // Everybody else hears who was first.
        const first = new Map(taken.map(({ id, n }) => [id, String(n)]));
        for (const one of said)
          if (one.said.kind !== 'taken')
            expect(one.said).toEqual({ kind: 'answered', by: first.get(one.id) });
        const { questions } = await owner!.look([], 0);
        expect(questions).toHaveLength(50);
        // A lost "it counts" is heard again; under another epoch nothing is.
        const [again] = taken;
        const same = {
          turn,
          epoch: 1,
          id: again!.id,
          answer: `answer ${String(again!.n)}`,
          by: 'x',
        };
        expect(await stores[again!.n % stores.length]!.answer(same)).toEqual({ kind: 'taken' });
        await postgres.sql(
          "UPDATE holdfast.turn SET lease_until = clock_timestamp() - interval '1 s'",
        );
        expect(await other!.claim({ ...claim, request: randomUUID() })).toMatchObject({ epoch: 2 });
        expect(await stores[2]!.answer({ ...same, id: ids[0]! })).toEqual({ kind: 'stale' });
        expect(await owner!.ask({ turn, epoch: 1, id: 'late', body: '' })).toBe(false);
        expect((await other!.look([], 0)).questions).toEqual([]);
      } finally {
        await Promise.all(stores.map((store) => store.close()));
      }
    });
  },
);
