/**
 * `holdfast hooks install|remove claude` and `holdfast terminals list`: terminals that Holdfast does
 * not run.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { HoldfastError, invalidInput, stale } from '../../engine/kernel/errors';
import type { Program, Run } from '../command';
import { does } from '../command';
import type { SettingsPlan } from '../../../shared/claude-hooks';
import { planInstall, planRemoval, readClaudeVersion } from '../../../shared/claude-hooks';
import { plainEnvironment } from '../../../shared/plain-environment';
import { quoted } from '../../../shared/shell-quoted';
import { ifKnown, inertLine, joinParts } from '../render';
import type { WatchedLimit, WatchedSession } from '../../../shared/watch-rules';
import { readWatched, resumeCommand, watchModel } from '../../../shared/watch-rules';
import { watchDir } from '../../data-dir';
import {
  claudeSettingsPath,
  readClaudeSettings,
  replaceClaudeSettings,
} from '../../disk/claude-settings';
import { makeFolderSync } from '../../disk/durable-folder';

const ASK_MS = 15_000;
const END = '.jsonl';
const LIMIT = 100;

/**
 * The version that `claude --version` prints; undefined if there is none or the output is
 * different.
 */
const claudeVersion = (own: Run['io']['env']): Promise<string | undefined> =>
  new Promise((resolve) => {
    const env = plainEnvironment(own, ['HOME', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA']);
    execFile('claude', ['--version'], { env, timeout: ASK_MS }, (error, stdout) => {
      resolve(error === null ? readClaudeVersion(stdout) : undefined);
    });
  });

function needClaude(name: string): void {
  if (name === 'claude') return;
  throw invalidInput(
    `Hooks for "${name.slice(0, 60)}" are not supported.`,
    'Nothing was changed. Only Claude Code can be watched: holdfast hooks install claude',
  );
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
    throw new HoldfastError('CONFIG_UNREADABLE', `Can't read ${file}: ${planned.reason}`, {
      hint: 'Nothing was changed. Fix the file, then try again.',
    });
  }
  if (planned.kind === 'same')
    return { value: { changed: false, path: file }, text: 'Nothing to change.' };
  const diff = planned.diff.join('\n');
  if (run.options['dryRun'] === true)
    return { value: { changed: false, path: file, diff: planned.diff }, text: `${file}\n${diff}` };
  const backup = replaceClaudeSettings(file, before, planned.after, stale);
  const kept = backup === '' ? '' : `\nPrevious version: ${backup}`;
  return {
    value: { changed: true, path: file, backup, diff: planned.diff },
    text: `${file}\n${diff}\n${done}${kept}`,
  };
}

export function addHooks(root: Command, program: Program): void {
  const hooks = root
    .command('hooks')
    .description('Install or remove hooks that monitor agents in your terminals');
  does(
    program,
    hooks
      .command('install')
      .description('Let Claude Code report to Holdfast what it does in your terminals')
      .argument('<program>', 'Program: claude')
      .option('--dry-run', 'Only show the difference'),
    async (run, name) => {
      needClaude(name);
      const dir = watchDir(run.dataDir);
      if (run.options['dryRun'] !== true) makeFolderSync(dir, path.dirname(dir));
      const { command, args } = run.io.self;
      const line = [command, ...args, 'hook', 'watch', '--dir', dir].map(quoted).join(' ');
      const version = await claudeVersion(run.io.env);
      return change(
        run,
        (before) => planInstall(before, line, version),
        'New sessions are monitored from now on.',
      );
    },
  );
  does(
    program,
    hooks
      .command('remove')
      .description('Remove the hooks; everything else stays')
      .argument('<program>', 'Program: claude')
      .option('--dry-run', 'Only show the difference'),
    (run, name) => {
      needClaude(name);
      return Promise.resolve(change(run, planRemoval, 'Terminals are no longer monitored.'));
    },
  );
  const terminals = root.command('terminals').description('Show what monitored terminals did');
  does(
    program,
    terminals.command('list').description('List monitored terminals, newest first'),
    (run) => {
      const sessions = listWatched(watchDir(run.dataDir), run);
      const text = sessions.map((session) => textOf(session, run)).join('\n\n');
      return Promise.resolve({
        value: { sessions },
        text:
          text === ''
            ? 'No monitored terminals yet. Start with: holdfast hooks install claude'
            : text,
      });
    },
  );
}

/** Newest first. Reads no more files than are listed: there is one for each session that is kept. */
function listWatched(dir: string, run: Run): readonly WatchedSession[] {
  const newest = namesIn(dir)
    .filter((name) => name.endsWith(END))
    .map((name) => ({ name, facts: fs.statSync(path.join(dir, name), { throwIfNoEntry: false }) }))
    .sort((one, other) => (other.facts?.mtimeMs ?? 0) - (one.facts?.mtimeMs ?? 0));
  const found: WatchedSession[] = [];
  for (const { name } of newest) {
    if (found.length >= LIMIT) break;
    try {
      const text = fs.readFileSync(path.join(dir, name), 'utf8');
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      const session = watchModel(name.slice(0, -END.length), readWatched(text), zone);
      if (session !== undefined) found.push(session);
    } catch (error) {
      run.io.stderr.write(`${inertLine(name)} cannot be read (${codeOf(error)}).\n`);
    }
  }
  return found.sort((one, other) => other.lastAtMs - one.lastAtMs);
}

function namesIn(dir: string): readonly string[] {
  try {
    return fs.readdirSync(dir);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []; // Nothing was ever watched.
    throw error;
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

const limitText = ({ resetsAtMs }: WatchedLimit, run: Run): string =>
  resetsAtMs === undefined
    ? 'usage limit reached; no reset time was given'
    : `usage limit reached; it resets ${run.when(resetsAtMs)}`;

function textOf(session: WatchedSession, run: Run): string {
  const state = {
    ended: 'ended',
    idle: 'waiting for a prompt, or interrupted between two tool calls',
    in_call: 'running a tool call, or interrupted in it',
  }[session.state];
  const said = (call: { readonly tool: string; readonly about: string }): string =>
    `${inertLine(call.tool)}: ${inertLine(call.about)}`;
  return joinParts([
    `${inertLine(session.cwd)}  (${run.when(session.lastAtMs)}, ${state})`,
    ifKnown(session.limit, (limit) => `  ${limitText(limit, run)}`),
    session.prompt === '' ? undefined : `  prompt: ${inertLine(session.prompt)}`,
    ...session.finished.slice(-5).map((call) => `  done: ${said(call)}`),
    ...session.open.map((call) => `  started, outcome unknown: ${said(call)}`),
    `  continue: ${resumeCommand(session.cwd, session.session)}`,
  ]);
}
