import type { Run } from './command';
import { EXIT } from './exit-codes';

/**
 * Waits for what goes on without this command. Ctrl+C ends the wait and nothing else: `told` says so, and
 * how to look again. A reader that is gone is no reason to end: the exit code may still be wanted.
 */
export async function interruptible<T>(
  run: Pick<Run, 'io'>,
  told: () => string,
  work: () => Promise<T>,
): Promise<T> {
  const off = run.io.onSignal((signal) => {
    if (signal === 'SIGPIPE') return;
    run.io.stderr.write(`\n${told()}\n`);
    run.io.exitNow(EXIT.interrupted);
  });
  try {
    return await work();
  } finally {
    off();
  }
}
