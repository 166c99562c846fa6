import type { Client } from 'pg';
import { HoldfastError } from '../../engine/kernel/errors';
import queue from './schema/0001_queue.sql?raw';
import prune from './schema/0002_prune.sql?raw';
import facts from './schema/0003_facts.sql?raw';
import questions from './schema/0004_questions.sql?raw';
import look from './schema/0005_look.sql?raw';
import sessions from './schema/0006_sessions.sql?raw';
import claims from './schema/0007_claims.sql?raw';
import passes from './schema/0008_passes.sql?raw';
import sizes from './schema/0009_sizes.sql?raw';
import grants from './schema/grants.sql?raw';

/** Each runs once, in order; a released one is never edited. */
const MIGRATIONS: readonly string[] = [
  queue,
  prune,
  facts,
  questions,
  look,
  sessions,
  claims,
  passes,
  sizes,
];

/** The version of the schema that this client was written for. */
export const CLIENT_VERSION = MIGRATIONS.length;

/** One schema change at a time, on any computer. */
const LOCK = 'SELECT pg_advisory_xact_lock(7261004)';

/**
 * Upgrades the schema to this version, as its owner, in one transaction. A newer one is not
 * changed.
 *
 * @throws SHARE_VERSION
 */
export async function openSchema(owner: Pick<Client, 'query'>): Promise<void> {
  await owner.query('BEGIN');
  try {
    await owner.query(LOCK);
    const version = await versionOf(owner);
    if (version > CLIENT_VERSION) {
      throw new HoldfastError(
        'SHARE_VERSION',
        `The shared store has schema version ${String(version)}; this Holdfast knows up to ${String(CLIENT_VERSION)}.`,
        { hint: 'Nothing was changed. Update Holdfast on this computer.' },
      );
    }
    for (const migration of MIGRATIONS.slice(version)) await owner.query(migration);
    await owner.query(grants);
    await owner.query('UPDATE holdfast.store SET version = $1', [CLIENT_VERSION]);
    await owner.query('COMMIT');
  } catch (error) {
    await owner.query('ROLLBACK').catch(() => undefined); // The connection may be gone too.
    throw error;
  }
}

/** Upgrades an earlier schema to this version; any other stays unchanged. DW-26 */
export async function upgradeSchema(owner: Pick<Client, 'query'>): Promise<void> {
  const version = await versionOf(owner);
  if (version > 0 && version < CLIENT_VERSION) await openSchema(owner);
}

async function versionOf(owner: Pick<Client, 'query'>): Promise<number> {
  const there = await owner.query<{ there: boolean }>(
    "SELECT to_regclass('holdfast.store') IS NOT NULL AS there",
  );
  if (there.rows[0]?.there !== true) return 0;
  const found = await owner.query<{ version: number }>('SELECT version FROM holdfast.store');
  return found.rows[0]?.version ?? 0;
}
