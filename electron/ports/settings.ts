import type { ConfigEntry, ConfigProblem } from '../../shared/types';
import type { SettingKey, Settings, SettingValue } from '../../shared/settings';

/** Settings with named entries of which modules change single ones. */
export type MapKey = 'agents' | 'providers' | 'channels.own' | 'approvals.tools';

/**
 * The settings file behind one port: electron-store in the app, conf on the same file elsewhere.
 * Implemented by adapters/config/settings.ts.
 */
export interface SettingsPort {
  /** Path of config.json. */
  readonly path: string;
  /** Effective value: command line, environment, file, default. Never throws for a bad file. */
  get<K extends SettingKey>(key: K): SettingValue<K>;
  all(): Settings;
  /** The file as last read, valid or not; undefined if it is not JSON. */
  written(): unknown;
  entries(): readonly ConfigEntry[];
  entry(key: string): ConfigEntry;
  /** Invalid parts of the file, with their lines. */
  problems(): readonly ConfigProblem[];
  /**
   * Writes one key to the file and returns when it is on disk; unknown keys and other
   * values are not changed. Null removes the key; the name of a section takes an object.
   * @throws CONFIG_UNKNOWN_KEY, CONFIG_INVALID, CONFIG_WRITE_FAILED, CONFIG_UNREADABLE
   */
  set(key: string, value: unknown): Promise<ConfigEntry>;
  /**
   * The same for one entry of a map; undefined removes it. Other entries stay as in the file, even
   * invalid ones.
   * @throws CONFIG_INVALID, CONFIG_WRITE_FAILED, CONFIG_UNREADABLE
   */
  setEntry(key: MapKey, name: string, value: unknown): Promise<ConfigEntry>;
  /**
   * Called after a change by `set` or an edit of the file, with the keys whose value changed;
   * without keys if only `problems()` changed.
   */
  onChange(listener: (keys: readonly SettingKey[]) => void): () => void;
  stop(): void;
}
