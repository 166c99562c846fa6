/**
 * Reads text from another computer: bounded, and without characters that affect its display. Pure.
 * HO-03
 */
import { z } from 'zod';
import { flatLine, UNSEEN } from './unseen';

/** Untrusted text on one line, truncated. */
export const line = (max: number) =>
  z.string().transform((whole) => flatLine(whole.slice(0, max * 4)).slice(0, max));

/** Untrusted text on several lines, with hidden characters made visible. */
export const lines = (max: number) =>
  z
    .string()
    .max(max)
    .transform((whole) => whole.replace(UNSEEN, '\ufffd'));
