import { z } from 'zod';
import {
  agent,
  COMMON,
  common,
  DECIDING,
  decide,
  tokenFields,
  tokenPlace,
  url,
  WITH_TOKEN,
  type ChannelKind,
} from '../channel-parts';

/** A bot with a token, which asks its service for what is written in its chats. */
export const bot = <Kind extends 'telegram' | 'slack' | 'discord'>(
  kind: Kind,
  chat: { readonly form: RegExp; readonly error: string },
) =>
  z
    .strictObject({
      kind: z.literal(kind),
      ...common(),
      ...tokenFields(),
      /**
       * Chats or channels that may start work and receive messages; no other may. Every member of a
       * listed one may start work. Notices go to the first one.
       */
      chats: z.array(z.string().regex(chat.form, chat.error)).min(1).max(100),
      base_url: url().optional(),
      agent: agent(),
      decide: decide(kind).optional(),
    })
    .refine((one) => one.token_env === undefined || one.token_file === undefined, {
      error: 'set the token with token_env or token_file, not both',
    });

/** `address`: where the settings name no other. */
export const botKind = (address: string): ChannelKind<z.infer<ReturnType<typeof bot>>> => ({
  listens: () => 'asks',
  speaks: () => true,
  showsRepeats: true,
  hasButtons: true,
  takesAnswers: () => false,
  hasPage: () => false,
  keyPlace: tokenPlace,
  lightCheck: ({ base_url = address }) => ({ url: base_url }),
  options: {
    ...COMMON,
    ...DECIDING,
    ...WITH_TOKEN,
    chats: 'chats',
    baseUrl: 'base_url',
    agent: 'agent',
  },
});
