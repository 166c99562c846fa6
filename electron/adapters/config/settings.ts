import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ConfigEntry, ConfigProblem } from '../../../shared/types';
import type { SettingKey, Settings, SettingSource, SettingValue } from '../../../shared/settings';
import { canonicalKey, SETTINGS } from '../../../shared/settings';
import type { LazyStoreClass, StoreClass } from '../../ports/settings-store';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import { HoldfastError } from '../../engine/kernel/errors';
import type { MapKey, SettingsPort } from '../../ports/settings';
import type { Effective } from './config-entries';
import { sectionEntry, settingEntry } from './config-entries';
import type { SettingValues } from './last-good';
import { createLastGood } from './last-good';
import { loadStoreClass } from './lazy-conf';
import type { RefusedName } from './clashing-names';
import { claimsOf, NAMING_KEYS, refusedNames } from './clashing-names';
import { changesOf, entryChange, refuseFalling, unknownKey } from './settings-changes';
import { createSettingsWriter, makeSettingsFile, readSettingsFile } from './settings-file';
import type { FileReading, ReadFile } from './settings-rules';
import {
  claimsOfFile,
  refusedOverFile,
  valuesInForce,
  withoutNames,
  withUnused,
} from './settle-names';
import {
  keysOfSection,
  NO_FILE,
  readEnvironment,
  readOverrides,
  SETTING_KEYS,
  writeSetting,
} from './settings-rules';
import { fileProblems } from './settings-problems';
import { watchFile } from './watch-file';

export interface SettingsOptions {
  /** `D/config.json`. */
  readonly path: string;
  /** `Conf`, or `ElectronStore` in the app. */
  readonly storeClass: StoreClass | LazyStoreClass;
  /** From the command line, by key; the highest source. */
  readonly overrides: Readonly<Record<string, unknown>>;
  /** By key: initial content of a new file. An existing file is not changed. */
  readonly initial?: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly crashPoints: CrashPoints;
  /**
   * True for the process that owns the data directory: it follows edits of the file and stores the
   * last valid settings in `run/config.last-good.json`. Others only read.
   */
  readonly watch: boolean;
}

const QUIET_MS = 60;
/** An editor that writes in two steps has finished by then. */
const SECOND_LOOK_MS = 200;

/**
 * The settings behind {@link SettingsPort}. The file is read on first use. Invalid values are
 * reported with their line, and the last valid value stays in use, key by key; only `set` changes
 * the file. Rows: S0-02, S0-07, S0-36, S0-37, S1-33, S4-21, X-06.
 */
