/**
 * The command that other programs' hooks call: `holdfast hook turn|watch`. It starts for every call
 * of an agent, so it loads only what it needs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VerbInput, VerbOutput } from '../../shared/contract';
import { appendLineDurablySync } from '../disk/durable-file';
import { connectRunning } from './reach';
import type { CliIo } from './io';
import type { ExitCode } from './exit-codes';
import { EXIT } from './exit-codes';

/** Maximum wait for an answer, because the user may be asked. The program's limit is the same. */
const ASK_TIMEOUT_MS = 24 * 60 * 60 * 1000;
const NOTE_TIMEOUT_MS = 10_000;
const MAX_INPUT_BYTES = 64 * 1024 * 1024;
const MAX_OUTPUT_CHARS = 32 * 1024;
const MAX_SHOWN_CHARS = 2_000;
const MAX_SAID_CHARS = 500;
/**
 * Claude Code blocks a call whose hook exits with this code; any other failure lets the call run.
 */
const BLOCK = EXIT.usage;

type Json = Readonly<Record<string, unknown>>;

/** The value of an option. Hooks are called with command lines that we wrote ourselves. */
function option(argv: readonly string[], name: string): string {
  const at = argv.indexOf(name);
  return at === -1 ? '' : (argv[at + 1] ?? '');
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Appends one line; on disk when it returns. @throws the disk's error */
const appendLine = (path: string, record: object): void => {
  appendLineDurablySync(path, JSON.stringify(record));
};

async function readInput(io: Pick<CliIo, 'stdin'>): Promise<Json> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin) {
    const piece = Buffer.from(chunk as Uint8Array | string);
    bytes += piece.length;
    if (bytes > MAX_INPUT_BYTES) throw new Error('The hook received more than 64 MB.');
    chunks.push(piece);
  }
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  if (typeof value !== 'object' || value === null)
    throw new Error('The input of the hook is not a JSON object.');
  return value as Json;
}

/** Runs one hook. Never throws: a failure sets the exit code. */
export async function runHook(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const mode = argv[1];
  // A session that belongs to a turn reports to the turn, and not also to the watch.
  if (mode === 'watch' && io.env['HOLDFAST_TURN'] !== undefined) return EXIT.ok;
  let value: Json | undefined;
  try {
    value = await readInput(io);
    if (mode === 'turn') await onTurn(argv, io, value);
    else if (mode === 'watch') onWatch(argv, value, io.nowMs());
    return EXIT.ok;
  } catch (thrown) {
    // Never blocks the user's own terminal. In a turn, nothing runs without a record.
    if (mode === 'watch') return EXIT.ok;
    io.stderr.write(
      `Holdfast could not record this: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`,
    );
    return BLOCK;
  }
}

async function onTurn(argv: readonly string[], io: CliIo, value: Json): Promise<void> {
  const turnId = Number(option(argv, '--turn'));
  const attempt = Number(option(argv, '--attempt'));
  const records = option(argv, '--records');
  const dataDir = option(argv, '--data-dir');
  const callId = text(value['tool_use_id']).slice(0, 200);
  switch (value['hook_event_name']) {
    case 'SessionStart': {
      const ref = text(value['session_id']).slice(0, 200);
      appendLine(records, { kind: 'session', attempt, ref });
      await tell(
        dataDir,
        io,
        { turnId, attempt, event: { kind: 'session', ref } },
        NOTE_TIMEOUT_MS,
      );
      return;
    }
    case 'PreToolUse': {
      const event = {
        kind: 'call' as const,
        callId,
        tool: text(value['tool_name']).slice(0, 200),
        input: JSON.stringify(value['tool_input'] ?? {}),
      };
      const verdict = await tell(dataDir, io, { turnId, attempt, event }, ASK_TIMEOUT_MS);
      if (verdict.decision !== 'none') say(io, verdict);
      return;
    }
    case 'PostToolUse':
    case 'PostToolUseFailure':
      appendLine(records, {
        kind: 'after',
        attempt,
        callId,
        isError: value['hook_event_name'] === 'PostToolUseFailure',
        output: outputOf(value['tool_response'] ?? value['error']),
      });
      return;
    default:
      return; // an event of a later version
  }
}

