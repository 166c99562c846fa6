import type { ChildProcess, spawn as spawnType } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientConnection } from '@agentclientprotocol/sdk';
import type {
  ExternalAgent,
  ExternalConversation,
  ExternalEvent,
  ExternalFacts,
  ExternalFailure,
  ExternalListener,
  ExternalResult,
  ExternalStart,
} from '../../ports/external-agent';
import { claudeCostBefore } from '../command/claude-cost';
import { inertLine } from '../tools/tool-host';
import type { Environment } from '../shell/child-environment';
import { createOutputBuffer } from '../shell/output-buffer';
import { hasEnded, signalLeader } from '../shell/process-group';
import { classifyAcpError, withLoginWays } from './classify-acp-error';
import { guardedStream, STREAM_LIMITS, UPDATE, type StreamLimits } from './guarded-stream';
import { identifyAgent } from '../command/identify-agent';
import { knownAgent } from './known-agents';
import { endOfPrompt, createTokensOfUpdates, type PromptAnswer } from './prompt-end';
import { readOptions, readReport, readUpdate } from './read-report';
import { settleSession, type SessionAnswer } from './settle-session';

/** Timeouts for an agent. */
export interface AcpTimeouts {
  readonly initializeMs: number;
  readonly sessionMs: number;
  readonly loadMs: number;
  readonly cancelMs: number;
  readonly leaveMs: number;
}

/** An adapter that npx has to fetch first takes its time, and so does loading a long session. */
export const ACP_TIMEOUTS: AcpTimeouts = {
  initializeMs: 90_000,
  sessionMs: 60_000,
  loadMs: 60_000,
  cancelMs: 5_000,
  leaveMs: 2_000,
};

/** Wait for output that is still in the pipes when the agent has ended. */
const DRAIN_MS = 250;
const STDERR_BYTES = 32 * 1024;
const PROTOCOL_VERSION = 1;
/** An agent may keep every session it ever had. */
const MAX_LISTED = 100;
const MAX_PAGES = 10;

interface AcpAgentOptions {
  /** Removes secrets from its error messages; absent: they are unchanged. */
  readonly hide?: ((text: string) => string) | undefined;
  readonly start: ExternalStart;
  readonly env: Environment;
  readonly extraArgs: readonly string[];
  readonly version: string;
  readonly timeouts: AcpTimeouts;
  readonly limits?: StreamLimits;
  /** Size of its error output, once it has ended; for the log. */
  readonly onEnd: (facts: {
    readonly code: number | null;
    readonly signal: string | null;
    readonly stderrBytes: number;
  }) => void;
}

const ok = <T>(value: T): ExternalResult<T> => ({ kind: 'ok', value });
const failing =
  ({ hide }: Pick<AcpAgentOptions, 'hide'>) =>
  (failure: ExternalFailure): { kind: 'failure'; failure: ExternalFailure } => ({
    kind: 'failure',
    failure: hide === undefined ? failure : { ...failure, message: hide(failure.message) },
  });

/** Its process: its pipes, and its end if known. */
interface AgentProcess {
  readonly child: ChildProcess;
  readonly stdin: NonNullable<ChildProcess['stdin']>;
  readonly stdout: NonNullable<ChildProcess['stdout']>;
  /** It has ended or never started, and its earlier output has been processed. */
  readonly gone: Promise<void>;
  /** Its end is reported after its output has been processed. */
  readonly readBy: (drained: Promise<void>) => void;
  /** Why it ended; undefined while it runs. */
  readonly failure: () => ExternalFailure | undefined;
  /** Ends it for a reason of our own. */
  readonly end: (failure: ExternalFailure) => void;
}

/**
 * Starts it in its own process group with nothing inherited. @throws if it cannot be started at
 * once
 */
