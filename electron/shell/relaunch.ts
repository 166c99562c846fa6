/**
 * Relaunch after a crash.
 *
 * `app.relaunch()` at the start leaves a small helper process behind that waits for this process to
 * end in any way, so a graceful stop has to end the helper first. The helper is our own child and
 * has the argument `--type=relauncher`; both are checked again right before it is signaled.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { parsedJson } from '../../shared/parsed-json';
import { makeFolderSync } from '../disk/durable-folder';
import { writeDurablySync } from '../disk/durable-file';
import { readSmallFile } from '../disk/small-file';
import type { Log } from '../ports/log';

/** Result of the engine's rule (`planRelaunch`). */
export type RelaunchRule = (
  historyAtMs: readonly number[],
  nowMs: number,
) => { readonly kind: 'restart' } | { readonly kind: 'stay_down'; readonly reason: string };

const note = z.object({
  restartsAtMs: z.array(z.number().int().nonnegative()).max(100),
  /** Set while the app runs without a helper because it was relaunched too often. */
  heldBack: z.string().max(1000).optional(),
});
type Note = z.infer<typeof note>;

export interface RelaunchDeps {
  readonly dataDir: string;
  readonly isAfterCrash: boolean;
  readonly rule: RelaunchRule;
  readonly platform: string;
  readonly pid: number;
  /** Arms the helper: `app.relaunch` with exactly these arguments. */
  readonly relaunch: (args: readonly string[]) => void;
  /** Arguments that precede ours: the app folder in a checkout, `--no-sandbox` as root. */
  readonly leadingArgs: readonly string[];
  readonly log: Log;
  /** Wall ms. */
  readonly nowMs: () => number;
}

interface Relaunch {
  /**
   * Call once this process owns the data directory. Returns why the last run was not relaunched, if
   * so.
   */
  begin(isWanted: boolean): string | undefined;
  /** Ends the helper; idempotent and synchronous. The first action of any stop. */
  disarm(): void;
}

/** Reads one process; undefined if it is gone. */
function linuxChild(pid: number): { readonly ppid: number; readonly command: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return { ppid, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') };
  } catch {
    return undefined; // It ended during the check.
  }
}

function macProcesses(): {
  readonly pid: number;
  readonly ppid: number;
  readonly command: string;
}[] {
  const text = execFileSync('/bin/ps', ['-axo', 'pid=,ppid=,command='], {
    encoding: 'utf8',
    env: {},
    timeout: 2000,
    maxBuffer: 16 * 1024 * 1024,
  });
  return text.split('\n').flatMap((row) => {
    const found = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row);
    return found === null
      ? []
      : [{ pid: Number(found[1]), ppid: Number(found[2]), command: found[3] ?? '' }];
  });
}

/** True for the helper that `app.relaunch()` of process `pid` created. */
export const isRelauncher = (
  process: { readonly ppid: number; readonly command: string },
  pid: number,
): boolean => process.ppid === pid && / --type=relauncher( |$)/.test(process.command);

/** Pids of the helpers of process `pid`. */
export function findRelaunchers(platform: string, pid: number): readonly number[] {
  if (platform === 'darwin') {
    return macProcesses()
      .filter((process) => isRelauncher(process, pid))
      .map((process) => process.pid);
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => {
      const process = linuxChild(candidate);
      return process !== undefined && isRelauncher(process, pid);
    });
}

export function createRelaunch(deps: RelaunchDeps): Relaunch {
  const path = join(deps.dataDir, 'run', 'come-back.json');
  let state: 'idle' | 'armed' | 'disarmed' = 'idle';

  /** Undefined if earlier restarts cannot be read now. */
  const read = (): Note | undefined => {
    const file = readSmallFile(path);
    if (file.kind === 'unreadable') {
      deps.log.warn('come_back.note_unread', { message: file.reason });
      return undefined;
    }
    // Missing or invalid: there were none.
    const parsed = note.safeParse(file.kind === 'text' ? parsedJson(file.text) : undefined);
    return parsed.success ? parsed.data : { restartsAtMs: [] };
  };
  const write = (content: Note): void => {
    try {
      makeFolderSync(dirname(path), dirname(path));
      writeDurablySync(path, JSON.stringify(content));
    } catch (error) {
      deps.log.warn('come_back.note_failed', { message: String(error).slice(0, 200) });
    }
  };

  /** Every orderly exit must end the helper first, so none is created where it cannot be found. */
  const isSupported = deps.platform === 'linux' || deps.platform === 'darwin';

  return {
    begin(isWanted) {
      if (state === 'disarmed') return undefined;
      const before = read();
      // Without them, an app that crashes at every start would be relaunched without end.
      if (before === undefined) return undefined;
      const nowMs = deps.nowMs();
      const restartsAtMs = [...before.restartsAtMs, ...(deps.isAfterCrash ? [nowMs] : [])].slice(
        -20,
      );
      const plan = deps.rule(restartsAtMs, nowMs);
      if (!isWanted || !isSupported || plan.kind === 'stay_down') {
        write({
          restartsAtMs,
          ...(isWanted && plan.kind === 'stay_down' ? { heldBack: plan.reason } : {}),
        });
        deps.log.info('come_back.off', { reason: isWanted ? plan.kind : 'switched off' });
        return before.heldBack;
      }
      write({ restartsAtMs });
      deps.relaunch([...deps.leadingArgs, '--hidden', '--after-crash', '--data-dir', deps.dataDir]);
      state = 'armed';
      return before.heldBack;
    },
    disarm() {
      const wasArmed = state === 'armed';
      if (state === 'disarmed') return;
      state = 'disarmed';
      const content = read();
      if (content?.heldBack !== undefined) write({ restartsAtMs: content.restartsAtMs });
      if (!wasArmed) return;
      for (const pid of findRelaunchers(deps.platform, deps.pid)) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch (error) {
          deps.log.warn('come_back.disarm', { message: String(error).slice(0, 200) });
        }
      }
    },
  };
}
