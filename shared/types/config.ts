/** The settings, and what is wrong with their file. */
import { z } from 'zod';
import { text } from './base';

export const configEntry = z.strictObject({
  key: text(200),
  value: z.json(),
  default: z.json(),
  source: z.enum(['default', 'file', 'environment', 'command line']),
  applies: z.enum(['hot', 'restart']),
  about: text(300),
  /** Allowed values where the key is a choice. */
  choices: z.array(text(100)).optional(),
});
export type ConfigEntry = z.infer<typeof configEntry>;

export const configProblem = z.strictObject({
  key: text(200).optional(),
  line: z.number().int().positive().optional(),
  message: text(1000),
  /** `hint`: everything written is in force, or was never a setting. Absent means problem. */
  level: z.enum(['problem', 'hint']).optional(),
});
export type ConfigProblem = z.infer<typeof configProblem>;
