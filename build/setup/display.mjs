// A separate display for tests and smoke runs: Xvfb picks a free number itself.
import { spawn } from 'node:child_process';
import { ensurePackages } from './libraries.mjs';
import { SetupStop } from './machine.mjs';

export const hasDisplay = () =>
  process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);

/**
 * Starts a virtual display that ends with this process.
 *
 * @returns {Promise<{display: string, stop: () => void}>} `display` like `:7`
 * @throws {SetupStop} if Xvfb is missing and cannot be installed
 */
export const startDisplay = async () => {
  await ensurePackages({ programs: ['Xvfb'] });
  const child = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp', '-noreset'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  const stop = () => child.kill('SIGTERM');
  process.once('exit', stop);
  const number = await new Promise((resolve, reject) => {
    const failed = () =>
      reject(new SetupStop('Xvfb did not start; is another one holding every display?'));
    const timer = setTimeout(failed, 15_000);
    let told = '';
    child.stdio[3]?.on('data', (/** @type {Buffer} */ data) => {
      told += data.toString('utf8');
      if (!told.includes('\n')) return;
      clearTimeout(timer);
      resolve(told.trim());
    });
    child.once('exit', failed);
  });
  child.unref();
  return { display: `:${number}`, stop };
};
