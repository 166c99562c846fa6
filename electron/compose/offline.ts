import type { CoreInput } from './core';
import type { Holdfast } from '../engine/api/facade';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { version as ownVersion } from '../../package.json';
import { createRedactor } from '../../shared/redact';
import { moveAsideSync } from '../disk/durable-folder';
import { besideOf, deleteLeft, isLink, placeOf } from './beside-data';
import { createSystemClock } from '../adapters/clock/system-clock';
import { createSettings } from '../adapters/config/settings';
import { lazyConf } from '../adapters/config/lazy-conf';
import { createSystemInstanceLock } from '../adapters/instance/system-lock';
import { lockPaths, prepareDataDir } from '../adapters/instance/data-dir';
import { touchFile } from '../adapters/instance/held-lock';
import { createAudit } from '../adapters/log/audit';
import { createLog } from '../adapters/log/log';
import { wipe } from '../adapters/sqlite/reset';
import { isFoldBehind } from '../adapters/sqlite/applied';
import { withDamageNamed, withReadErrorNamed } from '../adapters/sqlite/damage';
import { openDatabase } from '../adapters/sqlite/open-database';
import { askHolder } from '../control/ask-holder';
import { assertOwnData } from '../data-trust';
import { callVerb } from '../engine/api/create-facade';
import { VERBS, type VerbInput } from '../../shared/contract';
import { noCrashPoints } from '../engine/kernel/crash-points';
import { HoldfastError } from '../engine/kernel/errors';
import { lockRules } from '../engine/instance/lock-rules';
import type { Clock } from '../ports/clock';
import type { HeldLock, InstanceLock } from '../ports/instance-lock';
import { keepLastEntry } from '../adapters/instance/last-entry';
import { createRooms } from './rooms';
import { argvMarker } from './run';
import os from 'node:os';
import { findBrowser } from '../adapters/browser/find-browser';
import { createDoctorFacts } from '../adapters/doctor/doctor-facts';
import { createLoginEnvironment } from '../adapters/shell/login-environment';
import type { Handlers } from '../engine/api/handlers';
import { runEarlyDoctor } from '../engine/status/doctor';
import { createReportHider } from '../adapters/secrets/report-hider';
import { createSecretsInUse } from '../adapters/secrets/secrets-in-use';

/** An opened data directory of an instance that does not run. */
interface OpenedData {
  readonly holdfast: Holdfast;
  close(): Promise<void>;
}

/** The holder of the data that does not respond, as far as its record identifies it. */
interface SilentHolder {
  readonly pid?: number;
  readonly startedAtMs?: number;
}

/**
 * Query verbs while nothing runs, or what runs does not answer (`silent`): opens the database
 * read-only, takes no lock, writes nothing.
 * @throws DATABASE_NEWER, DATABASE_CORRUPT, DATA_DIR_UNSAFE
 */
export async function openReadOnly(dataDir: string, silent?: SilentHolder): Promise<OpenedData> {
  assertOwnData(dataDir);
  if (!fs.existsSync(path.join(dataDir, 'holdfast.db'))) return openUnstarted(dataDir);
  return openStopped(dataDir, {
    isReadOnly: true,
    silent,
    assertOwner: () => undefined,
    release: () => undefined,
  });
}

/**
 * The same with the instance lock held, so that decisions and settings can be recorded while
 * nothing runs; turns do not run. @throws LOCK_HELD
 */
export async function openForDecision(dataDir: string): Promise<OpenedData> {
  const lock = await acquireQuietly(dataDir);
  return openStopped(dataDir, {
    isReadOnly: false,
    silent: undefined,
    assertOwner: () => {
      lock.assertStillOwner();
    },
    release: () => {
      lock.release();
    },
  });
}

const acquireLock = (dataDir: string, rules = lockRules): ReturnType<InstanceLock['acquire']> => {
  const clock = createSystemClock();
  prepareDataDir(dataDir);
  const lock = createSystemInstanceLock({ rules, clock, crashPoints: noCrashPoints });
  return lock.acquire({
    dataDir,
    mode: 'command',
    takeover: false,
    onConflict: null,
    version: '',
    socketPath: null,
    tokenPath: null,
    argvMarker: argvMarker(),
    beganAtMs: clock.nowMs(),
    askHolder,
  });
};

async function acquireQuietly(dataDir: string): Promise<HeldLock> {
  const acquired = await acquireLock(dataDir);
  if (acquired.kind === 'acquired') {
    const { lock: held, leftBehind } = acquired;
    const { lastAliveAtMs } = leftBehind;
    return {
      ...held,
      release() {
        // A command is no run: how long nothing ran is counted from the end of that.
        if (lastAliveAtMs !== null) touchFile(lockPaths(dataDir).alive, lastAliveAtMs);
        held.release();
      },
    };
  }
  throw heldElsewhere();
}

const heldElsewhere = (): HoldfastError =>
  new HoldfastError('LOCK_HELD', 'Holdfast is running on this data directory.', {
    hint: 'Use the running Holdfast.',
  });

