/** Everything that the ordered start loads in one bundle once it owns the data directory. */
export { isFoldBehind } from '../adapters/sqlite/applied';
export { openDatabase } from '../adapters/sqlite/open-database';
export { createControlServer } from '../control/server';
export { writeStartMarker, writeStopMarker } from '../engine/instance/restart-marker';
export { recoverAtStart } from '../engine/recovery/recover-at-start';
export { announceRestart } from '../engine/replies/restart-notice';
export { createRooms } from './rooms';
