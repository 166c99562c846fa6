/** One update at a time, on fakes: what waits for what. */
import { describe, expect, it } from 'vitest';
import { createUpdates, type UpdatesDeps } from '../../../electron/engine/updates/updates';
import type { UpdateNote, UpdateOffer } from '../../../electron/ports/updates';
import { HoldfastError } from '../../../electron/engine/kernel/errors';

const OFFER: UpdateOffer = {
  version: '0.2.0',
  file: { url: 'https://example.com/x.AppImage', sha512: 'hash', bytes: 3 },
};

function world(
  given: {
    mode?: 'off' | 'check' | 'download' | 'install';
    kind?: UpdatesDeps['self']['kind'];
    note?: UpdateNote;
    running?: number;
    helper?: () => void;
  } = {},
) {
  const state = {
    offer: OFFER as UpdateOffer | Error,
    note: given.note,
    running: given.running ?? 0,
    downloads: 0,
    helpers: 0,
    leave: undefined as (() => boolean) | undefined,
    takenBack: 0,
    isFull: false,
    isUnreadable: false,
  };
  const updates = createUpdates({
    self: {
      version: '0.1.0',
      kind: given.kind ?? 'appimage',
      program: '/home/me/Holdfast.AppImage',
      args: ['start', '--hidden'],
      fixed: undefined,
    },
    settings: () => ({
      mode: given.mode ?? 'check',
      feed: 'https://example.com/',
      publicKey: 'key',
    }),
    source: {
      readOffer: () =>
        state.offer instanceof Error ? Promise.reject(state.offer) : Promise.resolve(state.offer),
      download: () => {
        state.downloads += 1;
        return Promise.resolve('/data/updates/holdfast-0.2.0.AppImage');
      },
    },
    notes: {
      read: () => {
        if (state.isUnreadable) throw new HoldfastError('RESULT_UNREADABLE', 'EMFILE');
        return state.note;
      },
      write: (note) => {
        if (state.isFull) throw new Error('no space');
        state.note = note;
      },
    },
    startHelper() {
      given.helper?.();
      state.helpers += 1;
    },
    quit: {
      drain: (leave) => {
        state.leave = leave;
      },
      takeBack: () => {
        state.takenBack += 1;
      },
    },
    running: () => state.running,
    clock: { nowMs: () => 1_000 },
    log: { info: () => undefined, warn: () => undefined },
    audit: { record: () => undefined },
    onChange: () => undefined,
  });
  return { updates, state };
}

