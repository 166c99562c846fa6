/** A computer that was let into the shared store and says of itself what it likes. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStore } from '../../../electron/adapters/shared-store/postgres-store';
import { createStoreOwner } from '../../../electron/adapters/shared-store/owner';
import type { NewSharedTurn, SharedStore } from '../../../electron/ports/shared-store';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../../helpers/postgres';
import { createComputers } from '../../helpers/shared-computers';
import { isLeftOut } from '../../helpers/skips';

describe.skipIf(isLeftOut('a hostile computer', NO_POSTGRES))('a hostile computer', () => {
  let postgres: Postgres;
  let computers: ReturnType<typeof createComputers>;
  let evil: SharedStore | undefined;

  beforeAll(async () => {
    postgres = await createPostgres();
    computers = createComputers(postgres);
  }, 60_000);
  afterEach(async () => {
    await evil?.close();
    await computers.end();
  });
  afterAll(async () => {
    await postgres?.remove();
    endPostgres();
  });

  it('DW-27 is listed and revoked by its id, whatever it calls itself, offers and sends', async () => {
    const desk = await computers.start({ name: 'desk' });
    await computers.start({ name: 'attic' });
    evil = createPostgresStore({
      address: await postgres.invite('evil'),
      timeoutMs: 20_000,
      seen: 0,
      log: { warn: () => undefined },
    });
    const key = randomUUID();
    const call = desk.app.holdfast.call;
    const says = (name: string) =>
      evil?.hello({
        key,
        name,
        life: randomUUID(),
        version: '💥'.repeat(64),
        caps: Array.from({ length: 3_000 }, (_, at) => `${String(at)}${'x'.repeat(1_000)}`),
        clockMs: Date.now(),
      });
    await says('evil');
    await call('share.admit', { name: 'evil' }, 'test');
    await says('attic');
    await evil.send({
      id: randomUUID(),
      session: '💥'.repeat(200),
      priority: 1,
      dedupe: undefined,
      needs: Array.from({ length: 300 }, (_, at) => `label:${String(at)}${'y'.repeat(1_000)}`),
      isHere: false,
      body: '{}',
    });

    const listed = async () => (await call('machines.list', {}, 'test')).machines;
    const named = (await listed()).filter(({ name }) => name === 'attic');
    expect(named).toHaveLength(2);
    await expect(call('share.revoke', { name: 'attic' }, 'test')).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
    const [{ id = '' } = {}] = named.filter(({ offers }) => offers.length === 1_000);
    await says('💥'.repeat(64));
    expect((await listed()).map(({ name }) => name)).toContain('💥'.repeat(32));
    // The id of another as a name takes nothing from that one.
    await says(named.find((one) => one.id !== id)?.id ?? '');
    await call('share.revoke', { name: id }, 'test');
    expect((await listed()).map(({ id: one, state }) => [one === id, state]).toSorted()).toEqual([
      [false, 'admitted'],
      [false, 'admitted'],
      [true, 'revoked'],
    ]);
  }, 120_000);

  it('DW-28 a turn that cannot be taken is tried again after 30 s, 60 s and 120 s, then a person is told; another computer may have it at once', async () => {
    const desk = await computers.start({ name: 'desk' });
    evil = createPostgresStore({
      address: await postgres.invite('evil'),
      timeoutMs: 20_000,
      seen: 0,
      log: { warn: () => undefined },
    });
    const life = randomUUID();
    const says = { key: randomUUID(), name: 'evil', life, version: '1', clockMs: Date.now() };
    await evil.hello({ ...says, caps: ['label:desk'] });
    await desk.app.holdfast.call('share.admit', { name: 'evil' }, 'test');
    await evil.hello({ ...says, caps: ['label:desk'] });
    const id = randomUUID();
    await evil.send({
      ...{ id, session: 'unreadable', priority: 1, dedupe: undefined, isHere: false },
      needs: ['label:desk'],
      body: 'of no version',
    });
    const waitsFor = async (): Promise<number> => {
      const [row] = await postgres.sql<{ s: number | null }>(
        `SELECT extract(epoch FROM max(p.value::timestamptz) - clock_timestamp())::float AS s
           FROM holdfast.turn t, jsonb_each_text(t.passed) p WHERE t.state = 'queued' AND t.id = $1`,
        [id],
      );
      return row?.s ?? 0;
    };
    const problems = async () =>
      (await desk.app.holdfast.call('inbox.list', {}, 'test')).items.filter(
        ({ kind }) => kind === 'problem',
      );
    for (const [seconds, told] of [
      [30, 0],
      [60, 0],
      [120, 1],
      [240, 1],
    ] as const) {
      await expect.poll(waitsFor, { timeout: 120_000 }).toBeGreaterThan(seconds / 2);
      expect(await waitsFor()).toBeLessThanOrEqual(seconds);
      expect(await problems()).toHaveLength(told);
      if (seconds < 240) {
        // As if that time had passed.
        await postgres.sql("UPDATE holdfast.turn SET passed = '{}' WHERE id = $1", [id]);
        await postgres.sql("SELECT pg_notify('holdfast', 'work')");
      }
    }
    const [problem] = await problems();
    expect(problem?.title).toBe(
      'A shared turn of session "unreadable" cannot run on this computer',
    );
    expect(problem?.detail).toContain('Tried 4 times: ');
    expect(problem?.detail).toContain('Nothing of it ran here');
    const said = await postgres.sql('SELECT body FROM holdfast.entry WHERE turn = $1', [id]);
    expect(said).toHaveLength(1);
    const ask = { request: randomUUID(), leaseMs: 60_000, maxWaitMs: 60_000 };
    await expect(evil.claim(ask)).resolves.toMatchObject({ kind: 'granted', id });
  }, 120_000);

  it.each<[string, (store: SharedStore, size: number) => Promise<unknown>, number]>([
    ['the request of a turn', (store, size) => send(store, { body: 'x'.repeat(size) }), 2 ** 20],
    ['a session', (store, size) => send(store, { session: 'x'.repeat(size) }), 200],
    [
      'the needs of a turn',
      (store, size) => send(store, { needs: ['x'.repeat(size)] }),
      2 ** 20 - 2,
    ],
    [
      'a step',
      async (store, size) => {
        const { id } = await send(store, {});
        const ask = { request: randomUUID(), leaseMs: 60_000, maxWaitMs: 60_000 };
        const granted = await store.claim(ask);
        if (granted.kind !== 'granted') throw new Error('granted nothing');
        const { epoch } = granted;
        await store.append({
          ...{ turn: id, epoch, from: 0, bodies: ['x'.repeat(size)], leaseMs: 60_000 },
          ...{ after: 'done', delayMs: 0, isProgress: true },
        });
      },
      8 * 2 ** 20,
    ],
  ])(
    'DW-27 %s that is too long is refused in the store, and the longest is taken',
    async (_what, write, longest) => {
      const store = createPostgresStore({
        address: await postgres.invite('evil'),
        timeoutMs: 20_000,
        seen: 0,
        log: { warn: () => undefined },
      });
      evil = store;
      const says = { key: randomUUID(), name: 'evil', life: randomUUID(), version: '1' };
      const { machine } = await store.hello({ ...says, caps: [], clockMs: 0 });
      await createStoreOwner(postgres.owner).admit(machine);
      await postgres.sql('TRUNCATE holdfast.entry, holdfast.turn, holdfast.question');
      await expect(write(store, longest + 1)).rejects.toMatchObject({ code: 'SHARE_REFUSED' });
      expect(await postgres.sql('SELECT 1 FROM holdfast.entry')).toHaveLength(0);
      await postgres.sql('TRUNCATE holdfast.entry, holdfast.turn, holdfast.question');
      await write(store, longest);
      await postgres.sql('TRUNCATE holdfast.entry, holdfast.turn, holdfast.question');
    },
    120_000,
  );
});

const send = (store: SharedStore, more: Partial<NewSharedTurn>) =>
  store.send({
    ...{ id: randomUUID(), session: randomUUID(), priority: 1, dedupe: undefined, needs: [] },
    ...{ isHere: false, body: '{}', ...more },
  });
