import { writeCrashNote } from '../adapters/lock';
import type { ComposeOptions } from '../compose-options';
import type { LifecyclePart } from '../lifecycle';
import type { Clock } from '../ports/clock';
import type { Run } from './run';

/** Last words of a process that dies by its own error, so that the next start can say "crash". */
export function crashNotePart(options: ComposeOptions, run: Run, clock: Clock): LifecyclePart {
  const onError = (error: unknown): void => {
    run.log?.error('process.crashed', { error });
    const summary = error instanceof Error ? (error.stack ?? error.message) : String(error);
    writeCrashNote(options.dataDir, {
      instanceId: run.lock?.instanceId ?? '',
      atMs: clock.nowMs(),
      summary,
    });
    process.exit(70);
  };
  return {
    name: 'crash note',
    start() {
      process.on('uncaughtException', onError);
      process.on('unhandledRejection', onError);
    },
    stop() {
      process.off('uncaughtException', onError);
      process.off('unhandledRejection', onError);
    },
  };
}
