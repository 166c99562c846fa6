/** A computer that was let into the shared store and says of itself what it likes. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStore } from '../../../electron/adapters/shared-store/postgres-store';
import type { SharedStore } from '../../../electron/ports/shared-store';
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
});
