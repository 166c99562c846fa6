import type { ChannelView } from '../../../shared/types/channels';
import { channelNamed } from '../../../shared/channel-names';
import { BUILT_IN_CHANNELS, kindOf, type ChannelSettings } from '../../../shared/settings/channels';
import { channelKeyName, keySettings } from '../../../shared/settings/channel-parts';
import type { Breakers } from '../../ports/breakers';
import type { DeadLetterFilter } from '../../ports/event-queue';
import type { JournalReads } from '../../ports/journal/reads';
import type { Secrets } from '../../ports/secrets';
import type { Basics } from '../kernel/basics';
import { breakerNames } from '../breaker/names';
import { HoldfastError } from '../kernel/errors';
import type { Outbox } from '../outbox/outbox';
import { isSentTo, type Channels } from '../replies/channels';
import type { Replies } from '../replies/replies';
import type { Families, Handlers } from './handlers';
import { keepKey } from './store-key';
import { entryOf } from '../../../shared/table';

interface DeliveryDeps extends Pick<Basics, 'settings' | 'clock' | 'audit'> {
  readonly channels: Channels;
  readonly replies: Pick<Replies, 'test' | 'posture'>;
  readonly breakers: Pick<Breakers, 'find'>;
  /** Of events. */
  readonly outbox: Outbox;
  readonly reads: Pick<JournalReads, 'pendingChannels' | 'channelRow'>;
  readonly secrets: Secrets;
  /** Displayable facts about a key; never asks a keyring to decrypt. */
  readonly viewKey: (
    name: string,
    settings: ReturnType<typeof keySettings>,
  ) => Promise<ChannelView['key']>;
  readonly isRunning: () => boolean;
}

const TEST_TEXT = 'A test from Holdfast: replies to this channel arrive here.';

/** The event queue with its dead letters, and the channels: state and changes. */
export function deliveryHandlers(deps: DeliveryDeps): Families['delivery'] {
  return { ...channelHandlers(deps), ...channelChanges(deps), ...eventHandlers(deps) };
}

function channelHandlers(deps: DeliveryDeps): Handlers<`channels.${'list' | 'test' | 'link'}`> {
  const { channels: part } = deps;
  return {
    'channels.list': async () => {
      const pending = deps.reads.pendingChannels().map(({ channel }) => channel);
      // The window is always listed, even without a desktop; so are removed names with waiting
      // answers.
      const names = new Set(['window', ...part.names(), ...pending]);
      return {
        channels: await Promise.all([...names].map((name) => viewOf(deps, name))),
        tokenPath: part.tokenPath,
      };
    },
    async 'channels.link'({ name, person }, by) {
      const { untilMs, ...link } = await part.subscribeLink(name, person);
      deps.audit.record('channel_link_made', { channel: name, person: link.person, by });
      return { ...link, validUntilMs: untilMs };
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
        await deps.replies.test(name, TEST_TEXT);
        return {
          ok: true,
          message: `The channel "${name}" accepted a test message.`,
          tookMs: took(),
        };
      } catch (thrown) {
        if (thrown instanceof HoldfastError && thrown.code === 'CHANNEL_UNKNOWN') throw thrown;
        const message = thrown instanceof Error ? thrown.message : String(thrown);
        return { ok: false, message: message.slice(0, 1_000), tookMs: took() };
      }
    },
  };
}

