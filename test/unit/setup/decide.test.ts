import { describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript: it runs before anything is built
import * as decisions from '../../../build/setup/decide.mjs';
// @ts-expect-error plain JavaScript: it runs before anything is built
import * as tallies from '../../../build/setup/tally.mjs';

type Action = { kind: string; line?: string; [name: string]: unknown };
type Decide = (facts: object) => Action;
const {
  FALLBACK,
  decideNative,
  decideElectron,
  decidePackages,
  decidePackaging,
  decideDesktop,
  decideLogLevel,
  decideStart,
  decideUnpacking,
  packagesFor,
} = decisions as {
  FALLBACK: { integrity: string };
  decidePackaging: Decide;
  decideNative: Decide;
  decideElectron: Decide;
  decidePackages: Decide;
  decideDesktop: (platform: string, env: object) => Record<string, string>;
  decideLogLevel: (platform: string, env: object, hasBusSocket: boolean) => string[];
  decideStart: Decide;
  decideUnpacking: (integrity: string) => Action;
  packagesFor: (missing: object) => string[];
};
const { skippedLines, tally } = tallies as {
  skippedLines: (report: object | undefined) => string[];
  tally: (report: object | undefined, exitCode: number, failedSteps: number) => Action;
};

const native = {
  loads: false,
  cached: undefined as string | undefined,
  cachedFailed: false,
  platform: 'linux',
  nodeVersion: '20.19.0',
  missingTools: [] as string[],
  headers: '/usr' as string | undefined,
};

describe('set-up: the native module', () => {
  it('set-up leaves a module alone that loads', () => {
    expect(decideNative({ ...native, loads: true, cached: '/c/x.node' })).toEqual({
      kind: 'ready',
    });
  });
  it('set-up copies a file compiled earlier instead of compiling for a minute', () => {
    expect(decideNative({ ...native, cached: '/c/x.node' })).toEqual({
      kind: 'copy',
      from: '/c/x.node',
    });
  });
  it('set-up compiles again when the kept file does not load, without a second copy', () => {
    expect(decideNative({ ...native, cached: '/c/x.node', cachedFailed: true })).toEqual({
      kind: 'compile',
      headers: '/usr',
    });
  });
  it('set-up lets node-gyp fetch headers where the machine has none', () => {
    expect(decideNative({ ...native, headers: undefined })).toEqual({
      kind: 'compile',
      headers: undefined,
    });
  });
  it('set-up names every missing build tool in one line and compiles nothing', () => {
    const action = decideNative({ ...native, missingTools: ['g++', 'make'] });
    expect(action.kind).toBe('stop');
    expect(action.line).toContain('g++, make are missing');
    expect(action.line).not.toContain('\n');
  });
  it('set-up needs no build tools for a copy', () => {
    expect(decideNative({ ...native, cached: '/c/x.node', missingTools: ['g++'] }).kind).toBe(
      'copy',
    );
  });
  it('set-up tells a person on Windows which Node to use', () => {
    const action = decideNative({ ...native, platform: 'win32' });
    expect(action.line).toMatch(/Node 20\.19\.0.*Node 22\.14 or newer/);
  });
});

const electron = {
  override: undefined as string | undefined,
  overrideUsable: false,
  wantsFallback: false,
  officialInstalled: false,
  officialUnreachable: false,
  fallbackDist: undefined as string | undefined,
  platform: 'linux',
  arch: 'x64',
};

describe('set-up: which Electron', () => {
  it('set-up lets ELECTRON_OVERRIDE_DIST_PATH win over everything', () => {
    const facts = { ...electron, override: '/e', overrideUsable: true, officialInstalled: true };
    expect(decideElectron(facts)).toEqual({ kind: 'override', dist: '/e' });
    expect(decideElectron({ ...facts, wantsFallback: true }).kind).toBe('override');
  });
  it('set-up stops at an override without Electron in it, rather than quietly taking another', () => {
    const action = decideElectron({ ...electron, override: '/e', officialInstalled: true });
    expect(action.kind).toBe('stop');
    expect(action.line).toContain('/e');
  });
  it('set-up takes the official Electron that is installed', () => {
    expect(decideElectron({ ...electron, officialInstalled: true })).toEqual({ kind: 'official' });
  });
  it('set-up tries the official Electron before the fallback, even if the fallback is prepared', () => {
    expect(decideElectron({ ...electron, fallbackDist: '/f' }).kind).toBe('fetch-official');
  });
  it('set-up goes straight to the fallback with HOLDFAST_ELECTRON=fallback', () => {
    expect(decideElectron({ ...electron, wantsFallback: true }).kind).toBe('fetch-fallback');
    expect(
      decideElectron({
        ...electron,
        wantsFallback: true,
        officialInstalled: true,
        fallbackDist: '/f',
      }),
    ).toEqual({ kind: 'fallback', dist: '/f' });
  });
  it('set-up falls back on Linux x64 when the official one cannot be fetched, and reuses it', () => {
    const facts = { ...electron, officialUnreachable: true };
    expect(decideElectron(facts).kind).toBe('fetch-fallback');
    expect(decideElectron({ ...facts, fallbackDist: '/f' })).toEqual({
      kind: 'fallback',
      dist: '/f',
    });
  });
  it('set-up unpacks the one archive whose SHA-512 is written here, and no other', () => {
    expect(decideUnpacking(FALLBACK.integrity).kind).toBe('unpack');
    for (const other of [FALLBACK.integrity.replace('sha512-b', 'sha512-c'), 'sha512-', '']) {
      const action = decideUnpacking(other);
      expect([action.kind, action.line]).toEqual([
        'stop',
        expect.stringMatching(/is not the file it should be .*; nothing was unpacked\.$/),
      ]);
    }
  });
  it.each([
    ['darwin', 'arm64'],
    ['win32', 'x64'],
    ['linux', 'arm64'],
  ])('set-up has no fallback on %s %s and says what to do in one line', (platform, arch) => {
    for (const wantsFallback of [false, true]) {
      const facts = { ...electron, platform, arch, officialUnreachable: true, wantsFallback };
      const action = decideElectron(facts);
      expect(action.kind).toBe('stop');
      expect(action.line).toMatch(wantsFallback ? /unset it/ : /ELECTRON_OVERRIDE_DIST_PATH/);
      expect(action.line).not.toContain('\n');
    }
  });
});

describe('set-up: system packages', () => {
  const facts = { needed: ['xvfb', 'g++', 'xvfb'], platform: 'linux', hasApt: true, isRoot: true };
  it('set-up does nothing when nothing is missing, with or without apt-get', () => {
    for (const hasApt of [true, false]) {
      expect(decidePackages({ ...facts, hasApt, needed: [] })).toEqual({ kind: 'ready' });
    }
  });
  it('set-up installs each missing package once, as root with apt-get', () => {
    expect(decidePackages(facts)).toEqual({ kind: 'install', packages: ['g++', 'xvfb'] });
  });
  it('set-up never installs as an ordinary user and prints the exact command', () => {
    const action = decidePackages({ ...facts, isRoot: false });
    expect(action.kind).toBe('stop');
    expect(action.line).toContain('sudo apt-get install -y --no-install-recommends g++ xvfb');
  });
  it('set-up names the packages where there is no apt-get, even as root', () => {
    const action = decidePackages({ ...facts, hasApt: false });
    expect(action.kind).toBe('stop');
    expect(action.line).toContain('g++ xvfb');
    expect(action.line).not.toContain('apt-get');
  });
  it('set-up turns missing programs and libraries into package names', () => {
    const missing = {
      programs: ['Xvfb', 'python3'],
      libraries: ['libnss3.so'],
      hasNotifications: false,
    };
    expect(packagesFor(missing)).toEqual([
      'xvfb',
      'python3',
      'libgtk-3-0',
      'libnss3',
      'libasound2',
      'libgbm1',
      'libnotify4',
    ]);
    expect(packagesFor({ programs: [], libraries: [], hasNotifications: true })).toEqual([]);
  });
});

describe('set-up: how to start', () => {
  const facts = { platform: 'linux', isRoot: false, hasDisplay: true, sandboxWorks: true };
  it('set-up keeps the sandbox wherever it works, and then says nothing', () => {
    expect(decideStart(facts)).toEqual({ kind: 'window', flags: [], line: undefined });
    expect(decideStart({ ...facts, platform: 'darwin', hasDisplay: false }).kind).toBe('window');
  });
  it('set-up gives up the sandbox as root or where the system forbids it, and says so', () => {
    for (const change of [{ isRoot: true }, { sandboxWorks: false }]) {
      const how = decideStart({ ...facts, ...change });
      expect(how).toMatchObject({ kind: 'window', flags: ['--no-sandbox'] });
      expect(how.line).toContain('sandbox');
    }
  });
  it.each([
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'wayland'],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0', DISPLAY: '' }, 'wayland'],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' }, undefined],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0', ELECTRON_OZONE_PLATFORM_HINT: 'x11' }, undefined],
    ['linux', { DISPLAY: ':0' }, undefined],
    ['darwin', { WAYLAND_DISPLAY: 'wayland-0' }, undefined],
  ])('set-up tells Electron of a desktop that is Wayland alone: %s %j', (platform, env, hint) => {
    expect(decideDesktop(platform, env)['ELECTRON_OZONE_PLATFORM_HINT']).toBe(hint);
  });
  it.each([
    ['linux', {}, false, ['--log-level=3']],
    ['linux', {}, true, []],
    ['linux', { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x' }, false, []],
    ['linux', { ELECTRON_ENABLE_LOGGING: '1' }, false, []],
    ['darwin', {}, false, []],
  ])(
    'set-up lets Chromium say only what is fatal where there is no session bus: %s %j %s',
    (platform, env, hasBusSocket, flags) => {
      expect(decideLogLevel(platform, env, hasBusSocket)).toEqual(flags);
    },
  );
  it('set-up starts headless without a display, with one line that says so', () => {
    const how = decideStart({ ...facts, hasDisplay: false, isRoot: true });
    expect(how.kind).toBe('headless');
    expect(how.line).toContain('no display');
  });
});

