import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createPostgres, endPostgres, type Postgres } from './postgres';
import { createComputers } from './shared-computers';

/**
 * One store for the tests of a block, empty before each of them, and computers of each test's own,
 * which are ended behind it. `onFresh` gets both before each test.
 */
export function eachOnAnEmptyStore(
  onFresh: (postgres: Postgres, computers: ReturnType<typeof createComputers>) => void,
): void {
  let postgres: Postgres;
  let computers: ReturnType<typeof createComputers>;
  beforeAll(async () => {
    postgres = await createPostgres();
  }, 60_000);
  afterAll(async () => {
    await postgres?.remove();
    endPostgres();
  });
  beforeEach(async () => {
    await postgres.sql(
      'TRUNCATE holdfast.question, holdfast.entry, holdfast.turn, holdfast.fact, holdfast.machine, holdfast.text',
    );
    computers = createComputers(postgres);
    onFresh(postgres, computers);
  });
  afterEach(async () => {
    await computers.end();
  });
}
