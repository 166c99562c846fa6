/** `holdfast update status|check|install|cancel`, and the helper that `install` starts. */
import type { Command } from 'commander';
import type { UpdateStatus } from '../../../shared/types/updates';
import type { Program, Run } from '../command';
import { asks, does, optional, shows } from '../command';
import { facts, ifKnown, inertLine } from '../render';

const STATES: Readonly<Record<UpdateStatus['state'], string>> = {
  idle: 'no newer version known',
  available: 'a newer version is available',
  downloading: 'downloading',
  ready: 'downloaded and verified',
  waiting: 'installs when no turn runs',
  draining: 'installs when the running steps are done',
  installing: 'installing',
};

const OUTCOMES = {
  installed: 'installed',
  rolled_back: 'rolled back',
  interrupted: 'interrupted, nothing changed',
} as const;

const textOf = (status: UpdateStatus, run: Run): string =>
  facts([
    ['version', inertLine(status.current)],
    ['updates', STATES[status.state]],
    ['newer version', ifKnown(status.version, inertLine)],
    ['checks', status.mode],
    ['last check', status.checkedAtMs === undefined ? 'never' : run.when(status.checkedAtMs)],
    ['running turns', status.state === 'waiting' ? String(status.running) : undefined],
    ['problem', ifKnown(status.problem, inertLine)],
    ['how to update', ifKnown(status.advice, inertLine)],
    [
      'last update',
      ifKnown(
        status.last,
        ({ from, to, outcome, atMs }) => `${from} to ${to}: ${OUTCOMES[outcome]} ${run.when(atMs)}`,
      ),
    ],
    ['reason', ifKnown(status.last?.reason, inertLine)],
  ]);

export function addUpdate(root: Command, program: Program): void {
  const update = root.command('update').description('Update Holdfast itself');
  asks(
    program,
    update.command('status').description('Show the version, and whether a newer one is available'),
    'read',
    shows('updates.status', textOf),
  );
  asks(
    program,
    update.command('check').description('Read the signed list of versions now'),
    'running',
    shows('updates.check', textOf, CHECK_MS),
  );
  addInstall(update, program);
  asks(
    program,
    update.command('cancel').description('Keep the waiting version for later'),
    'running',
    shows('updates.cancel', textOf),
  );
  does(
    program,
    update
      .command('apply', { hidden: true })
      .description('Replace the program; started by install'),
    async (run) => {
      const outcome = await run.io.offline.applyUpdate({ dataDir: run.dataDir, env: run.io.env });
      return { value: { outcome }, text: outcome };
    },
  );
}

/** With the mode `download` or `install`, a check downloads, too. */
const CHECK_MS = 1_800_000;

function addInstall(update: Command, program: Program): void {
  asks(
    program,
    update
      .command('install')
      .description('Download, verify and install the newer version when no turn runs')
      .option('--now', 'Let the running steps finish, restart, and resume'),
    'running',
    async (engine, run) => {
      const found = await engine.call('updates.status', {});
      const status =
        found.version === undefined && found.canInstall
          ? await engine.call('updates.check', {}, CHECK_MS)
          : found;
      const value = await engine.call(
        'updates.install',
        {
          when: optional<boolean>(run, 'now') === true ? 'now' : 'idle',
          version: status.version ?? status.current,
        },
        CHECK_MS,
      );
      return { value, text: textOf(value, run) };
    },
  );
}
