import type { ConfigProblem } from '../../../shared/types';
import type { SettingKey } from '../../../shared/settings';
import { canonicalKey, fallingPair, SETTINGS, settingFromText } from '../../../shared/settings';
import type { BadEntry } from './map-entries';
import { siftValue } from './map-entries';
import { parseJson } from './parse-json';
import { isJson } from '../../engine/kernel/json-object';

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

type Tree = Record<string, unknown>;

/** One invalid key of the file. */
export interface BadValue {
  readonly line?: number;
  readonly sentence: string;
  /** A section above it is not an object, so nothing can be written under it. */
  readonly isBlocked?: true;
}

/** One invalid map entry in the file; the map's other entries apply. */
export interface BadEntryOfFile extends BadEntry {
  readonly key: SettingKey;
  readonly line?: number;
}

/** Content of a settings file. */
export type FileReading =
  | {
      readonly kind: 'read';
      readonly tree: Tree;
      readonly values: ReadonlyMap<SettingKey, unknown>;
      readonly bad: ReadonlyMap<SettingKey, BadValue>;
      readonly badEntries: readonly BadEntryOfFile[];
      /** The value at a key, valid or not. */
      readonly writtenAt: (key: SettingKey) => unknown;
      readonly lineOf: (key: SettingKey, name: string) => number | undefined;
      readonly hints: readonly ConfigProblem[];
    }
  | { readonly kind: 'unreadable'; readonly line?: number; readonly reason: string };

/** A file that could be read. */
export type ReadFile = Extract<FileReading, { readonly kind: 'read' }>;

/** The reading of a missing file. */
export const NO_FILE: FileReading = {
  kind: 'read',
  tree: {},
  values: new Map(),
  bad: new Map(),
  badEntries: [],
  writtenAt: () => undefined,
  lineOf: () => undefined,
  hints: [],
};

const MAX_HINTS = 50;

/** Reads the text of a settings file (without its byte order mark). Row S1-33. */
export function readSettings(text: string, fileName: string): FileReading {
  const parsed = parseJson(text);
  if (!parsed.ok) return { kind: 'unreadable', line: parsed.line, reason: parsed.reason };
  if (!isJson(parsed.value)) {
    return { kind: 'unreadable', line: 1, reason: 'the file must hold one object: { … }' };
  }
  const tree = parsed.value;
  const values = new Map<SettingKey, unknown>();
  const bad = new Map<SettingKey, BadValue>();
  const badEntries: BadEntryOfFile[] = [];
  const places = new Map<SettingKey, readonly string[]>();
  const lineOf = (key: SettingKey, name: string): number | undefined =>
    parsed.lineOf([...(places.get(key) ?? []), name]);
  const hints: ConfigProblem[] = [];
  const hint = (path: readonly string[], sentence: string): void => {
    const line = parsed.lineOf(path);
    const where = line === undefined ? fileName : `${fileName}, line ${String(line)}`;
    if (hints.length >= MAX_HINTS) return;
    hints.push({
      key: path.join('.').slice(0, 200),
      ...(line === undefined ? {} : { line }),
      message: `${where}: ${sentence}`.slice(0, 1000),
      level: 'hint',
    });
  };

  for (const key of SETTING_KEYS) {
    const [first, ...others] = placesOf(key)
      .map((path) => ({ path, found: lookUp(tree, path) }))
      .filter(({ found }) => found.kind !== 'absent');
    if (first === undefined) continue;
    for (const { path } of others) hint(path, `${key} is set twice; this one is ignored.`);
    const { path, found } = first;
    if (found.kind === 'blocked') {
      const line = parsed.lineOf(found.at);
      const sentence = `${found.at.join('.')} must be an object: { … }`;
      bad.set(key, { sentence, isBlocked: true, ...(line === undefined ? {} : { line }) });
      continue;
    }
    if (found.kind === 'absent') continue;
    places.set(key, path);
    const sifted = siftValue(key, found.value);
    if (sifted.kind === 'unusable') {
      const line = parsed.lineOf(path);
      bad.set(key, { sentence: sifted.sentence, ...(line === undefined ? {} : { line }) });
      continue;
    }
    for (const entry of sifted.bad) {
      const line = lineOf(key, entry.name);
      badEntries.push({ key, ...entry, ...(line === undefined ? {} : { line }) });
    }
    const unique = withoutDuplicates(sifted.value);
    if (unique.duplicates.length > 0) {
      hint(
        path,
        `${key} names ${unique.duplicates.join(', ').slice(0, 300)} more than once; it counts once.`,
      );
    }
    values.set(key, unique.value);
    for (const sentence of remarksOn(key, unique.value)) hint(path, sentence);
  }
  for (const { key, sentence } of takeFallen(values)) {
    const line = parsed.lineOf(key.split('.'));
    bad.set(key, { sentence, ...(line === undefined ? {} : { line }) });
  }
  for (const path of unknownPaths(tree).slice(0, MAX_HINTS)) hint(path, remarkOnUnknown(path));
  const writtenAt = (key: SettingKey): unknown => {
    const found = lookUp(tree, places.get(key) ?? [key]);
    return found.kind === 'value' ? found.value : undefined;
  };
  return { kind: 'read', tree, values, bad, badEntries, writtenAt, lineOf, hints };
}

