import type { ChannelSettings } from '../../../shared/settings/channels';
import { kindOf, pushPeople } from '../../../shared/settings/channels';
import { quietUntilMs } from '../../../shared/quiet-hours';
import { channelNamed } from '../../../shared/channel-names';
import type { Breakers } from '../../ports/breakers';
import type { Channel, Intake, QuestionRules } from '../../ports/channel';
import { createRefusedAnswers, createRefusedRequests } from './refused-requests';
import type { Clock } from '../../ports/clock';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { Audit } from '../../ports/log';
import type { LoopbackServer } from '../../ports/loopback';
import type { Basics } from '../kernel/basics';
import { breakerNames } from '../breaker/names';
import { HoldfastError, toHoldfastError } from '../kernel/errors';
import type { AnswerTokens } from './answer-tokens';
import { withoutSecrets } from './without-secrets';

type Configured = Pick<Channel, 'deliver' | 'ask' | 'edit' | 'start' | 'stop'>;

/** The address that receives a channel's inbound messages; undefined if it receives none. */
type InboundWay = (channel: string) =>
  | {
      readonly intake: Intake;
      readonly newAgent: string | undefined;
      /** True: messages are accepted; otherwise only answers. */
      readonly hears: boolean;
      /**
       * Signs the buttons of messages that follow an answer. Absent: no answers are accepted here.
       */
      readonly sign: ((person: string, data: string) => Promise<string>) | undefined;
      /** Pages on this computer for its links; absent: none. */
      readonly page:
        | {
            readonly subscriber: (token: string) => Promise<string | undefined>;
            readonly onRefused: () => void;
            readonly onSubscribed: (person: string) => void;
          }
        | undefined;
    }
  | undefined;

interface ChannelsDeps extends Pick<Basics, 'settings' | 'audit' | 'log'> {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly breakers: Pick<Breakers, 'forget'>;
  /** Channels that come with the host; the window is the last. */
  readonly hostChannels: readonly Channel[];
  /** Loads a configured channel at its first use; the callback reports unknown peers. */
  readonly load: (
    name: string,
    spec: ChannelSettings,
    onUnknownSender: (peer: string) => void,
  ) => Promise<Configured>;
  readonly tokens: AnswerTokens;
  readonly inbound: {
    open(wayOf: InboundWay, onRefused: (reason: string) => void): Promise<LoopbackServer>;
    /** Publishes the port for inbound messages so that senders find it; undefined: none. */
    /** @returns why programs do not find it */
    publishPort(port: number | undefined): string | undefined;
    readonly tokenPath: string;
  };
  /** Removes values that are in use as secrets from a text. */
  readonly hide: (text: string) => Promise<string>;
  /** A channel was added or removed: waiting answers may be sent. */
  readonly onChange: () => void;
}

/**
 * The channels of one run: those of the host and of the settings; setting changes apply at once.
 */
export interface Channels {
  list(): readonly Channel[];
  names(): readonly string[];
  /** Restart notices go here first; `desktop` is an alias for the window. */
  defaultName(): string;
  /** True during quiet hours or the desktop's do-not-disturb. PH-07 */
  isQuiet(): boolean;
  isOfHost(name: string): boolean;
  spec(name: string): ChannelSettings | undefined;
  /** Applies the settings, for hosts that do not watch for changes. */
  refresh(): void;
  /** A key changed: retries everything that waited for it. */
  keyChanged(name: string): void;
  /**
   * The page on this computer that a channel's signed link opens.
   * @throws CHANNEL_DOWN while none is served
   */
  pageUrl(name: string, token: string): Promise<string>;
  /**
   * A link that subscribes a browser to a channel, by default for its only person.
   * @throws CHANNEL_UNKNOWN, INPUT_INVALID if the channel or person has no subscriptions,
   * CHANNEL_DOWN
   */
  subscribeLink(
    name: string,
    person?: string,
  ): Promise<{ readonly url: string; readonly person: string; readonly untilMs: number }>;
  /** The port that receives webhooks; a sentence if it should be open and is not. */
  inbound(): { readonly port?: number; readonly problem?: string };
  readonly tokenPath: string;
  start(intakeOf: (channel: string) => Intake): void;
  /** Accepts nothing more. */
  stop(): Promise<void>;
}

interface Own {
  readonly spec: ChannelSettings;
  readonly channel: Channel;
}

