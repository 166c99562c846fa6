/** What a watched terminal did, from the lines that its hooks wrote. Pure. */
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

/** The story of one session; undefined for one without a line. */
export function watchModel(
  session: string,
  lines: readonly WatchedLine[],
): WatchedSession | undefined {
  const last = lines.at(-1);
  if (last === undefined) return undefined;
  const open = new Map<string, WatchedCall>();
  const finished: WatchedCall[] = [];
  let prompt = '';
  let process: WatchedSession['process'];
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
    if (line.event === 'Stop' || line.event === 'UserPromptSubmit') open.clear();
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
  };
}

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
