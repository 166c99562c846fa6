import type Database from 'better-sqlite3';
import type { CrashPoints } from '../../../engine/kernel/crash-points';
import type { Pause, PauseStore } from '../../../ports/pause';
import { diskCode, refusalError } from '../journal/group-commit';

/**
 * Stored in `state`, which a reset does not change. One statement, so that a crash leaves the old
 * or the new value.
 */
export function createPauseStore(db: Database.Database, crashPoints: CrashPoints): PauseStore {
  return {
    read() {
      const value: unknown = db
        .prepare("SELECT value FROM state WHERE key = 'pause'")
        .pluck()
        .get();
      if (typeof value !== 'string' || value === '') return undefined;
      const untilMs = Number(value);
      return Number.isSafeInteger(untilMs) ? { untilMs } : {};
    },
    write(pause: Pause | undefined) {
      crashPoints.hit('pause.write.before');
      try {
        if (pause === undefined) db.prepare("DELETE FROM state WHERE key = 'pause'").run();
        else {
          db.prepare("INSERT OR REPLACE INTO state (key, value) VALUES ('pause', ?)").run(
            pause.untilMs === undefined ? 'until resumed' : String(pause.untilMs),
          );
        }
      } catch (error) {
        const code = diskCode(error);
        throw code === undefined ? error : refusalError(code, error);
      }
      crashPoints.hit('pause.write.after');
    },
  };
}
