/**
 * Programs that lead their own process group (`detached`), and everything they have started in it.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { plainEnvironment } from '../../../shared/plain-environment';
import { isTrueWithin } from './true-within';

type EndSignal = 'SIGTERM' | 'SIGKILL';

/** How to reach a whole group: a signal to a negative number, or a command to start. */
type GroupEnd =
  | { readonly kind: 'signal'; readonly pid: number; readonly signal: EndSignal }
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] };

/**
 * Windows has no groups: `taskkill /T` ends the leader and everything it started, as long as the
 * leader exists. Without `/F` it sends a close request, which only a program with a window
 * receives.
 */
export function planGroupEnd(
  platform: NodeJS.Platform,
  leader: number,
  signal: EndSignal,
): GroupEnd {
  if (platform !== 'win32') return { kind: 'signal', pid: -leader, signal };
  const force = signal === 'SIGKILL' ? ['/F'] : [];
  return { kind: 'command', command: 'taskkill', args: ['/PID', String(leader), '/T', ...force] };
}

/** Whether it has ended; one that could not be started counts as ended. */
export const hasEnded = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

/**
 * Sends `signal` to the group with this ID. The caller knows that the ID is still the group's own:
 * the leader has
 * not been reaped, or the group was never seen empty since. Never throws.
 *
 * @returns false if the group has no member left; always true on Windows, which does not report
 * this.
 */
export function signalGroup(group: number, signal: EndSignal): boolean {
  const end = planGroupEnd(process.platform, group, signal);
  if (end.kind === 'signal') return isSent(end.pid, end.signal);
  spawn(end.command, [...end.args], {
    env: plainEnvironment(process.env),
    stdio: 'ignore',
    windowsHide: true,
  })
    .on('error', () => undefined)
    .unref();
  return true;
}

/** Whether a group has a member; on Windows, which has no groups, none has. */
export const hasMembers = (group: number): boolean =>
  process.platform !== 'win32' && isSent(-group, 0);

/**
 * Signals the whole group, and only while its leader has not been reaped: its ID is not reused
 * until then.
 */
export function signalLeader(child: ChildProcess, signal: EndSignal): void {
  if (child.pid !== undefined && !hasEnded(child)) signalGroup(child.pid, signal);
}

/**
 * SIGTERM to the group, SIGKILL to its rest after the grace; resolves when the group is empty.
 *
 * The first signal is sent before the leader has been reaped, so its pid is not reused. From then
 * on the number stays in use as long as the group has a member, and the group is not signaled
 * again once it was seen empty.
 */
export async function endGroup(child: ChildProcess, graceMs: number): Promise<void> {
  const { pid } = child;
  if (pid === undefined || hasEnded(child)) return;
  const isGone = (): boolean => hasEnded(child) && !hasMembers(pid);
  if (!signalGroup(pid, 'SIGTERM')) return;
  if (await isTrueWithin(graceMs, isGone)) return;
  signalGroup(pid, 'SIGKILL');
  await isTrueWithin(graceMs, isGone);
}

function isSent(pid: number, signal: EndSignal | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (thrown) {
    // EPERM: a member changed its user; it exists, and is not ours to signal.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
