/** The data after an update that did not come up: put back over what the new version has made of it. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { restoreData } from '../../../electron/adapters/updates/saved-data';

const real = { ...fs.promises };
let dataDir: string;
beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-restored-'));
});
afterEach(() => {
  Object.assign(fs.promises, real);
  syncBuiltinESMExports();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

const withText = (name: string, text: string): string => {
  const file = path.join(dataDir, name);
  const db = new Database(file);
  db.exec('CREATE TABLE says (text TEXT)');
  db.prepare('INSERT INTO says VALUES (?)').run(text);
  db.close();
  return file;
};

/** What happens to the folder, in order. */
function watched(): string[] {
  const seen: string[] = [];
  const noted =
    <Given extends readonly unknown[], Result>(
      call: (...given: Given) => Promise<Result>,
      wordOf: (...given: Given) => string | undefined,
    ) =>
    async (...given: Given): Promise<Result> => {
      const result = await call(...given).finally(() => {
        const word = wordOf(...given);
        if (word !== undefined) seen.push(word);
      });
      return result;
    };
  const isLog = (file: unknown): string | undefined =>
    String(file).endsWith('.db-wal') ? 'log gone' : undefined;
  Object.assign(fs.promises, {
    rm: noted(real.rm, isLog),
    unlink: noted(real.unlink, isLog),
    rename: noted(real.rename, (_, to) =>
      String(to).endsWith('holdfast.db') ? 'named' : undefined,
    ),
    open: async (...given: Parameters<typeof real.open>) => {
      const handle = await real.open(...given);
      if (given[0] === dataDir)
        handle.sync = noted(handle.sync.bind(handle), () => 'folder synced');
      return handle;
    },
  });
  syncBuiltinESMExports();
  return seen;
}

it('S4-14 the log of the newer data is gone from the disk before the older database has its name: 1 power cut in between mixes nothing', async () => {
  const file = withText('holdfast.db', 'newer');
  const backup = withText('before-update.db', 'older');
  const seen = watched();
  await restoreData(dataDir, backup, 0);
  const since = seen.slice(seen.indexOf('log gone'));
  expect(since.slice(0, 2)).toEqual(['log gone', 'folder synced']);
  expect(since.slice(-2)).toEqual(['named', 'folder synced']);
  const db = new Database(file, { readonly: true });
  expect(db.prepare('SELECT text FROM says').pluck().all()).toEqual(['older']);
  db.close();
});
