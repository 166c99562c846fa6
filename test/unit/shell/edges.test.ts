import { HoldfastError } from '../../../electron/engine/kernel/errors';
import { describe, expect, it, vi } from 'vitest';
import { resolveDataDir } from '../../../electron/data-dir';
import { diagnosticsText } from '../../../shared/diagnostics';
import { createKeyring } from '../../../electron/shell/system/keyring';
import {
  busSocketPath,
  decodeMessage,
  encodeCall,
} from '../../../electron/shell/system/session-bus';
import type { TrayModel } from '../../../electron/shell/tray/tray-view';
import { createTrayController } from '../../../electron/shell/tray/tray-controller';
import { quietSnapshot } from '../../helpers/snapshot';

vi.mock('electron', () => import('../../helpers/fake-electron'));

describe('data directory', () => {
  it.each([
    [[], {}, '/home/x/.holdfast'],
    [[], { HOLDFAST_HOME: '/d/env' }, '/d/env'],
    [[], { HOLDFAST_HOME: '' }, '/home/x/.holdfast'],
    [['--data-dir', '/d/arg'], { HOLDFAST_HOME: '/d/env' }, '/d/arg'],
    [['status', '--data-dir=/d/arg'], {}, '/d/arg'],
    [['--data-dir', '~/two'], {}, '/home/x/two'],
    [['--data-dir', '/d/../e'], {}, '/e'],
    [['send', '--', '--data-dir', '/d'], {}, '/home/x/.holdfast'],
  ] as const)('%j with %j is %s', (argv, env, dataDir) => {
    expect(resolveDataDir(argv, env, '/home/x')).toBe(dataDir);
  });

  it.each([
    [['--data-dir']],
    [['--data-dir', '']],
    [['--data-dir=', '--reset', '--yes']],
    [['start', '--data-dir', '--reset', '--yes']],
  ])('%j names no folder and does not mean the one of the user', (argv) => {
    expect(() => resolveDataDir(argv, { HOLDFAST_HOME: '/d/env' }, '/home/x')).toThrow(
      '--data-dir needs a directory.',
    );
  });
});

describe('K1 keyring', () => {
  it.each([
    ['basic_text', false],
    ['unknown', false],
    ['gnome_libsecret', true],
    ['kwallet5', true],
    ['kwallet6', true],
  ])('K1 on Linux %s encrypts: %s', (backend, isEncrypting) => {
    const keyring = createKeyring('linux', {
      getSelectedStorageBackend: () => backend,
      isEncryptionAvailable: () => true,
    });
    expect([keyring.backend(), keyring.isEncrypting()]).toEqual([backend, isEncrypting]);
  });

  const times = (state: 'open' | 'locked' | 'missing' = 'open') => ({
    state: vi.fn(() => Promise.resolve(state)),
    answerMs: 20,
  });
  const gnome = (isAvailable = true) => ({
    getSelectedStorageBackend: () => 'gnome_libsecret',
    isEncryptionAvailable: vi.fn(() => isAvailable),
    encryptString: vi.fn((text: string) => Buffer.from(text)),
    decryptString: vi.fn((bytes: Buffer) => bytes.toString()),
  });

  it('K1 K2 a backend that is there and not available says so and keeps nothing', async () => {
    const keyring = createKeyring('linux', gnome(false), times());
    await expect(keyring.encrypt('key')).rejects.toThrow('gnome_libsecret is not available');
    expect(keyring.problem()).toBe('is not available');
  });

  it.each([
    ['locked', 'is locked'],
    ['missing', 'does not answer, or has no keyring yet'],
  ] as const)(
    'K3 K4 a keyring that is %s is not opened by what holds the whole process until a person comes: it says so, and to look at it asks nobody',
    async (state, problem) => {
      const storage = gnome();
      const asks = times(state);
      const keyring = createKeyring('linux', storage, asks);
      expect([keyring.backend(), keyring.isEncrypting()]).toEqual(['gnome_libsecret', true]);
      expect(asks.state).not.toHaveBeenCalled();
      await expect(keyring.decrypt(Buffer.from('x'))).rejects.toThrow(problem);
      await expect(keyring.encrypt('x')).rejects.toThrow(problem);
      expect(keyring.problem()).toBe(problem);
      expect(storage.isEncryptionAvailable).not.toHaveBeenCalled();
      asks.state.mockResolvedValue('open' as never);
      expect(String(await keyring.encrypt('x'))).toBe('x');
      expect(keyring.problem()).toBeUndefined();
      asks.state.mockResolvedValue('locked' as never);
      // Its password is known to the process by then.
      expect(await keyring.decrypt(Buffer.from('x'))).toBe('x');
    },
  );

  it('K3 a new Electron is waited for so long and no longer, and what comes later is taken the next time', async () => {
    let isUnlocked = false;
    const never = new Promise<never>(() => undefined);
    const keyring = createKeyring(
      'linux',
      {
        getSelectedStorageBackend: () => 'gnome_libsecret',
        encryptStringAsync: () => never,
        decryptStringAsync: (bytes) =>
          isUnlocked ? Promise.resolve({ result: bytes.toString() }) : never,
      },
      times(),
    );
    await expect(keyring.decrypt(Buffer.from('x'))).rejects.toThrow('no answer for 0.02 s');
    expect(keyring.problem()).toMatch(/may be locked/);
    isUnlocked = true;
    expect(await keyring.decrypt(Buffer.from('x'))).toBe('x');
    expect(keyring.problem()).toBeUndefined();
  });

  it('K1 a backend that cannot be asked is unknown', () => {
    const keyring = createKeyring('linux', {
      getSelectedStorageBackend: () => {
        throw new Error('not ready');
      },
    });
    expect([keyring.backend(), keyring.isEncrypting()]).toEqual(['unknown', false]);
  });

  it('K1 uses the functions of old and of new Electron', async () => {
    const old = createKeyring('darwin', {
      isEncryptionAvailable: () => true,
      encryptString: (text) => Buffer.from(`o:${text}`),
      decryptString: (bytes) => bytes.toString().slice(2),
    });
    const fresh = createKeyring('win32', {
      encryptStringAsync: async (text) => Buffer.from(`n:${text}`),
      decryptStringAsync: async (bytes) => ({ result: bytes.toString().slice(2) }),
    });
    for (const keyring of [old, fresh]) {
      expect(await keyring.decrypt(await keyring.encrypt('key'))).toBe('key');
      expect(keyring.isEncrypting()).toBe(true);
    }
  });
});

