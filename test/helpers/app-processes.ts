/** The processes of an app under test, found by what only their command line or environment holds. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Pids whose command line or environment has one of these marks: ours, and nobody else's. */
export function processesOf(marks: readonly string[]): number[] {
  return spawnSync('ps', ['e', '-eo', 'pid=,args=', '-ww'], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
    .filter((row) => marks.some((mark) => row.includes(mark)))
    .map((row) => Number(row.trim().split(' ')[0]))
    .filter((pid) => pid !== process.pid);
}

/** What `read` gives; undefined where the process has ended or may not be looked at. */
function known<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const statusField = (pid: number, field: string): string =>
  known(() => readFileSync(`/proc/${pid}/status`, 'utf8'))?.match(
    new RegExp(`^${field}:\\s*(.*)$`, 'm'),
  )?.[1] ?? '?';

export const parentOf = (pid: number): number => Number(statusField(pid, 'PPid'));

/** One line: who it is, in which state, and where its threads wait in the kernel. */
export function describeProcess(pid: number): string {
  const args = known(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '';
  const threads = (known(() => readdirSync(`/proc/${pid}/task`)) ?? []).map((thread) => {
    const at = known(() => readFileSync(`/proc/${pid}/task/${thread}/wchan`, 'utf8'));
    const name = known(() => readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8'))?.trim();
    return `${name ?? thread}@${at === undefined || at === '0' || at === '' ? 'running' : at}`;
  });
  const type = /--type=(\S+?)(\0|$)/.exec(args)?.[1] ?? 'main';
  return `pid ${pid} (${type}, parent ${parentOf(pid)}) ${statusField(pid, 'State')}: ${threads.join(' ')}`;
}

/** TCP ports of this machine on which the process listens. Linux; elsewhere none. */
export function listeningPorts(pid: number): number[] {
  const sockets = new Set(
    (known(() => readdirSync(`/proc/${pid}/fd`)) ?? []).map((fd) =>
      known(() => readlinkSync(`/proc/${pid}/fd/${fd}`)),
    ),
  );
  const rows =
    known(() => readFileSync(`/proc/${pid}/net/tcp`, 'utf8'))
      ?.split('\n')
      .slice(1) ?? [];
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((row) => row[3] === '0A' && sockets.has(`socket:[${row[9] ?? ''}]`))
    .map((row) => Number.parseInt(row[1]?.split(':')[1] ?? '', 16));
}