interface StoppedAccess {
  readonly isReadOnly: boolean;
  readonly silent: SilentHolder | undefined;
  readonly assertOwner: () => void;
  readonly release: () => void;
}

/** Rooms over data without a running engine: nothing starts and nothing is followed. */
function stoppedRooms(
  db: Database.Database,
  {
    dataDir,
    ...opened
  }: { readonly dataDir: string } & Pick<CoreInput, 'clock' | 'settings' | 'redactor' | 'records'>,
  access: StoppedAccess,
): ReturnType<typeof createRooms> {
  return createRooms({
    compose: {
      dataDir,
      mode: 'headless',
      flags: { noRestore: true, hidden: true, takeover: false, afterCrash: false },
      version: ownVersion,
      env: process.env,
    },
    db,
    ...opened,
    crashPoints: noCrashPoints,
    life: {
      assertOwner: access.assertOwner,
      isReadOnly: access.isReadOnly,
      phase: () => (access.silent === undefined ? 'stopped' : 'silent'),
      pid: access.silent?.pid,
      startedAtMs: access.silent?.startedAtMs ?? lastStartedAtMs(db, opened.clock),
      requestStop: () => undefined,
      draining: new AbortController().signal,
    },
    emit: () => undefined,
  });
}

async function openStopped(dataDir: string, access: StoppedAccess): Promise<OpenedData> {
  const clock = createSystemClock();
  const { redactor, log, audit } = openRecords(dataDir, clock);
  try {
    const db = await openDatabase({
      dataDir,
      isReadOnly: access.isReadOnly,
      newId: randomUUID,
      nowMs: clock.nowMs(),
      crashPoints: noCrashPoints,
    });
    const settings = createSettings({
      path: path.join(dataDir, 'config.json'),
      storeClass: lazyConf,
      overrides: {},
      env: process.env,
      crashPoints: noCrashPoints,
      watch: false,
    });
    const rooms = stoppedRooms(
      db,
      { dataDir, clock, settings, redactor, records: { log, audit } },
      access,
    );
    // Updates the tables before a decision marks them as current (S4-03).
    if (!access.isReadOnly && isFoldBehind(db))
      audit.record('tables_rebuilt', { rows: rooms.core.disk.journal.refold() });
    if (!access.isReadOnly) keepLastEntry(dataDir, rooms.core.disk.reads.lastEntryAtMs());
    return {
      holdfast: {
        call: (verb, input, origin) =>
          callVerb(VERBS, rooms.verbs, verb, input, origin).catch((error: unknown) => {
            throw withReadErrorNamed(error, db.name);
          }),
        status: rooms.status,
        on: () => () => undefined,
      },
      async close() {
        await rooms.core.disk.journal.close();
        db.close();
        await audit.close();
        settings.stop();
        access.release();
        log.close();
      },
    };
  } catch (error) {
    await audit.close();
    access.release();
    log.close();
    throw withDamageNamed(error, path.join(dataDir, 'holdfast.db'));
  }
}

/** When the last run started, for the status of a stopped engine. */
function lastStartedAtMs(db: Database.Database, clock: Clock): number {
  return Number(db.prepare('SELECT max(started_at) FROM starts').pluck().get() ?? clock.nowMs());
}

/**
 * Wipes the work in flight after a dated backup; audit, settings and markers stay. S4-30.
 * @throws LOCK_HELD while Holdfast runs, NOTHING_TO_RESET on a folder without data
 */
export async function resetData(dataDir: string): Promise<{ readonly backupPath?: string }> {
  // A folder that was mistyped, or never used, does not become one by being reset.
  if (!fs.existsSync(path.join(dataDir, 'holdfast.db')))
    throw new HoldfastError('NOTHING_TO_RESET', 'There is nothing to reset.');
  const lock = await acquireQuietly(dataDir);
  const clock = createSystemClock();
  const { log, audit } = openRecords(dataDir, clock);
  try {
    const db = await openDatabase({
      dataDir,
      isReadOnly: false,
      newId: randomUUID,
      nowMs: clock.nowMs(),
      crashPoints: noCrashPoints,
    });
    try {
      const backupPath = await wipe(db, { dataDir, nowMs: clock.nowMs() });
      // Words of the old journal; the next start makes its own.
      for (const end of ['', '-wal', '-shm'])
        fs.rmSync(path.join(dataDir, `search.db${end}`), { force: true });
      audit.record('reset', { backup: path.basename(backupPath) });
      return { backupPath };
    } finally {
      db.close();
    }
  } finally {
    await audit.close();
    log.close();
    lock.release();
  }
}

/** A free lock is taken in a few ms; a wait of this long has another command behind it. */
const WAIT_TOLD_MS = 500;

/**
 * Deletes the data directory with everything in it. It is moved out of the way in one step while
 * its lock is held: whatever starts at that moment gets a directory of its own, and none of its files
 * is deleted. A link to it goes last. A later call deletes what a killed one has left. X-06.
 * @param onWait called once if another command holds the lock: this one waits up to a minute for it
 * @returns false where there was nothing to delete
 * @throws LOCK_HELD while Holdfast runs
 */
