import fs from 'node:fs';
import path from 'node:path';
import { every } from '../adapters/cron/cron-ticks';
import type { Updates } from '../engine/updates/updates';
import type { QuitWhenDone } from '../engine/turns/quit-when-done';
import type { TurnScheduler } from '../engine/turns/scheduler';
import type { Core } from './core';
import { startDetached } from '../adapters/updates/start-detached';
import { table } from '../../shared/table';

/** Updates of this program. Costs nothing while they are off and nobody asks. */
export interface UpdatesPart {
  loaded(): Promise<Updates>;
  brief: Updates['brief'];
  start(): void;
  stop(): void;
}

/** After the start, other things come first. */
const FIRST_MS = 300_000;
/** Once a day, at a minute that is nobody's full hour. */
const DAILY_MS = 86_400_000;
const HOURLY = '41 * * * *';

export function createUpdatesPart(
  core: Core,
  rooms: {
    readonly scheduler: Pick<TurnScheduler, 'running'>;
    readonly quitWhenDone: Pick<QuitWhenDone, 'want' | 'takeBack'>;
  },
): UpdatesPart {
  const { compose, settings, dataDir } = core;
  const { draining } = core.life;
  let made: Updates | undefined;
  const load = async (): Promise<Updates> => {
    const code = await import('./load-updates');
    const { self } = compose;
    const program = self?.lasting ?? self?.command ?? process.execPath;
    const kind = code.installKind({
      mode: compose.mode,
      platform: process.platform,
      program,
      appImage: compose.env['APPIMAGE'],
      isCheckout: isCheckout(self?.args ?? []),
    });
    const leading = self?.args ?? [];
    made = code.createUpdates({
      ...core.world,
      ...core.records,
      self: {
        version: core.version,
        kind,
        program,
        args: [...leading, 'start', compose.mode === 'app' ? '--hidden' : '--headless'],
        fixed: kind === 'appimage' ? code.whyFixed(program) : undefined,
      },
      settings: () => ({
        mode: settings.get('updates.mode'),
        feed: settings.get('updates.feed'),
        publicKey: settings.get('updates.public_key'),
      }),
      source: code.createUpdateSource({
        dataDir,
        platform: process.platform,
        arch: process.arch,
        ending: ENDINGS[kind] ?? '.tar.gz',
      }),
      notes: code.createUpdateNotes(dataDir),
      startHelper(file) {
        const args = [...leading, 'update', 'apply', '--data-dir', dataDir];
        const child = startDetached(file, args, compose.env, () => undefined);
        if (child.pid === undefined) throw new Error('its helper did not start');
      },
      quit: {
        drain: (leave) => {
          rooms.quitWhenDone.want({
            reason: 'update',
            leave,
            undone: () => {
              made?.cancel();
            },
          });
        },
        takeBack: () => {
          rooms.quitWhenDone.takeBack();
        },
      },
      running: () => rooms.scheduler.running().length,
      onChange: core.told.changed,
    });
    return made;
  };
  let loading: Promise<Updates> | undefined;
  const loaded = (): Promise<Updates> => (loading ??= load());
  if (!core.life.isReadOnly)
    core.disk.journal.onCommitted(
      () => {
        made?.look();
      },
      { skipsSteps: true },
    );
  let checkedMs = Number.NEGATIVE_INFINITY;
  const check = (): void => {
    const nowMs = core.world.clock.monotonicMs();
    if (settings.get('updates.mode') === 'off' || nowMs - checkedMs < DAILY_MS) return;
    checkedMs = nowMs;
    loaded()
      .then((updates) => updates.check())
      .catch(() => undefined); // it is in its status, and in the log
  };
  let first: NodeJS.Timeout | undefined;
  let tick: { stop(): void } | undefined;
  return {
    loaded,
    brief: () => made?.brief(),
    start() {
      // A version that waits from before is shown, without anything being requested.
      if (isOneReady(dataDir)) void loaded().then(core.told.changed, () => undefined);
      if (settings.get('updates.mode') !== 'off') begin();
      settings.onChange((keys) => {
        if (keys.includes('updates.mode') && settings.get('updates.mode') !== 'off') begin();
      });
    },
    stop() {
      clearTimeout(first);
      tick?.stop();
    },
  };

  function begin(): void {
    if (first !== undefined || draining.aborted) return;
    first = setTimeout(() => {
      check();
      tick = every(HOURLY, check);
    }, FIRST_MS);
    first.unref();
  }
}

/** Looked at without the code that knows the note: most starts have none that waits. */
function isOneReady(dataDir: string): boolean {
  try {
    return fs
      .readFileSync(path.join(dataDir, 'updates', 'update.json'), 'utf8')
      .includes('"phase": "ready"');
  } catch {
    return false;
  }
}

const ENDINGS = table<string>({
  appimage: '.AppImage',
  deb: '.deb',
  mac: '.dmg',
  windows: '.exe',
});

/** From a checkout something stands before our own arguments: the app folder, or an entry on Node. */
const isCheckout = (args: readonly string[]): boolean =>
  args.some((one) => !one.startsWith('-') && !/[\\/]node_modules[\\/]/.test(one));
