import type { Run } from './command';
import { EXIT } from './exit-codes';

/**
 * Waits for something that continues without this command. Ctrl+C ends only the wait; `told`
 * explains that, and how to check again. A closed reader does not end it, because the exit code may
 * still be needed.
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
