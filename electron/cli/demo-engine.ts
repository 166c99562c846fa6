/** The engine of a demo: a separate process that can be killed. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { HoldfastError } from '../engine/kernel/errors';
import type { CliIo } from './io';
import type { Reach } from './reach';
import { reachAgain } from './reach';
import { inertLine } from './render';

const START_MS = 15_000;

/** A headless engine in a separate process. */
export interface Engine {
  readonly child: ChildProcess;
  readonly reach: Reach;
}

export async function startEngine(io: CliIo, dataDir: string): Promise<Engine> {
  const child = spawn(
    io.self.command,
    [...io.self.args, 'start', '--headless', '--data-dir', dataDir],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...io.env, HOLDFAST_NO_RELAUNCH: '1', HOLDFAST_HOME: undefined },
    },
  );
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
  child.on('error', (error) => (said = error.message));
  const isAlive = (): boolean =>
    child.exitCode === null && child.signalCode === null && child.pid !== undefined;
  const engine = await reachAgain(dataDir, io, { timeoutMs: START_MS, isWanted: isAlive });
  if (engine) return { child, reach: engine };
  child.kill('SIGKILL');
  throw new HoldfastError('INTERNAL', `The engine of the demo did not start. ${inertLine(said)}`, {
    hint: 'Look at what it needs with: holdfast doctor',
  });
}

export function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}
