import type { JsonValue } from '../ports/provider';

/** Ours, and the name that the documents use. */
const SWITCHES = ['HOLDFAST_SLEEP_INTERCEPTOR', 'REEBOOT_SLEEP_INTERCEPTOR'] as const;
const OFF = new Set(['0', 'false', 'off', 'no']);

/** The setting, unless the environment switches the guard off; an empty value says nothing. S1-31. */
export function isSleepGuardOn(
  setting: boolean,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return setting && !SWITCHES.some((name) => OFF.has((env[name] ?? '').trim().toLowerCase()));
}

/** The command in the arguments of a shell tool of another program; undefined where there is none. */
export function commandIn(args: JsonValue): string | undefined {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return undefined;
  for (const name of ['command', 'cmd', 'script', 'code']) {
    const value = (args as Readonly<Record<string, JsonValue>>)[name];
    if (typeof value === 'string') return value;
    if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
      return value.join(' ');
  }
  return undefined;
}
