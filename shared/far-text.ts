/** Text of another computer, as it is read here: bounded, and nothing in it steers what shows it. Pure. HO-03 */
import { z } from 'zod';
import { flatLine, UNSEEN } from './unseen';

/** Foreign text on one line, cut. */
export const line = (max: number) =>
  z.string().transform((whole) => flatLine(whole.slice(0, max * 4)).slice(0, max));

/** Foreign text on several lines: what is hidden in it shows that it is there. */
export const lines = (max: number) =>
  z
    .string()
    .max(max)
    .transform((whole) => whole.replace(UNSEEN, '\ufffd'));
