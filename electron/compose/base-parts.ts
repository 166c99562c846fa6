/** The parts of a start that the engine stands on: socket, database, rooms, its sign of life. */
import { randomUUID } from 'node:crypto';
import type { LifecyclePart } from '../lifecycle';
import type { Counters } from '../observability/counters';
import type { Audit } from '../ports/log';
import type { SettingsPort } from '../ports/settings';
import { letGo } from '../adapters/sqlite/read-probe';
import { need } from './run';
import { loadEngine, type Start } from './start';

const ALIVE_EVERY_MS = 30_000;

export function controlPart({ options, run, ...start }: Start): LifecyclePart {
  return {
    name: 'control socket',
    async start() {
      const { createControlServer } = await loadEngine();
      const server = createControlServer({
        socketPath: start.socketPath,
        tokenPath: start.tokenPath,
        holdfast: start.holdfast,
        log: need(run.log),
        version: options.version,
      });
      this.stop = () => server.stop();
      need(run.lock).announce(await server.start());
    },
  };
}

export function databasePart({ options, run, clock, crashPoints }: Start): LifecyclePart {
  return {
    name: 'database: version check, backup, migration',
    async start() {
      const { openDatabase } = await loadEngine();
      const lock = need(run.lock);
      lock.setPhase('migrating');
      run.db = await openDatabase({
        dataDir: options.dataDir,
        isReadOnly: false,
        newId: randomUUID,
        nowMs: clock.nowMs(),
        crashPoints,
      });
      lock.setPhase('starting');
    },
    stop() {
      // Who still asks is told what is known without the database.
      run.rooms = undefined;
      const { db } = run;
      db?.close();
      if (db !== undefined) letGo(db.name);
    },
  };
}

export function roomsPart(start: Start): LifecyclePart {
  const { options, run } = start;
  let isEnding = false;
  return {
    name: 'rooms',
    async start() {
      const { createRooms } = await loadEngine();
      run.rooms = createRooms({
        compose: options,
        db: need(run.db),
        clock: start.clock,
        crashPoints: start.crashPoints,
        settings: need(run.settings),
        log: need(run.log),
        audit: need(run.audit),
        redactor: start.redactor,
        assertOwner: () => {
          try {
            need(run.lock).assertStillOwner();
          } catch (error) {
            // Nothing can be written any more: it ends now, not at its next sign of life. S2-47
            if (!isEnding) endWithoutLock(start, error);
            isEnding = true;
            throw error;
          }
        },
        isReadOnly: false,
        emit: start.events.emit,
        phase: () => run.phase,
        pid: process.pid,
        startedAtMs: start.startedAtMs,
        requestStop: (reason) => {
          // After the answer to the caller is on its way.
          setImmediate(() => {
            start.stop(reason);
          });
        },
        draining: run.draining.signal,
        ports: run.ports,
      });
    },
    async stop() {
      run.rooms?.deliveries.stop();
      await run.rooms?.journal.close();
    },
  };
}

export function lightCheckPart({ run }: Start): LifecyclePart {
  return {
    name: 'light integrity check',
    async start() {
      const { isFoldBehind } = await loadEngine();
      if (!isFoldBehind(need(run.db))) return;
      const rows = need(run.rooms).journal.refold();
      need(run.audit).record('tables_rebuilt', { rows });
    },
  };
}

/** What follows the journal and the settings from here on. */
export function adaptersPart({ run, events }: Start, tally: Counters): LifecyclePart {
  return {
    name: 'adapters',
    start() {
      const { journal } = need(run.rooms);
      const settings = need(run.settings);
      const log = need(run.log);
      const tellProblems = problemTeller(settings, need(run.audit));
      tellProblems();
      events.follow(need(run.rooms));
      if (settings.get('observability.enabled')) {
        journal.onCommitted((entries) => {
          tally.take(entries);
        });
      }
      log.setLevel(settings.get('log.level'));
      settings.onChange((keys) => {
        log.setLevel(settings.get('log.level'));
        tellProblems();
        events.emit('config.changed', { keys: [...keys] } as never);
        events.emit('status.changed', undefined as never);
      });
    },
  };
}

/** Each thing in the file that is not in force is in the audit once, for as long as it is so. S2-30 */
function problemTeller(settings: Pick<SettingsPort, 'problems'>, audit: Audit): () => void {
  let told: ReadonlySet<string> = new Set();
  return () => {
    const now = new Map(
      settings
        .problems()
        .filter(({ level }) => level !== 'hint')
        .map((one) => [JSON.stringify(one), one]),
    );
    for (const [text, { key = '', line, message }] of now)
      if (!told.has(text))
        audit.record('setting_problem', { key, message, ...(line === undefined ? {} : { line }) });
    told = new Set(now.keys());
  };
}

function endWithoutLock({ run, stop }: Start, error: unknown): void {
  run.log?.error('lock.lost', { error });
  // Who asked to write hears of it first.
  setImmediate(() => {
    stop('crash');
  });
}

export function signOfLifePart(start: Start): LifecyclePart {
  const { run } = start;
  return {
    name: 'sign of life',
    start() {
      const beat = (): void => {
        need(run.lock)
          .touchAlive()
          .catch((error: unknown) => {
            endWithoutLock(start, error);
          });
      };
      const timer = setInterval(beat, ALIVE_EVERY_MS);
      timer.unref();
      beat();
      this.stop = () => {
        clearInterval(timer);
      };
    },
  };
}