describe('set-up: the last line of npm test', () => {
  const report = {
    numPassedTests: 7,
    numFailedTests: 0,
    numPendingTests: 1,
    numTodoTests: 0,
    testResults: [{ status: 'passed', assertionResults: [{ status: 'passed' }] }],
  };
  it('set-up counts 7 passed, 0 failed and stays green', () => {
    expect(tally(report, 0, 0)).toMatchObject({ line: '7 passed, 0 failed', ok: true, skipped: 1 });
  });
  it('set-up counts failed tests', () => {
    const failed = { status: 'failed', assertionResults: [{ status: 'failed' }] };
    const counted = tally({ ...report, numFailedTests: 1, testResults: [failed] }, 1, 0);
    expect(counted).toMatchObject({ line: '7 passed, 1 failed', ok: false });
  });
  it('set-up counts a file that cannot be loaded, although it holds no test', () => {
    const broken = { status: 'failed', assertionResults: [] };
    expect(tally({ ...report, testResults: [broken, broken] }, 1, 0)).toMatchObject({
      line: '7 passed, 2 failed',
      ok: false,
    });
  });
  it('set-up is not green when vitest fails outside of any test, or leaves no report', () => {
    expect(tally(report, 1, 0)).toMatchObject({ line: '7 passed, 1 failed', ok: false });
    expect(tally(undefined, 1, 0)).toMatchObject({ line: '0 passed, 1 failed', ok: false });
  });
  it('set-up names each file of which tests were left out, and how many', () => {
    const tests = (...of: string[]) => of.map((status) => ({ status }));
    const testResults = [
      { name: '/p/test/crash/a.test.ts', assertionResults: tests('passed', 'skipped') },
      { name: '/p/test/crash/b.test.ts', assertionResults: tests('skipped', 'skipped') },
      { name: '/p/test/crash/c.test.ts', assertionResults: tests('passed', 'failed') },
    ];
    expect(skippedLines({ ...report, testResults })).toEqual([
      'skipped: test/crash/a.test.ts, 1 test',
      'skipped: test/crash/b.test.ts, 2 tests',
    ]);
    expect(skippedLines(undefined)).toEqual([]);
  });
  it('set-up counts failed types, lint and build', () => {
    expect(tally(report, 0, 2)).toMatchObject({ line: '7 passed, 2 failed', ok: false });
  });
});

describe('set-up: what may be packed', () => {
  it.each([
    ['official', false, 'package'],
    ['override', false, 'package'],
    ['fallback', true, 'package'],
    ['fallback', false, 'stop'],
  ])('set-up the %s runtime with --allow-fallback-runtime %s: %s', (kind, allowed, expected) => {
    const action = decidePackaging({ kind, version: '33.2.1', isFallbackAllowed: allowed });
    expect(action.kind).toBe(expected);
    if (expected === 'package') return;
    expect(action.line).toContain('Refused: the only Electron here is the fallback runtime 33.2.1');
    expect(action.line).toContain('--allow-fallback-runtime');
  });
});
