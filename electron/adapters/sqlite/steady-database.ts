import Database from 'better-sqlite3';

const QUOTED_OR_BOUND = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\?\d*|@\w+/g;

/**
 * The same statement with a plan that does not depend on the values bound to it. If SQLite uses
 * such a value for planning, binding the next one discards the plan, and the statement is compiled
 * again each time it runs: 10 to 50 us for 2 us of work. It ignores a value after a plus, which
 * changes nothing else.
 */
export const steadyPlan = (text: string): string =>
  text.replaceAll(QUOTED_OR_BOUND, (found) => (/^[?@]/.test(found) ? `+${found}` : found));

/** A database that compiles each of its statements once. */
export class SteadyDatabase extends Database {
  override prepare<Bound extends unknown[] | object = unknown[], Result = unknown>(text: string) {
    return super.prepare<Bound, Result>(steadyPlan(text));
  }
}
