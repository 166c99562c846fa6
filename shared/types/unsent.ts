/** Text that the user typed and did not send: on disk until it is sent or emptied. */
import { z } from 'zod';

/** Longer texts are not stored; the field shows that. */
export const MAX_UNSENT_CHARS = 262_144;

/**
 * The field that contains it: an input for an agent or a session, a form, the note or the result of
 * a question. A form with a field for a key has no name here, so it is never stored.
 */
export const unsentField = z
  .string()
  .max(120)
  .regex(
    /^(?:ask|sessions|quick|(?:session|note|result)\/[1-9]\d{0,14}|task\/(?:new|[1-9]\d{0,14})|agent\/(?:new|of-[^\p{Cc}]{1,64}))$/u,
  );

/** Counts up with each change of a field; a clock, so that two windows need not agree. */
const rev = z.number().int().positive();

export const unsentText = z.strictObject({
  text: z.string().max(MAX_UNSENT_CHARS),
  rev,
});
export type UnsentText = z.infer<typeof unsentText>;

/**
 * Sent with a request to identify its stored text: removed in the commit that accepts it, else
 * still there.
 */
export const sentText = z.strictObject({ field: unsentField, rev });
export type SentText = z.infer<typeof sentText>;
