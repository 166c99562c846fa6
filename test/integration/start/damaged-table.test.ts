import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, expect, it } from 'vitest';
import { composeIn, createWorld } from '../../helpers/compose-world';

const world = createWorld();
afterEach(() => {
  world.remove();
});

it('S4-31 a table whose page is garbage: the start says which file is damaged and where the backups are, and nothing runs', async () => {
  const first = composeIn(world);
  await first.lifecycle.start();
  await first.lifecycle.stop('stop');
  const file = path.join(world.dataDir, 'holdfast.db');
  const db = new Database(file);
  const size = Number(db.pragma('page_size', { simple: true }));
  const page = Number(
    db.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'heartbeats'").pluck().get(),
  );
  db.close();
  const bytes = fs.readFileSync(file);
  bytes.fill(0xff, (page - 1) * size, page * size);
  fs.writeFileSync(file, bytes);
  const { lifecycle } = composeIn(world);
  await expect(lifecycle.start()).rejects.toMatchObject({
    code: 'DATABASE_CORRUPT',
    message: `${file} is damaged and cannot be read. Holdfast was not started.`,
    hint: expect.stringContaining(path.join(world.dataDir, 'backups')) as unknown,
  });
  expect(fs.existsSync(path.join(world.dataDir, 'agent.lock'))).toBe(false);
});