const isOn = (spec: ChannelSettings): boolean => spec.enabled !== false;
/** Messages for it are sent to this computer. */
export const isSentTo = (spec: ChannelSettings): boolean =>
  isOn(spec) && kindOf(spec).listens(spec) === 'is_sent';

/** True if it uses pages on this computer. */
const hasPages = (spec: ChannelSettings): boolean =>
  isOn(spec) && kindOf(spec).hasPage(spec) && (spec.kind === 'webpush' || isAnsweredHere(spec));

/** Answers to its questions are sent to this computer. */
const isAnsweredHere = (spec: ChannelSettings): boolean =>
  isOn(spec) && spec.questions === true && kindOf(spec).takesAnswers(spec);

export function createChannels(deps: ChannelsDeps): Channels {
  const { settings } = deps;
  const hostChannels = deps.hostChannels.map((one) => withoutSecrets(one, deps.hide));
  const own = new Map<string, Own>();
  const onUnknownSender = createUnknownSenders(deps.audit);
  const onRefused = createRefusedRequests(deps);
  const onRefusedLink = createRefusedAnswers(deps);
  let intakeOf: ((channel: string) => Intake) | undefined;
  let server: LoopbackServer | undefined;
  let problem: string | undefined;
  /** One change of the server at a time. */
  let settled: Promise<void> = Promise.resolve();
  let unfollow = (): void => undefined;

  const begin = (name: string, { channel, spec }: Own): void => {
    if (intakeOf !== undefined && isOn(spec)) channel.start?.(intakeOf(name));
  };
  /** Applies the settings; unchanged channels continue without interruption. */
  const adopt = (): void => {
    const wanted = settings.get('channels.own');
    for (const [name, { spec, channel }] of own) {
      if (JSON.stringify(wanted[name]) === JSON.stringify(spec)) continue;
      channel.stop?.();
      own.delete(name);
      if (wanted[name] === undefined) deps.breakers.forget(breakerNames.channel(name));
    }
    for (const [name, spec] of Object.entries(wanted)) {
      if (own.has(name) || hostChannels.some((one) => one.name === name)) continue;
      const made = {
        spec,
        channel: withoutSecrets(
          lazyChannel(name, spec, () =>
            deps.load(name, spec, (peer) => onUnknownSender(name, peer)),
          ),
          deps.hide,
        ),
      };
      own.set(name, made);
      begin(name, made);
    }
  };

  /** Retries everything that waited for the channel. */
  const retry = (name: string): void => {
    const one = own.get(name);
    if (one === undefined) return;
    deps.breakers.forget(breakerNames.channel(name));
    begin(name, one);
    deps.onChange();
  };
  const pageUrl = async (name: string, token: string): Promise<string> => {
    await settled;
    if (server === undefined)
      throw new HoldfastError('CHANNEL_DOWN', `${name}: its pages are not served now.`, {
        hint: 'It is tried again. Holdfast has to be running and its port free.',
        retryable: true,
      });
    const address = settings.get('channels.address');
    const origin = address === '' ? `http://127.0.0.1:${String(server.port)}` : address;
    return `${origin}/page/${name}/${token}`;
  };

  /**
   * False while the port for its answers is not open yet: its buttons would not work. A port that
   * cannot be opened blocks no question, because the window accepts the answer too.
   */
  const isHeard = (spec: ChannelSettings): boolean =>
    !(isAnsweredHere(spec) || hasPages(spec)) || server !== undefined || problem !== undefined;
  const publish = (port: number | undefined): void => {
    problem = deps.inbound.publishPort(port);
    if (problem !== undefined) deps.log.warn('channels.not_published', { problem });
  };
  const close = async (): Promise<void> => {
    await server?.stop();
    server = undefined;
    publish(undefined);
  };
  const open = async (): Promise<void> => {
    server = await deps.inbound.open((name) => {
      const found = own.get(name);
      if (found === undefined || intakeOf === undefined) return undefined;
      const { spec } = found;
      const isAnswered = isAnsweredHere(spec);
      if (!isListening(spec)) return undefined;
      return {
        intake: intakeOf(name),
        newAgent: agentOf(spec),
        hears: isSentTo(spec),
        sign: isAnswered ? (...given) => deps.tokens.sign(name, spec, ...given) : undefined,
        page: hasPages(spec) ? pageWay(deps, name, onRefusedLink, () => retry(name)) : undefined,
      };
    }, onRefused);
    publish(server.port);
    deps.audit.record('channels_listening', { port: server.port });
  };
  /** Listens while a configured channel is inbound; reopens if the port changed. */
  const listen = (isPortNew: boolean): void => {
    settled = settled.then(async () => {
      const isWanted =
        intakeOf !== undefined && [...own.values()].some(({ spec }) => isListening(spec));
      if (server !== undefined && (!isWanted || isPortNew)) await close();
      else if (server === undefined) problem = undefined;
      if (!isWanted || server !== undefined) return;
      try {
        await open();
      } catch (error) {
        problem = toHoldfastError(error).message;
        deps.log.warn('channels.not_listening', { error });
      }
      deps.onChange();
    });
  };

  adopt();
  return {
    tokenPath: deps.inbound.tokenPath,
    list: () => {
      const window = hostChannels.filter((one) => one.name === 'window');
      const others = hostChannels.filter((one) => one.name !== 'window');
      const last = settings.get('reminders.escalate_to');
      const all = [...own.values()].map((one) => {
        const { questions, ...channel } = asWanted(one, last, settings.get('digest.at'));
        return questions === undefined
          ? channel
          : { ...channel, questions: { ...questions, isHeard: () => isHeard(one.spec) } };
      });
      return [...others, ...all, ...window];
    },
    names: () => [...hostChannels.map((one) => one.name), ...own.keys()],
    defaultName() {
      return channelNamed(settings.get('channels.default'));
    },
    isQuiet: () =>
      hostChannels.some(({ timed }) => timed?.isHeld() === true) ||
      quietUntilMs(settings.get('notifications.quiet_hours'), deps.clock.nowMs()) !== undefined,
    isOfHost: (name) => hostChannels.some((one) => one.name === name),
    spec: (name) => own.get(name)?.spec,
    refresh: adopt,
    keyChanged: retry,
    pageUrl,
    subscribeLink: async (name, person) => {
      const untilMs = deps.clock.nowMs() + SUBSCRIBE_MS;
      const who = subscriberIn(own.get(name)?.spec, name, person);
      const token = await deps.tokens.make(name, who, untilMs);
      return { url: await pageUrl(name, token), person: who, untilMs };
    },
    inbound: () => ({
      ...(server === undefined ? {} : { port: server.port }),
      ...(problem === undefined ? {} : { problem }),
    }),
    start(of) {
      intakeOf = of;
      for (const channel of hostChannels) channel.start?.(of(channel.name));
      for (const [name, one] of own) begin(name, one);
      unfollow = settings.onChange((keys) => {
        if (!keys.some((key) => key.startsWith('channels.'))) return;
        adopt();
        listen(keys.includes('channels.port'));
        deps.onChange();
      });
      listen(false);
    },
    async stop() {
      unfollow();
      intakeOf = undefined;
      for (const channel of hostChannels) channel.stop?.();
      for (const { channel } of own.values()) channel.stop?.();
      await settled;
      await close();
    },
  };
}

