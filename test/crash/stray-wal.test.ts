/** A backup that is put back beside the WAL that a killed process has left, in each recovery mode. */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { databaseProblems } from './evidence';
import { createRealm, endRealms, inEveryMode, startLife } from './lives';
import { ASIDE_POINTS } from './own-workloads';
import type { Realm } from './realm';

afterEach(endRealms);

const fileOf = (realm: Realm): string => path.join(realm.dataDir, 'holdfast.db');

/** What is in each WAL that was set aside. */
const asideOf = ({ dataDir }: Realm): Buffer[] =>
  fs
    .readdirSync(dataDir)
    .filter((name) => name.startsWith('holdfast.db-wal.aside-'))
    .map((name) => fs.readFileSync(path.join(dataDir, name)));

/** Does one message whole, and stops in order or is killed after it. */
async function workOnce(realm: Realm, text: string, end: 'stop' | 'kill'): Promise<void> {
  const life = startLife(realm);
  await life.ready();
  await life.accept(text);
  await life.ask({ kind: 'quiet' });
  await life[end]();
}

describe('S4-31 a backup beside the WAL of another database, with a process that is killed at', () => {
  it.each(ASIDE_POINTS)(
    '%s keeps that WAL whole under another name, and the next start goes on with the backup, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = createRealm(mode);
        await workOnce(realm, 'one', 'stop');
        const backup = path.join(realm.root, 'backup.db');
        fs.copyFileSync(fileOf(realm), backup);
        const copy = new Database(backup);
        copy.pragma('journal_mode = DELETE');
        copy.close();
        await workOnce(realm, 'two', 'kill');
        const wal = fs.readFileSync(`${fileOf(realm)}-wal`);
        expect(wal.length).toBeGreaterThan(0);
        fs.copyFileSync(backup, fileOf(realm));

        const life = startLife(realm, { crash: { point, hit: 1 } });
        expect(await life.ended).toBe('SIGKILL');
        expect(realm.killedAt).toEqual([point]);
        expect(asideOf(realm).map((one) => one.equals(wal))).toEqual([true]);

        const next = startLife(realm);
        await next.ready();
        const { turns } = await next.call('turns.list', {});
        expect(turns).toHaveLength(1);
        await next.stop();
        expect(asideOf(realm).map((one) => one.equals(wal))).toEqual([true]);
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );
});