function spawnAgent(
  spawn: typeof spawnType,
  { start, env, extraArgs }: AcpAgentOptions,
): ChildProcess {
  return spawn(start.command, [...start.args, ...extraArgs], {
    cwd: start.workspace,
    env: { ...env, PWD: start.workspace },
    shell: false,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

/** Call right after the spawn: its first events come next. @throws without pipes */
function watchProcess(
  child: ChildProcess,
  { start, onEnd }: Pick<AcpAgentOptions, 'start' | 'onEnd'>,
): AgentProcess {
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('no pipes');
  const complaints = createOutputBuffer(STDERR_BYTES);
  let failure: ExternalFailure | undefined;
  // Output from before the end is processed in the following turns of the loop.
  let drained = Promise.resolve();
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => {
      void drained.then(() => setImmediate(() => setImmediate(resolve)));
    });
  });
  const gone = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      if (child.pid !== undefined) return;
      failure ??= notStarted(start.command, error);
      resolve();
    });
    child.once('exit', (code, signal) => {
      failure ??= died(start.command, code, signal, complaints.text());
      onEnd({ code, signal, stderrBytes: complaints.totalBytes });
      // Its last output may still be in the pipe, which one of its children may keep open for long.
      void Promise.race([closed, delay(DRAIN_MS)]).then(resolve);
    });
  });
  stderr.on('data', (chunk: Buffer) => {
    complaints.append(chunk);
  });
  stderr.on('error', () => undefined);
  stdin.on('error', () => undefined);
  return {
    child,
    stdin,
    stdout,
    gone,
    readBy: (reading) => {
      drained = reading;
    },
    failure: () => failure,
    end: (why) => {
      failure ??= why;
      signalLeader(child, 'SIGKILL');
    },
  };
}

/**
 * Starts an agent and initializes the protocol. Its error output is counted, and the last lines are
 * retained for the sentence about its end.
 *
 * The client's own files and terminals are not offered: an agent then uses its own tools, which it
 * reports and asks about. With two ways to the same effect, one would go unwatched.
 */
