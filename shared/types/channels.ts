/** Status of channels. Shapes that windows, CLI and control socket share. */
import { z } from 'zod';
import { channelKinds } from '../settings/channels';
import { keyView } from './providers';
import { BREAKER_STATES } from '../states';
import { atMs, count, text } from './base';

/** `host`: it comes with the program that Holdfast runs in. */
const SHOWN_KINDS = ['window', ...channelKinds, 'host'] as const;

export const channelView = z.strictObject({
  name: text(64),
  kind: z.enum(SHOWN_KINDS),
  /** Restart notices go here first, and answers whose own channel is gone. */
  isDefault: z.boolean(),
  /** `off`: switched off; `gone`: answers wait for a name that no channel has. */
  state: z.enum(['ready', 'off', 'not_ready', 'gone']),
  speaks: z.boolean(),
  listens: z.boolean(),
  /** Why it does not listen although it should. */
  listenProblem: text(500).optional(),
  /** Where messages are sent to, of a webhook that listens. */
  inboundUrl: text(200).optional(),
  /** Of a kind that sends with one: the token of a bot, the secret of a signature. */
  key: keyView.optional(),
  /** Answers that wait to be taken. */
  pending: count,
  pendingSinceMs: atMs.optional(),
  delivered: count,
  deliveredAtMs: atMs.optional(),
  breaker: z.enum(BREAKER_STATES),
  /** Consecutive failed tries; a success resets it. */
  failures: count,
  lastError: text(500).optional(),
  nextTryAtMs: atMs.optional(),
});
export type ChannelView = z.infer<typeof channelView>;

export const channelList = z.strictObject({
  channels: z.array(channelView).max(1000),
  /** File with the token that senders present; its content is never returned. */
  tokenPath: text(4096),
});
export type ChannelList = z.infer<typeof channelList>;
