/** Settings that the first start on a new data directory writes, if no window asks about them. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Start } from './run';
import { need } from './run';

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * What the settings file is made with, by key; undefined if the data directory has a settings file or
 * a database: what a user wrote or has worked with is never touched. The file is made whole and before
 * the database, so a start that is killed in between has either made it or is a first start again.
 */
export function firstSettingsOf(
  { firstSettings }: Start['options'],
  dataDir: string,
): Readonly<Record<string, unknown>> | undefined {
  if (firstSettings === undefined) return undefined;
  const isNew = ['config.json', 'holdfast.db'].every((name) => !isThere(join(dataDir, name)));
  return isNew ? firstSettings.values : undefined;
}

/** Tells of those that this start wrote and that no environment variable overrides. */
export function tellFirstSettings(
  { options, run }: Start,
  written: Readonly<Record<string, unknown>> = {},
): void {
  for (const key of Object.keys(written)) {
    if (need(run.settings).entry(key).source !== 'file') continue;
    run.audit?.record('setting_changed', { key, by: 'first_start' });
    options.firstSettings?.onWritten(key);
  }
}