export async function startAcpAgent(
  options: AcpAgentOptions,
): Promise<ExternalResult<ExternalAgent>> {
  const { start, timeouts } = options;
  const failed = failing(options);
  const { spawn } = await import('node:child_process');
  const sdk = await import('@agentclientprotocol/sdk');
  let id = identifyAgent(start.command, start.args);
  let loginWays: unknown = [];
  let process: AgentProcess;
  try {
    process = watchProcess(spawnAgent(spawn, options), options);
  } catch (error) {
    return failed(notStarted(start.command, error));
  }
  const { child, stdin, gone } = process;

  let listener: ExternalListener | undefined;
  let replay: ((event: ExternalEvent) => void) | undefined;
  let current = '';
  const tokens = createTokensOfUpdates();
  const onUpdate = (params: unknown): void => {
    const { session, event } = readUpdate(params);
    if (event === undefined || session !== current) return;
    tokens.add(params);
    if (replay === undefined) listener?.onEvent(event);
    else replay(event);
  };
  const stream = guardedStream(process, options.limits ?? STREAM_LIMITS, (why) =>
    process.end(broken(start.command, why)),
  );
  process.readBy(stream.drained);
  const connection: ClientConnection = sdk
    .client({ name: 'holdfast' })
    .onRequest('*', async ({ method, params }) => {
      if (method !== 'session/request_permission') throw sdk.RequestError.methodNotFound(method);
      const asked = params as {
        readonly sessionId?: unknown;
        readonly toolCall?: unknown;
        readonly options?: unknown;
      };
      const report = readReport(asked.toolCall);
      if (report === undefined || listener === undefined || asked.sessionId !== current)
        return { outcome: { outcome: 'cancelled' } };
      const answer = await listener.onPermission({ report, options: readOptions(asked.options) });
      return answer.kind === 'cancelled'
        ? { outcome: { outcome: 'cancelled' } }
        : { outcome: { outcome: 'selected', optionId: answer.optionId } };
    })
    .onNotification('*', ({ method, params }) => {
      if (method === UPDATE) onUpdate(params);
    })
    .connect(stream);

  /** One request; every failure gets a class. */
  const ask = async <T>(
    method: string,
    params: unknown,
    timeoutMs: number | undefined,
  ): Promise<ExternalResult<T>> => {
    const late = new AbortController();
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => late.abort(), timeoutMs);
    const isLate = new Promise<'late'>((resolve) => {
      late.signal.addEventListener('abort', () => resolve('late'), { once: true });
    });
    try {
      const answer = connection.agent.request<T>(method, params);
      answer.catch(() => undefined);
      const first = await Promise.race([answer, isLate, gone.then(() => 'gone' as const)]);
      if (first === 'late') return failed(silent(start.command, method, timeoutMs ?? 0));
      if (first === 'gone') return failed(process.failure() ?? died(start.command, null, null, ''));
      return ok(first);
    } catch (error) {
      // The pipe closes a moment before the process end is detected.
      await Promise.race([gone, delay(isProtocolError(error) ? 0 : 1_000)]);
      const ending = process.failure();
      if (ending !== undefined) return failed(ending);
      return failed(
        isProtocolError(error)
          ? withLoginWays(classifyAcpError(id, error), loginWays)
          : broken(start.command, error instanceof Error ? error.message : String(error)),
      );
    } finally {
      clearTimeout(timer);
    }
  };

  const stop = async (): Promise<void> => {
    stdin.end();
    await Promise.race([gone, delay(timeouts.leaveMs)]);
    if (!hasEnded(child)) {
      signalLeader(child, 'SIGTERM');
      await Promise.race([gone, delay(timeouts.leaveMs)]);
    }
    if (!hasEnded(child)) signalLeader(child, 'SIGKILL');
    await Promise.race([gone, delay(timeouts.leaveMs)]);
    connection.close();
  };
  const onAbort = (): void => void stop();
  start.signal.addEventListener('abort', onAbort, { once: true });
  const answered = await ask<Hello>(
    'initialize',
    {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'holdfast', version: options.version },
    },
    timeouts.initializeMs,
  );
  start.signal.removeEventListener('abort', onAbort);
  const hello = helloOf(answered, start);
  if (hello.kind === 'failure') {
    await stop();
    return failed(hello.failure);
  }
  // A script of the user may start it, which only its own introduction shows.
  if (id === 'other') id = identifyAgent(hello.value.agentInfo?.name ?? '', []);
  loginWays = hello.value.authMethods;
  const facts = factsOf(id, hello.value);

  const begin = async (
    method: string,
    params: Readonly<Record<string, unknown>>,
    timeoutMs: number,
  ): Promise<ExternalResult<SessionAnswer>> => {
    const answer = await ask<SessionAnswer>(method, params, timeoutMs);
    if (answer.kind === 'ok' || answer.failure.kind !== 'login' || start.login === undefined)
      return answer;
    const login = await ask('authenticate', { methodId: start.login }, timeouts.sessionMs);
    return login.kind === 'failure' ? login : ask<SessionAnswer>(method, params, timeoutMs);
  };
  const settle = (ref: string, answer: SessionAnswer): Promise<ExternalResult<void>> =>
    settleSession((method, params) => ask(method, params, timeouts.sessionMs), {
      ref,
      answer,
      start,
      known: knownAgent(id),
    });

  return ok({
    facts,
    pid: child.pid ?? 0,
    async newSession() {
      const answer = await begin(
        'session/new',
        { cwd: start.workspace, mcpServers: [] },
        timeouts.sessionMs,
      );
      if (answer.kind === 'failure') return answer;
      const ref = answer.value.sessionId;
      if (typeof ref !== 'string' || ref === '')
        return failed(broken(start.command, 'It returned a session without an ID.'));
      current = ref;
      const settled = await settle(ref, answer.value);
      return settled.kind === 'failure' ? settled : ok(ref);
    },
    async listSessions() {
      const found: ExternalConversation[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const answer = await begin(
          'session/list',
          { cwd: start.workspace, ...(cursor === undefined ? {} : { cursor }) },
          timeouts.sessionMs,
        );
        if (answer.kind === 'failure') return answer;
        const { sessions, nextCursor } = answer.value;
        if (!Array.isArray(sessions))
          return failed(broken(start.command, 'Its list of sessions is invalid.'));
        found.push(...sessions.flatMap(conversationOf));
        if (typeof nextCursor !== 'string' || found.length >= MAX_LISTED) break;
        cursor = nextCursor;
      }
      return ok(found.slice(0, MAX_LISTED));
    },
    async loadSession(ref, onEvent) {
      current = ref;
      if (id === 'claude')
        onEvent({ kind: 'cost', costUsd: await claudeCostBefore(options.env, ref) });
      replay = onEvent;
      try {
        const answer = await begin(
          facts.canLoad ? 'session/load' : 'session/resume',
          { sessionId: ref, cwd: start.workspace, mcpServers: [] },
          timeouts.loadMs,
        );
        return answer.kind === 'failure' ? answer : await settle(ref, answer.value ?? {});
      } finally {
        replay = undefined;
      }
    },
    async prompt(ref, text, heard) {
      listener = heard;
      tokens.take();
      try {
        const answer = await ask<PromptAnswer>(
          'session/prompt',
          { sessionId: ref, prompt: [{ type: 'text', text }] },
          undefined,
        );
        return answer.kind === 'failure' ? answer : ok(endOfPrompt(answer.value, tokens.take()));
      } finally {
        listener = undefined;
      }
    },
    async cancel(ref) {
      await Promise.race([
        connection.agent.notify('session/cancel', { sessionId: ref }).catch(() => undefined),
        delay(timeouts.cancelMs),
      ]);
    },
    stop,
    async kill() {
      process.end(ended(start.command));
      await Promise.race([gone, delay(timeouts.leaveMs)]);
    },
  });
}

