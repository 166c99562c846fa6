/** The code of updates: loaded where `updates.mode` is not `off`, or with the first question about them. W4 */
export { createUpdateSource } from '../adapters/updates/signed-feed';
export { createUpdateNotes } from '../adapters/updates/update-notes';
export { whyFixed } from '../disk/program-file';
export { installKind } from '../engine/updates/plan-update';
export { createUpdates } from '../engine/updates/updates';
