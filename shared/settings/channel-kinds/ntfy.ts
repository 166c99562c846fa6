import { z } from 'zod';
import { once } from '../../once';
import {
  COMMON,
  common,
  DECIDING,
  signedDecide,
  tokenFields,
  tokenPlace,
  url,
  WITH_TOKEN,
  type ChannelKind,
} from '../channel-parts';

/** Where the settings name no other server. */
export const NTFY_URL = 'https://ntfy.sh';

const topic = () =>
  z.string().regex(/^[-_A-Za-z0-9]{1,64}$/, 'letters, digits, dashes and underscores, up to 64');

/** A topic of an ntfy server; answers come over a second one. */
export const ntfy = once(() =>
  z
    .strictObject({
      kind: z.literal('ntfy'),
      ...common(),
      ...tokenFields(),
      /** Default: the public server, ntfy.sh. */
      server: url().optional(),
      /** Everyone who knows the topic can read it: choose a name that is hard to guess. */
      topic: topic(),
      /** Topic for the signed answers that the buttons send. */
      reply_topic: topic().optional(),
      /** One name: everyone who reads the topic can press its buttons. */
      decide: signedDecide('named')
        .refine(({ people }) => people.length === 1, { error: 'name one person for a topic' })
        .optional(),
    })
    .refine((one) => one.reply_topic !== one.topic, {
      error: 'use another topic for replies',
    })
    .refine((one) => one.decide === undefined || one.reply_topic !== undefined, {
      error: 'set a reply_topic for the answers',
    })
    .refine((one) => one.token_env === undefined || one.token_file === undefined, {
      error: 'set the token with token_env or token_file, not both',
    }),
);

export const NTFY: ChannelKind<z.infer<ReturnType<typeof ntfy>>> = {
  listens: ({ reply_topic, decide }) =>
    reply_topic === undefined || decide === undefined ? undefined : 'asks',
  speaks: () => true,
  showsRepeats: true,
  hasButtons: true,
  takesAnswers: () => false,
  hasPage: () => false,
  keyPlace: tokenPlace,
  lightCheck: ({ server = NTFY_URL }) => ({ url: server }),
  options: {
    ...COMMON,
    ...DECIDING,
    ...WITH_TOKEN,
    server: 'server',
    topic: 'topic',
    replyTopic: 'reply_topic',
  },
};
