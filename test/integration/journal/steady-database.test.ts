import { expect, it } from 'vitest';
import { SteadyDatabase } from '../../../electron/adapters/sqlite/steady-database';

it('what is bound keeps its value, its type and its use of an index', () => {
  const db = new SteadyDatabase(':memory:');
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, v ANY) STRICT');
  db.exec('CREATE INDEX t_at ON t (at)');
  const values = [1, 1.5, '7', 'text', Buffer.from([0, 255]), null, 9_007_199_254_740_991n];
  const put = db.prepare('INSERT INTO t (at, v) VALUES (?, ?)');
  values.forEach((value, at) => put.run(at, value));
  expect(db.prepare('SELECT v FROM t ORDER BY at').pluck().all()).toEqual(
    values.map((value) => (typeof value === 'bigint' ? Number(value) : value)),
  );
  // A number told as text still meets a column of numbers.
  expect(db.prepare('SELECT count(*) FROM t WHERE at >= @from').pluck().get({ from: '2' })).toBe(5);
  const plan = db.prepare('EXPLAIN QUERY PLAN SELECT 1 FROM t WHERE at > ? AND at < ? LIMIT ?');
  expect(plan.get(1, 2, 3)).toMatchObject({ detail: expect.stringContaining('INDEX t_at') });
  db.close();
});

it('W4 a statement is compiled at its first use, in the way that was chosen before or after it', () => {
  const db = new SteadyDatabase(':memory:');
  const count = db.prepare('SELECT id FROM t WHERE id > ? ORDER BY id');
  const plucked = db.prepare('SELECT id FROM t ORDER BY id').pluck();
  const wrong = db.prepare('SELECT id FROM missing');
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)');
  expect(plucked.all()).toEqual([1, 2]);
  expect([count.get(1), count.raw().get(1), count.raw(false).get(1)]).toEqual([
    { id: 2 },
    [2],
    { id: 2 },
  ]);
  expect([...plucked.iterate()]).toEqual([1, 2]);
  expect(plucked.columns()).toMatchObject([{ name: 'id', table: 't' }]);
  expect(() => wrong.all()).toThrow('no such table: missing');
  db.close();
  expect(() => db.prepare('SELECT 1').get()).toThrow('not open');
});
