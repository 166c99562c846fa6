/** Text that a person has typed and not sent: kept on disk until it is sent or emptied. */
import { z } from 'zod';

/** Longer texts are not kept; the field says so. */
export const MAX_UNSENT_CHARS = 262_144;

/**
 * The field that it stands in: a box to ask an agent, the message of a session, a form, the note or
 * the result of a question. A form with a field for a key has no name here, so that none is ever kept.
 */
export const unsentField = z
  .string()
  .max(120)
  .regex(
    /^(?:ask|sessions|(?:session|note|result)\/[1-9]\d{0,14}|task\/(?:new|[1-9]\d{0,14})|agent\/(?:new|of-[^\p{Cc}]{1,64}))$/u,
  );

/** Counts up with each change of a field; a clock, so that two windows need not agree. */
const rev = z.number().int().positive();

export const unsentText = z.strictObject({
  text: z.string().max(MAX_UNSENT_CHARS),
  rev,
});
export type UnsentText = z.infer<typeof unsentText>;

/** Says with a request which kept text it is: gone in the commit that accepts it, or still there. */
export const sentText = z.strictObject({ field: unsentField, rev });
export type SentText = z.infer<typeof sentText>;
