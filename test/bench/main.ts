/**
 * `npm run bench [-- --only=native,recovery --repeats=5 --growth-steps=1000000]`: prints the figures of
 * journal, recovery, start, app and face beside references measured in the same run, and writes
 * `dist/bench.json`. It asserts nothing: timings are never tests.
 */
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { addAppFigures } from './parts/app-figures';
import { addBreakerFigures } from './parts/breaker-figures';
import { addDeliveryFigures } from './parts/delivery-figures';
import { addFaceFigures } from './parts/face-figures';
import { addGrowthFigures, addReplayFigure } from './parts/growth-figures';
import { addStepFigures, addSyncAndSizeFigures } from './parts/journal-figures';
import { addPauseFigures } from './parts/pause-figures';
import { hasStrace } from './parts/programs';
import { addRecoveryFigures } from './parts/recovery-figures';
import { createReport } from './parts/report';
import { addScheduleFigures } from './parts/schedule-figures';
import { addSearchFigures } from './parts/search-figures';
import { addSharedFigures } from './parts/shared-figures';
import { addStartFigures } from './parts/start-figures';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    repeats: { type: 'string', default: '5' },
    'growth-steps': { type: 'string', default: '1000000' },
  },
});
const repeats = Number(values.repeats);
const only = values.only?.split(',');
const report = createReport((line) => process.stdout.write(`${line}\n`));

const parts: Readonly<Record<string, () => Promise<void>>> = {
  native: () => addStepFigures(report, 'native', repeats),
  slow: async () => {
    if (hasStrace()) await addStepFigures(report, 'slow', repeats);
    else report.add('Slow disk', { name: 'every sync delayed by 2 ms', value: undefined, unit: '', note: 'strace delays them; there is none' }); // prettier-ignore
  },
  syncs: () => addSyncAndSizeFigures(report),
  recovery: () => addRecoveryFigures(report, repeats),
  start: () => addStartFigures(report, repeats),
  growth: () => addGrowthFigures(report, repeats, Number(values['growth-steps'])),
  replay: () => addReplayFigure(report, repeats),
  delivery: () => addDeliveryFigures(report, repeats),
  app: () => addAppFigures(report, repeats),
  schedule: () => addScheduleFigures(report, repeats),
  breakers: () => addBreakerFigures(report, repeats),
  pause: () => addPauseFigures(report),
  face: () => addFaceFigures(report, repeats),
  shared: () => addSharedFigures(report),
  search: () => addSearchFigures(report, repeats, Number(values['growth-steps'])),
};

const unknown = (only ?? []).filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no part ${unknown.join(', ')}. Nothing was measured. Choose from: ${Object.keys(parts).join(', ')}.\n`,
  );
  process.exit(2);
}
const load = os.loadavg()[0] ?? 0;
process.stdout.write(
  `Node ${process.version}, ${String(os.cpus().length)} cores, ${String(repeats)} repeats, medians of ratios side by side.\n`,
);
if (load > os.cpus().length / 2) {
  process.stdout.write(`Other work is running (load ${load.toFixed(1)}): read ratios only.\n`);
}
for (const [name, measure] of Object.entries(parts)) {
  if (only === undefined || only.includes(name)) await measure();
}
const file = fileURLToPath(new URL('../bench.json', import.meta.url));
report.write(file);
process.stdout.write(`\nWritten to ${file}\n`);
