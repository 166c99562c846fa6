// Runs before the suites with windows: Electron, its libraries, a message bus program and, unless
// `npm test` has started one, a display of our own. Tests find the executable in
// HOLDFAST_TEST_ELECTRON; `require('electron')` and Playwright find it too.
import { ensureDisplay, ensureElectron, startDisplay } from '../ensure.mjs';
import { isRoot } from './machine.mjs';

/** @param {NodeJS.ProcessEnv} env @returns {Promise<() => void>} */
export const provideElectron = async (env) => {
  const electron = await ensureElectron();
  await ensureDisplay();
  env['ELECTRON_OVERRIDE_DIST_PATH'] = electron.dist;
  env['HOLDFAST_TEST_ELECTRON'] = electron.executable;
  env['HOLDFAST_TEST_ELECTRON_FLAGS'] = isRoot() ? '--no-sandbox' : '';
  if (process.platform !== 'linux' || env['HOLDFAST_TEST_DISPLAY']) return () => undefined;
  const { display, stop } = await startDisplay();
  env['HOLDFAST_TEST_DISPLAY'] = display;
  env['DISPLAY'] = display;
  delete env['WAYLAND_DISPLAY'];
  return stop;
};

export const setup = () => provideElectron(process.env);
