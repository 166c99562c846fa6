import type { Log } from '../../ports/log';
import type { Basics } from '../kernel/basics';
import { toHoldfastError } from '../kernel/errors';

/** The server while it listens. */
export interface RunningGateway {
  readonly port: number;
  stop(): Promise<void>;
  windowChanged(): void;
  revoked(client: string): Promise<void>;
}

interface GatewayServingDeps extends Pick<Basics, 'settings' | 'audit'> {
  readonly log: Pick<Log, 'warn'>;
  /** @throws where it cannot listen */
  readonly open: () => Promise<RunningGateway>;
  /** Tells programs of this computer where it listens; undefined: nowhere. @returns why it cannot */
  readonly publish: (port: number | undefined) => string | undefined;
  /** Deletes the answers that clients could fetch again. */
  readonly forgetAnswers: () => Promise<void>;
  readonly onChange: () => void;
}

/** Whether the gateway listens, and where: as the settings say, hot, one change after the other. */
export interface GatewayServing {
  /** Startup neither waits for it nor depends on it. */
  readonly start: () => void;
  /** Waiting clients lose their connection and retry. */
  readonly stop: () => Promise<void>;
  /** `port` is absent while it does not listen. */
  readonly now: () => { readonly port: number | undefined; readonly problem: string | undefined };
  readonly revoked: (client: string) => Promise<void>;
}

export function createGatewayServing(deps: GatewayServingDeps): GatewayServing {
  const { settings, log } = deps;
  let server: RunningGateway | undefined;
  let problem: string | undefined;
  let isWanted = false;
  let settled: Promise<void> = Promise.resolve();
  let unfollow = (): void => undefined;

  const publish = (port: number | undefined): void => {
    problem = deps.publish(port);
    if (problem !== undefined) log.warn('gateway.not_published', { problem });
  };
  const close = async (): Promise<void> => {
    await server?.stop();
    server = undefined;
    publish(undefined);
  };
  const open = async (): Promise<void> => {
    try {
      server = await deps.open();
      publish(server.port);
      deps.audit.record('gateway_listening', { port: server.port });
    } catch (error) {
      problem = toHoldfastError(error).message;
      log.warn('gateway.not_listening', { error });
    }
  };
  /** While it is off, no client can fetch the answers. */
  const forget = (): Promise<void> =>
    deps.forgetAnswers().catch((error: unknown) => {
      log.warn('gateway.not_forgotten', { error });
    });
  const reconcile = (): void => {
    settled = settled.then(async () => {
      await close();
      if (!settings.get('gateway.enabled')) await forget();
      else if (isWanted) await open();
      deps.onChange();
    });
  };

  return {
    start() {
      isWanted = true;
      unfollow = settings.onChange((keys) => {
        if (keys.includes('gateway.enabled') || keys.includes('gateway.port')) reconcile();
        if (keys.includes('gateway.memo_window')) server?.windowChanged();
      });
      if (settings.get('gateway.enabled')) reconcile();
      else settled = settled.then(forget);
    },
    async stop() {
      isWanted = false;
      unfollow();
      await settled;
      await close();
    },
    now: () => ({ port: server?.port, problem }),
    revoked: async (client) => server?.revoked(client),
  };
}