/** Removes values that contradict another one, until each pair is consistent. */
function takeFallen(values: Map<SettingKey, unknown>): { key: SettingKey; sentence: string }[] {
  const valueOf = (key: SettingKey): unknown =>
    values.has(key) ? values.get(key) : SETTINGS[key].default;
  const fallen: { key: SettingKey; sentence: string }[] = [];
  for (let pair = fallingPair(valueOf); pair !== undefined; pair = fallingPair(valueOf)) {
    const key = pair.keys.toReversed().find((one) => values.has(one));
    if (key === undefined) break;
    fallen.push({ key, sentence: pair.sentence });
    values.delete(key);
  }
  return fallen;
}

function remarkOnUnknown(path: readonly string[]): string {
  const name = path.join('.');
  const near = nearestKey(name);
  return (
    `there is no setting called ${JSON.stringify(name.slice(0, 80))}; it is ignored.` +
    (near === undefined ? '' : ` Did you mean ${near}?`)
  );
}

/** Notes for the user about a valid value. S4-22, S4-27, R9. */
function remarksOn(key: SettingKey, value: unknown): string[] {
  const remarks: string[] = [];
  const names = isJson(value) ? Object.keys(value) : [];
  if (value === 'prompt' || (isJson(value) && Object.values(value).includes('prompt')))
    remarks.push(`${key}: "prompt" is a word of older versions and works as "retry".`);
  if (key === 'skill_resume.per_skill' && names.length > 0) {
    const list = names.join(', ').slice(0, 300);
    remarks.push(
      `${key}: ${list}; a name that is not a skill is ignored. See "holdfast skills list".`,
    );
  }
  return remarks;
}

/**
 * Possible paths of a key: nested, without its leading `resilience`, or as one dotted name. X-06.
 */
function placesOf(key: SettingKey): string[][] {
  const path = key.split('.');
  const places = [path];
  if (path.length > 1) places.push([key]);
  if (path[0] === 'resilience') {
    const short = path.slice(1);
    places.push(short);
    if (short.length > 1) places.push([short.join('.')]);
  }
  return places;
}

type Lookup =
  | { readonly kind: 'absent' }
  | { readonly kind: 'blocked'; readonly at: readonly string[] }
  | { readonly kind: 'value'; readonly value: unknown };

function lookUp(tree: Tree, path: readonly string[]): Lookup {
  let found: unknown = tree;
  for (const [depth, name] of path.entries()) {
    if (!isJson(found)) return { kind: 'blocked', at: path.slice(0, depth) };
    if (!Object.hasOwn(found, name)) return { kind: 'absent' };
    found = found[name];
  }
  return { kind: 'value', value: found };
}

/** Lists of names, the only lists among the settings, contain each name once. */
function withoutDuplicates(value: unknown): { value: unknown; duplicates: string[] } {
  if (!Array.isArray(value)) return { value, duplicates: [] };
  const names = value as string[];
  const duplicates = names.filter((name, index) => names.indexOf(name) !== index);
  return { value: [...new Set(names)], duplicates: [...new Set(duplicates)] };
}

const PLACES = new Set(SETTING_KEYS.flatMap(placesOf).map((path) => JSON.stringify(path)));
const SECTIONS = new Set(
  SETTING_KEYS.flatMap(placesOf).flatMap((path) =>
    path.slice(1).map((_, index) => JSON.stringify(path.slice(0, index + 1))),
  ),
);

function unknownPaths(tree: Tree, prefix: readonly string[] = []): string[][] {
  return Object.entries(tree).flatMap(([name, value]) => {
    const path = [...prefix, name];
    if (PLACES.has(JSON.stringify(path))) return [];
    if (!SECTIONS.has(JSON.stringify(path))) return [path];
    // A section that is not an object is reported together with the keys it hides.
    return isJson(value) ? unknownPaths(value, path) : [];
  });
}