type HookDecision = VerbOutput<'agents.hook'>;

/**
 * Asks the Holdfast that runs the turn. Without it the call is blocked, because it would not be
 * recorded.
 */
async function tell(
  dataDir: string,
  io: CliIo,
  report: VerbInput<'agents.hook'>,
  timeoutMs: number,
): Promise<HookDecision> {
  const result = await connectRunning(dataDir, io);
  if (result.kind !== 'connected') return STOPPED;
  try {
    return await result.client.call('agents.hook', report, timeoutMs);
  } catch {
    return STOPPED;
  } finally {
    result.client.close();
  }
}

const STOPPED: HookDecision = {
  decision: 'deny',
  reason:
    'Holdfast, which runs this turn, has stopped. The tool call was not run. Stop here: the turn resumes when Holdfast is back.',
};

function say(io: CliIo, verdict: HookDecision): void {
  io.stdout.write(
    JSON.stringify({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: verdict.decision,
        permissionDecisionReason: verdict.reason,
      },
    }),
  );
}

/** A tool's result as text: its output streams if it has any. */
function outputOf(response: unknown): string {
  if (typeof response === 'string') return response.slice(0, MAX_OUTPUT_CHARS);
  const { stdout, stderr } = (response ?? {}) as Json;
  const streams = [text(stdout), text(stderr)].filter((one) => one !== '').join('\n');
  return (typeof stdout === 'string' ? streams : (JSON.stringify(response) ?? '')).slice(
    0,
    MAX_OUTPUT_CHARS,
  );
}

/** Journals a terminal that Holdfast does not run: one file a session. */
function onWatch(argv: readonly string[], value: Json, atMs: number): void {
  const session = text(value['session_id']);
  if (!/^[A-Za-z0-9._-]{1,200}$/.test(session) || session.startsWith('.')) return;
  const event = text(value['hook_event_name']).slice(0, 60);
  const tool = text(value['tool_name']).slice(0, 200);
  const callId = text(value['tool_use_id']).slice(0, 200);
  const prompt = text(value['prompt']).slice(0, MAX_SHOWN_CHARS);
  appendLine(join(option(argv, '--dir'), `${session}.jsonl`), {
    atMs,
    event,
    cwd: text(value['cwd']).slice(0, 1_000),
    ...(tool === '' ? {} : { tool, callId, input: shown(value['tool_input']) }),
    ...(prompt === '' ? {} : { prompt }),
    ...(event === 'StopFailure' ? failureOf(value) : {}),
    ...(event === 'SessionStart' || event === 'UserPromptSubmit' ? terminalProcess(readStat) : {}),
  });
}

/** Why a turn in a terminal got no answer: its kind, and the sentence that the terminal shows. LM-12 */
const failureOf = (value: Json): { readonly error: string; readonly said: string } => ({
  error: text(value['error']).slice(0, 60),
  said: text(value['last_assistant_message']).slice(0, MAX_SAID_CHARS),
});

const readStat = (pid: number): string => readFileSync(`/proc/${String(pid)}/stat`, 'utf8');

const SHELLS = new Set(['sh', 'dash', 'bash', 'zsh', 'ash']);

/**
 * The program in the terminal that called the hook, not the shell that it starts hooks with. On a
 * system without process files only the caller is recorded, without a start identity.
 */
export function terminalProcess(statOf: (pid: number) => string): {
  readonly pid?: number;
  readonly startTicks?: string;
} {
  let pid = process.ppid;
  for (let parents = 0; parents < 4 && pid > 1; parents += 1) {
    let stat: string;
    try {
      stat = statOf(pid);
    } catch {
      return process.platform === 'linux' ? {} : { pid };
    }
    // The name may contain spaces and parentheses, so fields count from the last parenthesis.
    const end = stat.lastIndexOf(')');
    const fields = stat
      .slice(end + 1)
      .trim()
      .split(/\s+/);
    const startTicks = fields[19];
    if (!SHELLS.has(stat.slice(stat.indexOf('(') + 1, end)))
      return startTicks === undefined ? {} : { pid, startTicks };
    pid = Number(fields[1]);
  }
  return {};
}

const shown = (input: unknown): string => (JSON.stringify(input) ?? '').slice(0, MAX_SHOWN_CHARS);
