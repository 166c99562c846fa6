/** The start after an update. Loaded if there is a note of one. */
import fs from 'node:fs';
import { lookAtData, restoreData } from '../adapters/updates/saved-data';
import { startDetached } from '../adapters/updates/start-detached';
import { createUpdateNotes, sweepUpdates } from '../adapters/updates/update-notes';
import { sweepAside } from '../disk/program-file';
import type { AfterUpdateDeps } from '../engine/updates/after-update';
import type { Start } from './run';

export { beginAfterUpdate, endUpdate } from '../engine/updates/after-update';

export function afterUpdateOf({
  options: { dataDir, version, env },
  clock,
  crashPoints,
  run,
}: Pick<Start, 'options' | 'clock' | 'crashPoints' | 'run'>): AfterUpdateDeps {
  return {
    version,
    dataDir,
    clock,
    crashPoints,
    audit: run.audit,
    notes: createUpdateNotes(dataDir),
    startProgram: (program, args) =>
      fs.existsSync(program) &&
      startDetached(program, args, env, () => undefined).pid !== undefined,
    lookAtData: (sinceSeq, isHarmless) => lookAtData(dataDir, sinceSeq, isHarmless),
    restoreData: (backup) => restoreData(dataDir, backup, clock.nowMs()),
    sweep: (keep, target) => {
      sweepUpdates(dataDir, keep);
      if (target !== undefined) sweepAside(target);
    },
  };
}
