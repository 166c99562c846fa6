import fs from 'node:fs';
import path from 'node:path';
import type { ChannelSettings } from '../../shared/settings/channels';
import { channelNamed } from '../../shared/channel-names';
import type { StatusSnapshot } from '../../shared/types';
import type { OwnChannelDeps } from '../adapters/channels';
import { writeForThisRunSync } from '../disk/durable-file';
import { resolveProviderKey } from '../adapters/secrets/provider-key';
import { breakerNames } from '../engine/breaker/names';
import { HoldfastError, toHoldfastError } from '../engine/kernel/errors';
import type { Breakers } from '../ports/breakers';
import type { Channel, Intake } from '../ports/channel';
import type { LoopbackServer } from '../ports/loopback';
import type { PartDeps } from './core';
import { childEnvironment } from '../adapters/shell/login-environment';

interface ChannelsPartDeps extends PartDeps<
  | 'dataDir'
  | 'version'
  | 'settings'
  | 'keys'
  | 'journal'
  | 'reads'
  | 'clock'
  | 'crashPoints'
  | 'audit'
  | 'log'
  | 'loginEnvironment'
  | 'ownEnvironment'
> {
  readonly breakers: () => Breakers;
  /** Channels that come with the host; the window is the last. */
  readonly hostChannels: readonly Channel[];
  /** Where the port that it got is told. */
  readonly ports: NonNullable<StatusSnapshot['ports']>;
  /** Another channel is there, or one is not: what waits may go. */
  readonly onChange: () => void;
}

/** The channels of one run: those of the host, and those of the settings, hot. */
export interface ChannelsPart {
  list(): readonly Channel[];
  names(): readonly string[];
  /** Restart notices go here first; `desktop` is another word for the window. */
  defaultName(): string;
  isOfHost(name: string): boolean;
  spec(name: string): ChannelSettings | undefined;
  /** Takes over what the settings say, where nobody follows their changes. */
  refresh(): void;
  /** Another key is there: what waited for it is tried at once. */
  keyChanged(name: string): void;
  /** Where webhooks are heard; a sentence where they should be and are not. */
  inbound(): { readonly port?: number; readonly problem?: string };
  readonly tokenPath: string;
  start(intakeOf: (channel: string) => Intake): void;
  /** Nothing is taken in after this. */
  stop(): Promise<void>;
}

interface Own {
  readonly spec: ChannelSettings;
  readonly channel: Channel;
}

/** After this Telegram numbers its updates anew, and an old number would hide them. */
const OFFSET_HOLDS_MS = 6 * 86_400_000;

const isOn = (spec: ChannelSettings): boolean => spec.enabled !== false;
const hears = (spec: ChannelSettings): boolean =>
  isOn(spec) && spec.kind === 'webhook' && spec.inbound === true;

