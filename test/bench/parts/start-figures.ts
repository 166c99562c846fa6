/** W4: process start to ready for work, and resident memory while nothing happens. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { collect, median, medianRatio } from './numbers';
import { inFolder, loadCommand, residentMb, startAndWait } from './programs';
import type { Report } from './report';

const nodeProgram = fileURLToPath(new URL('../node/holdfast.cjs', import.meta.url));
const IDLE_MS = 1_500;

interface Started {
  readonly readyMs: number;
  readonly residentMb: number;
}

/** The real command line, headless, on a data directory that has been used before. */
export async function startHeadless(dataDir: string, idleMs = IDLE_MS): Promise<Started> {
  const command = [process.execPath, nodeProgram, 'start', '--headless', '--data-dir', dataDir];
  return measure(command, idleMs);
}

async function measure(command: readonly string[], idleMs: number): Promise<Started> {
  const { child, firstLineMs, kill } = await startAndWait(command);
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  const memory = residentMb(child.pid);
  await kill();
  return { readyMs: firstLineMs, residentMb: memory };
}

export async function addStartFigures(report: Report, repeats: number): Promise<void> {
  await inFolder(async (dir) => {
    const dataDir = path.join(dir, 'data');
    fs.mkdirSync(dataDir, { mode: 0o700 });
    // The first start makes the database; what is measured are the starts after it.
    await startHeadless(dataDir, 0);
    await measure(loadCommand('bare', { dir }), 0);
    const rounds = await collect(repeats, async () => ({
      bare: await measure(loadCommand('bare', { dir }), IDLE_MS),
      holdfast: await startHeadless(dataDir),
    }));
    const bare = rounds.map((round) => round.bare.readyMs);
    const holdfast = rounds.map((round) => round.holdfast.readyMs);
    report.add(
      'W4, process start to ready',
      { name: 'bare process that opens and inserts', value: median(bare), unit: 'ms' },
      {
        name: 'bare process, resident',
        value: median(rounds.map((round) => round.bare.residentMb)),
        unit: 'MB',
      },
      { name: 'Holdfast headless', value: median(holdfast), unit: 'ms' },
      {
        name: 'Holdfast / bare',
        value: medianRatio(holdfast, bare),
        unit: '×',
        budget: { sense: '<=', limit: 2 },
      },
      {
        name: 'Holdfast headless, resident',
        value: median(rounds.map((round) => round.holdfast.residentMb)),
        unit: 'MB',
        budget: { sense: '<=', limit: 65 },
      },
    );
  });
}