/** Keys of a section in the order of the table; empty if it is not a section. */
export function keysOfSection(section: string): SettingKey[] {
  const direct = SETTING_KEYS.filter((key) => key.startsWith(`${section}.`));
  return direct.length > 0
    ? direct
    : SETTING_KEYS.filter((key) => key.startsWith(`resilience.${section}.`));
}

/** The most similar known key; undefined if none is close. */
export function nearestKey(name: string): SettingKey | undefined {
  const wanted = name.toLowerCase().slice(0, 100);
  const last = wanted.split('.').at(-1) ?? wanted;
  let best: { key: SettingKey; distance: number } | undefined;
  for (const key of SETTING_KEYS) {
    const lastOfKey = key.split('.').at(-1) ?? key;
    // A correct last part in the wrong section counts like two typing errors.
    const distance = Math.min(
      editDistance(wanted, key),
      editDistance(wanted, key.replace(/^resilience\./, '')),
      editDistance(last, lastOfKey) + 2,
    );
    if (best === undefined || distance < best.distance) best = { key, distance };
  }
  return best !== undefined && best.distance <= Math.max(2, Math.floor(last.length / 3))
    ? best.key
    : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/**
 * The tree with one key set, or removed if the value is undefined; everything else unchanged. Other
 * spellings of the same key are replaced by the nested one.
 */
export function writeSetting(tree: Tree, key: SettingKey, value: unknown): Tree {
  const [path = [], ...otherSpellings] = placesOf(key);
  const cleared = otherSpellings.reduce(without, tree);
  return value === undefined ? without(cleared, path) : withValue(cleared, path, value);
}

function withValue(tree: Tree, [name, ...rest]: readonly string[], value: unknown): Tree {
  if (name === undefined) return tree;
  if (rest.length === 0) return { ...tree, [name]: value };
  const inner = tree[name];
  return { ...tree, [name]: withValue(isJson(inner) ? inner : {}, rest, value) };
}

/** Removes the member at a path, and sections that become empty. */
function without(tree: Tree, [name, ...rest]: readonly string[]): Tree {
  if (name === undefined || !Object.hasOwn(tree, name)) return tree;
  if (rest.length === 0) {
    return Object.fromEntries(Object.entries(tree).filter(([other]) => other !== name));
  }
  const inner = tree[name];
  if (!isJson(inner)) return tree;
  const left = without(inner, rest);
  return Object.keys(left).length === 0 && Object.keys(inner).length > 0
    ? Object.fromEntries(Object.entries(tree).filter(([other]) => other !== name))
    : { ...tree, [name]: left };
}

/** Values from the environment or the command line. */
interface ExternalValues {
  readonly values: ReadonlyMap<SettingKey, unknown>;
  readonly problems: readonly ConfigProblem[];
}

/** Prefix of settings in the environment: `HOLDFAST_CONFIG__limits__turn_steps=50`. */
const ENV_PREFIX = 'HOLDFAST_CONFIG__';

/** Settings in the environment: the parts of the key are joined by two underscores, in any case. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): ExternalValues {
  const given: [label: string, key: string, value: unknown][] = [];
  for (const name of Object.keys(env).sort()) {
    const text = env[name];
    if (!name.toUpperCase().startsWith(ENV_PREFIX) || text === undefined || text === '') continue;
    given.push([name, name.slice(ENV_PREFIX.length).toLowerCase().replaceAll('__', '.'), text]);
  }
  return readExternal(given);
}

/** Settings given on the command line, by key. */
export function readOverrides(overrides: Readonly<Record<string, unknown>>): ExternalValues {
  return readExternal(
    Object.entries(overrides).map(([key, value]) => [`${key} on the command line`, key, value]),
  );
}

function readExternal(given: readonly (readonly [string, string, unknown])[]): ExternalValues {
  const values = new Map<SettingKey, unknown>();
  const problems: ConfigProblem[] = [];
  for (const [label, name, raw] of given) {
    const key = canonicalKey(name);
    if (key === undefined) {
      const near = nearestKey(name);
      const message = `${label.slice(0, 200)}: there is no such setting; it has no effect.`;
      problems.push({
        message: near === undefined ? message : `${message} Did you mean ${near}?`,
        level: 'hint',
      });
      continue;
    }
    const sifted = siftValue(key, typeof raw === 'string' ? settingFromText(key, raw) : raw);
    if (sifted.kind === 'usable') values.set(key, withoutDuplicates(sifted.value).value);
    const sentences =
      sifted.kind === 'usable' ? sifted.bad.map(({ sentence }) => sentence) : [sifted.sentence];
    for (const sentence of sentences)
      problems.push({ key, message: `${label.slice(0, 200)}: ${sentence}. It is ignored.` });
  }
  return { values, problems };
}
