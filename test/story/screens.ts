/**
 * `npm run screens`: every page of the real app with the story of the mocks in it, as pictures in
 * `dist/screens`, and one page that shows them all. Run by build/screens.mjs, which brings Electron
 * and a display.
 */
import { closeAlbum, emptyAlbum } from './parts/camera';
import { busyDay, calmDay } from './parts/day-pictures';
import { forms } from './parts/form-pictures';
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
  config: brokenConfig,
  tray: trayGlyphs,
};
/** `--only=first,tray`: these parts alone. */
const only = process.argv.find((one) => one.startsWith('--only='))?.slice('--only='.length);

/** `--readme`: the picture and the animation of the README instead, into `docs`. */
if (process.argv.includes('--readme')) {
  await readmePictures();
  process.exit(0);
}

emptyAlbum();
for (const [name, shootPart] of Object.entries(PARTS)) {
  if (only?.split(',').includes(name) ?? true) await shootPart();
}
closeAlbum();
// The provider of the story may still be writing an answer that never ends.
process.exit(0);