export function createSettings(options: SettingsOptions): SettingsPort {
  const { path } = options;
  const fileName = basename(path);
  const fromEnvironment = readEnvironment(options.env);
  const fromCommandLine = readOverrides(options.overrides);
  const lastGood = createLastGood(join(dirname(path), 'run', 'config.last-good.json'));
  const write = createSettingsWriter(options);
  const listeners = new Set<(keys: readonly SettingKey[]) => void>();

  /** Undefined until the first use. */
  let reading: FileReading | undefined;
  /** The last valid settings of the file, per key; undefined if there never were any. */
  let good: SettingValues | undefined;
  let effective = new Map<SettingKey, Effective>();
  /** Names of the file, and of its overrides, that could be confused with others. */
  let refused: readonly RefusedName[] = [];
  let refusedOver: readonly RefusedName[] = [];
  let problems: readonly ConfigProblem[] = [];
  let watcher: { stop(): void } | undefined;
  let secondLook: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isUnwatched = false;
  let queue: Promise<unknown> = Promise.resolve();

  function load(): void {
    if (reading !== undefined) return;
    take(readSettingsFile(path));
    if (!options.watch || isStopped) return;
    if (reading === NO_FILE && makeFirstFile(path, options.initial)) take(readSettingsFile(path));
    watcher = watchFile(path, QUIET_MS, () => {
      look(true);
    });
    isUnwatched = watcher === undefined;
    if (isUnwatched) problems = listProblems();
    // Read in the middle of a write: check once more.
    if (reading !== undefined && isUnreadable(reading)) lookAgain();
  }

  function look(mayLookAgain: boolean): void {
    if (isStopped) return;
    const next = readSettingsFile(path);
    const isGone = next.kind === 'read' && Object.keys(next.tree).length === 0;
    if (mayLookAgain && (next.kind === 'unreadable' || isGone)) {
      lookAgain();
      return;
    }
    announce(() => {
      take(next);
    });
  }

  function lookAgain(): void {
    clearTimeout(secondLook);
    secondLook = setTimeout(() => {
      look(false);
    }, SECOND_LOOK_MS);
    secondLook.unref();
  }

  /** Applies a reading: memory, problems, and the values remembered for the next start. */
  function take(next: FileReading): void {
    reading = next;
    good ??= lastGood.read();
    if (next.kind === 'read') {
      const values = valuesInForce(next, good);
      refused = refusedNames(
        claimsOfFile(next, values),
        claimsOf((key) => good?.get(key)),
      );
      good = withoutNames(values, refused);
      if (options.watch) lastGood.write(good);
    }
    effective = new Map(SETTING_KEYS.map((key) => [key, effectiveOf(key)]));
    refusedOver = NAMING_KEYS.some(isOverFile)
      ? refusedOverFile((key) => effective.get(key)?.value, good)
      : [];
    for (const [key, value] of withoutNames(
      new Map(NAMING_KEYS.map((one) => [one, effective.get(one)?.value])),
      refusedOver,
    ))
      effective.set(key, { ...effectiveOf(key), value: frozen(value) });
    problems = listProblems();
  }

  const isOverFile = (key: SettingKey): boolean =>
    fromCommandLine.values.has(key) || fromEnvironment.values.has(key);

  function effectiveOf(key: SettingKey): Effective {
    const sources: readonly (readonly [SettingSource, SettingValues | undefined])[] = [
      ['command line', fromCommandLine.values],
      ['environment', fromEnvironment.values],
      ['file', good],
    ];
    for (const [source, values] of sources) {
      if (values?.has(key) === true) return { value: frozen(values.get(key)), source };
    }
    return { value: frozen(SETTINGS[key].default), source: 'default' };
  }

  function listProblems(): ConfigProblem[] {
    const list = [...fromCommandLine.problems, ...fromEnvironment.problems];
    if (isUnwatched) {
      list.push({
        message: `The system cannot watch ${fileName}: edits take effect at the next start.`,
        level: 'hint',
      });
    }
    for (const { key, sentence } of refusedOver) list.push({ key, message: `${sentence}.` });
    if (reading === undefined) return list;
    return [...list, ...fileProblems(fileName, reading, good, refused)];
  }

  /** Notifies listeners about values that a change of the file has changed. */
  function announce(change: () => void): void {
    const before = effective;
    const problemsBefore = problems;
    change();
    const keys = SETTING_KEYS.filter(
      (key) => !isDeepStrictEqual(before.get(key)?.value, effective.get(key)?.value),
    );
    if (keys.length === 0 && isDeepStrictEqual(problemsBefore, problems)) return;
    for (const listener of [...listeners]) listener(keys);
  }

  const entryOf = (key: SettingKey): ConfigEntry =>
    settingEntry(key, effective.get(key) ?? effectiveOf(key));

  function entry(key: string): ConfigEntry {
    load();
    const known = canonicalKey(key);
    if (known !== undefined) return entryOf(known);
    const keys = keysOfSection(key);
    if (keys.length > 0) return sectionEntry(key, keys.map(entryOf));
    throw unknownKey(key);
  }

  /** The current file, if these keys can be written. */
  function writable(key: string, keys: readonly SettingKey[]): ReadFile {
    const current = readSettingsFile(path);
    const blocked =
      current.kind === 'read'
        ? keys.map((one) => current.bad.get(one)).find((bad) => bad?.isBlocked === true)
        : undefined;
    if (current.kind === 'read' && blocked === undefined) return current;
    const line = current.kind === 'unreadable' ? current.line : blocked?.line;
    const reason = current.kind === 'unreadable' ? current.reason : (blocked?.sentence ?? '');
    announce(() => {
      take(current);
    });
    throw new HoldfastError(
      'CONFIG_UNREADABLE',
      `${path}${line === undefined ? '' : `, line ${String(line)}`}: ${reason}. Nothing was changed.`,
      { hint: 'Correct the file by hand, then set it again.', facts: { path, key, line } },
    );
  }

  function writeTree(
    key: string,
    before: ReadFile['tree'],
    tree: ReadFile['tree'],
    storeClass: StoreClass,
  ): void {
    if (!isDeepStrictEqual(tree, before)) {
      const refusal = write(tree, storeClass);
      if (refusal !== undefined) {
        throw new HoldfastError(
          'CONFIG_WRITE_FAILED',
          `${path} could not be written: ${refusal.reason}. Nothing was changed.`,
          {
            hint: 'Check the permissions of the file and its folder, and the space on the disk.',
            facts: { path, key },
            retryable: true,
            cause: refusal.cause,
          },
        );
      }
    }
    announce(() => {
      take(readSettingsFile(path));
    });
  }

  function setNow(key: string, value: unknown, storeClass: StoreClass): ConfigEntry {
    load();
    const changes = changesOf(key, value);
    refuseFalling(changes, (one) => effective.get(one)?.value);
    const current = writable(
      key,
      changes.map(([one]) => one),
    );
    const unused = [...current.badEntries, ...refused];
    const tree = changes.reduce((all, [one, next]) => {
      const names = unused.filter(({ key: from }) => from === one).map(({ name }) => name);
      const written = current.writtenAt(one);
      const kept = withUnused(next, names, { written, inForce: effective.get(one)?.value });
      return writeSetting(all, one, kept);
    }, current.tree);
    writeTree(key, current.tree, tree, storeClass);
    return entry(key);
  }

  function setEntryNow(
    key: MapKey,
    name: string,
    value: unknown,
    storeClass: StoreClass,
  ): ConfigEntry {
    load();
    const inForce = (one: SettingKey): unknown => effective.get(one)?.value;
    const current = writable(key, [key]);
    const written = current.bad.has(key) ? undefined : current.writtenAt(key);
    const next = entryChange(key, name, value, { inForce, written });
    writeTree(key, current.tree, writeSetting(current.tree, key, next), storeClass);
    return entry(key);
  }

  /** One change at a time, each based on the result of the previous one. */
  function queued(change: (storeClass: StoreClass) => ConfigEntry): Promise<ConfigEntry> {
    const done = queue.then(async () => {
      const { storeClass } = options;
      return change(
        typeof storeClass === 'function' ? storeClass : await loadStoreClass(storeClass),
      );
    });
    queue = done.catch(() => undefined);
    return done;
  }

  return {
    path,
    get<K extends SettingKey>(key: K) {
      load();
      return effective.get(key)?.value as SettingValue<K>;
    },
    all() {
      load();
      return Object.fromEntries(
        SETTING_KEYS.map((key) => [key, effective.get(key)?.value]),
      ) as Settings;
    },
    written() {
      load();
      return reading?.kind === 'read' ? reading.tree : undefined;
    },
    entries() {
      load();
      return SETTING_KEYS.map(entryOf);
    },
    entry,
    problems() {
      load();
      return problems;
    },
    set: (key, value) => queued((Store) => setNow(key, value, Store)),
    setEntry: (key, name, value) => queued((Store) => setEntryNow(key, name, value, Store)),
    onChange(listener) {
      load();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      isStopped = true;
      clearTimeout(secondLook);
      watcher?.stop();
      listeners.clear();
    },
  };
}

/** Creates the file if it is missing. True if the new file has settings. */
function makeFirstFile(path: string, initial: SettingsOptions['initial'] = {}): boolean {
  const tree = Object.entries(initial).reduce<ReadFile['tree']>((all, [name, value]) => {
    const key = canonicalKey(name);
    return key === undefined ? all : writeSetting(all, key, value);
  }, {});
  makeSettingsFile(path, tree);
  return Object.keys(tree).length > 0;
}

const isUnreadable = (reading: FileReading): boolean => reading.kind === 'unreadable';

/** Changing the value that `get` returned must not change the setting. */
function frozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}