async function viewOf(
  { channels: part, replies, reads, breakers, viewKey }: DeliveryDeps,
  name: string,
): Promise<ChannelView> {
  const waiting = reads.pendingChannels().find((one) => one.channel === name);
  const spec = part.spec(name);
  const channel = part.list().find((one) => one.name === name);
  const row = reads.channelRow(name);
  // Looking must not create a breaker: it exists from the first delivery on.
  const breaker = breakers.find(breakerNames.channel(name))?.view();
  const posture = replies.posture(name);
  const hearsHere = spec !== undefined && isSentTo(spec);
  const inbound = part.inbound();
  const place = spec === undefined ? undefined : kindOf(spec).keyPlace(spec);
  const key =
    place === undefined ? undefined : await viewKey(channelKeyName(name), keySettings(place));
  const nextTryAtMs = posture.nextTryAtMs ?? breaker?.nextTrialAtMs;
  const isFailing = breaker !== undefined && (breaker.failures > 0 || breaker.state !== 'closed');
  const lastError = posture.lastError ?? (isFailing ? breaker.lastError : undefined);
  return {
    name,
    kind: spec?.kind ?? (name === 'window' ? 'window' : 'host'),
    isDefault: part.defaultName() === name,
    state: stateOf(name, channel, spec),
    speaks: channel?.speaks !== false,
    listens:
      spec === undefined ? part.isOfHost(name) : hearsHere || kindOf(spec).listens(spec) === 'asks',
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
  channel: ReturnType<Channels['list']>[number] | undefined,
  spec: ReturnType<Channels['spec']>,
): ChannelView['state'] {
  if (spec?.enabled === false) return 'off';
  // Every window shows every session, whether one is open now or not.
  if (name === 'window') return 'ready';
  if (channel === undefined) return 'gone';
  return channel.isReady() ? 'ready' : 'not_ready';
}

type Own = Readonly<Record<string, ChannelSettings>>;
const ownOf = ({ settings }: DeliveryDeps): Own => settings.get('channels.own');

function need(deps: DeliveryDeps, name: string): ChannelSettings {
  const all = ownOf(deps);
  const found = entryOf(all, name);
  if (found !== undefined) return found;
  throw new HoldfastError(
    'CHANNEL_UNKNOWN',
    deps.channels.isOfHost(name) || BUILT_IN_CHANNELS.has(name)
      ? `The channel "${name.slice(0, 60)}" is built in and cannot be changed.`
      : `There is no channel "${name.slice(0, 60)}".`,
    { hint: 'Nothing was changed. List them: holdfast channels list' },
  );
}

async function write(
  { settings, channels }: DeliveryDeps,
  name: string,
  channel: ChannelSettings | undefined,
): Promise<void> {
  await settings.setEntry('channels.own', name, channel);
  channels.refresh();
}

async function keep(
  deps: DeliveryDeps,
  name: string,
  key: string | null,
  allowPlaintext = false,
): Promise<void> {
  if (key !== null && !/^[\x21-\x7e]+$/.test(key))
    throw new HoldfastError('INPUT_INVALID', 'A token or secret is one line without spaces.', {
      hint: 'Nothing was changed.',
    });
  await keepKey(deps, channelKeyName(name), key, allowPlaintext);
}

/** Changes of the channels of the settings. A key goes to the keyring, never into the settings. */
function channelChanges(
  deps: DeliveryDeps,
): Handlers<`channels.${'add' | 'edit' | 'remove' | 'setKey'}`> {
  const { channels: part, audit } = deps;
  return {
    'channels.add': async ({ name, channel, key, allowPlaintext }, by) => {
      if (Object.hasOwn(ownOf(deps), name) || part.isOfHost(name))
        throw new HoldfastError(
          'CHANNEL_EXISTS',
          `A channel with the name "${name}" already exists.`,
          {
            hint: 'Nothing was changed. Choose another name, or change the existing channel.',
          },
        );
      if (key !== undefined && kindOf(channel).keyPlace(channel) === undefined) throw keyless(name);
      if (key !== undefined) await keep(deps, name, key, allowPlaintext);
      await write(deps, name, channel).catch(async (error: unknown) => {
        if (key !== undefined) await keep(deps, name, null);
        throw error;
      });
      audit.record('channel_added', { channel: name, kind: channel.kind, by });
      return viewOf(deps, name);
    },
    'channels.edit': async ({ name, channel }, by) => {
      const before = need(deps, name);
      if (before.kind !== channel.kind)
        throw new HoldfastError('INPUT_INVALID', `"${name}" is a ${before.kind} channel.`, {
          hint: 'Nothing was changed. Remove it and add a new channel of the other kind.',
        });
      await write(deps, name, channel);
      audit.record('channel_changed', { channel: name, by });
      return viewOf(deps, name);
    },
    'channels.remove': async ({ name }, by) => {
      need(deps, name);
      const waiting = deps.reads.pendingChannels().find((one) => one.channel === name);
      await write(deps, name, undefined);
      await deps.secrets.write(channelKeyName(name), null, { allowPlaintext: false });
      audit.record('channel_removed', { channel: name, by });
      return { name, pending: waiting?.count ?? 0, defaultChannel: part.defaultName() };
    },
    'channels.setKey': async ({ name, key, allowPlaintext }, by) => {
      const channel = need(deps, name);
      if (kindOf(channel).keyPlace(channel) === undefined) throw keyless(name);
      await keep(deps, name, key, allowPlaintext);
      part.keyChanged(name);
      audit.record(key === null ? 'channel_key_removed' : 'channel_key_set', {
        channel: name,
        by,
      });
      return viewOf(deps, name);
    },
  };
}

const keyless = (name: string): HoldfastError =>
  new HoldfastError('INPUT_INVALID', `"${name}" does not use a token or secret.`, {
    hint: 'Nothing was changed. A Telegram bot uses a token, a webhook with a url uses a secret.',
  });

/** The verbs of the queue and the dead letters. S2-36, S2-+01, S2-+02 */
function eventHandlers({
  outbox,
  clock,
}: DeliveryDeps): Handlers<
  'queue.status' | 'dlq.list' | 'dlq.replay' | 'dlq.purge' | 'events.publish'
> {
  return {
    'queue.status': () => Promise.resolve(outbox.status()),
    'dlq.list': ({ topic, limit = 100, beforeId }) => {
      const found = outbox.letters({
        limit,
        ...(topic === undefined ? {} : { topic }),
        ...(beforeId === undefined ? {} : { beforeId }),
      });
      return Promise.resolve({ ...found, letters: [...found.letters] });
    },
    'dlq.replay': async (choice) => ({ replayed: await outbox.replay(chosen(choice)) }),
    'dlq.purge': async ({ olderThanMs, ...choice }) => ({
      purged: await outbox.purge(
        olderThanMs === undefined
          ? chosen(choice)
          : { ...some(choice), failedBeforeMs: clock.nowMs() - olderThanMs },
      ),
    }),
    'events.publish': async ({ topic, payload, id }) => {
      const end = await outbox.publish({ topic, payload, ...(id === undefined ? {} : { id }) });
      if (end.kind === 'refused')
        throw new HoldfastError(end.code, end.message, { hint: end.hint });
      return { id: end.id, state: end.state, isDuplicate: end.isDuplicate };
    },
  };
}

interface Choice {
  readonly id?: string | undefined;
  readonly topic?: string | undefined;
  readonly all?: boolean | undefined;
}

const some = ({ id, topic }: Choice): DeadLetterFilter => ({
  ...(id === undefined ? {} : { id }),
  ...(topic === undefined ? {} : { topic }),
});

/** All only on explicit request. @throws INPUT_INVALID */
function chosen(choice: Choice): DeadLetterFilter {
  const { id, topic, all = false } = choice;
  if (id === undefined && topic === undefined && !all) {
    throw new HoldfastError('INPUT_INVALID', 'Specify dead letters by ID, by topic, or all.', {
      hint: 'Nothing was changed. List them: holdfast dlq list',
    });
  }
  return some(choice);
}
