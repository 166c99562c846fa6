// Runs before the suites with windows: Electron, its libraries, a message bus program, and a display
// for each of their workers. Tests find the executable in HOLDFAST_TEST_ELECTRON; `require('electron')`
// and Playwright find it too.
import { ensureDisplay, ensureElectron, startDisplay } from '../ensure.mjs';
import { ensureCompiledFor } from './build.mjs';
import { sandboxSwitches } from './sandbox.mjs';

/** @param {NodeJS.ProcessEnv} env */
export const provideElectron = async (env) => {
  const electron = await ensureElectron();
  await ensureDisplay();
  await ensureCompiledFor(electron.executable);
  env['ELECTRON_OVERRIDE_DIST_PATH'] = electron.dist;
  env['HOLDFAST_TEST_ELECTRON'] = electron.executable;
  env['HOLDFAST_TEST_ELECTRON_FLAGS'] = sandboxSwitches(electron.executable).join(' ');
};

/**
 * Separate virtual displays, so that no window of a test takes the focus from the user; none on
 * systems that need no X display.
 *
 * @param {NodeJS.ProcessEnv} env @param {number} count
 * @returns {Promise<() => void>} ends them
 */
export const provideDisplays = async (env, count) => {
  if (process.platform !== 'linux') return () => undefined;
  const displays = await Promise.all(Array.from({ length: count }, startDisplay));
  env['HOLDFAST_TEST_DISPLAYS'] = displays.map(({ display }) => display).join(' ');
  env['DISPLAY'] = displays[0]?.display;
  delete env['WAYLAND_DISPLAY'];
  return () => {
    for (const { stop } of displays) stop();
  };
};

/** Each worker takes one (test/e2e/own-display.ts). @param {import('vitest/node').TestProject} project */
export const setup = async ({ config }) => {
  await provideElectron(process.env);
  return provideDisplays(process.env, Number(config.maxWorkers));
};
