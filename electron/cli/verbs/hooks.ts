/**
 * `holdfast hooks install|remove claude` and `holdfast watch list`: terminals that Holdfast does
 * not run.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Program, Run } from '../command';
import { does } from '../command';
import { quoted } from '../../../shared/shell-quoted';
import { inertLine, spanText } from '../render';
import type { WatchedSession } from '../../../shared/watch-rules';
import { readWatched, resumeCommand, watchModel } from '../../../shared/watch-rules';
import { watchDir } from '../../data-dir';
import { makeFolderSync } from '../../disk/durable-folder';
import { writeDurablySync } from '../../disk/durable-file';

const settingsOf = (run: Run): string => path.join(run.io.home, '.claude', 'settings.json');

function needClaude(name: string): void {
  if (name === 'claude') return;
  throw new HoldfastError('INPUT_INVALID', `Hooks of "${name.slice(0, 60)}" are not known.`, {
    hint: 'Nothing was changed. Only Claude Code can be watched: holdfast hooks install claude',
  });
}

function read(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces the file atomically; stores the old content next to it. */
function replace(file: string, before: string | undefined, after: string, nowMs: number): string {
  makeFolderSync(path.dirname(file), path.dirname(file));
  // A link stays a link: its target is replaced.
  const target = before === undefined ? file : fs.realpathSync(file);
  const mode = before === undefined ? 0o600 : fs.statSync(target).mode & 0o777;
  let backup = '';
  if (before !== undefined) {
    backup = `${target}.before-holdfast-${String(nowMs)}`;
    writeDurablySync(backup, before, { mode });
  }
  writeDurablySync(target, after, { mode });
  return backup;
}

function change(
  run: Run,
  plan: (before: string | undefined) => SettingsPlan,
  done: string,
): { value: unknown; text: string } {
  const file = settingsOf(run);
  const before = read(file);
  const planned = plan(before);
  if (planned.kind === 'unreadable') {
    throw new HoldfastError('CONFIG_INVALID', `${file} cannot be read: ${planned.reason}`, {
      hint: 'Nothing was changed. Mend the file, then try again.',
    });
  }
  if (planned.kind === 'same')
    return { value: { changed: false, path: file }, text: 'Nothing to change.' };
  const diff = planned.diff.join('\n');
  if (run.options['dryRun'] === true)
    return { value: { changed: false, path: file, diff: planned.diff }, text: `${file}\n${diff}` };
  const backup = replace(file, before, planned.after, run.nowMs);
  const kept = backup === '' ? '' : `\nWhat was there before: ${backup}`;
  return {
    value: { changed: true, path: file, backup, diff: planned.diff },
    text: `${file}\n${diff}\n${done}${kept}`,
  };
}

export function addHooks(root: Command, program: Program): void {
  const hooks = root.command('hooks').description('Watch terminals that Holdfast does not run');
  does(
    program,
    hooks
      .command('install')
      .description('let Claude Code report what it does in your terminals; shows the difference')
      .argument('<program>', 'claude')
      .option('--dry-run', 'only show the difference'),
    (run, name) => {
      needClaude(name);
      const dir = watchDir(run.dataDir);
      if (run.options['dryRun'] !== true) makeFolderSync(dir, path.dirname(dir));
      const { command, args } = run.io.self;
      const line = [command, ...args, 'hook', 'watch', '--dir', dir].map(quoted).join(' ');
      return Promise.resolve(
        change(run, (before) => planInstall(before, line), 'New sessions are watched from now on.'),
      );
    },
  );
  does(
    program,
    hooks
      .command('remove')
      .description('take the hooks out again; everything else stays')
      .argument('<program>', 'claude')
      .option('--dry-run', 'only show the difference'),
    (run, name) => {
      needClaude(name);
      return Promise.resolve(change(run, planRemoval, 'Terminals are not watched any more.'));
    },
  );
  const watch = root.command('watch').description('What watched terminals did');
  does(program, watch.command('list').description('newest first'), (run) => {
    const sessions = listWatched(watchDir(run.dataDir));
    const text = sessions.map((session) => textOf(session, run.nowMs)).join('\n\n');
    return Promise.resolve({
      value: { sessions },
      text: text === '' ? 'No terminal was watched yet: holdfast hooks install claude' : text,
    });
  });
}

function listWatched(dir: string): readonly WatchedSession[] {
  let names: readonly string[];
  try {
    names = fs.readdirSync(dir).filter((name) => name.endsWith('.jsonl'));
  } catch {
    return []; // nothing was ever watched
  }
  return names
    .map((name) =>
      watchModel(
        name.slice(0, -'.jsonl'.length),
        readWatched(fs.readFileSync(path.join(dir, name), 'utf8')),
      ),
    )
    .filter((session) => session !== undefined)
    .sort((one, other) => other.lastAtMs - one.lastAtMs)
    .slice(0, 100);
}

function textOf(session: WatchedSession, nowMs: number): string {
  const state = {
    ended: 'ended',
    idle: 'waits for you, or was cut off between two calls',
    in_call: 'in a call, or cut off in it',
  }[session.state];
  const said = (call: { readonly tool: string; readonly about: string }): string =>
    `${inertLine(call.tool)}: ${inertLine(call.about)}`;
  return [
    `${inertLine(session.cwd)}  (${spanText(Math.max(0, nowMs - session.lastAtMs))} ago, ${state})`,
    ...(session.prompt === '' ? [] : [`  asked: ${inertLine(session.prompt)}`]),
    ...session.finished.slice(-5).map((call) => `  done: ${said(call)}`),
    ...session.open.map((call) => `  started, outcome unknown: ${said(call)}`),
    `  go on: ${resumeCommand(session.cwd, session.session)}`,
  ].join('\n');
}

/** How installing and removing hooks changes a Claude Code settings file. Pure. */

type Json = Record<string, unknown>;

/** Events that a watched terminal reports. */
export const WATCHED_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'SessionEnd',
] as const;

/** Identifies our hook, whatever program and folder surround this text. */
const OURS = / hook watch --dir /;
const WAIT_SECONDS = 10;

type SettingsPlan =
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'same' }
  | {
      readonly kind: 'change';
      readonly after: string;
      /** Lines with `+` or `-` in front. */
      readonly diff: readonly string[];
    };

/** Adds our hook to each event and leaves the rest of the settings unchanged. */
export function planInstall(before: string | undefined, command: string): SettingsPlan {
  return settingsPlan(before, (settings) => {
    const hooks = without(settings);
    for (const event of WATCHED_EVENTS) {
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

/** Takes out what {@link planInstall} has put in, also that of an earlier place or version. */
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
      hooks[event] = entries; // not ours to judge
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

/** Lines that only one of both has, in order: entries are only added or only taken away. */
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
