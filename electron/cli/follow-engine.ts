import type { Run } from './command';
import type { Reach } from './reach';
import { isAbsence, reachAgain } from './reach';

/** A change that was not announced is noticed after this time. */
const LOOK_AGAIN_MS = 2_000;

/**
 * Checks for news now and after each change of a session until the command ends; continues after an
 * app restart. `look` prints the news and returns whether more may be ready.
 */
export async function followEngine(
  first: Reach,
  run: Run,
  look: (engine: Reach) => Promise<boolean>,
): Promise<void> {
  let isWanted = true;
  let wake: () => void = () => undefined;
  const off = run.io.onSignal(() => {
    isWanted = false;
    wake();
  });
  let engine: Reach | undefined = first;
  try {
    while (isWanted && engine) {
      try {
        engine.on('session.changed', () => wake());
        void engine.closed.then(() => wake());
        await engine.subscribe(['session.changed']);
        while (isWanted) {
          // Subscribes before the check, so that no change is missed.
          const changed = new Promise<void>((resolve) => {
            wake = resolve;
            setTimeout(resolve, LOOK_AGAIN_MS);
          });
          if (!(await look(engine))) await changed;
        }
      } catch (thrown) {
        if (!isAbsence(thrown)) throw thrown;
        run.note('Holdfast stopped. Waiting for it to restart.');
        engine = await reachAgain(run.dataDir, run.io, {
          timeoutMs: Infinity,
          isWanted: () => isWanted,
        });
      }
    }
  } finally {
    off();
    if (engine !== first) await engine?.close();
  }
}
