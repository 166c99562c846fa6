/** What the families of the settings share: their rows, and schemas of values that many have. */
import { z } from 'zod';
import { parseDuration } from '../durations';
import { once } from '../once';
import { urlProblem } from '../safe-url';

/** When a changed value is used. */
type AppliesWhen = 'hot' | 'restart';

/** One row of a table of settings. */
export interface SettingRow<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly default: z.infer<S>;
  readonly applies: AppliesWhen;
  readonly about: string;
}

/** A row whose schema is built on first use. */
export function row<S extends z.ZodType>(
  schemaOf: () => S,
  defaultValue: z.infer<S>,
  applies: AppliesWhen,
  about: string,
): SettingRow<S> {
  const schema = once(schemaOf);
  return {
    get schema() {
      return schema();
    },
    default: defaultValue,
    applies,
    about,
  };
}

/** A duration in text or ms; stored as written, read with {@link durationMs}. */
export const duration = once(() =>
  z
    .union([z.string().max(40), z.number()], {
      error: 'a duration is text such as "90s" or "1h", or a whole number of milliseconds',
    })
    .superRefine((value, context) => {
      const parsed = parseDuration(value);
      if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.reason });
    }),
);

/** Settings are read at every step, and hold the same few durations each time. */
const knownMs = new Map<string, number>();
const MAX_KNOWN = 200;

/** Milliseconds of a validated duration setting. */
export function durationMs(value: string | number): number {
  const known = typeof value === 'string' ? knownMs.get(value) : undefined;
  if (known !== undefined) return known;
  const parsed = parseDuration(value);
  const ms = parsed.ok ? parsed.ms : 0;
  if (typeof value === 'string' && knownMs.size < MAX_KNOWN) knownMs.set(value, ms);
  return ms;
}

/** A name that is part of a key: of a provider, of an agent. */
export const name = once(() =>
  z
    .string()
    .min(1)
    .max(64)
    .regex(/^[a-z0-9][a-z0-9._-]*$/i, 'use letters, digits, dots, dashes and underscores'),
);

/** Name of an environment variable; its value is never in the settings. */
export const variable = once(() =>
  z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
      'use the name of an environment variable: letters, digits and underscores',
    ),
);

/** https, or http on this computer; nothing secret in the address. T6. */
export const safeUrl = (maxChars: number) =>
  z
    .string()
    .max(maxChars)
    .superRefine((value, context) => {
      const problem = urlProblem(value);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    });

/** On 127.0.0.1; 0 is any free one. */
export const port = once(() => z.number().int().min(0).max(65_535));

/** Agents and providers of one account wait for its usage limit together. */
export const account = once(() => z.string().min(1).max(64));