interface Hello {
  readonly protocolVersion?: number;
  readonly agentCapabilities?: {
    readonly loadSession?: boolean;
    readonly sessionCapabilities?: { readonly resume?: unknown; readonly list?: unknown };
  };
  readonly authMethods?: unknown;
  readonly agentInfo?: { readonly name?: string; readonly version?: string } | null;
}

/** Its introduction, if it can be worked with. */
function helloOf(
  answered: ExternalResult<Hello>,
  { command, signal }: ExternalStart,
): ExternalResult<Hello> {
  if (answered.kind === 'failure') return answered;
  const { protocolVersion } = answered.value;
  const failure = signal.aborted
    ? died(command, null, null, '')
    : broken(command, `It uses version ${String(protocolVersion)} of the protocol.`);
  return !signal.aborted && protocolVersion === PROTOCOL_VERSION
    ? answered
    : { kind: 'failure', failure };
}

function factsOf(id: ExternalFacts['id'], hello: Hello): ExternalFacts {
  const can = hello.agentCapabilities;
  const resume = can?.sessionCapabilities?.resume;
  return {
    id,
    name: inertLine(hello.agentInfo?.name ?? id),
    version: inertLine(hello.agentInfo?.version ?? ''),
    canLoad: can?.loadSession === true,
    canResume: resume !== undefined && resume !== null,
    canList: (can?.sessionCapabilities?.list ?? undefined) !== undefined,
  };
}

function conversationOf(value: unknown): readonly ExternalConversation[] {
  const { sessionId, cwd, title, updatedAt } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof sessionId !== 'string' || !/^[^\s-]\S{0,199}$/.test(sessionId)) return [];
  const updatedAtMs = typeof updatedAt === 'string' ? Date.parse(updatedAt) : Number.NaN;
  return [
    {
      ref: sessionId,
      folder: typeof cwd === 'string' ? cwd.slice(0, 4096) : '',
      title: typeof title === 'string' ? inertLine(title) : '',
      ...(Number.isFinite(updatedAtMs) ? { updatedAtMs: Math.max(0, updatedAtMs) } : {}),
    },
  ];
}

const isProtocolError = (
  error: unknown,
): error is { readonly code: number; readonly message: string; readonly data?: unknown } =>
  error instanceof Error && 'code' in error && typeof error.code === 'number';

function notStarted(command: string, error: unknown): ExternalFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return {
    kind: 'start',
    message:
      code === 'ENOENT'
        ? `The program ${inertLine(command)} was not found on your PATH.`
        : `The program ${inertLine(command)} could not be started (${code || 'no reason given'}).`,
    hint: 'Nothing was run. Install it or change the agent; "holdfast agents detect" lists the agents found.',
  };
}

const ended = (command: string): ExternalFailure => ({
  kind: 'died',
  message: `${inertLine(command)} was ended: another computer may have its turn.`,
  hint: 'Nothing to do: the turn continues on the computer that has it.',
});

function died(
  command: string,
  code: number | null,
  signal: string | null,
  stderr: string,
): ExternalFailure {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  const how = signal === null ? `exit code ${String(code ?? '?')}` : signal;
  return {
    kind: 'died',
    message: `The agent ${inertLine(command)} ended unexpectedly (${how}).${last === '' ? '' : ` Its last output: ${inertLine(last)}`}`,
    hint: 'Its progress is saved. Resume this turn: the agent is restarted and gets a list of what is done.',
  };
}

const silent = (command: string, method: string, timeoutMs: number): ExternalFailure => ({
  kind: 'timeout',
  message: `The agent ${inertLine(command)} did not answer "${method}" within ${String(Math.round(timeoutMs / 1000))} s.`,
  hint: 'It was terminated; its progress is saved. Try it in a terminal, then resume this turn.',
});

const broken = (command: string, why: string): ExternalFailure => ({
  kind: 'protocol',
  message: `The agent ${inertLine(command)} does not follow the protocol. ${inertLine(why)}`,
  hint: 'It was terminated; its progress is saved. Check its command: "holdfast agents detect" lists known ones.',
});
