/** Readers of the data never hold a start up: real starts beside real processes that open and close it. */
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createRealm, endRealms, startLife } from './lives';

const STARTS = process.env['npm_lifecycle_event'] === 'test:kill' ? 30 : 12;
const READERS = 3;

/** Opens it as commands do while nothing runs, reads, closes, and begins again. */
const READER = `
const Database = require(process.argv[1]);
for (;;) {
  const db = new Database(process.argv[2], { readonly: true, timeout: 2_000 });
  try {
    db.prepare('SELECT count(*) FROM journal').get();
  } finally {
    db.close();
  }
}`;

const readers = new Set<ChildProcess>();
afterEach(() => {
  for (const reader of readers) reader.kill('SIGKILL');
  endRealms();
});

it(`S0-03 S2-41 ${String(STARTS)} starts after kills beside ${String(READERS)} readers are none of them refused`, async () => {
  const realm = createRealm('always');
  const first = startLife(realm);
  await first.ready();
  await first.accept('mail a');
  await first.ask({ kind: 'quiet' });
  await first.kill();
  const database = path.join(realm.dataDir, 'holdfast.db');
  for (let count = 0; count < READERS; count += 1)
    readers.add(
      spawn(
        process.execPath,
        ['-e', READER, path.resolve('node_modules/better-sqlite3'), database],
        {
          stdio: 'ignore',
        },
      ),
    );
  const refused: string[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const life = startLife(realm);
    await life.ready().catch((error: unknown) => refused.push(String(error)));
    // Each second one leaves a WAL that the next opener goes through.
    await (start % 2 === 0 ? life.kill() : life.stop().catch(() => undefined));
  }
  expect(refused).toEqual([]);
}, 600_000);
