/** Lives of the engine that are forked from one process: forked-lives.ts. */
import fs from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { becomeLives, createRunner, keepProcess } from './forked-lives';
import { warmUp } from './warm-up';

const LIFE = path.join(import.meta.dirname, 'engine-life.cjs');
const [addon = '', home = ''] = process.argv.slice(2);
const run = createRunner(LIFE);

function beginLife(options: string): void {
  process.argv = [process.execPath, LIFE, options];
  run();
}

const restore = keepProcess();
const commands = new PassThrough();
Object.defineProperty(process, 'stdin', { value: commands, configurable: true });
const writeSync = fs.writeSync;
warmUp(
  home,
  beginLife,
  (line) => commands.write(`${JSON.stringify(line)}\n`),
  () => {
    fs.writeSync = writeSync;
    restore();
    // What the life does behind its end is over by then: a fork would do it, too.
    setTimeout(() => {
      becomeLives(addon, beginLife);
    }, 100);
  },
);
