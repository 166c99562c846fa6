import type { ConfigProblem } from '../../../shared/types';
import type { SettingKey } from '../../../shared/settings';
import { SETTINGS } from '../../../shared/settings';
import { quote } from './explain-value';
import { isJson } from '../../engine/kernel/json-object';
import type { SettingValues } from './last-good';
import type { RefusedName } from './clashing-names';
import type { BadEntryOfFile, BadValue, FileReading, ReadFile } from './settings-rules';

/** Problems in the file, line by line, and the values that apply instead. Pure. S0-36, S0-37 */
export function fileProblems(
  fileName: string,
  reading: FileReading,
  good: SettingValues | undefined,
  refused: readonly RefusedName[],
): readonly ConfigProblem[] {
  if (reading.kind === 'unreadable') {
    const inForce =
      good === undefined ? 'The defaults are used.' : 'The last valid settings are used.';
    return [
      {
        ...(reading.line === undefined ? {} : { line: reading.line }),
        message: `${placeIn(fileName, reading.line)}: ${reading.reason}. ${inForce}`,
      },
    ];
  }
  const list: ConfigProblem[] = [];
  const seen = new Set<string>();
  for (const [key, bad] of reading.bad) {
    const id = `${String(bad.line)} ${bad.sentence}`;
    if (!seen.has(id)) list.push(badProblem(placeIn(fileName, bad.line), key, bad, good));
    seen.add(id);
  }
  const entries = [
    ...reading.badEntries.map((entry) => entryProblem(fileName, entry, good)),
    ...refused.map((entry) =>
      entryProblem(fileName, { ...entry, ...lineAt(reading, entry) }, undefined),
    ),
  ];
  list.push(...entries.slice(0, MAX_ENTRIES));
  if (entries.length > MAX_ENTRIES)
    list.push({
      message: `${fileName}: ${String(entries.length - MAX_ENTRIES)} more entries cannot be used. Correct those listed above; then the next ones are shown.`,
    });
  return [...list, ...reading.hints];
}

const lineAt = (reading: ReadFile, { key, name }: RefusedName): { readonly line?: number } => {
  const line = reading.lineOf(key, name);
  return line === undefined ? {} : { line };
};

/** A file of 1 MB may hold a lot of them. */
const MAX_ENTRIES = 50;

/**
 * The sentence ends with what applies instead, and that the other entries of the map still apply.
 */
function entryProblem(
  fileName: string,
  { key, name, line, sentence }: BadEntryOfFile,
  good: SettingValues | undefined,
): ConfigProblem {
  const inForce = good?.get(key);
  const instead = isJson(inForce) && Object.hasOwn(inForce, name) ? inForce[name] : undefined;
  const shown = JSON.stringify(name.slice(0, 60));
  const what =
    instead === undefined
      ? `Only this entry of ${key} is ignored; the others are used`
      : typeof instead === 'string'
        ? `${quote(instead)} is used for ${shown}, and the other entries of ${key} are`
        : `The last valid value of ${shown} is used, and the other entries of ${key} are used`;
  return {
    key,
    ...(line === undefined ? {} : { line }),
    message: `${placeIn(fileName, line)}: ${sentence}. ${what}.`.slice(0, 1000),
  };
}

function badProblem(
  place: string,
  key: SettingKey,
  bad: BadValue,
  good: SettingValues | undefined,
): ConfigProblem {
  const value = good?.has(key) === true ? good.get(key) : SETTINGS[key].default;
  const shown = typeof value === 'object' ? '' : ` (${quote(value)})`;
  const inForce =
    good?.has(key) === true
      ? `The last valid value of ${key}${shown} is used.`
      : `The default of ${key}${shown} is used.`;
  return {
    key,
    ...(bad.line === undefined ? {} : { line: bad.line }),
    message: `${place}: ${bad.sentence}. ${inForce}`.slice(0, 1000),
  };
}

const placeIn = (fileName: string, line: number | undefined): string =>
  line === undefined ? fileName : `${fileName}, line ${String(line)}`;
