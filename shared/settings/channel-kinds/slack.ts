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
export const SLACK_URL = 'https://slack.com/api';

/** An app of Slack in Socket Mode: it needs no public address. */
export const slack = once(() =>
  z
    .strictObject({
      kind: z.literal('slack'),
      ...common(),
      ...tokenFields(),
      /**
       * Channels that may start work and receive messages; no other may. Every member of a listed
       * channel may start work. Notices go to the first one.
       */
      chats: z
        .array(z.string().regex(/^[CDG][A-Z0-9]{2,20}$/, 'a channel ID looks like "C0123456789"'))
        .min(1)
        .max(100),
      base_url: url().optional(),
      agent: agent(),
      decide: decide('slack').optional(),
    })
    .refine((one) => one.token_env === undefined || one.token_file === undefined, {
      error: 'set the token with token_env or token_file, not both',
    }),
);

export const SLACK: ChannelKind<z.infer<ReturnType<typeof slack>>> = {
  listens: () => 'asks',
  speaks: () => true,
  showsRepeats: true,
  hasButtons: true,
  takesAnswers: () => false,
  hasPage: () => false,
  keyPlace: tokenPlace,
  lightCheck: ({ base_url = SLACK_URL }) => ({ url: base_url }),
  options: {
    ...COMMON,
    ...DECIDING,
    ...WITH_TOKEN,
    chats: 'chats',
    baseUrl: 'base_url',
    agent: 'agent',
  },
};