export async function removeData(
  dataDir: string,
  onWait: () => void,
  rules = lockRules,
): Promise<boolean> {
  const place = placeOf(dataDir);
  const isThere = fs.existsSync(place);
  if (isThere) {
    const told = setTimeout(onWait, WAIT_TOLD_MS);
    const acquired = await acquireLock(dataDir, rules).finally(() => clearTimeout(told));
    if (acquired.kind !== 'acquired') throw heldElsewhere();
    try {
      acquired.lock.assertStillOwner();
      await endOwnServer(place);
      moveAsideSync(place, besideOf(place, 'removed'));
    } catch (error) {
      if (error instanceof HoldfastError) throw error;
      deleteInPlace(place);
    } finally {
      acquired.lock.release();
    }
  }
  deleteLeft(place);
  // Last: as long as it is there, a removal that was killed is found again through it.
  if (isLink(dataDir)) fs.rmSync(dataDir, { force: true });
  return isThere;
}

/** A mount, a folder above that is not ours, or a system that moves no open folder: the lock goes with it. */
function deleteInPlace(place: string): void {
  for (const name of fs.readdirSync(place))
    fs.rmSync(path.join(place, name), { recursive: true, force: true });
  try {
    fs.rmdirSync(place);
  } catch {
    // The place itself is of the system. It is empty.
  }
}

/** A PostgreSQL that outlived its Holdfast would go on with files that are gone. */
async function endOwnServer(dataDir: string): Promise<void> {
  if (!fs.existsSync(path.join(dataDir, 'share', 'store'))) return;
  const { ownServerOf } = await import('./share-server');
  const silent = (): void => undefined;
  const server = ownServerOf({
    dataDir,
    world: {
      clock: createSystemClock(),
      crashPoints: noCrashPoints,
      ownEnvironment: process.env,
    },
    records: { log: { info: silent, warn: silent } },
  });
  await server.stop(10_000);
}

/** Packs the data directory into a file while its lock is held. @throws LOCK_HELD while Holdfast runs */
export async function exportData(dataDir: string, file: string, withKeys: boolean): Promise<void> {
  const lock = await acquireQuietly(dataDir);
  try {
    const { packData } = await import('./data-archive');
    await packData(dataDir, file, { withKeys });
  } finally {
    lock.release();
  }
}

function openRecords(dataDir: string, clock: Clock) {
  const redactor = createRedactor();
  const log = createLog({ dir: path.join(dataDir, 'logs'), level: 'warn', clock, redactor });
  const audit = createAudit({ dir: path.join(dataDir, 'audit'), clock, log, redactor });
  return { redactor, log, audit };
}

const DETECT_MS = 45_000;

/**
 * Available before the first start: the settings, which may be written earlier (S0-07), the
 * programs of this computer, and the setup check. Queries create nothing.
 */
function openUnstarted(dataDir: string): OpenedData {
  const settings = createSettings({
    path: path.join(dataDir, 'config.json'),
    storeClass: lazyConf,
    overrides: {},
    env: process.env,
    crashPoints: noCrashPoints,
    watch: false,
  });
  const noData = (): HoldfastError =>
    new HoldfastError('NOT_RUNNING', `No Holdfast data was found in ${dataDir} yet.`, {
      hint: 'Only the settings are there. Start Holdfast once, then ask again.',
    });
  const redactor = createRedactor();
  const loginEnvironment = createLoginEnvironment({
    own: process.env,
    secrets: createSecretsInUse({ settings, own: process.env, redactor }),
  });
  const answered: Pick<Handlers, 'config.list' | 'config.get' | 'agents.detect' | 'doctor.run'> = {
    'config.list': () =>
      Promise.resolve({
        path: settings.path,
        entries: [...settings.entries()],
        problems: [...settings.problems()],
      }),
    'config.get': async ({ key }: VerbInput<'config.get'>) => Promise.resolve(settings.entry(key)),
    async 'agents.detect'() {
      const { detectAgents } = await import('../adapters/acp/detect');
      const agents = await detectAgents({
        loginEnvironment,
        ownEnvironment: process.env,
        cwd: os.tmpdir(),
        signal: AbortSignal.timeout(DETECT_MS),
      });
      return { agents: [...agents] };
    },
    'doctor.run': ({ toShare = false }: VerbInput<'doctor.run'>) =>
      runEarlyDoctor(
        {
          version: ownVersion,
          settings,
          hide: createReportHider({ own: process.env, redactor }),
          facts: createDoctorFacts({
            dataDir,
            loginEnvironment,
            browser: () => findBrowser(settings.get('browser.command'), process.env),
          }),
        },
        toShare,
      ),
  };
  const refuse = (): Promise<never> => Promise.reject(noData());
  const handlers = new Proxy(answered as Handlers, {
    get: (known, verb) => (Reflect.get(known, verb) as unknown) ?? refuse,
  });
  return {
    holdfast: {
      call: (verb, input, origin) => callVerb(VERBS, handlers, verb, input, origin),
      status: () => {
        throw noData();
      },
      on: () => () => undefined,
    },
    close: () => {
      settings.stop();
      return Promise.resolve();
    },
  };
}
