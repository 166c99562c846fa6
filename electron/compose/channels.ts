import path from 'node:path';
import { durationMs } from '../../shared/settings';
import { answersCountFor, kindOf, type ChannelSettings } from '../../shared/settings/channels';
import { childEnvironment } from '../adapters/shell/login-environment';
import { writePortFile } from '../disk/port-file';
import { inTurns } from '../read-in-slices';
import { breakerNames } from '../engine/breaker/names';
import { createChannels, savedOffset, type Channels } from '../engine/replies/channels';
import { makeSubscribeToken, makeToken, readSubscribeToken } from '../engine/replies/answer-tokens';
import type { AnswerSeal } from '../ports/answer-seal';
import type { Breakers } from '../ports/breakers';
import type { PushSubscriptions } from '../ports/push';
import type { Core } from './core';

/** Opened with the first answer that is signed or read; its key is made then, once. */
export function answerSeal({ dataDir }: Core): () => Promise<AnswerSeal> {
  let opening: Promise<AnswerSeal> | undefined;
  return () =>
    (opening ??= import('../adapters/channels/answer-seal')
      .then(({ openAnswerSeal }) => openAnswerSeal(path.join(dataDir, 'answers.key')))
      .catch((error: unknown) => {
        opening = undefined;
        throw error;
      }));
}

/**
 * The channels of one run; the code of those of the settings is loaded with the first use of one.
 */
export function createChannelsPart(
  core: Core,
  { breakers, seal }: { readonly breakers: Breakers; readonly seal: () => Promise<AnswerSeal> },
  onReachable: () => void,
): Channels {
  const { compose, settings, dataDir } = core;
  const { ports = {} } = core.life;
  const { log } = core.records;
  const { desktop, channels = [] } = compose;
  const tokenPath = path.join(dataDir, 'channels.token');
  const sign = async (
    channel: string,
    spec: ChannelSettings,
    person: string,
    data: string,
  ): Promise<string> => {
    const untilMs = core.world.clock.nowMs() + durationMs(answersCountFor(spec));
    return makeToken({ channel, person, data, untilMs }, await seal());
  };
  let opened: Promise<PushSubscriptions> | undefined;
  const push = (): Promise<PushSubscriptions> =>
    (opened ??= import('../adapters/channels/webpush/subscriptions').then((code) =>
      code.openSubscriptions(dataDir, core.world.crashPoints),
    ));
  const channelsPart = createChannels({
    ...core.world,
    ...core.records,
    settings: core.settings,
    breakers,
    tokens: {
      sign,
      make: async (channel, person, untilMs) =>
        makeSubscribeToken({ channel, person, untilMs }, await seal()),
      read: async (channel, token) =>
        readSubscribeToken(token, { channel, nowMs: core.world.clock.nowMs(), seal: await seal() }),
    },
    hostChannels: [...channels, ...(desktop === undefined ? [] : [desktop.channel])],
    hide: (text) => inTurns(core.secrets.redactor.hideKnown(text)),
    async load(name, spec, onUnknownSender) {
      const [{ createConfiguredChannel }, { channelSecret }] = await Promise.all([
        import('../adapters/channels/configured-channel'),
        import('../adapters/channels/channel-secret'),
      ]);
      const place = kindOf(spec).keyPlace(spec);
      return createConfiguredChannel({
        ...core.world,
        ...core.records,
        version: core.version,
        name,
        spec,
        timeoutMs: durationMs(spec.timeout ?? '10s'),
        breaker: () => breakers.of(breakerNames.channel(name), 'channel'),
        secret: () => channelSecret(name, place, core.secrets.keys),
        program: {
          hide: (text) => core.secrets.keys.redactor?.redactText(text) ?? text,
          environment: async (declared, markers) =>
            (await childEnvironment(core.world, declared, markers)).env,
        },
        answers: {
          sign: (person, data) => sign(name, spec, person, data),
          pageUrl: (token) => channelsPart.pageUrl(name, token),
          browsers: push,
        },
        offset: savedOffset({ ...core.world, ...core.disk }, name),
        onUnknownSender,
      });
    },
    inbound: {
      tokenPath,
      async open(intakeOf, onRefused) {
        const { openInbound } = await import('../adapters/channels/inbound-server');
        return openInbound({
          port: settings.get('channels.port'),
          tokenPath,
          log,
          intakeOf,
          address: () => settings.get('channels.address'),
          push,
          onRefused,
        });
      },
      publishPort(port) {
        if (port === undefined) delete ports.channels;
        else ports.channels = port;
        writePortFile(dataDir, 'channels', port);
      },
    },
    onChange: () => {
      if (core.life.isRunning()) onReachable();
      core.told.changed();
    },
  });
  return channelsPart;
}
