/** What the shapes are written with. */
import { z } from 'zod';
import { PURITIES, STEP_STATES, TURN_STATES } from '../states';

export const id = z.number().int().positive();
export const atMs = z.number().int().nonnegative();
export const count = z.number().int().nonnegative();
export const text = (max: number): z.ZodString => z.string().max(max);
export const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const turnState = z.enum(TURN_STATES);
export const stepState = z.enum(STEP_STATES);
export const purity = z.enum(PURITIES);

export const usage = z.strictObject({
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  /** Absent if the provider's prices are not known. */
  costUsd: z.number().nonnegative().optional(),
});
export type Usage = z.infer<typeof usage>;
