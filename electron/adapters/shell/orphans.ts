import { lstat, readFile, readdir } from 'node:fs/promises';
import type {
  LeftProcess,
  LeftProcessEnd,
  LeftProcesses,
  Orphan,
} from '../../ports/left-processes';
import {
  BROWSER_MARKER,
  INSTANCE_MARKER,
  RUN_MARKER,
  SERVER_MARKER,
  STEP_MARKER,
  TURN_MARKER,
} from './child-environment';
import { isTrueWithin } from './true-within';

type OrphanScan =
  | { readonly kind: 'scanned'; readonly orphans: readonly Orphan[] }
  /** This platform does not show the environment of processes. */
  | { readonly kind: 'unavailable'; readonly reason: string; readonly orphans: readonly [] };

interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly pgrp: number;
  readonly startTicks: string;
  readonly env: ReadonlyMap<string, string> | undefined;
}

/** Linux reports process times in this unit on every architecture that Node supports. */
const TICKS_PER_SECOND = 100;
const ENVIRON_CAP_BYTES = 512 * 1024;
const GRACE_MS = 2_000;

/**
 * Finds processes that an earlier run left running: processes of this user with
 * `HOLDFAST_INSTANCE=<instanceId>` and a different `HOLDFAST_RUN`. This process, its ancestors and
 * its children never count. Signals nothing, never throws.
 */
export async function findOrphans(options: {
  readonly instanceId: string;
  readonly runId: string;
}): Promise<OrphanScan> {
  if (process.platform !== 'linux') {
    return {
      kind: 'unavailable',
      reason:
        'Leftover processes of an earlier run can be found only on Linux; look for them manually.',
      orphans: [],
    };
  }
  const all = await readAll();
  if (all.length === 0)
    return { kind: 'unavailable', reason: '/proc cannot be read.', orphans: [] };
  const family = familyOf(all, process.pid);
  const marked = all.filter(
    (entry) =>
      !family.has(entry.pid) &&
      entry.env?.get(INSTANCE_MARKER) === options.instanceId &&
      entry.env.get(RUN_MARKER) !== options.runId,
  );
  const [bootMs, bootId] = await Promise.all([bootAtMs(), readBootId()]);
  const groups = byGroupAndRun(marked);
  const orphans: Orphan[] = [];
  for (const members of groups) {
    const eldest = members.reduce((one, other) =>
      BigInt(other.startTicks) < BigInt(one.startTicks) ? other : one,
    );
    orphans.push({
      pid: eldest.pid,
      processGroup: eldest.pgrp,
      startTicks: eldest.startTicks,
      startedAtMs: Math.round(bootMs + (Number(eldest.startTicks) * 1000) / TICKS_PER_SECOND),
      turnId: wholeNumber(eldest.env?.get(TURN_MARKER)),
      step: wholeNumber(eldest.env?.get(STEP_MARKER)),
      server: eldest.env?.get(SERVER_MARKER),
      browserOf: wholeNumber(eldest.env?.get(BROWSER_MARKER)),
      command: await commandOf(eldest.pid),
      processes: members.length,
      bootId,
      runId: eldest.env?.get(RUN_MARKER) ?? '',
    });
  }
  return {
    kind: 'scanned',
    orphans: orphans.sort((one, other) => one.startedAtMs - other.startedAtMs),
  };
}

/**
 * Ends one orphan: SIGTERM, after 2 s SIGKILL. Its identity is read again before every signal: pid,
 * start time, boot, user, and the marks of its run, turn and step. The whole group is signaled only
 * if every member has the mark of that run; otherwise only those that have it, one by one. Never
 * throws.
 */
export async function endOrphan(orphan: LeftProcess): Promise<LeftProcessEnd> {
  if (process.platform !== 'linux') return 'not_ours';
  if (orphan.bootId !== (await readBootId())) return 'gone';
  const eldest = await readEntry(orphan.pid);
  if (eldest !== undefined && !isEldest(eldest, orphan)) return 'not_ours';
  if ((await membersOf(orphan)).marked.length === 0) return 'gone';
  await signalMarked(orphan, 'SIGTERM');
  if (await isEmptyWithin(orphan, GRACE_MS)) return 'ended';
  await signalMarked(orphan, 'SIGKILL');
  return (await isEmptyWithin(orphan, GRACE_MS)) ? 'ended' : 'still_running';
}

/** Rounds, to catch processes that were being started while others were ended. */
const KILL_LOOKS = 5;

/**
 * Ends everything that this run has started for a turn: SIGKILL, repeated until no process with its
 * marks is left. Linux only. Never throws.
 */
export async function killTurn(turn: {
  readonly instanceId: string;
  readonly runId: string;
  readonly turnId: number;
}): Promise<void> {
  if (process.platform !== 'linux') return;
  for (let look = 0; look < KILL_LOOKS; look += 1) {
    const marked = (await readAll()).filter(
      ({ pid, env }) =>
        pid !== process.pid &&
        env?.get(INSTANCE_MARKER) === turn.instanceId &&
        env.get(RUN_MARKER) === turn.runId &&
        wholeNumber(env.get(TURN_MARKER)) === turn.turnId,
    );
    if (marked.length === 0) return;
    for (const { pid } of marked) send(pid, 'SIGKILL');
  }
}

/** True while it, or another process of its group and run, exists. Never throws. */
async function isOrphanAlive(orphan: LeftProcess): Promise<boolean> {
  if (process.platform !== 'linux' || orphan.bootId !== (await readBootId())) return false;
  const eldest = await readEntry(orphan.pid);
  if (eldest !== undefined) return isEldest(eldest, orphan);
  return (await membersOf(orphan)).marked.length > 0;
}

