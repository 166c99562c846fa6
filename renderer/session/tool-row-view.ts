/** The time and outcome of a tool call, for its row. Pure. */
import type { SessionEvent } from '../../shared/types';

/** Where the calls of a chat were made; a stable object while that does not change. */
export type ChatPlace =
  /** Drafts are found by the name of the session. */
  | { readonly kind: 'here'; readonly session: string }
  | { readonly kind: 'host'; readonly host: string };

type TimedCall = Pick<SessionEvent, 'stepState' | 'stepFate' | 'startedAtMs' | 'endedAtMs'>;

type CallTime =
  /** It ran this long. */
  | { readonly kind: 'took'; readonly tookMs: number }
  /** It has been running since then. */
  | { readonly kind: 'runs'; readonly sinceMs: number }
  /** It has no run time: not made, interrupted, or skipped. */
  | { readonly kind: 'none' };

/** A call that waits for permission has not started, whatever its record says. */
export function callTime(call: TimedCall, isTurnRunning: boolean): CallTime {
  const { stepState, stepFate, startedAtMs, endedAtMs } = call;
  if (startedAtMs === undefined || stepFate === 'asks') return { kind: 'none' };
  if (stepState === 'confirmed' || stepState === 'skipped') return { kind: 'none' };
  if (endedAtMs !== undefined)
    return { kind: 'took', tookMs: Math.max(0, endedAtMs - startedAtMs) };
  return isTurnRunning && stepState === 'started' && stepFate !== 'cut_off'
    ? { kind: 'runs', sinceMs: startedAtMs }
    : { kind: 'none' };
}

/** How a shell command ended, from the last line of its result. */
export function shellEnd(
  result: string,
): { readonly exitCode: number; readonly note: string; readonly output: string } | undefined {
  const found = /\[exit code (-?\d{1,10})(?:; ([^\]\n]{0,200}))?\]$/.exec(result);
  if (found === null) return undefined;
  return {
    exitCode: Number(found[1]),
    note: found[2] ?? '',
    output: result.slice(0, found.index).replace(/\n$/, ''),
  };
}

/** The first lines of a text, and how many lines it has. */
export function firstLines(
  text: string,
  most: number,
): { readonly start: string; readonly lines: number } {
  const lines = text.split('\n');
  return { start: lines.slice(0, most).join('\n'), lines: lines.length };
}

/** The file that a call wrote, from its input; undefined for other calls. */
export function writtenFile(
  tool: string,
  json: string,
): { readonly path: string; readonly content: string } | undefined {
  if (tool !== 'write_file') return undefined;
  let args: unknown;
  try {
    args = JSON.parse(json);
  } catch {
    return undefined; // Truncated, so it is incomplete.
  }
  const { path, content } = (args ?? {}) as { readonly path?: unknown; readonly content?: unknown };
  return typeof path === 'string' && typeof content === 'string' ? { path, content } : undefined;
}