const isListening = (spec: ChannelSettings): boolean =>
  isSentTo(spec) || isAnsweredHere(spec) || hasPages(spec);

/** Lifetime of a link that subscribes a browser, which is opened at once. */
const SUBSCRIBE_MS = 15 * 60_000;

const pageWay = (
  { audit, tokens }: ChannelsDeps,
  channel: string,
  refused: ReturnType<typeof createRefusedAnswers>,
  onSubscribed: () => void,
): NonNullable<ReturnType<InboundWay>>['page'] => ({
  subscriber: (token) => tokens.read(channel, token),
  onRefused: () => refused({ channel, reason: 'FORGED' }),
  onSubscribed(person) {
    audit.record('push_subscribed', { channel, person });
    onSubscribed();
  },
});

/** The person whose browser a link subscribes. */
function subscriberIn(
  spec: ChannelSettings | undefined,
  name: string,
  person: string | undefined,
): string {
  if (spec === undefined)
    throw new HoldfastError('CHANNEL_UNKNOWN', `There is no channel "${name.slice(0, 60)}".`, {
      hint: 'List them: holdfast channels list',
    });
  if (spec.kind !== 'webpush')
    throw new HoldfastError('INPUT_INVALID', `"${name}" is a ${spec.kind} channel.`, {
      hint: 'Only a webpush channel has browsers that subscribe.',
    });
  const people = pushPeople(spec);
  const found = person ?? (people.length === 1 ? people[0] : undefined);
  if (found !== undefined && people.includes(found)) return found;
  throw new HoldfastError(
    'INPUT_INVALID',
    person === undefined
      ? `Several people decide on "${name}".`
      : `"${person.slice(0, 60)}" is not listed on "${name}".`,
    { hint: `Choose one of: ${people.join(', ').slice(0, 200)}.` },
  );
}

