import { realpath, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { runCommand } from '../shell/run-command';
import { createOutputBuffer } from '../shell/output-buffer';
import {
  INSTANCE_MARKER,
  KEY_MARKER,
  RUN_MARKER,
  STEP_MARKER,
  TURN_MARKER,
} from '../shell/child-environment';
import { type LoginEnvironment, childEnvironment } from '../shell/login-environment';
import type { CommandEnd as Ran } from '../shell/command-end';
import { writeDurably } from '../../disk/durable-file';
import { makeFolder } from '../../disk/durable-folder';
import type {
  CommandAgents,
  CommandDialect,
  CommandEnd,
  CommandEvent,
} from '../../ports/command-agent';
import type { Basics } from '../../engine/kernel/basics';
import {
  beginRecords,
  hooksDir,
  readRecords,
  recordsPath,
  removeRecords,
  sealRecords,
} from './hook-records';
import { claudeCostBefore, costOfRun } from './claude-cost';
import { createLineReader, readClaudeLine } from './claude-stream';
import { knownEvents } from '../../../shared/claude-hooks';
import { quoted } from '../../../shared/shell-quoted';

/** Maximum time that Claude Code waits for a hook, which may need the user's answer. */
const ASK_SECONDS = 24 * 60 * 60;
const NOTE_SECONDS = 30;

interface Self {
  readonly command: string;
  readonly args: readonly string[];
}

/** Quotes a word for a POSIX shell; on Windows, for `cmd`. */
export function shellWord(word: string, platform: string = process.platform): string {
  if (platform === 'win32') return `"${word.replaceAll('"', '')}"`;
  return quoted(word);
}

const commandLine = (self: Self, more: readonly string[]): string =>
  [self.command, ...self.args, ...more].map((word) => shellWord(word)).join(' ');

type HookList = readonly {
  readonly matcher?: string;
  readonly hooks: readonly {
    readonly type: 'command';
    readonly command: string;
    readonly timeout: number;
  }[];
}[];

const entry = (command: string, timeout: number, matcher?: string): HookList => [
  { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command, timeout }] },
];

/** The settings of one run of Claude Code: hooks that report to the Holdfast that started it. */
function runSettings(
  self: Self,
  turn: {
    readonly dataDir: string;
    readonly records: string;
    readonly turnId: number;
    readonly attempt: number;
    readonly version: string | undefined;
  },
): string {
  const command = commandLine(self, [
    'hook',
    'turn',
    '--data-dir',
    turn.dataDir,
    '--records',
    turn.records,
    '--turn',
    String(turn.turnId),
    '--attempt',
    String(turn.attempt),
  ]);
  const hooks: Readonly<Record<string, HookList>> = {
    SessionStart: entry(command, NOTE_SECONDS),
    PreToolUse: entry(command, ASK_SECONDS, '*'),
    PostToolUse: entry(command, NOTE_SECONDS, '*'),
    PostToolUseFailure: entry(command, NOTE_SECONDS, '*'),
  };
  const known = knownEvents(turn.version, Object.keys(hooks));
  return JSON.stringify({
    hooks: Object.fromEntries(known.map((event) => [event, hooks[event]])),
  });
}

interface CommandAgentsDeps extends Pick<Basics, 'log' | 'crashPoints'> {
  readonly dataDir: string;
  /** Identifies the database; the same across restarts. */
  readonly instanceId: string;
  /** Identifies this run of Holdfast. */
  readonly runId: string;
  /** How a hook calls this program; undefined if it cannot be started again. */
  readonly self: { readonly command: string; readonly args: readonly string[] } | undefined;
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly maxOutputBytes: () => number;
  readonly orphanWaitMs: () => number;
  /** Aborted when this process is asked to stop. */
  readonly stopping?: AbortSignal;
}

