import type { ConfigEntry } from '../../../shared/types';
import type { SettingKey, SettingSource } from '../../../shared/settings';
import { SETTINGS } from '../../../shared/settings';
import { choicesOf } from './explain-value';
import { writeSetting } from './settings-rules';

/** The current value of a key, and its source. */
export interface Effective {
  readonly value: unknown;
  readonly source: SettingSource;
}

/** Everything that the window and the command line show about one setting. Row S0-36. */
export function settingEntry(key: SettingKey, { value, source }: Effective): ConfigEntry {
  const choices = choicesOf(key);
  return {
    key,
    value: value as ConfigEntry['value'],
    default: SETTINGS[key].default as ConfigEntry['default'],
    source,
    applies: SETTINGS[key].applies,
    about: SETTINGS[key].about,
    ...(choices === undefined ? {} : { choices }),
  };
}

const STRONGEST_FIRST: readonly SettingSource[] = [
  'command line',
  'environment',
  'file',
  'default',
];

/** `resilience.recovery` as one nested value, as in the file. Row S0-07. */
export function sectionEntry(section: string, entries: readonly ConfigEntry[]): ConfigEntry {
  const path = entries[0]?.key.split('.').slice(0, -1) ?? [];
  const names = path.map((_, index) => path.slice(0, index + 1).join('.'));
  const depth = names.findIndex((name) => name === section || name === `resilience.${section}`) + 1;
  const nest = (pick: (one: ConfigEntry) => unknown): ConfigEntry['value'] => {
    const tree = entries.reduce<Record<string, unknown>>(
      (all, one) => writeSetting(all, one.key as SettingKey, pick(one)),
      {},
    );
    return path
      .slice(0, depth)
      .reduce<unknown>(
        (inner, name) => (inner as Record<string, unknown>)[name],
        tree,
      ) as ConfigEntry['value'];
  };
  return {
    key: section,
    value: nest((one) => one.value),
    default: nest((one) => one.default),
    source:
      STRONGEST_FIRST.find((source) => entries.some((one) => one.source === source)) ?? 'default',
    applies: entries.some((one) => one.applies === 'restart') ? 'restart' : 'hot',
    about: `${String(entries.length)} settings`,
  };
}
