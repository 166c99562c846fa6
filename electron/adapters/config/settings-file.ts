import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import type { StoreClass } from '../../ports/settings-store';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import { temporaryPath } from '../../disk/temporary-names';
import { removeDurablySync, writeDurablySync } from '../../disk/durable-file';
import { sweepBeside } from '../../disk/sweep';
import type { FileReading } from './settings-rules';
import { NO_FILE, readSettings } from './settings-rules';

const MAX_BYTES = 1_000_000;
const DEAD_LINK = 'it is a link to a missing file';

/** True even for a broken link. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Reads config.json; a missing file counts as empty. Never throws, never writes. */
export function readSettingsFile(path: string): FileReading {
  let bytes: Buffer;
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const facts = fstatSync(fd);
      if (!facts.isFile()) return { kind: 'unreadable', reason: 'it is not a file' };
      if (facts.size > MAX_BYTES) return { kind: 'unreadable', reason: 'it is larger than 1 MB' };
      bytes = readFileSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    if (code !== 'ENOENT') return { kind: 'unreadable', reason: `it cannot be read (${code})` };
    // Its disk may not be mounted: no reason to forget the settings.
    return isThere(path) ? { kind: 'unreadable', reason: DEAD_LINK } : NO_FILE;
  }
  try {
    // Removes a byte order mark; rejects UTF-16 and other invalid UTF-8.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return readSettings(text, basename(path));
  } catch {
    return { kind: 'unreadable', line: 1, reason: 'it is not UTF-8 text; save it as UTF-8' };
  }
}

/**
 * Creates the settings file if it is missing, so that it can be opened in an editor and watched. It
 * contains only the values proposed at the first start. A failure is ignored.
 */
export function makeSettingsFile(path: string, tree: Readonly<Record<string, unknown>>): void {
  try {
    // Otherwise a power cut leaves an empty file, and every start warns about its content.
    if (!isThere(path)) writeDurablySync(path, `${JSON.stringify(tree, null, 2)}\n`);
  } catch {
    // A missing file counts as empty.
  }
}

/** The part of `conf` that is used; `electron-store` inherits it. */
interface Store {
  store: Record<string, unknown>;
  _write(value: unknown): void;
}

/** Why a settings file was not written. */
type WriteRefusal = { readonly reason: string; readonly cause?: unknown };

/**
 * `conf` produces the text, our own writer puts it on disk: the writes of `conf` do not sync the
 * folder, and their leftovers after a kill name no process. A file without write permission is not
 * touched, although a rename could replace it: that was someone's intention.
 */
export function createSettingsWriter(options: {
  readonly path: string;
  readonly crashPoints: CrashPoints;
}): (tree: Record<string, unknown>, storeClass: StoreClass) => WriteRefusal | undefined {
  const { path, crashPoints } = options;
  let store: Store | undefined;

  function open(Store: StoreClass): Store {
    const extension = extname(path);
    const name = basename(path, extension);
    const made = new Store({
      cwd: dirname(path),
      // The same option is called `name` by electron-store and `configName` by conf.
      name,
      configName: name,
      fileExtension: extension.slice(1),
      configFileMode: 0o600,
      clearInvalidConfig: false,
      watch: false,
      deserialize: (text: string) => JSON.parse(text.replace(/^\ufeff/, '')) as unknown,
    }) as Store;
    made._write = (value) => {
      // A link stays a link: its target is replaced.
      const target = isThere(path) ? realpathSync(path) : path;
      const before = isThere(target) ? readFileSync(target) : undefined;
      sweepBeside(target);
      const now = { isReplaced: false };
      try {
        writeDurablySync(target, `${JSON.stringify(value, null, 2)}\n`, {
          beforeRename: () => {
            crashPoints.hit('settings.write.beforeRename');
          },
          afterRename: () => {
            now.isReplaced = true;
          },
        });
      } catch (error) {
        if (now.isReplaced) putBack(target, before);
        throw error;
      }
    };
    return made;
  }

  return (tree, storeClass) => {
    const refusal = refusalToWrite(path);
    if (refusal !== undefined) return refusal;
    try {
      store ??= open(storeClass);
      store.store = tree;
      return undefined;
    } catch (error) {
      return { reason: reasonOf(error), cause: error };
    }
  };
}

/** The disk has not confirmed a change: it is reported as not made, and must not take effect. */
function putBack(path: string, before: Uint8Array | undefined): void {
  try {
    if (before === undefined) removeDurablySync(path);
    else writeDurablySync(path, before);
  } catch {
    // Every program sees the old content; what a power cut leaves is up to the disk.
  }
}

/**
 * Tried first, because a new store creates its folder. Creates a real file: on Windows and under
 * access control lists, mode bits prove nothing.
 */
function refusalToWrite(path: string): WriteRefusal | undefined {
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts !== undefined && (facts.mode & 0o222) === 0)
      return { reason: 'the file is read-only' };
    if (facts === undefined && isThere(path)) return { reason: DEAD_LINK };
    const probe = temporaryPath(facts === undefined ? path : realpathSync(path));
    closeSync(openSync(probe, 'wx', 0o600));
    unlinkSync(probe);
    return undefined;
  } catch (error) {
    return { reason: reasonOf(error), cause: error };
  }
}

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    case 'EROFS':
      return 'the disk is read-only';
    case 'EACCES':
    case 'EPERM':
      return 'your account cannot write to its folder';
    case 'ENOENT':
      return 'its folder does not exist';
    default:
      return code ?? 'the write failed';
  }
}
