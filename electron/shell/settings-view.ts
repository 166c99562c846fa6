/**
 * The settings that the shell needs at once, without waiting: a copy that follows `config.changed`.
 */
import { SETTINGS } from '../../shared/settings';
import type { SettingKey, SettingValue } from '../../shared/settings';
import type { Holdfast } from '../engine/facade';

export interface SettingsView {
  get<K extends SettingKey>(key: K): SettingValue<K>;
  /** Writes through the facade; the copy is changed before this resolves. */
  set<K extends SettingKey>(key: K, value: SettingValue<K>): Promise<void>;
  /** Reads everything again; resolves with the keys whose value changed. */
  reload(): Promise<readonly SettingKey[]>;
}

export function createSettingsView(holdfast: Pick<Holdfast, 'call'>): SettingsView {
  const values = new Map<string, unknown>();
  return {
    get(key) {
      const parsed = SETTINGS[key].schema.safeParse(values.get(key));
      return (parsed.success ? parsed.data : SETTINGS[key].default) as SettingValue<typeof key>;
    },
    async set(key, value) {
      values.set(key, value);
      await holdfast.call('config.set', { key, value: value as never }, 'tray');
    },
    async reload() {
      const { entries } = await holdfast.call('config.list', {}, 'tray');
      const changed: SettingKey[] = [];
      for (const { key, value } of entries) {
        if (!Object.hasOwn(SETTINGS, key)) continue;
        if (JSON.stringify(values.get(key)) !== JSON.stringify(value))
          changed.push(key as SettingKey);
        values.set(key, value);
      }
      return changed;
    },
  };
}
