/**
 * The only way to end the app. The flag is set synchronously, so that a window's close handler
 * never prevents a quit or a shutdown.
 */
import type { App } from 'electron';
import type { StopReason } from '../lifecycle';
import type { Log } from '../ports/log';

interface QuitDeps {
  readonly app: Pick<App, 'on' | 'exit' | 'quit'>;
  readonly stop: (reason: StopReason) => Promise<void>;
  /** Done first: ends the helper that would start the app again. */
  readonly disarmRelaunch: () => void;
  /** Maximum wait for the graceful stop; the journal makes it safe to interrupt. */
  readonly limitMs: (reason: StopReason) => number;
  readonly log: Log;
}

interface Quit {
  isQuitting(): boolean;
  /** Stops in order and ends the process; a second request ends it at once. */
  request(reason: StopReason): void;
  /** The engine has stopped without a request from here (control socket, takeover). */
  finish(reason: StopReason): void;
}

export const quitLimitMs = (reason: StopReason): number =>
  reason === 'os_shutdown' || reason === 'takeover' ? 5_000 : 30_000;

export function createQuit(deps: QuitDeps): Quit {
  let phase: 'running' | 'stopping' | 'finished' = 'running';

  const exit = (code: number): void => {
    phase = 'finished';
    deps.app.exit(code);
  };

  const request = (reason: StopReason): void => {
    if (phase === 'finished') return;
    deps.disarmRelaunch();
    if (phase === 'stopping') {
      deps.log.warn('app.quit_twice', {});
      exit(0);
      return;
    }
    phase = 'stopping';
    const timer = setTimeout(() => {
      deps.log.warn('app.stop_cut_off', { reason });
      exit(0);
    }, deps.limitMs(reason));
    deps.stop(reason).then(
      () => {
        clearTimeout(timer);
        exit(0);
      },
      (error: unknown) => {
        clearTimeout(timer);
        deps.log.error('app.stop_failed', { reason, message: String(error).slice(0, 300) });
        exit(1);
      },
    );
  };

  // SIGTERM, SIGINT and SIGHUP arrive here too: Electron turns them into a quit.
  deps.app.on('before-quit', (event) => {
    if (phase === 'finished') return;
    event.preventDefault();
    request('stop');
  });
  // Without a listener, Electron would quit when the last window is closed.
  deps.app.on('window-all-closed', () => undefined);

  return {
    isQuitting: () => phase !== 'running',
    request,
    finish(reason) {
      if (phase === 'finished') return;
      deps.disarmRelaunch();
      exit(reason === 'crash' ? 1 : 0);
    },
  };
}