export function createChannelsPart(deps: ChannelsPartDeps): ChannelsPart {
  const { settings } = deps;
  const own = new Map<string, Own>();
  const ownDeps = adapterDeps(deps);
  let intakeOf: ((channel: string) => Intake) | undefined;
  let server: LoopbackServer | undefined;
  let problem: string | undefined;
  /** One change of the server after the other. */
  let settled: Promise<void> = Promise.resolve();
  let unfollow = (): void => undefined;
  const portFile = path.join(deps.dataDir, 'run', 'channels.port');
  const tokenPath = path.join(deps.dataDir, 'channels.token');

  const begin = (name: string, { channel, spec }: Own): void => {
    if (intakeOf !== undefined && isOn(spec)) channel.start?.(intakeOf(name));
  };
  /** Takes over what the settings say; what is the same goes on undisturbed. */
  const adopt = (): void => {
    const wanted = settings.get('channels.own');
    for (const [name, { spec, channel }] of own) {
      if (JSON.stringify(wanted[name]) === JSON.stringify(spec)) continue;
      channel.stop?.();
      own.delete(name);
      if (wanted[name] === undefined) deps.breakers().forget(breakerNames.channel(name));
    }
    for (const [name, spec] of Object.entries(wanted)) {
      if (own.has(name) || deps.hostChannels.some((one) => one.name === name)) continue;
      const made = { spec, channel: lazyChannel(name, spec, ownDeps) };
      own.set(name, made);
      begin(name, made);
    }
  };

  const close = async (): Promise<void> => {
    await server?.stop();
    server = undefined;
    delete deps.ports.channels;
    fs.rmSync(portFile, { force: true });
  };
  const open = async (): Promise<void> => {
    const { openInbound } = await import('../adapters/channels');
    server = await openInbound({
      port: settings.get('channels.port'),
      tokenPath,
      log: deps.log,
      intakeOf(name) {
        const found = own.get(name);
        return found === undefined || intakeOf === undefined || !hears(found.spec)
          ? undefined
          : { intake: intakeOf(name), newAgent: agentOf(found.spec) };
      },
    });
    deps.ports.channels = server.port;
    writeForThisRunSync(portFile, `${String(server.port)}\n`);
    deps.audit.record('channels_listening', { port: server.port });
  };
  /** Listens while somebody of the settings hears; again at another port where that has changed. */
  const listen = (isPortNew: boolean): void => {
    settled = settled.then(async () => {
      const isWanted = intakeOf !== undefined && [...own.values()].some(({ spec }) => hears(spec));
      if (server !== undefined && (!isWanted || isPortNew)) await close();
      problem = undefined;
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
    tokenPath,
    list: () => {
      const window = deps.hostChannels.filter((one) => one.name === 'window');
      const others = deps.hostChannels.filter((one) => one.name !== 'window');
      return [...others, ...[...own.values()].map(({ channel }) => channel), ...window];
    },
    names: () => [...deps.hostChannels.map((one) => one.name), ...own.keys()],
    defaultName() {
      return channelNamed(settings.get('channels.default'));
    },
    isOfHost: (name) => deps.hostChannels.some((one) => one.name === name),
    spec: (name) => own.get(name)?.spec,
    refresh: adopt,
    keyChanged(name) {
      const one = own.get(name);
      if (one === undefined) return;
      deps.breakers().forget(breakerNames.channel(name));
      begin(name, one);
      deps.onChange();
    },
    inbound: () => ({
      ...(server === undefined ? {} : { port: server.port }),
      ...(problem === undefined ? {} : { problem }),
    }),
    start(of) {
      intakeOf = of;
      for (const channel of deps.hostChannels) channel.start?.(of(channel.name));
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
      for (const channel of deps.hostChannels) channel.stop?.();
      for (const { channel } of own.values()) channel.stop?.();
      await settled;
      await close();
    },
  };
}

const agentOf = (spec: ChannelSettings): string | undefined =>
  'agent' in spec ? spec.agent : undefined;

/** Under which its key is stored; no provider can have this name. */
export const channelKeyName = (channel: string): string => `channel ${channel}`;

/** Where the settings say that a secret is, as the keys of providers are named. */
export function keySettings({
  env,
  file,
}: {
  readonly env: string | undefined;
  readonly file: string | undefined;
}): { api_key_env?: string; api_key_file?: string } {
  return {
    ...(env === undefined ? {} : { api_key_env: env }),
    ...(file === undefined ? {} : { api_key_file: file }),
  };
}

/** Where a channel that sends with a key has it; undefined for one that needs none. */
export function keyPlace(
  spec: ChannelSettings,
): { readonly env: string | undefined; readonly file: string | undefined } | undefined {
  switch (spec.kind) {
    case 'telegram':
      return { env: spec.token_env, file: spec.token_file };
    case 'webhook':
      return spec.url === undefined ? undefined : { env: spec.secret_env, file: spec.secret_file };
    case 'command':
      return undefined;
  }
}

/** A channel whose code is loaded with its first use: most starts have none. */
function lazyChannel(name: string, spec: ChannelSettings, deps: OwnChannelDeps): Channel {
  let loading: Promise<Pick<Channel, 'deliver' | 'start' | 'stop'>> | undefined;
  let isStopped = true;
  const load = (): NonNullable<typeof loading> =>
    (loading ??= import('../adapters/channels').then(({ createOwnChannel }) =>
      createOwnChannel(name, spec, deps),
    ));
  return {
    name,
    speaks: spec.kind !== 'webhook' || spec.url !== undefined,
    // A webhook's receiver has the id in body and header; a chat has no use for it.
    showsRepeats: spec.kind !== 'webhook',
    isReady: () => isOn(spec),
    deliver: async (delivery, signal) => (await load()).deliver(delivery, signal),
    // A webhook hears through the server that all of them share; a program hears nothing.
    ...(spec.kind === 'telegram'
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

function adapterDeps(deps: ChannelsPartDeps): OwnChannelDeps {
  const strangers = new Set<string>();
  return {
    clock: deps.clock,
    log: deps.log,
    version: deps.version,
    breaker: (channel) => deps.breakers().of(breakerNames.channel(channel), 'channel'),
    async secret(channel, { env, file }) {
      const found = await resolveProviderKey(
        channelKeyName(channel),
        keySettings({ env, file }),
        deps.keys,
      );
      if (found !== undefined) return found.key;
      if (env === undefined) return undefined;
      throw new HoldfastError(
        'SECRET_UNREADABLE',
        `The secret of the channel "${channel}" is not there: the variable ${env} is not set.`,
        { hint: 'Nothing was sent. Set it in the environment of Holdfast, or store it.' },
      );
    },
    hide: (text) => deps.keys.redactor?.redactText(text) ?? text,
    async environment(declared, markers) {
      return (await childEnvironment(deps, declared, markers)).env;
    },
    offset: (channel) => ({
      read() {
        const { offset, offsetAtMs = 0 } = deps.reads.channelRow(channel);
        return deps.clock.nowMs() - offsetAtMs > OFFSET_HOLDS_MS ? undefined : offset;
      },
      async write(offset) {
        deps.crashPoints.hit('channel.offset.before');
        await deps.journal.commit([{ kind: 'channel.offset', channel, offset }]);
        deps.crashPoints.hit('channel.offset.after');
      },
    }),
    onStranger(channel, peer) {
      const key = `${channel} ${peer}`;
      // Whoever writes again and again is told of once in a run.
      if (strangers.has(key) || strangers.size >= MOST_STRANGERS) return;
      strangers.add(key);
      deps.audit.record('inbound_refused', { channel, peer });
    },
  };
}

const MOST_STRANGERS = 1_000;
