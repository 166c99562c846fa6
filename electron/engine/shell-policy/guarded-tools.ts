import { quoted } from '../../../shared/shell-quoted';
import type { JsonValue } from '../../ports/provider';

/** Our own switch, and the name from the documents. */
const SWITCHES = ['HOLDFAST_SLEEP_INTERCEPTOR', 'REEBOOT_SLEEP_INTERCEPTOR'] as const;
const OFF = new Set(['0', 'false', 'off', 'no']);

type Env = Readonly<Record<string, string | undefined>>;

const switchedOffBy = (env: Env): string | undefined =>
  SWITCHES.find((name) => OFF.has((env[name] ?? '').trim().toLowerCase()));

/** The setting, unless the environment switches the guard off; an empty value is ignored. S1-31. */
export const isSleepGuardOn = (setting: boolean, env: Env): boolean =>
  setting && switchedOffBy(env) === undefined;

/** The guard's state and what switched it off, for the doctor. S1-31 */
export function sleepGuardWords(setting: boolean, env: Env): string {
  const off = switchedOffBy(env) ?? (setting ? undefined : 'shell.sleep_guard');
  return off === undefined
    ? "blocks agents' shell commands that only wait"
    : `off by ${off}: agents can run commands that only wait`;
}

const areTexts = (value: JsonValue | undefined): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/**
 * The command in the arguments of an external program's shell tool; undefined if there is none. A
 * list is a program with its arguments, and so are `command` and `args` together.
 */
export function commandIn(args: JsonValue): string | undefined {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return undefined;
  const given = args as Readonly<Record<string, JsonValue>>;
  for (const name of ['command', 'cmd', 'script', 'code']) {
    const value = given[name];
    if (areTexts(value)) return value.map(quoted).join(' ');
    if (typeof value !== 'string') continue;
    const rest = given['args'];
    return areTexts(rest) && rest.length > 0 ? [value, ...rest.map(quoted)].join(' ') : value;
  }
  return undefined;
}
