/** A process that is killed while it brings the data of an older version up to date, in each recovery mode. */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { rowsOf } from './evidence';
import { createRealm, endRealms, inEveryMode, startLife } from './lives';
import { makeOlder } from './older-database';
import { MIGRATE_POINTS } from './own-workloads';
import { recoverAndJudge, snapshot, wholeLife } from './workload';

afterEach(endRealms);

describe('R20 data of the version before, with a process that is killed at', () => {
  it.each(MIGRATE_POINTS)(
    '%s are as they were, with 1 whole copy; the next start goes on with all of the work, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = createRealm(mode);
        await wholeLife(realm, { crash: { point: 'step.effect.after', hit: 4 } });
        const before = snapshot(realm);
        const version = makeOlder(realm);
        const life = startLife(realm, { crash: { point, hit: 1 } });
        expect(await life.ended).toBe('SIGKILL');
        expect(realm.killedAt.at(-1)).toBe(point);
        expect(rowsOf(realm, 'PRAGMA user_version')).toEqual([{ user_version: version }]);
        const backups = path.join(realm.dataDir, 'backups');
        const [name = '', ...more] = fs.readdirSync(backups);
        expect(more).toEqual([]);
        const saved = new Database(path.join(backups, name), { readonly: true });
        expect(saved.pragma('integrity_check', { simple: true })).toBe('ok');
        expect(saved.pragma('user_version', { simple: true })).toBe(version);
        saved.close();
        expect(await recoverAndJudge(realm, mode, [before])).toEqual([]);
      });
    },
  );
});
