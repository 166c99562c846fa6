/** The command line and the headless host on plain Node: nothing here may load Electron. */
import { fileURLToPath } from 'node:url';
import { version } from '../package.json';
import { flushOutput, processIo } from './cli/io';
import { runCommand } from './cli/run-command';

const io = processIo({
  version,
  composer: () => import('./compose'),
  selfArgs: [fileURLToPath(import.meta.url)],
});

const exitCode = await runCommand(process.argv.slice(2), io);
await flushOutput();
process.exit(exitCode);