/** Processes left by earlier runs with this data, for a run with this name. */
export const systemLeftProcesses = (
  who: () => { readonly instanceId: string; readonly runId: string },
  /** Called before a process of this turn is signaled. */
  beforeEnd: (turnId: number) => void,
): LeftProcesses => ({
  find: async () => (await findOrphans(who())).orphans,
  isAlive: isOrphanAlive,
  end(orphan) {
    if (orphan.turnId !== undefined) beforeEnd(orphan.turnId);
    return endOrphan(orphan);
  },
});

const isEldest = (entry: ProcessEntry, orphan: LeftProcess): boolean =>
  entry.startTicks === orphan.startTicks && isOfRun(entry, orphan);

/**
 * A run has a random name and started the process for exactly this step. The group's ID may have
 * been reused since: then it belongs to another run.
 */
function isOfRun(entry: ProcessEntry, orphan: LeftProcess): boolean {
  const { env } = entry;
  return (
    env?.get(RUN_MARKER) === orphan.runId &&
    wholeNumber(env.get(TURN_MARKER)) === orphan.turnId &&
    wholeNumber(env.get(STEP_MARKER)) === orphan.step
  );
}

/** Living members of the orphan's group, with those that carry its marks. */
async function membersOf(
  orphan: LeftProcess,
): Promise<{ all: ProcessEntry[]; marked: ProcessEntry[] }> {
  const everything = await readAll();
  const family = familyOf(everything, process.pid);
  const all = everything.filter((entry) => entry.pgrp === orphan.processGroup);
  const marked = all.filter((entry) => !family.has(entry.pid) && isOfRun(entry, orphan));
  return { all, marked };
}

async function signalMarked(orphan: LeftProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const { all, marked } = await membersOf(orphan);
  if (marked.length === 0) return;
  const isWholeGroup = all.length === marked.length && orphan.processGroup > 1;
  if (isWholeGroup) send(-orphan.processGroup, signal);
  else for (const entry of marked) send(entry.pid, signal);
}

const isEmptyWithin = (orphan: LeftProcess, waitMs: number): Promise<boolean> =>
  isTrueWithin(waitMs, async () => (await membersOf(orphan)).marked.length === 0);

function send(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Just ended, or not ours to signal; the following wait will show.
  }
}

/** This process, its ancestors and its descendants. */
function familyOf(all: readonly ProcessEntry[], pid: number): ReadonlySet<number> {
  const byPid = new Map(all.map((entry) => [entry.pid, entry]));
  const family = new Set<number>([pid]);
  for (let at = byPid.get(pid)?.ppid; at !== undefined && at > 1; at = byPid.get(at)?.ppid) {
    if (family.has(at)) break;
    family.add(at);
  }
  const below = new Set<number>([pid]);
  for (let grew = true; grew;) {
    grew = false;
    for (const entry of all) {
      if (!below.has(entry.pid) && below.has(entry.ppid)) {
        below.add(entry.pid);
        grew = true;
      }
    }
  }
  for (const descendant of below) family.add(descendant);
  return family;
}

/** By group, and within a group by the call that they were started for. */
function byGroupAndRun(entries: readonly ProcessEntry[]): readonly ProcessEntry[][] {
  const groups = new Map<string, ProcessEntry[]>();
  for (const entry of entries) {
    const { env, pgrp } = entry;
    const marks = [RUN_MARKER, TURN_MARKER, STEP_MARKER].map((name) => env?.get(name) ?? '');
    const key = [pgrp, ...marks].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()];
}

async function readAll(): Promise<ProcessEntry[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const entries = await Promise.all(pids.map(readEntry));
  return entries.filter((entry) => entry !== undefined);
}

/** Undefined if the process is gone or only its exit status is left. */
async function readEntry(pid: number): Promise<ProcessEntry | undefined> {
  let stat: string;
  try {
    stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The program's name is in parentheses and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ppid, pgrp] = fields;
  const startTicks = fields[19];
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
  return { pid, ppid: Number(ppid), pgrp: Number(pgrp), startTicks, env: await environmentOf(pid) };
}

async function environmentOf(pid: number): Promise<ReadonlyMap<string, string> | undefined> {
  let text: string;
  try {
    // Root may read every process, but one of another user is not ours either way.
    if ((await lstat(`/proc/${pid}`)).uid !== process.getuid?.()) return undefined;
    text = await readFile(`/proc/${pid}/environ`, 'utf8');
  } catch {
    // Another user's process, or gone: not ours.
    return undefined;
  }
  const env = new Map<string, string>();
  for (const entry of text.slice(0, ENVIRON_CAP_BYTES).split('\0')) {
    const at = entry.indexOf('=');
    // Only our own variables are stored: the rest of another process's environment is private.
    if (at > 0 && entry.startsWith('HOLDFAST_')) env.set(entry.slice(0, at), entry.slice(at + 1));
  }
  return env;
}

async function commandOf(pid: number): Promise<string> {
  const raw = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return raw.replace(/\0$/, '').replaceAll('\0', ' ').slice(0, 300);
}

async function bootAtMs(): Promise<number> {
  const stat = await readFile('/proc/stat', 'utf8').catch(() => '');
  const seconds = /^btime (\d+)$/m.exec(stat)?.[1];
  return seconds === undefined ? 0 : Number(seconds) * 1000;
}

/** Empty if unreadable: then it equals any other unreadable one. */
const readBootId = async (): Promise<string> =>
  (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
