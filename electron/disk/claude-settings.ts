/** The settings file of Claude Code: read, and replaced with the old one kept next to it. */
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeDurablySync } from './durable-file';
import { makeFolderSync } from './durable-folder';
import { sweepBeside } from './sweep';

export const claudeSettingsPath = (home: string): string => join(home, '.claude', 'settings.json');

/**
 * The text of the file; undefined if there is none. @throws the disk's error, also for a broken
 * link
 */
export function readClaudeSettings(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    // A link's target may be on a disk that is not mounted: the link must not be replaced.
    if (isMissing && lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    throw error;
  }
}

/**
 * Replaces the file atomically; stores the old content next to it, replacing an older copy: it may
 * contain keys, and the relevant version is the one right before this change, with all edits since.
 *
 * @param before what `after` was made from, see {@link readClaudeSettings}
 * @returns the path of the copy; empty if there was no file
 * @throws what `changed` returns if Claude Code, or an editor, has written the file since
 */
export function replaceClaudeSettings(
  file: string,
  before: string | undefined,
  after: string,
  changed: (file: string) => Error,
): string {
  makeFolderSync(dirname(file), dirname(file));
  // A link stays a link: its target is replaced.
  const target = before === undefined ? file : realpathSync(file);
  const mode = before === undefined ? 0o600 : statSync(target).mode & 0o777;
  const beforeRename = (): void => {
    if (readClaudeSettings(file) !== before) throw changed(file);
  };
  sweepBeside(target);
  let backup = '';
  if (before !== undefined) {
    backup = `${target}.before-holdfast`;
    writeDurablySync(backup, before, { mode });
  }
  writeDurablySync(target, after, { mode, beforeRename });
  return backup;
}
