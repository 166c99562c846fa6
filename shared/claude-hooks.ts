/** How installing and removing hooks changes a Claude Code settings file. Pure. */

type Json = Record<string, unknown>;

/**
 * Events that a watched terminal reports, each with a version of Claude Code that knows it. An
 * unknown event name makes an older version skip the whole file, including the user's own hooks and
 * permissions, so no version gets a name that is newer than itself. (Tested with 2.0.42 to 2.1.100,
 * which skip it, and with 2.1.197 and 2.1.332, which ignore the name.)
 */
const WATCHED: readonly (readonly [event: string, since: string])[] = [
  ['SessionStart', '1.0.62'],
  ['UserPromptSubmit', '1.0.60'],
  ['PreToolUse', '1.0.60'],
  ['PostToolUse', '1.0.60'],
  ['PostToolUseFailure', '2.0.56'],
  ['Stop', '1.0.60'],
  ['StopFailure', '2.1.78'],
  ['SessionEnd', '1.0.85'],
];
/** Assumed version of a program that does not report one. */
const OLDEST = '1.0.85';

/** A version as `claude --version` prints it: `2.1.197 (Claude Code)`; undefined for anything else. */
export const readClaudeVersion = (printed: string): string | undefined =>
  /^\s*v?(\d{1,6}\.\d{1,6}\.\d{1,6})\b/.exec(printed)?.[1];

/** The events that a version knows. */
export const knownEvents = (
  version: string | undefined,
  events: readonly string[] = WATCHED.map(([event]) => event),
): readonly string[] =>
  WATCHED.flatMap(([event, since]) =>
    events.includes(event) && !isOlder(version ?? OLDEST, since) ? [event] : [],
  );

function isOlder(version: string, other: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [at, part] of other.split('.').map(Number).entries())
    if (parts[at] !== part) return (parts[at] ?? 0) < part;
  return false;
}

/** Identifies our hook, whatever program and folder surround this text. */
const OURS = / hook watch --dir /;
const WAIT_SECONDS = 10;

/** Planned change of a settings file. */
export type SettingsPlan =
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'same' }
  | {
      readonly kind: 'change';
      readonly after: string;
      /** Lines with `+` or `-` in front. */
      readonly diff: readonly string[];
    };

/**
 * Adds our hook to each event that this version of Claude Code knows, and leaves the rest of the
 * settings unchanged.
 */
export function planInstall(
  before: string | undefined,
  command: string,
  version: string | undefined,
): SettingsPlan {
  return settingsPlan(before, (settings) => {
    const hooks = without(settings);
    for (const event of knownEvents(version)) {
      const isTool = event.includes('ToolUse');
      const own = {
        ...(isTool ? { matcher: '*' } : {}),
        hooks: [{ type: 'command', command, timeout: WAIT_SECONDS }],
      };
      hooks[event] = [...listOf(hooks[event]), own];
    }
    return { ...settings, hooks };
  });
}

/** Removes what {@link planInstall} added, including from an earlier location or version. */
export function planRemoval(before: string | undefined): SettingsPlan {
  return settingsPlan(before, (settings) => {
    if (settings['hooks'] === undefined) return settings;
    const hooks = without(settings);
    const { hooks: _old, ...rest } = settings;
    return Object.keys(hooks).length === 0 ? rest : { ...settings, hooks };
  });
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function without(settings: Json): Json {
  const hooks: Json = {};
  for (const [event, entries] of Object.entries((settings['hooks'] ?? {}) as Json)) {
    if (!Array.isArray(entries)) {
      hooks[event] = entries; // Not for us to judge.
      continue;
    }
    const kept = entries.flatMap((entry: unknown) => {
      const own = (entry as { hooks?: unknown } | null)?.hooks;
      if (!Array.isArray(own)) return [entry];
      const others = own.filter((hook: unknown) => !isOurs(hook));
      if (others.length === own.length) return [entry];
      return others.length === 0 ? [] : [{ ...(entry as Json), hooks: others }];
    });
    if (kept.length > 0 || entries.length === 0) hooks[event] = kept;
  }
  return hooks;
}

function isOurs(hook: unknown): boolean {
  const command = (hook as { command?: unknown } | null)?.command;
  return typeof command === 'string' && OURS.test(command);
}

function settingsPlan(before: string | undefined, edit: (settings: Json) => Json): SettingsPlan {
  let settings: unknown;
  try {
    settings = before === undefined || before.trim() === '' ? {} : JSON.parse(before);
  } catch (error) {
    return { kind: 'unreadable', reason: error instanceof Error ? error.message : String(error) };
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    return { kind: 'unreadable', reason: 'It is no JSON object.' };
  const { hooks } = settings as Json;
  if (hooks !== undefined && (typeof hooks !== 'object' || hooks === null || Array.isArray(hooks)))
    return { kind: 'unreadable', reason: '"hooks" is no JSON object.' };
  const changed = edit(settings as Json);
  if (JSON.stringify(changed) === JSON.stringify(settings)) return { kind: 'same' };
  const after = `${JSON.stringify(changed, null, 2)}\n`;
  return { kind: 'change', after, diff: diffOf(`${JSON.stringify(settings, null, 2)}\n`, after) };
}

/** Lines that only one of the two has, in order: entries are only added or only removed. */
function diffOf(before: string, after: string): readonly string[] {
  const old = before.split('\n');
  const now = after.split('\n');
  let start = 0;
  while (start < old.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (
    end < Math.min(old.length, now.length) - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end += 1;
  return [
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
  ];
}
