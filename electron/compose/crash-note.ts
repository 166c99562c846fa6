import { writeCrashNote } from '../adapters/instance';
import type { LifecyclePart } from '../lifecycle';
import type { Start } from './start';

/**
 * Last words of a process that dies by its own error, so that the next start can say "crash". They
 * are hidden like a line of the log: an error may quote a key, and the next start knows it no more.
 */
export function crashNotePart({
  options,
  run,
  clock,
  redactor,
}: Pick<Start, 'options' | 'run' | 'clock' | 'redactor'>): LifecyclePart {
  const onError = (error: unknown): void => {
    run.log?.error('process.crashed', { error });
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
    writeCrashNote(options.dataDir, {
      instanceId: run.lock?.instanceId ?? '',
      atMs: clock.nowMs(),
      summary: redactor.redactText(said),
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