describe('UP-02', () => {
  it('mode check tells of a newer version and downloads nothing', async () => {
    const { updates, state } = world();
    await updates.check();
    expect(updates.status()).toMatchObject({ state: 'available', version: '0.2.0' });
    expect(state.downloads).toBe(0);
    expect(updates.brief()).toBeUndefined();
  });

  it('mode install downloads, waits while a turn runs, and leaves when none does', async () => {
    const { updates, state } = world({ mode: 'install', running: 2 });
    await updates.check();
    expect(updates.status()).toMatchObject({ state: 'waiting', running: 2 });
    expect(updates.brief()).toEqual({ state: 'waiting', version: '0.2.0' });
    state.running = 1;
    updates.look();
    expect(state.leave).toBeUndefined();
    state.running = 0;
    updates.look();
    expect(updates.status().state).toBe('draining');
    expect(state.note?.phase).toBe('ready');
    expect(state.leave?.()).toBe(true);
    expect(state.note).toMatchObject({ phase: 'stopping', from: '0.1.0', to: '0.2.0' });
    expect(state.helpers).toBe(1);
    expect(updates.status().state).toBe('installing');
  });

  it('a note that cannot be read for a moment is no missing one: a check writes nothing over it, and its status says so until it can be read again', async () => {
    const { updates, state } = world({ mode: 'install' });
    await updates.check();
    const { note } = state;
    state.isUnreadable = true;
    await expect(updates.check()).rejects.toMatchObject({ code: 'RESULT_UNREADABLE' });
    expect(state.note).toBe(note);
    expect(updates.brief()).toBeUndefined();
    expect(updates.status()).toMatchObject({ problem: 'EMFILE' });
    expect(state.leave?.()).toBe(false);
    state.isUnreadable = false;
    await updates.check();
    expect(updates.status().problem).toBeUndefined();
    expect(state.downloads).toBe(1);
  });

  it('Now drains at once, and can be taken back', async () => {
    const { updates, state } = world({ running: 4 });
    await updates.check();
    await updates.install('now', '0.2.0');
    expect(updates.status().state).toBe('draining');
    updates.cancel();
    expect(state.takenBack).toBe(1);
    expect(updates.status().state).toBe('ready');
    expect(state.helpers).toBe(0);
  });

  it('a helper that does not start keeps Holdfast running, with the reason', async () => {
    const { updates, state } = world({
      helper: () => {
        throw new Error('no memory');
      },
    });
    await updates.check();
    await updates.install('now', '0.2.0');
    expect(state.leave?.()).toBe(false);
    expect(state.note?.phase).toBe('ready');
    expect(updates.status()).toMatchObject({ state: 'ready' });
    expect(updates.status().problem).toContain('no memory');
  });

  it.each(['the note', 'the helper'])(
    'a disk that refuses %s while an update begins keeps Holdfast running, with the reason',
    async (what) => {
      const given = world({
        helper: () => {
          given.state.isFull = true;
          throw new Error('no space');
        },
      });
      const { updates, state } = given;
      await updates.check();
      await updates.install('now', '0.2.0');
      state.isFull = what === 'the note';
      expect(state.leave?.()).toBe(false);
      expect(updates.status().problem).toContain('no space');
    },
  );

  it('a check that finds a newer version while one is being installed leaves that one alone', async () => {
    const { updates, state } = world({ mode: 'install' });
    await updates.check();
    state.offer = { ...OFFER, version: '0.3.0' };
    await updates.check();
    await expect(updates.install('now', '0.3.0')).rejects.toMatchObject({ code: 'UPDATE_REFUSED' });
    expect(state.leave?.()).toBe(true);
    await updates.check();
    expect(state).toMatchObject({ downloads: 1, note: { phase: 'stopping', to: '0.2.0' } });
  });

  it('a version that the user was not shown is not installed', async () => {
    const { updates, state } = world();
    await updates.check();
    await expect(updates.install('now', '0.1.5')).rejects.toMatchObject({ code: 'UPDATE_REFUSED' });
    expect(state.downloads).toBe(0);
  });

  it.each(['deb', 'server', 'archive', 'checkout', 'mac', 'windows'] as const)(
    'as %s it replaces nothing and says who does, in every mode',
    async (kind) => {
      const { updates, state } = world({ kind, mode: 'install' });
      await updates.check();
      expect(updates.status()).toMatchObject({ state: 'available', canInstall: false });
      expect(updates.status().advice).toBeTruthy();
      await expect(updates.install('now', '0.2.0')).rejects.toMatchObject({
        code: 'UPDATE_REFUSED',
      });
      expect(state.downloads + state.helpers).toBe(0);
    },
  );

  it('a list that is older than one before it is refused, also after a restart', async () => {
    const first = world();
    await first.updates.check();
    const { updates, state } = world(
      first.state.note === undefined ? {} : { note: first.state.note },
    );
    state.offer = { ...OFFER, version: '0.1.5' };
    await expect(updates.check()).rejects.toMatchObject({ code: 'UPDATE_REFUSED' });
    expect(updates.status()).toMatchObject({ state: 'idle' });
    expect(updates.status().problem).toContain('older than a version that was seen before');
  });

  it('what went wrong stays visible until a check works', async () => {
    const { updates, state } = world();
    state.offer = new HoldfastError('UPDATE_UNREACHABLE', 'The server is away.');
    await expect(updates.check()).rejects.toThrow('away');
    expect(updates.status().problem).toBe('The server is away.');
    state.offer = { ...OFFER, version: '0.1.0' };
    await updates.check();
    expect(updates.status()).not.toHaveProperty('problem');
    expect(updates.status()).toMatchObject({ state: 'idle', checkedAtMs: 1_000 });
  });

  it('a version that was rolled back waits for a person in mode install', async () => {
    const { updates, state } = world({
      mode: 'install',
      note: {
        phase: 'rolled_back',
        from: '0.1.0',
        to: '0.2.0',
        atMs: 5,
        seen: '0.2.0',
        sha512: '',
        artifact: '',
        target: '',
        args: [],
        attempts: 1,
        reason: 'The new version ended while it started.',
      },
    });
    await updates.check();
    expect(updates.status()).toMatchObject({
      state: 'available',
      last: { outcome: 'rolled_back', to: '0.2.0' },
    });
    expect(state.downloads).toBe(0);
    await updates.install('idle', '0.2.0');
    expect(updates.status().state).toBe('draining');
  });
});