const agentOf = (spec: ChannelSettings): string | undefined =>
  'agent' in spec ? spec.agent : undefined;

/** A channel whose code is loaded on first use: most starts have none. */
function lazyChannel(
  name: string,
  spec: ChannelSettings,
  loadNow: () => Promise<Configured>,
): Channel {
  const kind = kindOf(spec);
  let loading: Promise<Configured> | undefined;
  let isStopped = true;
  const load = (): Promise<Configured> => (loading ??= loadNow());
  return {
    name,
    speaks: kind.speaks(spec),
    showsRepeats: kind.showsRepeats,
    isReady: () => isOn(spec),
    ...(spec.questions === true && isOn(spec) ? { questions: questionRules(spec) } : {}),
    deliver: async (delivery, signal) => (await load()).deliver(delivery, signal),
    ...(kind.hasButtons
      ? {
          async ask(...given: Parameters<NonNullable<Channel['ask']>>) {
            const { ask } = await load();
            if (ask === undefined) throw refusedHere(name);
            return ask(...given);
          },
          async edit(...given: Parameters<NonNullable<Channel['edit']>>) {
            await (await load()).edit?.(...given);
          },
        }
      : {}),
    // Inbound messages arrive through the server that all channels share.
    ...(kind.listens(spec) === 'asks'
      ? {
          start(intake: Intake) {
            isStopped = false;
            void load().then((channel) => {
              if (!isStopped) channel.start?.(intake);
            });
          },
          stop() {
            isStopped = true;
            void loading?.then((channel) => channel.stop?.());
          },
        }
      : {}),
  };
}

/** Effects of other settings on a channel: asked last, digest once a day. */
function asWanted({ spec, channel }: Own, last: string, digestAt: string): Channel {
  const at = spec.digest ?? digestAt;
  const isLast = channel.name === last && channel.questions === undefined;
  return {
    ...channel,
    ...(isLast && isOn(spec) && channel.speaks !== false
      ? { questions: { ...questionRules(spec), isEscalation: true } }
      : {}),
    ...(at === '' || at === 'off' || channel.speaks === false ? {} : { digestAt: at }),
  };
}

/** Rules for questions on a channel, from its settings. */
function questionRules(spec: ChannelSettings): QuestionRules {
  const decide = 'decide' in spec ? spec.decide : undefined;
  return {
    showsInput: spec.show_input === true,
    ...(decide === undefined
      ? {}
      : {
          decide: {
            people: decide.people,
            calls: decide.calls ?? 'all',
            agents: Object.fromEntries(
              (decide.agents ?? []).map(({ agent, calls }) => [agent, calls]),
            ),
          },
        }),
  };
}

const refusedHere = (name: string): HoldfastError =>
  new HoldfastError('CHANNEL_REFUSED', `${name}: it has no buttons.`);

/**
 * After this time Telegram restarts its update numbers, and an old number would hide new updates.
 */
const OFFSET_HOLDS_MS = 6 * 86_400_000;

interface OffsetDeps extends Pick<Basics, 'clock' | 'crashPoints'> {
  readonly journal: Pick<Journal, 'commit'>;
  readonly reads: Pick<JournalReads, 'channelRow'>;
}

/** The offset of the channel's next messages, on disk. */
export const savedOffset = (
  { journal, reads, clock, crashPoints }: OffsetDeps,
  channel: string,
): { read(): number | undefined; write(offset: number): Promise<void> } => ({
  read() {
    const { offset, offsetAtMs = 0 } = reads.channelRow(channel);
    return clock.nowMs() - offsetAtMs > OFFSET_HOLDS_MS ? undefined : offset;
  },
  async write(offset) {
    crashPoints.hit('channel.offset.before');
    await journal.commit([{ kind: 'channel.offset', channel, offset }]);
    crashPoints.hit('channel.offset.after');
  },
});

const MAX_UNKNOWN_SENDERS = 1_000;

/** Reports a repeated unknown sender once per run. */
function createUnknownSenders(audit: Audit): (channel: string, peer: string) => void {
  const known = new Set<string>();
  return (channel, peer) => {
    const key = `${channel} ${peer}`;
    if (known.has(key) || known.size >= MAX_UNKNOWN_SENDERS) return;
    known.add(key);
    audit.record('inbound_refused', { channel, peer });
  };
}
