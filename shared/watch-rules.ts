/** What a watched terminal did, from the lines that its hooks wrote. Pure. */
import { describeLimit, limitEnd, readLimit } from './limits/read-limit';
import type { Zone } from './limits/zone-time';
import { quoted } from './shell-quoted';

/** One line of a watched session, as `holdfast hook watch` writes it. */
interface WatchedLine {
  readonly atMs: number;
  readonly event: string;
  readonly cwd: string;
  readonly tool?: string;
  readonly callId?: string;
  /** JSON, at most 2,000 characters of it. */
  readonly input?: string;
  readonly prompt?: string;
  /** The program in the terminal; with its start identity if the system reports it cheaply. */
  readonly pid?: number;
  readonly startTicks?: string;
  /** Of a turn without an answer: its kind, as Claude Code names it, and what the terminal shows. */
  readonly error?: string;
  readonly said?: string;
}

/** A usage limit that a terminal has reached. LM-12 */
export interface WatchedLimit {
  readonly atMs: number;
  /** Absent: no time was given. */
  readonly resetsAtMs?: number;
}

interface WatchedCall {
  readonly tool: string;
  readonly about: string;
}

export interface WatchedSession {
  readonly session: string;
  readonly cwd: string;
  readonly lastAtMs: number;
  readonly prompt: string;
  /** Unknown is whether the program still runs: a killed one cannot report that. */
  readonly state: 'ended' | 'idle' | 'in_call';
  /** Oldest first. */
  readonly finished: readonly WatchedCall[];
  readonly open: readonly WatchedCall[];
  /** The last process that worked on it, if its hooks said which. */
  readonly process?: { readonly pid: number; readonly startTicks?: string };
  /** Its last turn ended at a usage limit, and none has started since. */
  readonly limit?: WatchedLimit;
}

/** Complete lines; an incomplete last one is left out. */
export function readWatched(text: string): readonly WatchedLine[] {
  return text.split('\n').flatMap((line) => {
    try {
      const value = JSON.parse(line) as Partial<WatchedLine> | null;
      return typeof value?.atMs === 'number' && typeof value.event === 'string'
        ? [{ cwd: '', ...value } as WatchedLine]
        : [];
    } catch {
      return [];
    }
  });
}

/** The limit that a turn of a terminal ended at; undefined for any other failure. */
function limitOf({ error, said = '', atMs }: WatchedLine, zone: Zone): WatchedLimit | undefined {
  const limit = error === 'rate_limit' ? describeLimit(said) : readLimit(said);
  if (limit === undefined) return undefined;
  const end = limitEnd(limit.resets, { nowMs: atMs, zone });
  return { atMs, ...(end === undefined ? {} : { resetsAtMs: end.atMs }) };
}

/**
 * The story of one session; undefined for one without a line. `zone` is the computer's: times of a
 * limit are on the wall of the terminal.
 */
export function watchModel(
  session: string,
  lines: readonly WatchedLine[],
  zone: Zone,
): WatchedSession | undefined {
  const last = lines.at(-1);
  if (last === undefined) return undefined;
  const open = new Map<string, WatchedCall>();
  const finished: WatchedCall[] = [];
  let prompt = '';
  let process: WatchedSession['process'];
  let limit: WatchedLimit | undefined;
  for (const line of lines) {
    const { callId = '', tool = '' } = line;
    if (line.prompt !== undefined) prompt = line.prompt;
    if (typeof line.pid === 'number') {
      const { pid, startTicks } = line;
      process = { pid, ...(startTicks === undefined ? {} : { startTicks }) };
    }
    if (line.event === 'PreToolUse') open.set(callId, { tool, about: aboutOf(line.input ?? '') });
    if (line.event === 'PostToolUse' || line.event === 'PostToolUseFailure') {
      const call = open.get(callId) ?? { tool, about: aboutOf(line.input ?? '') };
      open.delete(callId);
      finished.push(call);
    }
    // A denied call has no end event of its own: the turn continues without it.
    if (END_OF_TURN.has(line.event)) open.clear();
    if (line.event === 'StopFailure') limit = limitOf(line, zone);
    else if (GOES_ON.has(line.event)) limit = undefined;
  }
  return {
    session,
    cwd: last.cwd,
    lastAtMs: last.atMs,
    prompt: prompt.replace(/\s+/g, ' ').slice(0, 200),
    state: last.event === 'SessionEnd' ? 'ended' : open.size > 0 ? 'in_call' : 'idle',
    finished,
    open: [...open.values()],
    ...(process === undefined ? {} : { process }),
    ...(limit === undefined ? {} : { limit }),
  };
}

const END_OF_TURN: ReadonlySet<string> = new Set(['Stop', 'StopFailure', 'UserPromptSubmit']);
/** After one of these, the turn that met the limit is not the last. */
const GOES_ON: ReadonlySet<string> = new Set(['UserPromptSubmit', 'PreToolUse', 'Stop']);

/** As {@link quoted}, but a home written as `~` is left for the shell to find. */
const word = (text: string): string => (/^[\w@%+=:,./~-]+$/.test(text) ? text : quoted(text));

/** What opens a conversation of Claude Code in a terminal again. */
export const resumeCommand = (cwd: string, ref: string, program = 'claude'): string =>
  `cd ${word(cwd)} && ${word(program)} --resume ${word(ref)}`;

/** The field of an input that people know a call by. */
function aboutOf(input: string): string {
  const found = /"(?:command|file_path|url|pattern|query)":"((?:[^"\\]|\\.)*)/.exec(input)?.[1];
  return (found ?? input).replaceAll('\\n', ' ').replaceAll('\\"', '"').slice(0, 160);
}
