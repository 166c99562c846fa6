import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { planInstall, planRemoval, type SettingsPlan } from '../../../shared/claude-hooks';
import {
  claudeSettingsPath,
  readClaudeSettings,
  replaceClaudeSettings,
} from '../../disk/claude-settings';
import { makeFolderSync } from '../../disk/durable-folder';
import { HoldfastError, stale } from '../../engine/kernel/errors';
import type { HookCheck, WatchHooks, WatchHooksView } from '../../ports/watch-hooks';
import type { LoginEnvironment } from '../shell/login-environment';
import { childEnvironment } from '../shell/login-environment';
import { runCommand } from '../shell/run-command';
import { claudeVersion } from './claude-version';
import { shellWord } from './index';

interface WatchHooksDeps {
  readonly home: string;
  readonly watchDir: string;
  /** For the folder of a test run. */
  readonly temporaryDir: string;
  readonly self: { readonly command: string; readonly args: readonly string[] } | undefined;
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly clock: { monotonicMs(): number };
}

const CHECK_MS = 20_000;
const CHECK_BYTES = 16 * 1024;
const MAX_PROBLEM = 1_000;
const CHECKED_SESSION = 'holdfast-check';

/** The hooks in the settings of Claude Code that report what happens in the user's terminals. */
export function createWatchHooks(deps: WatchHooksDeps): WatchHooks {
  const file = claudeSettingsPath(deps.home);
  const hookWords = (dir: string): readonly [string, ...string[]] => {
    if (deps.self === undefined) {
      throw new HoldfastError('INTERNAL', 'This Holdfast cannot be called by a hook.', {
        hint: 'Nothing was changed. Use: holdfast hooks install claude',
      });
    }
    return [deps.self.command, ...deps.self.args, 'hook', 'watch', '--dir', dir];
  };
  /** Queried once, because an update only brings more events. */
  let version: Promise<string | undefined> | undefined;
  const askVersion = async (): Promise<string | undefined> => {
    const { env } = await childEnvironment(deps, [], {});
    return claudeVersion('claude', env, deps.temporaryDir);
  };
  const plans = async () => {
    const line = hookWords(deps.watchDir)
      .map((word) => shellWord(word))
      .join(' ');
    const known = await (version ??= askVersion());
    // Read last: while that program is asked, it may write its settings.
    const before = readClaudeSettings(file);
    const adding = planInstall(before, line, known);
    const removing = planRemoval(before);
    const seen = [before ?? null, linesOf(adding), linesOf(removing)];
    const requestHash = createHash('sha256').update(JSON.stringify(seen)).digest('hex');
    return { before, adding, removing, requestHash };
  };
  const apply = async (which: 'adding' | 'removing', requestHash: string): Promise<void> => {
    const now = await plans();
    if (now.requestHash !== requestHash) throw stale(file);
    const plan = now[which];
    if (plan.kind === 'unreadable') throw unreadable(file, plan.reason);
    if (plan.kind === 'change') replaceClaudeSettings(file, now.before, plan.after, stale);
  };
  return {
    async view() {
      const { adding, removing, requestHash } = await plans();
      const lastReportAtMs = await lastReport(deps.watchDir);
      return {
        path: file,
        isInstalled: adding.kind === 'same',
        diff: linesOf(adding),
        removal: linesOf(removing),
        requestHash,
        ...(adding.kind === 'unreadable' ? { problem: adding.reason.slice(0, MAX_PROBLEM) } : {}),
        ...(lastReportAtMs === undefined ? {} : { lastReportAtMs }),
      } satisfies WatchHooksView;
    },
    async install(requestHash) {
      makeFolderSync(deps.watchDir, dirname(deps.watchDir));
      await apply('adding', requestHash);
    },
    async remove(requestHash) {
      await apply('removing', requestHash);
    },
    check: () => checkOnce(deps, hookWords),
  };
}

const linesOf = (plan: SettingsPlan): readonly string[] =>
  plan.kind === 'change' ? plan.diff : [];

/** When the newest file of a watched session was written; undefined if there is none. */
async function lastReport(dir: string): Promise<number | undefined> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.jsonl'));
  const times = await Promise.all(
    names.map((name) =>
      stat(join(dir, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return times.length === 0 ? undefined : Math.round(Math.max(...times));
}

/** Runs the hook as a terminal would; its line on disk is the proof. */
async function checkOnce(
  deps: WatchHooksDeps,
  hookWords: (dir: string) => readonly [string, ...string[]],
): Promise<HookCheck> {
  const startedMs = deps.clock.monotonicMs();
  const tookMs = (): number => Math.round(deps.clock.monotonicMs() - startedMs);
  let dir: string | undefined;
  try {
    dir = await mkdtemp(join(deps.temporaryDir, 'holdfast-hook-'));
    const { env } = await childEnvironment(deps, [], {});
    const end = await runCommand({
      argv: hookWords(dir),
      cwd: dir,
      env,
      timeoutMs: CHECK_MS,
      capBytes: CHECK_BYTES,
      signal: AbortSignal.timeout(CHECK_MS),
      input: JSON.stringify({
        session_id: CHECKED_SESSION,
        hook_event_name: 'Check',
        cwd: dir,
      }),
    });
    const isAnswered = (await lastReport(dir)) !== undefined;
    const said = end.kind === 'not_started' ? end.reason : end.output;
    return {
      isAnswered,
      tookMs: tookMs(),
      ...(isAnswered || said === '' ? {} : { problem: said.slice(-MAX_PROBLEM) }),
    };
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    return { isAnswered: false, tookMs: tookMs(), problem: problem.slice(0, MAX_PROBLEM) };
  } finally {
    if (dir !== undefined) await rm(dir, { recursive: true, force: true }).catch(() => undefined);
  }
}

const unreadable = (file: string, reason: string): HoldfastError =>
  new HoldfastError('CONFIG_UNREADABLE', `${file} cannot be read: ${reason}`, {
    hint: 'Nothing was changed. Fix the file, then try again.',
  });
