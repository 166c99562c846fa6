/** A data directory without a responding engine: its modules, without any activity. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { version as ownVersion } from '../../package.json';
import { createSystemClock } from '../adapters/clock/system-clock';
import { keepLastEntry } from '../adapters/instance/last-entry';
import { isFoldBehind } from '../adapters/sqlite/applied';
import { withDamageNamed, withReadErrorNamed } from '../adapters/sqlite/damage';
import { openDatabase } from '../adapters/sqlite/open-database';
import type { OpenedData } from '../cli/io';
import type { CoreInput } from '../compose/core';
import { createRooms } from '../compose/rooms';
import { assertOwnData } from '../data-trust';
import { callVerb } from '../engine/api/create-facade';
import { noCrashPoints } from '../engine/kernel/crash-points';
import type { Clock } from '../ports/clock';
import { VERBS } from '../../shared/contract';
import { openUnstarted } from './before-first-start';
import { acquireQuietly } from './own-lock';
import { ownSettings } from './own-settings';
import { openRecords } from './records';

/** The holder of the data that does not respond, as far as its record identifies it. */
interface SilentHolder {
  readonly pid?: number;
  readonly startedAtMs?: number;
}

/**
 * Query verbs while nothing runs, or while the running process is silent (`silent`): opens the
 * database
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

interface StoppedAccess {
  readonly isReadOnly: boolean;
  readonly silent: SilentHolder | undefined;
  readonly assertOwner: () => void;
  readonly release: () => void;
}

/** Modules over data without a running engine: nothing starts and nothing is followed. */
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
    const settings = ownSettings(dataDir, process.env);
    const rooms = stoppedRooms(
      db,
      { dataDir, clock, settings, redactor, records: { log, audit } },
      access,
    );
    // Updates the tables before a decision marks them as current (S4-03).
    if (!access.isReadOnly && isFoldBehind(db))
      audit.record('tables_rebuilt', { rows: rooms.core.journal.refold() });
    if (!access.isReadOnly) keepLastEntry(dataDir, rooms.core.reads.lastEntryAtMs());
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
        await rooms.core.journal.close();
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
