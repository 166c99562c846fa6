import type { ChannelSettings } from '../../../shared/settings/channels';
import { durationMs } from '../../../shared/settings';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Breaker } from '../../ports/breakers';
import type { Channel } from '../../ports/channel';
import type { Clock } from '../../ports/clock';
import type { Log } from '../../ports/log';
import type { Environment } from '../shell/child-environment';
import { refused } from './channel-errors';
import { runChannelCommand } from './command';
import { createTelegram } from './telegram';
import { postWebhook } from './webhook';

export interface OwnChannelDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly breaker: (channel: string) => Breaker;
  /** A secret, from the place named in the settings; undefined if they name none. */
  readonly secret: (
    channel: string,
    from: { readonly env: string | undefined; readonly file: string | undefined },
  ) => Promise<string | undefined>;
  readonly environment: (declared: readonly string[], own: Environment) => Promise<Environment>;
  /** Removes secrets from the last output of a program; absent: it is unchanged. */
  readonly hide?: ((text: string) => string) | undefined;
  readonly offset: (channel: string) => {
    read(): number | undefined;
    write(offset: number): Promise<void>;
  };
  readonly onStranger: (channel: string, peer: string) => void;
}

const TELEGRAM = 'https://api.telegram.org';

/** What a channel of the settings does. Nothing happens until it is used. */
export function createOwnChannel(
  name: string,
  spec: ChannelSettings,
  deps: OwnChannelDeps,
): Pick<Channel, 'deliver' | 'start' | 'stop'> {
  const timeoutMs = durationMs(spec.timeout ?? '10s');
  switch (spec.kind) {
    case 'webhook': {
      const { url } = spec;
      const from = { env: spec.secret_env, file: spec.secret_file };
      return {
        deliver: (delivery, signal) =>
          url === undefined
            ? Promise.reject(refused(`${name}: it only listens.`))
            : postWebhook(
                {
                  name,
                  url,
                  spec,
                  timeoutMs,
                  secret: () => deps.secret(name, from),
                  nowMs: () => deps.clock.nowMs(),
                  version: deps.version,
                },
                delivery,
                signal,
              ),
      };
    }
    case 'command':
      return {
        deliver: (delivery, signal) =>
          runChannelCommand(
            { name, spec, timeoutMs, environment: deps.environment, hide: deps.hide },
            delivery,
            signal,
          ),
      };
    case 'telegram':
      return createTelegram({
        api: {
          name,
          baseUrl: (spec.base_url ?? TELEGRAM).replace(/\/+$/, ''),
          token: async () => {
            const token = await deps.secret(name, { env: spec.token_env, file: spec.token_file });
            if (token !== undefined && /^[\w:-]{1,200}$/.test(token)) return token;
            const what = token === undefined ? 'it has no token yet' : 'that is no token of a bot';
            throw new HoldfastError('SECRET_UNREADABLE', `${name}: ${what}.`, {
              hint: 'Store it: it looks like 123456:ABC…, as BotFather gave it.',
            });
          },
        },
        name,
        spec,
        timeoutMs,
        clock: deps.clock,
        log: deps.log,
        breaker: () => deps.breaker(name),
        offset: deps.offset(name),
        onStranger: (peer) => deps.onStranger(name, peer),
      });
  }
}
