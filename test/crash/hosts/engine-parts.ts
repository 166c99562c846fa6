/**
 * What a life loads besides itself, as an entry of its own: so the build keeps it apart from
 * `engine-life`, and a process can load it once and begin many lives with it (engine-ready.ts).
 */
export { compose } from '../../../electron/compose/compose';
export { openDatabase } from '../../../electron/adapters/sqlite/open-database';
export { pruneClosedTurns } from '../../../electron/adapters/sqlite/retention';
export { createGroupCommit } from '../../../electron/adapters/sqlite/journal/group-commit';
export { createSystemClock } from '../../../electron/adapters/clock/system-clock';
export { createHasher } from '../../../electron/adapters/blobs/hasher';
export { modelKey } from '../../../electron/engine/journal/step-keys';
export * from '../../helpers/fake-world';
export { planOf } from '../plans';
