import { describe, expect, it } from 'vitest';
import { steadyPlan } from '../../../electron/adapters/sqlite/steady-database';

describe('statements that are compiled once', () => {
  it.each([
    ['SELECT 1 FROM turns WHERE id = ?', 'SELECT 1 FROM turns WHERE id = +?'],
    ['SELECT ?1, ?2', 'SELECT +?1, +?2'],
    ['WHERE (a, b) < (?, ?) LIMIT ?', 'WHERE (a, b) < (+?, +?) LIMIT +?'],
    ['WHERE a = @turnId AND b IN (@x, @y)', 'WHERE a = +@turnId AND b IN (+@x, +@y)'],
    ["json_extract(body, '$.a?b@c') = ?", "json_extract(body, '$.a?b@c') = +?"],
    ["SELECT 'it''s ?', ?", "SELECT 'it''s ?', +?"],
    ['SELECT "a?b", ? -- why? @x\n, ?', 'SELECT "a?b", +? -- why? @x\n, +?'],
    ['SELECT 1', 'SELECT 1'],
  ])('puts a plus before what is bound, and before nothing else: %s', (text, steady) => {
    expect(steadyPlan(text)).toBe(steady);
  });
});
