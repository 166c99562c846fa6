import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import type { ToolHost } from '../../ports/tools';
import type { CallRisk, CallTarget, NamedRemote } from '../../ports/tool-call';
import type { ToolOutcome } from '../../ports/tool-call';
import { createToolHost, defineTool, done, inertLine, quoted, refused } from '../tools/tool-host';
import {
  INSTANCE_MARKER,
  EPOCH_MARKER,
  KEY_MARKER,
  RUN_MARKER,
  STEP_MARKER,
  TURN_MARKER,
} from './child-environment';
import type { Environment } from './child-environment';
import type { LoginEnvironment } from './login-environment';
import type { CommandEnd } from './command-end';
import type { Pinned } from './git-pin';
import type { RemoteLookUp } from './git-remote-url';
import { childEnvironment } from './login-environment';

export interface ShellToolsDeps {
  /** Identifies the database; the same across restarts. Orphans are found by it. */
  readonly instanceId: string;
  /** Identifies this run of Holdfast: {@link newRunId}; also passed to `findOrphans`. */
  readonly runId: string;
  /**
   * Read for every call, so that changes of `shell.timeout` and `shell.max_output_kb` apply at
   * once.
   */
  readonly limits: () => { readonly timeoutMs: number; readonly maxOutputBytes: number };
  /** Aborted when this process is asked to stop. */
  readonly stopping?: AbortSignal;
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  /** Pure verdict of the engine: false only for commands known to be read-only. */
  readonly commandHasEffects: (command: string) => boolean;
  /** Risks of running a command without asking. */
  readonly commandRisk: (command: string) => CallRisk;
  /** The git remote that a command names, if its text shows it. */
  readonly namedRemote: (command: string) => NamedRemote | undefined;
  /** The latest output of a running command; undefined once it has ended. */
  readonly onOutput: (
    command: { readonly turnId: number; readonly step: number },
    tail: string | undefined,
  ) => void;
}

/** A name for one run of Holdfast. */
export const newRunId = (): string => randomUUID();

/** Prevents interactive prompts, which no one could answer here. */
const WITHOUT_PERSON: Environment = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

/**
 * The tool `shell`: a command line run by bash (`sh` if there is no bash) in the workspace. Any
 * exit code is a finished result; a timeout, an abort or a death by signal is `unknown`, and so is
 * an exit code that means a signal while Holdfast is stopping; a shell that could not be started is
 * `failed`. Rows S2-+05, S4-19, S4-20; security T3.
 */
export function createShellTools(deps: ShellToolsDeps): ToolHost {
  const shell = defineTool({
    name: 'shell',
    description:
      'Runs a command line with bash in the workspace, without a terminal and without input. Returns what it printed and its exit code.',
    purity: 'side_effect',
    carriesKey: 'environment',
    isProposedForGate: true,
    args: () =>
      z.strictObject({
        command: z.string().min(1).max(100_000),
        timeout_ms: z
          .number()
          .int()
          .min(100)
          .max(86_400_000)
          .optional()
          .describe("Shorter than the user's own limit; a longer one has no effect"),
      }),
    hint: (args) => args.command,
    question: (args) => `Did this command run: ${quoted(args.command)}?`,
    hasEffects: (args) => deps.commandHasEffects(args.command),
    timeoutMs: () => deps.limits().timeoutMs,
    risk: (args) => deps.commandRisk(args.command),
    async goesTo(args, workspace) {
      const found = await lookUp(deps, args.command, workspace, await environment(deps, [], {}));
      return found?.kind === 'known' ? found.target : undefined;
    },
    async whyNotTold(args, workspace) {
      const found = await lookUp(deps, args.command, workspace, await environment(deps, [], {}));
      if (found !== undefined) return found.kind === 'known' ? undefined : found.why;
      const { whyUnnamed } = await import('./git-unnamed');
      return whyUnnamed(args.command);
    },
    async run(args, call) {
      const env = await environment(deps, call.env, {
        [TURN_MARKER]: String(call.turnId),
        [STEP_MARKER]: String(call.step),
        [KEY_MARKER]: call.idempotencyKey,
        ...(call.epoch === undefined ? {} : { [EPOCH_MARKER]: String(call.epoch) }),
        [INSTANCE_MARKER]: deps.instanceId,
        [RUN_MARKER]: deps.runId,
      });
      let cwd: string;
      try {
        cwd = await realpath(call.workspace);
      } catch {
        return {
          kind: 'failed',
          message: `The workspace ${inertLine(call.workspace)} does not exist, the command was not run. Restore the folder or change it in the agent's settings.`,
          isRetryable: false,
        };
      }
      const program = await findShell(env);
      if (program === undefined) {
        return {
          kind: 'failed',
          message:
            'There is no bash on this computer, the command was not run. Install one and try again.',
          isRetryable: false,
        };
      }
      // The user may have stopped the turn while the environment was resolved.
      if (call.signal.aborted) {
        return { kind: 'failed', message: 'Stopped before it started.', isRetryable: true };
      }
      const bound = await boundTo(deps, args.command, cwd, env, call.goesTo);
      if (bound === undefined) return { kind: 'failed', message: ELSEWHERE, isRetryable: false };
      const limits = deps.limits();
      const timeoutMs = Math.min(args.timeout_ms ?? limits.timeoutMs, limits.timeoutMs);
      const [{ runCommand }, { createLiveTail }] = await Promise.all([
        import('./run-command'),
        import('./live-tail'),
      ]);
      const tail = createLiveTail((text) => deps.onOutput(call, bound.spoken(text)));
      const end = await runCommand({
        argv: [program, '-c', bound.command],
        cwd,
        env: { ...bound.env, PWD: cwd },
        timeoutMs,
        capBytes: limits.maxOutputBytes,
        signal: call.signal,
        stopping: deps.stopping,
        *onChunk(_from, chunk) {
          tail.append(chunk);
        },
      });
      tail.end();
      deps.onOutput(call, undefined);
      return answerOf(end, timeoutMs, bound.spoken);
    },
  });
  return createToolHost('shell', [shell]);
}

