import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openSchema, upgradeSchema } from './open-schema';
import { storeError } from './store-errors';
import type { StoreOwner } from '../../ports/shared-store';

export function createStoreOwner(config: pg.ClientConfig): StoreOwner {
  const connected = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionTimeoutMillis: 10_000, ...config });
    client.on('error', () => undefined); // The call in progress rejects.
    try {
      await client.connect();
      return await work(client);
    } catch (error) {
      throw storeError(error);
    } finally {
      await client.end().catch(() => undefined); // It may already be disconnected.
    }
  };
  return {
    open: () => connected(openSchema),
    upgrade: () => connected(upgradeSchema),
    invite: (name, forMs) =>
      connected(async (client) => {
        const role = `holdfast_m_${randomBytes(6).toString('hex')}`;
        const password = randomBytes(24).toString('base64url');
        await client.query('BEGIN');
        // Both contain only letters, digits, - and _: nothing to escape.
        await client.query(
          `CREATE ROLE ${role} LOGIN PASSWORD '${password}' IN ROLE holdfast_machine`,
        );
        await client.query('SELECT holdfast.invite($1, $2, $3)', [role, name, forMs]);
        await client.query('COMMIT');
        return { role, password };
      }),
    machines: () =>
      connected(async (client) => {
        const { rows } = await client.query<{ id: string; role: string }>(
          'SELECT id, role FROM holdfast.machine',
        );
        return rows;
      }),
    admit: (machine) =>
      connected(async (client) => {
        const { rows } = await client.query<{ done: boolean }>(
          'SELECT holdfast.admit($1) AS done',
          [machine],
        );
        return rows[0]?.done === true;
      }),
    revoke: (machine) =>
      connected(async (client) => {
        const { rows } = await client.query<{ done: boolean; role: string | null }>(
          'SELECT holdfast.revoke($1) AS done, (SELECT role FROM holdfast.machine WHERE id = $1) AS role',
          [machine],
        );
        const role = rows[0]?.role;
        if (rows[0]?.done !== true || role == null) return false;
        await client.query(`ALTER ROLE ${client.escapeIdentifier(role)} NOLOGIN`);
        await client.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1',
          [role],
        );
        return true;
      }),
    acceptLoss: () =>
      connected(async (client) => {
        await client.query('SELECT holdfast.accept_loss()');
      }),
  };
}
