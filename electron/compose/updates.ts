import { idleTicks } from '../adapters/cron/cron-ticks';
import { isUpdateReady } from '../adapters/updates/note-there';
import { startDetached } from '../adapters/updates/start-detached';
import type { QuitWhenDone } from '../engine/turns/quit-when-done';
import type { TurnScheduler } from '../engine/turns/scheduler';
import { createLazyUpdates, type LazyUpdates } from '../engine/updates/lazy-updates';
import type { Updates } from '../engine/updates/updates';
import type { Core } from './core';

/** After the start, other work comes first; then hourly, off the full hour to spread load. */
const TICKS = idleTicks(300_000, '41 * * * *');

interface Rooms {
  readonly scheduler: Pick<TurnScheduler, 'running'>;
  readonly quitWhenDone: Pick<QuitWhenDone, 'want' | 'takeBack'>;
}

export const createUpdatesPart = (core: Core, rooms: Rooms): LazyUpdates =>
  createLazyUpdates({
    ...core,
    isOneReady: () => isUpdateReady(core.dataDir),
    ticks: TICKS,
    onChange: core.changed,
    load: () => load(core, rooms),
  });

async function load(core: Core, { scheduler, quitWhenDone }: Rooms): Promise<Updates> {
  const [plan, { createUpdates }, { createUpdateSource }, { createUpdateNotes }, { whyFixed }] =
    await Promise.all([
      import('../engine/updates/plan-update'),
      import('../engine/updates/updates'),
      import('../adapters/updates/signed-feed'),
      import('../adapters/updates/update-notes'),
      import('../disk/program-file'),
    ]);
  const { compose, settings, dataDir, version } = core;
  const self = plan.installedSelf({
    version,
    mode: compose.mode,
    platform: process.platform,
    program: compose.self?.lasting ?? compose.self?.command ?? process.execPath,
    leading: compose.self?.args ?? [],
    appImage: compose.env['APPIMAGE'],
    whyFixed,
  });
  const updates = createUpdates({
    ...core,
    self,
    settings: () => ({
      mode: settings.get('updates.mode'),
      feed: settings.get('updates.feed'),
      publicKey: settings.get('updates.public_key'),
    }),
    source: createUpdateSource({
      dataDir,
      platform: process.platform,
      arch: process.arch,
      ending: plan.fileEnding(self.kind),
    }),
    notes: createUpdateNotes(dataDir),
    startHelper(file) {
      const args = [...(compose.self?.args ?? []), 'update', 'apply', '--data-dir', dataDir];
      const child = startDetached(file, args, compose.env, () => undefined);
      if (child.pid === undefined) throw new Error('its helper did not start');
    },
    quit: {
      drain(leave) {
        quitWhenDone.want({
          reason: 'update',
          leave,
          undone() {
            updates.cancel();
          },
        });
      },
      takeBack() {
        quitWhenDone.takeBack();
      },
    },
    running: () => scheduler.running().length,
    onChange: core.changed,
  });
  return updates;
}
