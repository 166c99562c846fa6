/**
 * `npm run screens`: every page of the real app with the story of the mocks in it, as pictures in
 * `dist/screens`, and one page that shows them all. Run by build/screens.mjs, which brings Electron
 * and a display.
 */
import { closeAlbum, emptyAlbum } from './parts/camera';
import { chosenParts } from './parts/chosen-parts';
import { accounts, eventBroker, sharedWork, webPush } from './parts/beyond-pictures';
import { busyDay, calmDay } from './parts/day-pictures';
import { forms } from './parts/form-pictures';
import { otherHosts } from './parts/host-pictures';
import { readmePictures } from './parts/readme-pictures';
import { brokenConfig, trayGlyphs } from './parts/odd-pictures';
import { firstStart, foundAgents } from './parts/start-pictures';
import { taskDay } from './parts/task-pictures';
import { approvals, fileApprovals, providerDown, skillsAndRuns } from './parts/work-pictures';

const PARTS: Readonly<Record<string, () => Promise<void> | void>> = {
  first: firstStart,
  forms,
  found: foundAgents,
  approval: approvals,
  edits: fileApprovals,
  runs: skillsAndRuns,
  outages: providerDown,
  schedule: taskDay,
  busy: busyDay,
  calm: calmDay,
  hosts: otherHosts,
  shared: sharedWork,
  broker: eventBroker,
  webpush: webPush,
  accounts,
  config: brokenConfig,
  tray: trayGlyphs,
};
/** Refused before a picture is taken, or the ones that are there are emptied. */
function chosen(): readonly string[] {
  try {
    return chosenParts(Object.keys(PARTS), process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

/** `--readme`: the picture and the animation of the README instead, into `docs`. */
if (process.argv.includes('--readme')) {
  await readmePictures();
  process.exit(0);
}

const names = chosen();
emptyAlbum();
for (const name of names) await PARTS[name]?.();
closeAlbum();
// The provider of the story may still be writing an answer that never ends.
process.exit(0);
