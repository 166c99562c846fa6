import { z } from 'zod';
import { once } from '../../once';
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

/** Where the settings name no other address. */
export const DISCORD_URL = 'https://discord.com/api/v10';

/** A bot of Discord, at its gateway. */
export const discord = once(() =>
  z
    .strictObject({
      kind: z.literal('discord'),
      ...common(),
      ...tokenFields(),
      /**
       * Channels that may start work and receive messages; no other may. Every member of a listed
       * channel may start work. Notices go to the first one.
       */
      chats: z
        .array(z.string().regex(/^\d{5,20}$/, 'a channel ID is a number written as text'))
        .min(1)
        .max(100),
      base_url: url().optional(),
      agent: agent(),
      decide: decide('discord').optional(),
    })
    .refine((one) => one.token_env === undefined || one.token_file === undefined, {
      error: 'set the token with token_env or token_file, not both',
    }),
);

export const DISCORD: ChannelKind<z.infer<ReturnType<typeof discord>>> = {
  listens: () => 'asks',
  speaks: () => true,
  showsRepeats: true,
  hasButtons: true,
  takesAnswers: () => false,
  hasPage: () => false,
  keyPlace: tokenPlace,
  lightCheck: ({ base_url = DISCORD_URL }) => ({ url: base_url }),
  options: {
    ...COMMON,
    ...DECIDING,
    ...WITH_TOKEN,
    chats: 'chats',
    baseUrl: 'base_url',
    agent: 'agent',
  },
};
