/** Settings that the first start on a new data directory writes, if no window asks about them. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Audit } from '../../ports/log';
import type { SettingsPort } from '../../ports/settings';

type Values = Readonly<Record<string, unknown>>;

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * What the settings file is made with, by key; undefined if the data directory has a settings file or
 * an audit log, which has a line of each start and each change: what a user wrote or has worked with is
 * never touched. A database alone may be left by a command that was rejected. The file is made whole
 * and before the log, so a start that is killed in between has either made it or is a first start again.
 */
export function firstSettingsOf(values: Values | undefined, dataDir: string): Values | undefined {
  const isNew = ['config.json', 'audit'].every((name) => !isThere(join(dataDir, name)));
  return isNew ? values : undefined;
}

/** Tells of those that this start wrote and that no environment variable overrides. */
export function tellFirstSettings(
  written: Values | undefined,
  deps: {
    readonly settings: Pick<SettingsPort, 'entry'>;
    readonly audit: Pick<Audit, 'record'>;
    readonly onWritten: (key: string) => void;
  },
): void {
  for (const key of Object.keys(written ?? {})) {
    if (deps.settings.entry(key).source !== 'file') continue;
    deps.audit.record('setting_changed', { key, by: 'first_start' });
    deps.onWritten(key);
  }
}
