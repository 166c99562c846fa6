/** The command line and the headless host on plain Node: nothing here may load Electron. */
import path from 'node:path';
import { version } from '../package.json';
import { flushOutput, processIo } from './cli/io';
import { runCommand } from './cli/run-command';
import { offline } from './offline/offline';

async function main(): Promise<void> {
  const io = processIo({
    version,
    composer: () => import('./compose/compose'),
    offline,
    selfArgs: [path.join(import.meta.dirname, 'holdfast.cjs')],
  });
  process.exit(await flushOutput(await runCommand(process.argv.slice(2), io)));
}

void main();
