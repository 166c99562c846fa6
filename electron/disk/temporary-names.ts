import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';

/** Identifies this process: a PID alone is reused, in a container at every start. */
const ownRun = randomBytes(4).toString('hex');
let written = 0;

/**
 * A name next to `path` that no other write of any process uses. It contains the pid of the writer,
 * so that a leftover of a kill can be told from a write in progress.
 */
export function temporaryPath(path: string): string {
  written += 1;
  return `${path}.${String(process.pid)}-${ownRun}-${String(written)}.tmp`;
}

/** `<file>.<pid>-<run>-<n>.tmp`; versions before 0.2 had no run. */
const NAME = /\.(\d{1,10})-(?:([0-9a-f]{8})-)?\d+\.tmp$/;
/** Names of earlier versions that do not contain a pid. */
const EARLIER =
  /^\.(?:agent\.lock|takeover\.json|crash\.json)\.[0-9a-f-]{36}\.tmp$|^(?:shell|come-back)\.json\.tmp$|\.json\.tmp-\d{10}[0-9a-f]{6}$/;
const EARLIER_AGE_MS = 60_000;

/** True for the leftover of an interrupted write, and for a write in progress. */
export const isTemporaryName = (name: string): boolean => NAME.test(name) || EARLIER.test(name);

/** Facts about a file with a temporary name. */
interface TemporaryFacts {
  readonly path: string;
  readonly ageMs: number;
  readonly isAlive: (pid: number) => boolean;
}

/**
 * Whether a write whose process is gone left `path`. Never true for a running process. A name of an
 * earlier version without a PID counts as a leftover once it is a minute old.
 */
export function isLeftOver({ path, ageMs, isAlive }: TemporaryFacts): boolean {
  const name = basename(path);
  const [, pid, run] = NAME.exec(name) ?? [];
  if (pid === undefined) return EARLIER.test(name) && ageMs > EARLIER_AGE_MS;
  if (Number(pid) === process.pid) return run !== ownRun;
  return !isAlive(Number(pid));
}
