import type { ChannelView } from '../../shared/types/channels';
import { channelNamed } from '../../shared/channel-names';
import { describeProviderKey } from '../adapters/secrets/provider-key';
import { breakerNames } from '../engine/breaker/names';
import type { Handlers } from '../engine/api/handlers';
import { HoldfastError } from '../engine/kernel/errors';
import type { Replies } from '../engine/replies/replies';
import type { Breakers } from '../ports/breakers';
import type { PartDeps } from './core';
import { createChannelChanges } from './channel-changes';
import { channelKeyName, keyPlace, keySettings, type ChannelsPart } from './channels';

interface ChannelVerbsDeps extends PartDeps<
  'reads' | 'settings' | 'keys' | 'clock' | 'audit' | 'isRunning'
> {
  readonly part: ChannelsPart;
  readonly deliveries: Pick<Replies, 'test' | 'posture'>;
  readonly breakers: Pick<Breakers, 'find'>;
}

const TEST_TEXT = 'A test from Holdfast: answers that were asked for here arrive here.';

type ChannelVerb = 'list' | 'add' | 'edit' | 'remove' | 'setKey' | 'test';

/** The channels: how they stand, a test message, and the changes of those of the settings. */
export function createChannelVerbs(deps: ChannelVerbsDeps): Handlers<`channels.${ChannelVerb}`> {
  const { part } = deps;
  return {
    ...createChannelChanges(deps, (name) => channelViewOf(deps, name)),
    'channels.list': async () => {
      const pending = deps.reads.pendingChannels().map(({ channel }) => channel);
      // The window is always there, also where no desktop is; names that are gone while answers wait.
      const names = new Set(['window', ...part.names(), ...pending]);
      return {
        channels: await Promise.all([...names].map((name) => channelViewOf(deps, name))),
        tokenPath: part.tokenPath,
      };
    },
    async 'channels.test'({ name: asked }, origin) {
      const name = channelNamed(asked);
      if (!deps.isRunning()) {
        throw new HoldfastError('NOT_RUNNING', 'Holdfast is not running, so nothing was sent.');
      }
      deps.audit.record('channel_tested', { channel: name, by: origin });
      const beganMs = deps.clock.monotonicMs();
      const took = (): number => Math.round(deps.clock.monotonicMs() - beganMs);
      try {
        await deps.deliveries.test(name, TEST_TEXT);
        return { ok: true, message: `The channel "${name}" took a test message.`, tookMs: took() };
      } catch (thrown) {
        if (thrown instanceof HoldfastError && thrown.code === 'CHANNEL_UNKNOWN') throw thrown;
        const message = thrown instanceof Error ? thrown.message : String(thrown);
        return { ok: false, message: message.slice(0, 1_000), tookMs: took() };
      }
    },
  };
}

async function channelViewOf(
  { part, deliveries, reads, breakers, keys }: ChannelVerbsDeps,
  name: string,
): Promise<ChannelView> {
  const waiting = reads.pendingChannels().find((one) => one.channel === name);
  const spec = part.spec(name);
  const channel = part.list().find((one) => one.name === name);
  const row = reads.channelRow(name);
  // Looking makes no breaker: that is there from the first delivery on.
  const breaker = breakers.find(breakerNames.channel(name))?.view();
  const posture = deliveries.posture(name);
  const hearsHere = spec?.kind === 'webhook' && spec.inbound === true && spec.enabled !== false;
  const inbound = part.inbound();
  const place = spec === undefined ? undefined : keyPlace(spec);
  const key =
    place === undefined
      ? undefined
      : await describeProviderKey(channelKeyName(name), keySettings(place), keys);
  const nextTryAtMs = posture.nextTryAtMs ?? breaker?.nextTrialAtMs;
  const isFailing = breaker !== undefined && (breaker.failures > 0 || breaker.state !== 'closed');
  const lastError = posture.lastError ?? (isFailing ? breaker.lastError : undefined);
  return {
    name,
    kind: spec?.kind ?? (name === 'window' ? 'window' : 'host'),
    isDefault: part.defaultName() === name,
    state: stateOf(name, channel, spec),
    speaks: channel?.speaks !== false,
    listens: spec === undefined ? part.isOfHost(name) : spec.kind === 'telegram' || hearsHere,
    ...(hearsHere && inbound.problem !== undefined
      ? { listenProblem: inbound.problem.slice(0, 500) }
      : {}),
    ...(hearsHere && inbound.port !== undefined
      ? { inboundUrl: `http://127.0.0.1:${String(inbound.port)}/in/${name}` }
      : {}),
    ...(key === undefined ? {} : { key }),
    pending: waiting?.count ?? 0,
    ...(waiting === undefined ? {} : { pendingSinceMs: waiting.sinceMs }),
    delivered: row.delivered,
    ...(row.deliveredAtMs === undefined ? {} : { deliveredAtMs: row.deliveredAtMs }),
    breaker: breaker?.state ?? 'closed',
    failures: Math.max(posture.streak, breaker?.failures ?? 0),
    ...(lastError === undefined ? {} : { lastError: lastError.slice(0, 500) }),
    ...(nextTryAtMs === undefined ? {} : { nextTryAtMs }),
  };
}

function stateOf(
  name: string,
  channel: ReturnType<ChannelsPart['list']>[number] | undefined,
  spec: ReturnType<ChannelsPart['spec']>,
): ChannelView['state'] {
  if (spec?.enabled === false) return 'off';
  // Every window shows every session, whether one is open now or not.
  if (name === 'window') return 'ready';
  if (channel === undefined) return 'gone';
  return channel.isReady() ? 'ready' : 'not_ready';
}
