/** Text of another computer, as it is read here: bounded, and nothing in it steers what shows it. Pure. HO-03 */
import { z } from 'zod';

/** Characters that steer what shows them, or hide. */
const ACTIVE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Foreign text on one line, cut. */
export const line = (max: number) =>
  z.string().transform((whole) =>
    whole
      .slice(0, max * 4)
      .replace(ACTIVE, ' ')
      .replace(/\s+/gu, ' ')
      .trim()
      .slice(0, max),
  );

/** Foreign text on several lines: what is hidden in it shows that it is there. */
export const lines = (max: number) =>
  z
    .string()
    .max(max)
    .transform((whole) =>
      whole.replace(ACTIVE, (char) => (char === '\n' || char === '\t' ? char : '\ufffd')),
    );
