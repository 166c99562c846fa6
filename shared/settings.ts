/**
 * Every setting of Holdfast: key, schema, default, when a change takes effect, one sentence.
 *
 * The file `D/config.json` holds them nested in snake_case (`resilience.recovery.mode` is
 * `{"resilience":{"recovery":{"mode":…}}}`). The settings window, `holdfast config` and the file
 * all use these keys. Source: S0-02, S0-36, S0-37, S1-33.
 */
import type { z } from 'zod';
import { parsedJson } from './parsed-json';
import { AGENT_SETTINGS } from './settings/agents';
import { APP_SETTINGS } from './settings/app';
import { BUDGET_SETTINGS } from './settings/budgets';
import { CHANNEL_SETTINGS } from './settings/channels';
import { DELIVERY_SETTINGS } from './settings/delivery';
import { MCP_SETTINGS } from './settings/mcp';
import { OUTAGE_SETTINGS } from './settings/outages';
import { POWER_SETTINGS } from './settings/power';
import { PROVIDER_SETTINGS } from './settings/providers';
import { RECOVERY_SETTINGS } from './settings/recovery';
import { REMINDER_SETTINGS } from './settings/reminders';
import { SCHEDULE_SETTINGS } from './settings/schedule';
import { SHARE_SETTINGS } from './settings/share';
import { TOOL_SETTINGS } from './settings/tools';
import { UPDATE_SETTINGS } from './settings/updates';
import { WORK_SETTINGS } from './settings/work';
import { durationMs, type SettingRow } from './settings/base';

export { durationMs };
export {
  isLlmAgent,
  type AcpAgentSettings,
  type AgentSettings,
  type CommandAgentSettings,
  type LlmAgentSettings,
} from './settings/agents';
export type { ProviderSettings } from './settings/providers';

/** The table of settings. Keys are stable; a removed key becomes an alias, never an error. */
export const SETTINGS = {
  ...RECOVERY_SETTINGS,
  ...OUTAGE_SETTINGS,
  ...SCHEDULE_SETTINGS,
  ...WORK_SETTINGS,
  ...BUDGET_SETTINGS,
  ...SHARE_SETTINGS,
  ...DELIVERY_SETTINGS,
  ...CHANNEL_SETTINGS,
  ...REMINDER_SETTINGS,
  ...TOOL_SETTINGS,
  ...MCP_SETTINGS,
  ...APP_SETTINGS,
  ...POWER_SETTINGS,
  ...UPDATE_SETTINGS,
  ...PROVIDER_SETTINGS,
  ...AGENT_SETTINGS,
} as const satisfies Record<string, SettingRow>;

/** A key of {@link SETTINGS}. */
export type SettingKey = keyof typeof SETTINGS;

/** The value type of a key. */
export type SettingValue<K extends SettingKey> = z.infer<(typeof SETTINGS)[K]['schema']>;

/** All settings with their types. */
export type Settings = { readonly [K in SettingKey]: SettingValue<K> };

/** Where the effective value of a key comes from. */
export type SettingSource = 'default' | 'file' | 'environment' | 'command line';

/** True if `key` names a setting. */
export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key);
}

/**
 * The key that is meant: documented keys are also accepted without their leading `resilience.`
 * (`recovery.max_age`), and breaker keys by their last word (`failure_threshold`). Undefined if no
 * setting has this name. Row X-06.
 */
export function canonicalKey(key: string): SettingKey | undefined {
  const word = key.replace(/^circuit_breaker\./, '');
  return [key, `resilience.${key}`, `breakers.${word}`].find(isSettingKey);
}

/** Pairs whose second value must not be below the first. S2-15. */
const RISING_SETTINGS = [
  ['breakers.initial_backoff', 'breakers.max_backoff'],
  ['retry.rate_limited.first_wait', 'retry.rate_limited.max_wait'],
  ['retry.server.first_wait', 'retry.server.max_wait'],
] as const satisfies readonly (readonly [SettingKey, SettingKey])[];

/** A pair of settings that conflict, described, with its two keys; undefined if there is none. */
export function fallingPair(
  valueOf: (key: SettingKey) => unknown,
): { readonly keys: readonly [SettingKey, SettingKey]; readonly sentence: string } | undefined {
  const msOf = (key: SettingKey): number => durationMs(valueOf(key) as string | number);
  const keys = RISING_SETTINGS.find(([low, high]) => msOf(high) < msOf(low));
  if (keys === undefined) return undefined;
  const [low, high] = keys;
  const shown = (key: SettingKey): string => JSON.stringify(valueOf(key));
  return {
    keys,
    sentence: `${high} must not be below ${low}; ${shown(high)} is below ${shown(low)}`,
  };
}

/**
 * Parses a value from the command line or the environment: as JSON if the setting accepts that,
 * otherwise as plain text. `50`, `["a"]`, `always` and `"always"` all work. The result is not
 * validated further: `set` does that.
 */
export function settingFromText(key: SettingKey, text: string): unknown {
  const { schema } = SETTINGS[key];
  const parsed = parsedJson(text);
  if (parsed === undefined) return text;
  return !schema.safeParse(parsed).success && schema.safeParse(text).success ? text : parsed;
}
