/** What the ordered start loads once the data directory is ours, as one piece. */
export { isFoldBehind } from '../adapters/sqlite/applied';
export { openDatabase } from '../adapters/sqlite/open-database';
export { createControlServer } from '../control/server';
export { writeStartMarker, writeStopMarker } from '../engine/instance/restart-marker';
export { createRooms } from './rooms';
export { recover } from './recovery';