describe('session bus', () => {
  it.each([
    [{ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1/bus' }, '/run/user/1/bus'],
    [{ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/tmp/a%20b,guid=12' }, '/tmp/a b'],
    [{ DBUS_SESSION_BUS_ADDRESS: 'unix:abstract=/tmp/x,guid=1' }, '\0/tmp/x'],
    [{ DBUS_SESSION_BUS_ADDRESS: 'tcp:host=x;unix:path=/b' }, '/b'],
    [{ XDG_RUNTIME_DIR: '/run/user/1' }, '/run/user/1/bus'],
    [{}, undefined],
  ])('%j is at %j', (env, path) => {
    expect(busSocketPath(env)).toBe(path);
  });

  it('reads a whole message only, and leaves what follows it', () => {
    const call = { destination: 'a.b', path: '/', iface: 'a.b', member: 'M', args: ['x'] };
    const bytes = Buffer.concat([encodeCall(1, call), encodeCall(2, call)]);
    const half = bytes.length / 2;
    expect(decodeMessage(bytes.subarray(0, half - 1))).toBeUndefined();
    expect(decodeMessage(bytes)?.rest.length).toBe(half);
    expect(decodeMessage(Buffer.from('not a message at all'))).toBeUndefined();
  });
});

describe('diagnostics in a box that does not scroll', () => {
  const check = (name: string, detail: string) => ({
    ok: true,
    level: 'ok' as const,
    name,
    detail,
  });
  const short = Array.from({ length: 18 }, (_, at) => check(`check ${String(at)}`, 'fine'));
  const errors = Array.from(
    { length: 20 },
    (_, at) => `2026-11-23T02:13:${String(at + 10)}.000Z error ${String(at)} ${'x'.repeat(50)}`,
  );
  const linesOf = (text: string): number =>
    text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 72)), 0);

  it('is the whole report where it fits', () => {
    const text = diagnosticsText({
      version: '1',
      ok: true,
      checks: [...short, check('latest errors', errors.slice(0, 3).join('; '))],
    });
    for (const error of errors.slice(0, 3)) expect(text).toContain(error);
    expect(text).not.toContain('older');
  });

  it('R5 20 long errors after 18 checks: at most 34 lines, the newest errors, and how many are left out', () => {
    const checks = [...short, check('latest errors', errors.join('; '))];
    const text = diagnosticsText({ version: '1', ok: true, checks });
    expect(linesOf(text)).toBeLessThanOrEqual(34);
    expect(text).toContain('error 19 ');
    const left = Number(/\((\d+) older: holdfast doctor\)/.exec(text)?.[1]);
    expect(left).toBeGreaterThan(0);
    expect(text).not.toContain(`error ${String(left - 1)} `);
    expect(text).toContain(`error ${String(left)} `);
    for (const { name } of short) expect(text).toContain(`${name}: fine`);
  });

  it('one text of 10,000 letters without a place to cut, and 60 checks: ends, and loses no check', () => {
    const many = Array.from({ length: 60 }, (_, at) => check(`check ${String(at)}`, 'fine'));
    const text = diagnosticsText({
      version: '1',
      ok: false,
      checks: [check('odd', 'y'.repeat(10_000)), ...many],
    });
    expect(text).toContain('odd: yyy');
    expect(text.length).toBeLessThan(2_000);
    for (const { name } of many) expect(text).toContain(`${name}: fine`);
  });
});

describe('tray actions', () => {
  function setUp(isConfirmed = true) {
    const call = vi.fn(async (verb: string): Promise<unknown> =>
      verb === 'doctor.run' ? { version: '1', ok: true, checks: [] } : { decisions: [] },
    );
    const deps = {
      holdfast: {
        call: call as never,
        status: () =>
          quietSnapshot({ counts: { needsYou: 0, running: 1, queued: 1, waiting: 1, parked: 4 } }),
      },
      tray: { apply: vi.fn(), revive: vi.fn() },
      isQuiet: () => false,
      setQuiet: vi.fn(),
      open: vi.fn(),
      confirm: {
        stopAll: vi.fn(async () => isConfirmed),
        copy: vi.fn(async () => isConfirmed),
        failed: vi.fn(),
      },
      onQuitWanted: vi.fn(),
      copyText: vi.fn(),
      quit: vi.fn(),
      locale: 'en',
      log: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
      nowMs: () => 0,
    };
    return { control: createTrayController(deps), deps, call };
  }

  it('S0-17 reads the titles of the turns that wait for a provider that is down, and none else', async () => {
    const { control, deps, call } = setUp();
    control.refresh();
    await vi.waitFor(() => expect(deps.tray.apply.mock.calls.length).toBe(2));
    expect(call.mock.calls.map(([verb]) => verb)).not.toContain('outage.queue');
    const down = { provider: 'anthropic', state: 'down' as const, waiting: 2, sentence: '' };
    deps.holdfast.status = () =>
      quietSnapshot({ outside: { providers: [down], openBreakers: [] } });
    call.mockImplementation(async (verb: string) =>
      verb === 'outage.queue'
        ? {
            items: [{ ...down, turnId: 9, promptStart: 'Draft the offer. Then send it.' }],
            total: 2,
          }
        : {},
    );
    control.refresh();
    await vi.waitFor(() =>
      expect(JSON.stringify(deps.tray.apply.mock.lastCall)).toContain('Draft the offer'),
    );
    expect(call).toHaveBeenCalledWith('outage.queue', { provider: 'anthropic', limit: 3 }, 'tray');
    expect(JSON.stringify(deps.tray.apply.mock.lastCall)).toContain('/turns/9');
  });

  it('stops all turns only after a yes, and asks about those that are open', async () => {
    const yes = setUp(true);
    yes.control.act({ kind: 'stop_all' });
    await vi.waitFor(() => expect(yes.call).toHaveBeenCalledWith('turns.cancelAll', {}, 'tray'));
    expect(yes.deps.confirm.stopAll).toHaveBeenCalledWith(3);
    const no = setUp(false);
    no.control.act({ kind: 'stop_all' });
    await vi.waitFor(() => expect(no.deps.tray.apply).toHaveBeenCalled());
    expect(no.call).not.toHaveBeenCalled();
  });

  it('asks once, however often it is clicked meanwhile', async () => {
    const { control, deps } = setUp();
    deps.confirm.stopAll.mockImplementation(() => new Promise(() => undefined));
    control.act({ kind: 'stop_all' });
    control.act({ kind: 'stop_all' });
    expect(deps.confirm.stopAll).toHaveBeenCalledTimes(1);
  });

  it('passes the length of a pause and nothing for an open one', async () => {
    const { control, call } = setUp();
    control.act({ kind: 'pause', forMs: 900_000 });
    control.act({ kind: 'pause' });
    control.act({ kind: 'resume' });
    control.act({ kind: 'let_sleep' });
    control.act({ kind: 'quit_when_done', isWanted: true });
    expect(call.mock.calls).toEqual([
      ['intake.pause', { forMs: 900_000 }, 'tray'],
      ['intake.pause', {}, 'tray'],
      ['intake.resume', {}, 'tray'],
      ['instance.letSleep', {}, 'tray'],
      ['instance.quitWhenDone', { isWanted: true }, 'tray'],
    ]);
  });

  it('R5 copies nothing of the report that was shown when the answer is no', async () => {
    const { control, deps } = setUp(false);
    control.act({ kind: 'copy_diagnostics' });
    await vi.waitFor(() =>
      expect(deps.confirm.copy).toHaveBeenCalledWith(expect.stringContaining('Holdfast 1')),
    );
    await vi.waitFor(() => expect(deps.tray.apply).toHaveBeenCalled());
    expect(deps.copyText).not.toHaveBeenCalled();
  });

  it('S2-30 says what could not be done, that nothing was lost, and what to do next: not in the log alone', async () => {
    const { control, deps, call } = setUp();
    call.mockRejectedValueOnce(
      new HoldfastError('DISK_FULL', 'The disk is full.', { hint: 'Free some space.' }),
    );
    control.act({ kind: 'pause' });
    await vi.waitFor(() =>
      expect(deps.confirm.failed).toHaveBeenCalledWith({
        message: 'The disk is full.',
        next: 'Free some space.',
      }),
    );
    call.mockRejectedValueOnce(new HoldfastError('STOPPING', 'Holdfast is stopping.'));
    control.act({ kind: 'resume' });
    await vi.waitFor(() =>
      expect(deps.confirm.failed).toHaveBeenLastCalledWith({
        message: 'Holdfast is stopping.',
        next: 'Start it again, then repeat the request.',
      }),
    );
  });

  it('copies the report, opens, toggles quiet and quits', async () => {
    const { control, deps } = setUp();
    control.act({ kind: 'copy_diagnostics' });
    await vi.waitFor(() =>
      expect(deps.copyText).toHaveBeenCalledWith(expect.stringContaining('Holdfast 1')),
    );
    control.act({ kind: 'open', route: '/decisions/2' });
    control.act({ kind: 'settings' });
    control.act({ kind: 'settings', at: 'providers' });
    control.act({ kind: 'ask' });
    control.act({ kind: 'toggle_quiet' });
    control.act({ kind: 'quit' });
    expect(deps.open.mock.calls).toEqual([
      ['index', '/decisions/2'],
      ['settings'],
      ['settings', '/providers'],
      ['quick'],
    ]);
    expect(deps.setQuiet).toHaveBeenCalledWith(true);
    expect(deps.quit).toHaveBeenCalledTimes(1);
  });

  it('S3-06 lists calls that wait for approval among the questions, oldest first, each leading to itself', async () => {
    const { control, deps, call } = setUp();
    deps.holdfast.status = () =>
      quietSnapshot({ counts: { needsYou: 2, running: 0, queued: 0, waiting: 0, parked: 0 } });
    call.mockImplementation((async (verb: string) =>
      verb === 'recovery.list'
        ? { decisions: [{ question: 'Did send_email happen?', turnId: 7, createdAtMs: 20 }] }
        : {
            requests: [
              {
                requestId: 15,
                kind: 'approval',
                tool: 'shell.shell',
                covers: 'shell.shell git push',
                hint: '',
                args: '{"command":"git push origin main"}',
                folder: '~/code',
                requestedAtMs: 10,
              },
            ],
          }) as never);
    await control.refreshDecisions();
    const { rows } = deps.tray.apply.mock.lastCall?.[0] as TrayModel;
    const submenu = rows.find((row) => row.kind === 'submenu' && row.label === 'Inbox (2)');
    expect(submenu?.kind === 'submenu' ? submenu.rows.slice(0, 2) : []).toEqual([
      {
        kind: 'action',
        label: 'Allow a push to main in ~/code?',
        action: { kind: 'open', route: '/decisions/item-15' },
        isEnabled: true,
      },
      {
        kind: 'action',
        label: 'Did send_email happen?',
        action: { kind: 'open', route: '/decisions/7' },
        isEnabled: true,
      },
    ]);
  });

  it('survives a verb that is refused', async () => {
    const { control, deps, call } = setUp();
    call.mockRejectedValueOnce(new Error('no'));
    control.act({ kind: 'resume' });
    await vi.waitFor(() => expect(deps.log.error).toHaveBeenCalledTimes(1));
  });
});

describe('diagnostics', () => {
  it('is one line per check', () => {
    const text = diagnosticsText({
      version: '0.1.0',
      ok: false,
      checks: [
        { name: 'disk', ok: true, level: 'ok', detail: 'fine' },
        { name: 'lock', ok: false, level: 'fail', detail: 'a\nb' },
      ],
    });
    expect(text).toBe(
      'Holdfast 0.1.0: some checks failed\nok    disk: fine\nFAIL  lock: a\n      b\n',
    );
  });
});
