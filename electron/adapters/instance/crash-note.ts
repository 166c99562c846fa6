import { writeCrashNote } from './lock-file';
import type { Clock } from '../../ports/clock';
import type { Log } from '../../ports/log';

/**
 * Leaves a note when this process dies of its own error, so that the next start reports "crash".
 * Secrets are redacted as in the log: an error may quote a key that the next start no longer knows.
 */
export function createCrashNote(deps: {
  readonly dataDir: string;
  readonly instanceId: () => string | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: () => Log | undefined;
  readonly hideSecrets: (text: string) => string;
}): { start(): void; stop(): void } {
  const onError = (error: unknown): void => {
    deps.log()?.error('process.crashed', { error });
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
    writeCrashNote(deps.dataDir, {
      instanceId: deps.instanceId() ?? '',
      atMs: deps.clock.nowMs(),
      summary: deps.hideSecrets(said),
    });
    process.exit(70);
  };
  return {
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