async function environment(
  deps: ShellToolsDeps,
  declared: readonly string[],
  markers: Environment,
): Promise<Environment> {
  return (await childEnvironment(deps, declared, { ...WITHOUT_PERSON, ...markers })).env;
}

const ELSEWHERE =
  'Its destination has changed since it was allowed, or is no longer known. The command was not run.';

/** The destination of a line, and how to run it so that it goes there even if settings change. */
type LookUp =
  | { readonly kind: 'known'; readonly target: CallTarget; readonly pinned: Pinned }
  | Extract<RemoteLookUp, { kind: 'unknown' }>;

/** For a line that is exactly one push or fetch; undefined for any other. S3-06; security F3. */
async function lookUp(
  deps: ShellToolsDeps,
  command: string,
  workspace: string,
  env: Environment,
): Promise<LookUp | undefined> {
  const remote = deps.namedRemote(command);
  if (remote === undefined) return undefined;
  const [{ lookUpRemote }, { pin }] = await Promise.all([
    import('./git-remote-url'),
    import('./git-pin'),
  ]);
  const found = await lookUpRemote(remote, workspace, env);
  if (found.kind === 'unknown') return found;
  const pinned = await pin(command, found.facts, env, randomUUID().replaceAll('-', ''));
  return pinned === undefined
    ? { kind: 'unknown', why: 'git would choose what it records of this push' }
    : { kind: 'known', target: found.target, pinned };
}

/** The command as executed: only to the approved address. Undefined if that is impossible. */
async function boundTo(
  deps: ShellToolsDeps,
  command: string,
  cwd: string,
  env: Environment,
  allowed: CallTarget | undefined,
): Promise<Pinned | undefined> {
  if (allowed === undefined) return { command, env, spoken: (output) => output };
  const found = await lookUp(deps, command, cwd, env);
  const isThere = found?.kind === 'known' && found.target.address === allowed.address;
  return isThere ? found.pinned : undefined;
}

function answerOf(
  end: CommandEnd,
  timeoutMs: number,
  spoken: (output: string) => string,
): ToolOutcome {
  switch (end.kind) {
    case 'not_started':
      return {
        kind: 'failed',
        message: `The shell could not be started, the command was not run (${end.reason}).`,
        isRetryable: false,
      };
    case 'exited': {
      const left = end.leftRunning
        ? '; a process it started is still running in the background'
        : '';
      const text = `${withLineEnd(spoken(end.output))}[exit code ${end.code}${left}]`;
      return end.code === 0 ? done(text) : refused(text);
    }
    case 'killed': {
      const why = {
        timeout: `It took longer than ${timeoutMs / 1000} s and was terminated`,
        abort: 'It was stopped',
        stop: `It was ended by ${end.signal} while Holdfast was stopping`,
        other: `It was ended by ${end.signal}`,
      }[end.by];
      const printed = end.output === '' ? '' : ` Last output: ${spoken(end.output).slice(-1_000)}`;
      return {
        kind: 'unknown',
        message: `${why}; anything done by then is not undone.${printed}`,
      };
    }
  }
}

const withLineEnd = (text: string): string =>
  text === '' || text.endsWith('\n') ? text : `${text}\n`;

/** The shell that runs commands; a relative entry of PATH never counts. */
export async function findShell(env: Environment): Promise<string | undefined> {
  const names =
    process.platform === 'win32'
      ? onPath(env, 'bash.exe')
      : ['/bin/bash', '/usr/bin/bash', ...onPath(env, 'bash'), '/bin/sh'];
  for (const name of names) {
    try {
      await access(name, constants.X_OK);
      return name;
    } catch {
      // Not this one.
    }
  }
  return undefined;
}

const onPath = (env: Environment, program: string): string[] =>
  (env['PATH'] ?? env['Path'] ?? '')
    .split(delimiter)
    // A relative entry would let the workspace provide its own shell.
    .filter((folder) => folder.startsWith('/') || /^[A-Za-z]:/.test(folder))
    .map((folder) => join(folder, program));
