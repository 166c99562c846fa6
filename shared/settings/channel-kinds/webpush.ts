import { z } from 'zod';
import { exactObject } from '../../exact-object';
import { COMMON, common, DECIDING, signedDecide, type ChannelKind } from '../channel-parts';

/** Notifications of browsers that have subscribed; a question opens a page of this computer. */
export const webpush = exactObject(() => ({
  kind: z.literal('webpush'),
  ...common(),
  /** Mail address that browser push services can write to if something goes wrong. */
  contact: z
    .string()
    .max(200)
    .regex(/^[^\s@<>",;:\\()[\]]+@[A-Za-z0-9.-]+$/, 'a mail address looks like "ann@example.com"'),
  /** Names of your choice: each person subscribes their own browsers. */
  decide: signedDecide('named').optional(),
}));

export const WEBPUSH: ChannelKind<z.infer<ReturnType<typeof webpush>>> = {
  listens: () => undefined,
  speaks: () => true,
  // The same message replaces the notification that is shown.
  showsRepeats: false,
  hasButtons: true,
  takesAnswers: ({ decide }) => decide !== undefined,
  hasPage: () => true,
  keyPlace: () => undefined,
  lightCheck: () => undefined,
  options: { ...COMMON, ...DECIDING, contact: 'contact' },
};
