/** `holdfast config list|get|set|unset|path` */
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { parseDuration } from '../../../shared/durations';
import { parsedJson } from '../../../shared/parsed-json';
import type { ConfigEntry, ConfigProblem } from '../../../shared/types';
import { isSettingKey, SETTINGS, settingFromText } from '../../../shared/settings';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Program } from '../command';
import { asks, does, optional } from '../command';
import { inertLine, safeJson } from '../render';

/** True for a key whose values are durations. */
function isDuration(key: string): boolean {
  if (!isSettingKey(key)) return false;
  const { schema } = SETTINGS[key];
  return schema.safeParse('1s').success && !schema.safeParse('soon').success;
}

/** Milliseconds for a duration; anything else as it is. */
export function effectiveValue(key: string, value: ConfigEntry['value']): ConfigEntry['value'] {
  if (!isDuration(key)) return value;
  const parsed = parseDuration(value);
  return parsed.ok ? parsed.ms : value;
}

/**
 * The value of a command-line argument: JSON if the setting accepts that, otherwise the plain text.
 * A value that fits neither form is sent as JSON, so that the error names the type.
 */
export function settingValue(key: string, word: string): ConfigEntry['value'] {
  const parsed = parsedJson(word);
  if (parsed === undefined) return word;
  // JSON reads 1e400 as infinite and would send it as nothing, which means "the default".
  if (typeof parsed === 'number' && !Number.isFinite(parsed)) return word;
  return (isSettingKey(key) ? settingFromText(key, word) : parsed) as ConfigEntry['value'];
}

const plain = (value: ConfigEntry['value']): string =>
  typeof value === 'string' ? inertLine(value) : safeJson(value, 0);

/**
 * True if the file has another value than the one in force: a script that reads the value must not
 * mistake it for the stored one.
 */
function isAbout(
  { key, level }: ConfigProblem,
  name: string,
  entries: readonly ConfigEntry[],
): boolean {
  if (level === 'hint') return false;
  const isBelow = (one: string, above: string): boolean =>
    above === '' || one === above || one.startsWith(`${above}.`);
  const fromFile = entries.filter(
    (entry) =>
      (entry.source === 'default' || entry.source === 'file') &&
      (isBelow(entry.key, name) || isBelow(name, entry.key)),
  );
  return fromFile.some((entry) => key === undefined || isBelow(key, entry.key));
}

/** `resilience.recovery`, or everything without a name, as the file's nested object. */
function subtree(
  entries: readonly ConfigEntry[],
  prefix: string,
): Record<string, unknown> | undefined {
  const start = prefix === '' ? '' : `${prefix}.`;
  const inside = entries.filter((entry) => entry.key.startsWith(start));
  if (inside.length === 0) return undefined;
  const root: Record<string, unknown> = {};
  for (const entry of inside) {
    const path = entry.key.slice(start.length).split('.');
    const leaf = path.pop() ?? '';
    let node = root;
    for (const name of path) node = (node[name] ??= {}) as Record<string, unknown>;
    node[leaf] = entry.value;
  }
  return root;
}

export function addConfig(root: Command, program: Program): void {
  const config = root.command('config').description('View and change settings (config.json)');

  asks(
    program,
    config
      .command('get')
      .description('Show a setting, or all below a name')
      .argument('[key]', 'Setting, or the start of its name (default: all)')
      .option('--effective', 'Show durations as milliseconds'),
    'read',
    async (engine, run, key) => {
      const name = key;
      const isEffective = optional<boolean>(run, 'effective') === true;
      const { entries, problems, path } = await engine.call('config.list', {});
      const unused = problems.filter((problem) => isAbout(problem, name, entries));
      for (const { message } of unused)
        run.io.stderr.write(`${inertLine(`${dirname(path)}: ${message}`)}\n`);
      if (!isSettingKey(name)) {
        const shown = isEffective
          ? entries.map((entry) => ({ ...entry, value: effectiveValue(entry.key, entry.value) }))
          : entries;
        const value = subtree(shown, name);
        if (value) return { value, text: safeJson(value, 2) };
      }
      const entry = await engine.call('config.get', { key: name });
      const value = isEffective ? { ...entry, value: effectiveValue(name, entry.value) } : entry;
      return { value, text: plain(value.value) };
    },
  );

  asks(
    program,
    config
      .command('set')
      .description('Change a setting')
      .argument('<key>', 'Setting')
      .argument('<value>', 'JSON or plain text'),
    'set',
    async (engine, run, key, word) => {
      const name = key;
      const value = await engine.call('config.set', {
        key: name,
        value: settingValue(name, word),
      });
      // Valid values that deserve a warning: an old value, an unknown skill (S4-22, S4-27).
      if (value.key.startsWith('skill_resume.')) {
        const { problems } = await engine.call('config.list', {});
        for (const one of problems) if (one.key === value.key) run.note(inertLine(one.message));
      }
      const when = value.applies === 'restart' ? '\nIt takes effect at the next start.' : '';
      return { value, text: `${inertLine(value.key)} = ${plain(value.value)}${when}` };
    },
  );

  asks(
    program,
    config
      .command('unset')
      .description('Reset a setting to its default')
      .argument('<key>', 'Setting'),
    'set',
    async (engine, _run, key) => {
      const value = await engine.call('config.set', { key, value: null });
      const when = value.applies === 'restart' ? '\nIt takes effect at the next start.' : '';
      return { value, text: `${inertLine(value.key)} = ${plain(value.value)} (default)${when}` };
    },
  );

  asks(
    program,
    config
      .command('list')
      .description('List settings with their value and source')
      .option('--changed', 'Only settings that differ from the default'),
    'read',
    async (engine, run) => {
      const all = await engine.call('config.list', {});
      const entries = all.entries.filter(
        (entry) => optional<boolean>(run, 'changed') !== true || entry.source !== 'default',
      );
      const value = { ...all, entries };
      const rows = entries.map((entry) => [
        entry.key,
        plain(entry.value).slice(0, 60),
        entry.source,
        entry.applies === 'restart' ? 'at the next start' : 'immediately',
        inertLine(entry.about),
      ]);
      const problems = all.problems.map(
        (problem) =>
          `${inertLine(all.path)}${problem.line === undefined ? '' : `:${String(problem.line)}`}: ${inertLine(problem.message)}`,
      );
      const text = [
        run.table(['SETTING', 'VALUE', 'FROM', 'APPLIES', 'ABOUT'], rows) ||
          'All settings have their default values.',
        ...problems,
      ];
      return { value, text: text.join('\n') };
    },
  );

  does(
    program,
    config.command('path').description('Show the path of the settings file'),
    async (run) => {
      const path = join(run.dataDir, 'config.json');
      if (path.includes('\n'))
        throw new HoldfastError('INPUT_INVALID', 'The path holds a line break.');
      return { value: { path }, text: inertLine(path) };
    },
  );
}
