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
import type { SettingsPlan } from '../../../shared/claude-hooks';
import { planInstall, planRemoval } from '../../../shared/claude-hooks';
import { quoted } from '../../../shared/shell-quoted';
import { inertLine, spanText } from '../render';
import type { WatchedSession } from '../../../shared/watch-rules';
import { readWatched, resumeCommand, watchModel } from '../../../shared/watch-rules';
import { watchDir } from '../../data-dir';
import {
  claudeSettingsPath,
  readClaudeSettings,
  replaceClaudeSettings,
} from '../../disk/claude-settings';
import { makeFolderSync } from '../../disk/durable-folder';

function needClaude(name: string): void {
  if (name === 'claude') return;
  throw new HoldfastError('INPUT_INVALID', `Hooks of "${name.slice(0, 60)}" are not known.`, {
    hint: 'Nothing was changed. Only Claude Code can be watched: holdfast hooks install claude',
  });
}

function change(
  run: Run,
  plan: (before: string | undefined) => SettingsPlan,
  done: string,
): { value: unknown; text: string } {
  const file = claudeSettingsPath(run.io.home);
  const before = readClaudeSettings(file);
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
  const backup = replaceClaudeSettings(file, before, planned.after, run.nowMs);
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