/** The engine handles a run's deadline; a timer of this size never ends. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
const GRACE_MS = 3_000;
const ERRORS_BYTES = 32 * 1024;

/** Command-line agents: one process per turn. The code is loaded with the first run. S2-+05. */
export function createCommandAgents(deps: CommandAgentsDeps): CommandAgents {
  const settle = async (turnId: number, runId: string, policy: 'wait' | 'end') => {
    const { settleOrphans } = await import('../acp/settle-orphans');
    return settleOrphans(
      { instanceId: deps.instanceId, runId, turnId },
      policy,
      deps.orphanWaitMs(),
      () => sealRecords(deps.dataDir, turnId, deps.crashPoints),
    );
  };
  /** By program. Queried once, because an update only brings more events. */
  const versions = new Map<string, Promise<string | undefined>>();
  const versionOf = (program: string, variables: readonly string[]) => {
    const known = versions.get(program) ?? askVersion(program, variables);
    versions.set(program, known);
    return known;
  };
  const askVersion = async (program: string, variables: readonly string[]) => {
    const { claudeVersion } = await import('./claude-version');
    const { env } = await childEnvironment(deps, variables, {});
    return claudeVersion(program, env, deps.dataDir);
  };
  return {
    dialectOf,
    async prepareHooks(turnId, attempt, { program, env }) {
      if (deps.self === undefined) return undefined;
      const version = await versionOf(program, env);
      const { dataDir } = deps;
      const dir = hooksDir(dataDir);
      const records = recordsPath(dataDir, turnId);
      await makeFolder(dir, dirname(dirname(dir)));
      const settings = join(dir, `turn-${String(turnId)}.json`);
      await writeDurably(
        settings,
        runSettings(deps.self, { dataDir, records, turnId, attempt, version }),
      );
      beginRecords(records, attempt);
      return ['--settings', settings];
    },
    async run(start, onEvent) {
      const workspace = await realpath(start.workspace).catch(() => undefined);
      if (workspace === undefined)
        return {
          kind: 'not_started',
          message: "The agent's folder does not exist. Nothing was run.",
        };
      const { env, secrets } = await childEnvironment(deps, start.env, {
        NO_COLOR: '1',
        [TURN_MARKER]: String(start.turnId),
        [STEP_MARKER]: String(start.step),
        [KEY_MARKER]: start.idempotencyKey,
        [INSTANCE_MARKER]: deps.instanceId,
        [RUN_MARKER]: deps.runId,
      });
      const output = createOutputBuffer(deps.maxOutputBytes());
      const errors = createOutputBuffer(ERRORS_BYTES);
      const beforeUsd =
        start.dialect === 'claude' && start.ref !== undefined
          ? await claudeCostBefore(env, start.ref)
          : 0;
      const lines = createLineReader((line) => {
        for (const event of eventsOf(start.dialect, line)) onEvent(ofThisRun(event, beforeUsd));
      });
      // Before the process is signaled; the process receives the same signal.
      const seal = (): void => sealRecords(deps.dataDir, start.turnId, deps.crashPoints);
      start.signal.addEventListener('abort', seal, { once: true });
      const ended = await runCommand({
        argv: [start.program, ...start.args],
        cwd: workspace,
        env: { ...env, PWD: workspace },
        timeoutMs: NO_TIMEOUT_MS,
        // Read as it arrives, below.
        capBytes: 0,
        signal: start.signal,
        stopping: deps.stopping,
        graceMs: GRACE_MS,
        input: start.input ?? '',
        onChunk: (from, chunk) => {
          (from === 'stderr' ? errors : output).append(chunk);
          return from === 'stderr' ? [] : lines.push(chunk);
        },
        onBroken: (error) => {
          deps.log.error('command.unreadable', { turnId: start.turnId, reason: String(error) });
        },
      });
      start.signal.removeEventListener('abort', seal);
      lines.end();
      if (errors.totalBytes > 0) {
        deps.log.info('command.errors', {
          turnId: start.turnId,
          text: errors.text().slice(-2_000),
        });
      }
      // An agent's shells have separate process groups, so a stop has to end them too.
      if (start.signal.aborted) await settle(start.turnId, '', 'end');
      const complaints = secrets?.hide(errors.text()) ?? errors.text();
      return endOf(ended, { output: output.text(), errors: complaints }, start.program);
    },
    records: (turnId) => readRecords(recordsPath(deps.dataDir, turnId)),
    async forget(turnId) {
      await removeRecords(deps.dataDir, turnId);
      const settings = join(hooksDir(deps.dataDir), `turn-${String(turnId)}.json`);
      await unlink(settings).catch(() => undefined); // Never written, or already gone.
    },
    settleOrphans: (turnId) => settle(turnId, deps.runId, 'wait'),
  };
}

/**
 * Claude Code is detected by its name; any other program is known only by its output and exit code.
 */
function dialectOf(program: string): CommandDialect {
  return /^claude(\.exe|\.cmd)?$/i.test(basename(program.replaceAll('\\', '/')))
    ? 'claude'
    : 'plain';
}

const eventsOf = (dialect: CommandDialect, line: string): readonly CommandEvent[] =>
  dialect === 'claude' ? readClaudeLine(line) : [{ kind: 'text', text: `${line}\n` }];

function ofThisRun(event: CommandEvent, beforeUsd: number): CommandEvent {
  if (event.kind !== 'answer' || event.answer.usage.costUsd === undefined) return event;
  const { usage } = event.answer;
  const costUsd = costOfRun(event.answer.usage.costUsd, beforeUsd);
  return { ...event, answer: { ...event.answer, usage: { ...usage, costUsd } } };
}

function endOf(
  ended: Ran,
  texts: { readonly output: string; readonly errors: string },
  program: string,
): CommandEnd {
  switch (ended.kind) {
    case 'not_started':
      return {
        kind: 'not_started',
        message: `${basename(program)} could not be started (${ended.reason}). Nothing was run. Install it, or change the agent, then resume.`,
      };
    case 'exited':
      return { kind: 'exited', code: ended.code, ...texts };
    case 'killed':
      return { kind: 'killed', isOurs: ended.by !== 'other', signal: ended.signal, ...texts };
  }
}
