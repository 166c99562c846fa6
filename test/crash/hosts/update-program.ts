/**
 * A small program that is replaced by updates, with the real engine: `VERSION FLAW` and then what the app
 * would be given. `broken` dies at once, `migrates` after it has brought the data to a newer version.
 * With HOLDFAST_TEST_CRASH it kills itself at that point, once for all processes of a test.
 */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { applyUpdate } from '../../../electron/offline/apply-update';
import { compose } from '../../../electron/compose/compose';
import type { CrashPoints } from '../../../electron/engine/kernel/crash-points';

const [version = '', flaw = 'whole', ...args] = process.argv.slice(2);
const dataDir = args[args.indexOf('--data-dir') + 1] ?? '';
const program = process.env['APPIMAGE'] ?? '';

const once = (name: string): boolean => {
  try {
    fs.writeFileSync(path.join(dataDir, '..', `at-${name}`), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
};

/** As a migration of a newer version would, and then it ends. */
function migrateAndDie(): never {
  const db = new Database(path.join(dataDir, 'holdfast.db'));
  db.exec('CREATE TABLE IF NOT EXISTS of_the_future (x INTEGER)');
  db.pragma(
    `user_version = ${String((db.pragma('user_version', { simple: true }) as number) + 1)}`,
  );
  db.close();
  process.exit(1);
}

const crashPoints: CrashPoints = {
  hit(name) {
    if (name === process.env['HOLDFAST_TEST_CRASH'] && once(name))
      process.kill(process.pid, 'SIGKILL');
    if (flaw === 'migrates' && name === 'marker.started.after') migrateAndDie();
  },
};

async function main(): Promise<void> {
  if (args.includes('update')) {
    await applyUpdate({
      dataDir,
      env: process.env,
      crashPoints,
      comeUpMs: 20_000,
      afterEndMs: 300,
    });
    return;
  }
  if (flaw === 'broken') process.exit(1);
  const { lifecycle } = compose({
    dataDir,
    mode: 'app',
    flags: { noRestore: false, hidden: true, takeover: false, afterCrash: false },
    version,
    env: process.env,
    self: { command: program, args: [], lasting: program },
    crashPoints,
  });
  const outcome = await lifecycle.start();
  if (outcome.kind === 'handed_over') return;
  process.on('SIGTERM', () => void lifecycle.stop('stop'));
  await lifecycle.stopped;
}

main().then(
  () => process.exit(0),
  () => process.exit(1),
);
