import fs from 'node:fs';
import type { ProcessFacts } from '../../ports/process-facts';
import type { ProcessSource } from './process-source';

function readText(target: string): string | null {
  try {
    return fs.readFileSync(target, 'utf8');
  } catch {
    // Gone or hidden; the caller distinguishes the two if it matters.
    return null;
  }
}

/**
 * Fields of `/proc/<pid>/stat` after the program's name. The name may contain spaces, brackets and
 * newlines, so everything is counted from the last `)`.
 */
export function parseProcStat(
  text: string,
): { readonly state: string; readonly ppid: number; readonly startTicks: string } | null {
  const end = text.lastIndexOf(')');
  if (end < 0) return null;
  const fields = text
    .slice(end + 1)
    .trim()
    .split(/\s+/);
  // Field 3 of the manual is the first one here.
  const [state, ppid, startTicks] = [fields[0], fields[1], fields[19]];
  if (state === undefined || ppid === undefined || startTicks === undefined) return null;
  return /^\d+$/.test(startTicks) ? { state, ppid: Number(ppid), startTicks } : null;
}

/** The real uid: the first number of the `Uid:` line. */
function parseProcUid(status: string): number | null {
  const match = /^Uid:\s+(\d+)/m.exec(status);
  return match?.[1] === undefined ? null : Number(match[1]);
}

function readExecutable(pid: number): string | null {
  try {
    return fs.readlinkSync(`/proc/${pid}/exe`);
  } catch {
    // Another user's process, or a kernel thread.
    return null;
  }
}

function readProcess(pid: number): ProcessFacts {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === null) {
    return fs.existsSync(`/proc/${pid}`)
      ? { kind: 'unavailable', reason: 'its facts are hidden' }
      : isSomebody(pid)
        ? { kind: 'unavailable', reason: 'the process table is hidden' }
        : { kind: 'dead' };
  }
  const parsed = parseProcStat(stat);
  if (parsed === null) return { kind: 'unavailable', reason: 'its facts cannot be parsed' };
  if (parsed.state === 'Z' || parsed.state === 'X') return { kind: 'zombie' };
  const commandLine = readText(`/proc/${pid}/cmdline`);
  const uid = parseProcUid(readText(`/proc/${pid}/status`) ?? '');
  if (uid === null) return { kind: 'unavailable', reason: 'its user is hidden' };
  return {
    kind: 'alive',
    startTicks: parsed.startTicks,
    ppid: parsed.ppid,
    uid,
    exe: readExecutable(pid),
    commandLine:
      commandLine === null ? null : commandLine.replace(/\0+$/, '').replaceAll('\0', ' '),
  };
}

/** With `hidepid` the table hides other users' processes; signal 0 still finds them. */
function isSomebody(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Linux: everything from /proc. */
export const linuxProcessSource: ProcessSource = {
  read: (pid) => Promise.resolve(readProcess(pid)),
  bootId: () => {
    const text = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
    return Promise.resolve(text === '' ? null : text);
  },
  rawMachineId: () => {
    const text = (readText('/etc/machine-id') ?? readText('/var/lib/dbus/machine-id') ?? '').trim();
    return Promise.resolve(/^[0-9a-f]{32}$/.test(text) ? text : null);
  },
};
