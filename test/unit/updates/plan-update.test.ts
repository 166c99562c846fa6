import { describe, expect, it, test } from 'vitest';
import {
  compareVersions,
  fileEnding,
  installedSelf,
  installKind,
  isCheckout,
  isHarmlessEntry,
  judgeOffer,
  judgeStart,
  planAfterCheck,
  planDataRestore,
  planInstall,
} from '../../../electron/engine/updates/plan-update';
import { KIND_CODES } from '../../../electron/adapters/sqlite/journal/entry-codec';

describe('UP-02 versions', () => {
  it('are ordered by their numbers, and what is released is newer than what led to it', () => {
    const rising = [
      '0.0.9',
      '0.1.0-alpha',
      '0.1.0-alpha.1',
      '0.1.0-beta.2',
      '0.1.0-beta.11',
      '0.1.0',
      '0.1.10',
      '0.2.0',
      '1.0.0',
      '10.0.0',
    ];
    for (const [at, one] of rising.entries())
      for (const [after, other] of rising.entries())
        expect(Math.sign(compareVersions(one, other) ?? Number.NaN), `${one} ${other}`).toBe(
          Math.sign(at - after),
        );
  });
  it.each(['', 'v1.0.0', '1.0', '1.0.0.0', '1.0.0-', '1.0.0 ', '-1.0.0', '1.0.0;rm'])(
    '%j is none',
    (text) => {
      expect(compareVersions(text, '1.0.0')).toBeUndefined();
      expect(judgeOffer(text, '1.0.0', undefined)).toBe('unreadable');
    },
  );
});

test.each([
  ['0.2.0', '0.1.0', undefined, 'newer'],
  ['0.1.0', '0.1.0', undefined, 'current'],
  ['0.1.0', '0.1.0', '0.1.0', 'current'],
  // An older list with a signature that holds, served again.
  ['0.0.9', '0.1.0', undefined, 'stale'],
  ['0.2.0', '0.1.0', '0.3.0', 'stale'],
  ['0.1.0', '0.1.0', '0.3.0', 'stale'],
  ['0.3.0', '0.1.0', '0.3.0', 'newer'],
] as const)(
  'UP-02 a list with %s for %s, with %s seen before, is %s',
  (version, current, seen, is) => {
    expect(judgeOffer(version, current, seen)).toBe(is);
  },
);

test.each([
  ['off', true, false, false, false],
  ['check', true, false, false, false],
  ['download', true, false, true, false],
  ['install', true, false, true, true],
  // A package manager does it, or it did not start before.
  ['install', false, false, false, false],
  ['install', true, true, false, false],
] as const)(
  'UP-02 in mode %s (can install: %s, rolled back: %s) a newer version is downloaded: %s, installed: %s',
  (mode, canInstall, isRolledBack, download, install) => {
    expect(planAfterCheck({ mode, canInstall, isRolledBack })).toEqual({ download, install });
  },
);

test.each([
  [undefined, 0, 'rest'],
  [undefined, 3, 'rest'],
  ['idle', 1, 'rest'],
  ['idle', 0, 'drain'],
  ['now', 0, 'drain'],
  ['now', 4, 'drain'],
] as const)('UP-02 wanted %s with %d turns at work: %s', (wanted, running, plan) => {
  expect(planInstall(wanted, running)).toBe(plan);
});

describe('UP-02 a start of version', () => {
  const note = { from: '0.1.0', to: '0.2.0' };
  it.each([
    ['0.1.0', 'ready', 0, 'continue'],
    ['0.1.0', 'none', 0, 'continue'],
    ['0.2.0', 'done', 1, 'continue'],
    ['0.1.0', 'rolled_back', 1, 'continue'],
    ['0.1.0', 'interrupted', 0, 'continue'],
    // Killed before the program was replaced.
    ['0.1.0', 'stopping', 0, 'interrupted'],
    ['0.1.0', 'starting', 0, 'interrupted'],
    ['0.3.0', 'starting', 0, 'interrupted'],
    ['0.2.0', 'starting', 0, 'first_start'],
    // It was begun before and has not come up: once is enough.
    ['0.2.0', 'starting', 1, 'go_back'],
    ['0.2.0', 'rolling_back', 1, 'go_back'],
    ['0.1.0', 'rolling_back', 1, 'restore_data'],
  ] as const)(
    '%s with a note "%s" and %d starts before: %s',
    (version, phase, attempts, verdict) => {
      expect(judgeStart({ ...note, phase, attempts }, version)).toBe(verdict);
    },
  );
  it('without a note goes on', () => {
    expect(judgeStart(undefined, '0.1.0')).toBe('continue');
  });
});

