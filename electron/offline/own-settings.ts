import path from 'node:path';
import { lazyConf } from '../adapters/config/lazy-conf';
import { createSettings } from '../adapters/config/settings';
import { noCrashPoints } from '../engine/kernel/crash-points';

/** The settings of a data directory for one command: read once, not watched. */
export const ownSettings = (
  dataDir: string,
  env: Readonly<Record<string, string | undefined>>,
): ReturnType<typeof createSettings> =>
  createSettings({
    path: path.join(dataDir, 'config.json'),
    storeClass: lazyConf,
    overrides: {},
    env,
    crashPoints: noCrashPoints,
    watch: false,
  });
