import path from 'node:path';
import { once } from '../../shared/once';
import { durationMs } from '../../shared/settings';
import { kindOf } from '../../shared/settings/channels';
import { childEnvironment } from '../adapters/shell/login-environment';
import { writePortFile } from '../disk/port-file';
import { inTurns } from '../read-in-slices';
import { breakerNames } from '../engine/breaker/names';
import { createChannels, savedOffset, type Channels } from '../engine/replies/channels';
import { createAnswerTokens } from '../engine/replies/answer-tokens';
import type { LazyQuestions } from '../engine/replies/lazy-questions';
import { createReplies, type Replies } from '../engine/replies/replies';
import { timedReplies } from '../engine/replies/timed-answers';
import type { Schedule } from '../engine/schedule/schedule';
import { createInbound } from '../engine/sessions/inbound';
import type { SessionsRoom } from '../engine/sessions/intake';
import type { AnswerSeal } from '../ports/answer-seal';
import type { Breakers } from '../ports/breakers';
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
  const { ports = {} } = core;
  const { log } = core;
  const { desktop, channels = [] } = compose;
  const tokenPath = path.join(dataDir, 'channels.token');
  const tokens = createAnswerTokens({ ...core, seal });
  const push = once(async () => {
    const { openSubscriptions } = await import('../adapters/channels/webpush/subscriptions');
    return openSubscriptions(dataDir, core.crashPoints);
  });
  const channelsPart = createChannels({
    ...core,
    breakers,
    tokens,
    hostChannels: [...channels, ...(desktop === undefined ? [] : [desktop.channel])],
    hide: (text) => inTurns(core.redactor.hideKnown(text)),
    async load(name, spec, onUnknownSender) {
      const [{ createConfiguredChannel }, { channelSecret }] = await Promise.all([
        import('../adapters/channels/configured-channel'),
        import('../adapters/channels/channel-secret'),
      ]);
      const place = kindOf(spec).keyPlace(spec);
      return createConfiguredChannel({
        ...core,
        version: core.version,
        name,
        spec,
        timeoutMs: durationMs(spec.timeout ?? '10s'),
        breaker: () => breakers.of(breakerNames.channel(name), 'channel'),
        secret: () => channelSecret(name, place, core.keys),
        program: {
          hide: (text) => core.keys.redactor?.redactText(text) ?? text,
          environment: async (declared, markers) =>
            (await childEnvironment(core, declared, markers)).env,
        },
        answers: {
          sign: (person, data) => tokens.sign(name, spec, person, data),
          pageUrl: (token) => channelsPart.pageUrl(name, token),
          browsers: push,
        },
        offset: savedOffset(core, name),
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
        return writePortFile(dataDir, 'channels', port);
      },
    },
    onChange: () => {
      if (core.isRunning()) onReachable();
      core.changed();
    },
  });
  return channelsPart;
}

export const createRepliesPart = (
  core: Core,
  rooms: {
    readonly breakers: Breakers;
    readonly channels: Channels;
    readonly questions: Pick<LazyQuestions, 'sender'>;
  },
): Replies =>
  createReplies({
    ...core,
    ...rooms,
    questions: rooms.questions.sender,
    timed: timedReplies({ ...core, ...rooms }),
  });

/** Messages of channels become turns, or start tasks. */
export const createInboundPart = (
  core: Core,
  rooms: { readonly sessions: SessionsRoom; readonly schedule: Schedule },
): ReturnType<typeof createInbound> =>
  createInbound({
    ...core,
    ...rooms,
    offerToTasks: (channel, message) => rooms.schedule.triggers.offer(channel, message),
  });