describe('UP-02 data goes back with the program', () => {
  it.each([
    [35, 35, false, 'keep'],
    [35, 35, true, 'keep'],
    [35, 36, false, 'restore'],
    // What was done outside would be done again from the older data.
    [35, 36, true, 'refuse'],
  ] as const)('from %d to %d, worked: %s: %s', (before, now, hasWorked, plan) => {
    expect(planDataRestore({ version: before, seq: 10 }, { version: now, hasWorked })).toBe(plan);
  });
  it('is kept where nothing was saved', () => {
    expect(planDataRestore(undefined, { version: 36, hasWorked: false })).toBe('keep');
  });
  it('no entry of a step, a message, an answer or an event counts as harmless', () => {
    const harmless = Object.keys(KIND_CODES).filter(isHarmlessEntry);
    expect(
      harmless.filter((kind) => /^(step|message|reply|event|gateway|question)/.test(kind)),
    ).toEqual([]);
    expect(harmless).toContain('marker.started');
    expect(isHarmlessEntry('unknown')).toBe(false);
  });
});

test.each([
  ['app', 'linux', '/home/me/Holdfast.AppImage', '/home/me/Holdfast.AppImage', false, 'appimage'],
  // A terminal hands on the variable of another program.
  ['app', 'linux', '/opt/Holdfast/holdfast', '/home/me/Other.AppImage', false, 'deb'],
  ['app', 'linux', '/usr/lib/holdfast/holdfast', undefined, false, 'deb'],
  ['app', 'linux', '/home/me/holdfast-0.1.0/holdfast', undefined, false, 'archive'],
  [
    'headless',
    'linux',
    '/home/me/Holdfast.AppImage',
    '/home/me/Holdfast.AppImage',
    false,
    'server',
  ],
  ['app', 'darwin', '/Applications/Holdfast.app/x', undefined, false, 'mac'],
  ['app', 'win32', 'C:\\Holdfast.exe', undefined, false, 'windows'],
  ['app', 'linux', '/x/electron', undefined, true, 'checkout'],
] as const)(
  'UP-02 %s on %s as %s (APPIMAGE %s, checkout %s) is replaced as: %s',
  (mode, platform, program, appImage, fromCheckout, kind) => {
    const facts = { mode, platform, program, appImage, isCheckout: fromCheckout };
    expect(installKind(facts)).toBe(kind);
  },
);

const IMAGE = '/home/me/Holdfast.AppImage';

test.each([
  ['app', IMAGE, ['--no-sandbox', 'start', '--hidden'], 'read-only'],
  ['app', undefined, ['--no-sandbox', 'start', '--hidden'], undefined],
  ['headless', IMAGE, ['--no-sandbox', 'start', '--headless'], undefined],
] as const)(
  'UP-02 %s with APPIMAGE %s is started again with %j; why it cannot be replaced: %s',
  (mode, appImage, args, fixed) => {
    const here = { version: '1.0.0', mode, platform: 'linux', program: IMAGE, appImage };
    const whyFixed = (): string => 'read-only';
    expect(installedSelf({ ...here, leading: ['--no-sandbox'], whyFixed })).toMatchObject({
      program: IMAGE,
      args,
      fixed,
    });
  },
);

test.each([
  [[], false],
  [['--no-sandbox'], false],
  // A package of npm is no checkout.
  [['/usr/lib/node_modules/holdfast/dist/node/holdfast.cjs'], false],
  [['C:\\npm\\node_modules\\holdfast\\holdfast.cjs'], false],
  [['/home/me/holdfast'], true],
  [['--no-sandbox', '.'], true],
] as const)('UP-02 with %j before our own arguments it runs from a checkout: %s', (args, is) => {
  expect(isCheckout(args)).toBe(is);
});

test.each([
  ['appimage', '.AppImage'],
  ['deb', '.deb'],
  ['mac', '.dmg'],
  ['windows', '.exe'],
  ['archive', '.tar.gz'],
  ['server', '.tar.gz'],
] as const)('UP-02 a list names for %s the file that ends in %s', (kind, ending) => {
  expect(fileEnding(kind)).toBe(ending);
});
