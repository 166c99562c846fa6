import type { ConfigProblem } from '../../../shared/model';
import type { SettingKey } from '../../../shared/settings';
import { SETTINGS } from '../../../shared/settings';
import { quote } from './explain-value';
import type { SettingValues } from './last-good';
import type { BadValue, FileReading } from './settings-model';

/** What is wrong with the file, line by line, and what is in force instead. Pure. S0-36, S0-37 */
export function fileProblems(
  fileName: string,
  reading: FileReading,
  good: SettingValues | undefined,
): readonly ConfigProblem[] {
  if (reading.kind === 'unreadable') {
    const inForce =
      good === undefined ? 'The defaults are in force.' : 'The last good settings stay in force.';
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
  return [...list, ...reading.hints];
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
      ? `The last good value of ${key}${shown} stays in force.`
      : `The default of ${key}${shown} is in force.`;
  return {
    key,
    ...(bad.line === undefined ? {} : { line: bad.line }),
    message: `${place}: ${bad.sentence}. ${inForce}`.slice(0, 1000),
  };
}

const placeIn = (fileName: string, line: number | undefined): string =>
  line === undefined ? fileName : `${fileName}, line ${String(line)}`;
