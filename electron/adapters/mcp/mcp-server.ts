import type { McpServerSettings } from '../../../shared/settings/mcp';
import type { AttemptRecord } from '../../ports/attempts';
import type { Breaker, Permit } from '../../ports/breakers';
import type { Clock } from '../../ports/clock';
import type { Basics } from '../../engine/kernel/basics';
import type { ToolHost, ToolSpec } from '../../ports/tools';
import type { ToolCall, ToolOutcome } from '../../ports/tool-call';
import type { Connect, McpConnection, McpTarget } from './connection';
import { LoginNeeded } from './login-needed';
import type { RespawnLimits } from './plan-respawn';
import { gaveUp } from './plan-respawn';
import { createRestarts } from './restarts';
import type { McpState, Waits } from './server-state';
import { serverOfOffered } from './tool-names';
import { outcomeOf, type CallEnd } from './tool-outcome';
import { leftOutText, readTool, specsOf, type McpTool } from './tool-specs';

/** Everything needed to start a server now; resolved again for every start. */
export type Preparation =
  | { readonly kind: 'disabled' }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'ready'; readonly target: McpTarget };

interface McpServerDeps extends Pick<Basics, 'clock' | 'log'> {
  readonly name: string;
  readonly spec: McpServerSettings;
  readonly waits: Waits;
  readonly respawn: RespawnLimits;
  readonly version: string;
  readonly prepare: () => Promise<Preparation>;
  readonly connect: Connect;
  /** Checked before its calls; a crash counts if no call reports it. S2-01 */
  readonly breaker: () => Breaker;
  /** Its restarts, across restarts of Holdfast. */
  readonly attempts: AttemptRecord;
  readonly onChange: () => void;
}

/** One supervised server: started, restarted, or given up; its tools as a host. Row S2-19. */
export interface McpServer {
  readonly name: string;
  readonly spec: McpServerSettings;
  readonly host: ToolHost;
  state(): McpState;
  /** Wall time of the last change of state. */
  sinceMs(): number;
  /** Starts it unless that was already done; never throws. */
  start(): void;
  /** Stops it if necessary and starts it with its restart count reset: the user asked for it. */
  restart(): Promise<void>;
  /** Waits for calls in progress, then ends it permanently; bounded by `graceMs` and a second. */
  stop(graceMs?: number): Promise<void>;
  /** Waits, bounded, until the current start has ended: running, or waiting for the next try. */
  comeUp(signal: AbortSignal): Promise<void>;
  /** Resolves when the state is settled, the wait is over or the signal aborts; never throws. */
  settled(waitMs: number, signal: AbortSignal, isDone: (state: McpState) => boolean): Promise<void>;
  /** Requests its list of tools, past its breaker; `neither` if it is not running. @throws */
  check(signal: AbortSignal): Promise<'ok' | 'neither'>;
}

/** Beyond the handshake: looking up the environment, starting the program, one restart. */
export const START_MARGIN_MS = 5_000;

const NO_TOOLS: readonly ToolSpec[] = [];
/** Minimum time between two tool listings of a server that reports changes repeatedly. */
const RELIST_PAUSE_MS = 1_000;

export function createMcpServer(deps: McpServerDeps): McpServer {
  const { name, clock, log } = deps;
  const life = createLife(deps);
  const { become, settled } = life;
  let tools = NO_TOOLS;
  let leftOut: string | undefined;
  let connection: McpConnection | undefined;
  /** Ends the current start or wait. */
  let current = new AbortController();
  let starting: Promise<void> = Promise.resolve();
  let isOver = false;
  /** The last call that it got failed. */
  let hasCallFailed = false;
  /** Restarts and the stop, one at a time. */
  let asked: Promise<void> = Promise.resolve();
  const inHand = new Set<Promise<unknown>>();
  const restarts = createRestarts({ ...deps, limits: deps.respawn });

  const takeTools = ({ specs, leftOut: said }: Awaited<ReturnType<typeof toolsOf>>): void => {
    leftOut = said;
    // An equal list stays the same object, so it is not processed again.
    if (JSON.stringify(specs) !== JSON.stringify(tools)) tools = specs;
  };

  const withdraw = (): void => {
    tools = NO_TOOLS;
  };

  const open = async (signal: AbortSignal): Promise<void> => {
    become({ kind: 'starting' });
    let opened: McpConnection | undefined;
    try {
      const prepared = await deps.prepare();
      if (signal.aborted) return;
      if (prepared.kind !== 'ready') {
        withdraw();
        become(prepared);
        return;
      }
      opened = await deps.connect({
        target: prepared.target,
        version: deps.version,
        handshakeMs: deps.waits.handshakeMs,
        signal,
        onErrorLine: (line) => {
          log.info('mcp.stderr', { server: name, line });
        },
        onToolsChanged: relisting.changed,
      });
      if (!signal.aborted) takeTools(await toolsOf(deps, opened));
      if (signal.aborted) {
        await opened.close(0);
        return;
      }
    } catch (thrown) {
      await opened?.close(0);
      if (!signal.aborted) notOpened(thrown);
      return;
    }
    connection = opened;
    // A breaker that failed starts have opened need not wait for its probe. One that calls have opened does:
    // a server may start well and die of each call.
    if (!hasCallFailed) deps.breaker().onAnswerWhileOpen();
    become(upWith(opened.pid, tools.length, leftOut));
    relisting.opened();
    void opened.closed.then((reason) => {
      if (connection !== opened) return;
      connection = undefined;
      ended(reason);
    });
  };

  const relisting = createRelisting({
    clock,
    signal: () => current.signal,
    connection: () => connection,
    look: async (from) => {
      const fresh = await toolsOf(deps, from);
      if (connection !== from) return;
      takeTools(fresh);
      become(upWith(from.pid, tools.length, leftOut));
    },
    onFailed: (error) => log.warn('mcp.relist_failed', { server: name, error }),
  });

  /**
   * A retry does not help without a login, which needs the user; this is not a failure of the
   * server.
   */
  const notOpened = (thrown: unknown): void => {
    if (!(thrown instanceof LoginNeeded)) {
      ended(thrown instanceof Error ? thrown.message : String(thrown));
      return;
    }
    fail(thrown.message);
  };

  const fail = (reason: string): void => {
    withdraw();
    become({ kind: 'failed', reason });
  };

  const restartIn = (delayMs: number, reason: string, kept?: Promise<void>): void => {
    become({ kind: 'restarting', reason, nextAtMs: Math.round(clock.nowMs() + delayMs) });
    begin(delayMs, kept);
  };

  /** The server exited on its own. */
  const ended = (reason: string): void => {
    log.warn('mcp.ended', { server: name, reason });
    if (inHand.size === 0) deps.breaker().onFailure(undefined, reason);
    const next = restarts.after(reason);
    if (next.kind === 'give_up') fail(gaveUp(reason, next.restarts));
    else restartIn(next.delayMs, reason, next.kept);
  };

  const beginFirst = (): void => {
    const first = restarts.first();
    if (first.kind === 'give_up') fail(gaveUp(first.reason, first.restartsMs.length));
    else if (first.delayMs === 0) begin(0);
    else restartIn(first.delayMs, first.reason);
  };

  const begin = (delayMs: number, kept?: Promise<void>): void => {
    current = new AbortController();
    const { signal } = current;
    const run = async (): Promise<void> => {
      // A counted start is on disk before it happens.
      await kept;
      if (delayMs > 0) {
        try {
          await clock.sleep(delayMs, signal);
        } catch {
          return; // Stopped or restarted by the user meanwhile.
        }
      }
      await open(signal);
    };
    starting = run();
  };

  /** Ends everything in this order: running calls, the input, the process. */
  const close = async (graceMs: number): Promise<void> => {
    const startMs = clock.monotonicMs();
    current.abort(new Error('stopped'));
    const old = connection;
    if (old !== undefined) {
      become({ kind: 'stopping' });
      await within(clock, Promise.allSettled([...inHand]), graceMs);
      connection = undefined;
      await old.close(Math.max(0, graceMs - (clock.monotonicMs() - startMs)));
    }
    await starting;
  };

  const call = async (request: ToolCall): Promise<ToolOutcome> => {
    const spec = tools.find((tool) => tool.offeredAs === request.tool);
    if (spec === undefined) return notRunning();
    const first = await callOnce(request, spec);
    // It was rejected on entry: the same call in a new session is the first one that gets in.
    const last =
      first.kind === 'not_sent' && first.isSessionGone === true
        ? await callOnce(request, spec)
        : first;
    return 'outcome' in last ? last.outcome : outcomeOf(last, spec.purity);
  };

  const callOnce = async (
    request: ToolCall,
    spec: ToolSpec,
  ): Promise<CallEnd | { readonly kind: 'not_made'; readonly outcome: ToolOutcome }> => {
    const { waits } = deps;
    // The server is restarting: nothing has been sent yet, so waiting costs only time.
    await settled(waits.callMs, request.signal, isSettled);
    if (request.signal.aborted) return notMade('Stopped before it started.');
    const to = connection;
    if (to === undefined || life.state().kind === 'stopping')
      return { kind: 'not_made', outcome: notRunning() };
    const breaker = deps.breaker();
    const admission = breaker.allow();
    if (admission.kind === 'refused') return notMade(admission.reason);
    const end = await to.call({
      tool: spec.name,
      args: request.args,
      idempotencyKey: request.idempotencyKey,
      timeoutMs: waits.callMs,
      totalMs: waits.totalMs,
      signal: request.signal,
    });
    hasCallFailed = judge(breaker, admission, end, request.signal);
    if (end.kind === 'not_sent' && end.isSessionGone === true) renew(to);
    else if (end.kind === 'not_sent') lost(to, end.message);
    return end;
  };

  /** A new session with a healthy server: not a counted restart. */
  const renew = (from: McpConnection): void => {
    if (from !== connection) return; // Another call has handled it.
    connection = undefined;
    // Not at once: parallel calls may still get their answer over it.
    void Promise.allSettled([...inHand]).then(() => from.close(0));
    log.info('mcp.session_renewed', { server: name });
    become({ kind: 'starting' });
    begin(0);
  };

  /** A server reached by its address does not report that it is gone. */
  const lost = (from: McpConnection, reason: string): void => {
    if (from !== connection || from.pid !== undefined) return;
    connection = undefined;
    void from.close(0);
    ended(reason);
  };

  const notRunning = (): ToolOutcome => ({
    kind: 'failed',
    message: `${why(name, life.state())} The call was not made.`,
    isRetryable: true,
  });

  return {
    name,
    spec: deps.spec,
    host: {
      name,
      isExtension: true,
      tools: () => tools,
      async call(request) {
        const running = call(request);
        inHand.add(running);
        try {
          return await running;
        } finally {
          inHand.delete(running);
        }
      },
      // Even if the server never started in this run: the name itself shows its server.
      whyAbsent: (tool) => (serverOfOffered(tool) === name ? why(name, life.state()) : undefined),
    },
    state: life.state,
    sinceMs: life.sinceMs,
    start() {
      if (!isOver && life.state().kind === 'stopped') beginFirst();
    },
    async restart() {
      asked = asked.then(async () => {
        if (isOver) return;
        await close(deps.waits.stopMs);
        await restarts.forget();
        // The user has restarted it: calls need not wait for the next probe.
        deps.breaker().reset('a manual restart');
        begin(0);
      });
      await asked;
    },
    async stop(graceMs = deps.waits.stopMs) {
      isOver = true;
      asked = asked.then(async () => {
        await close(graceMs);
        withdraw();
        become({ kind: 'stopped' });
      });
      await asked;
    },
    comeUp: (signal) =>
      settled(
        deps.waits.handshakeMs + START_MARGIN_MS,
        signal,
        ({ kind }) => kind !== 'starting' && kind !== 'stopping',
      ),
    settled,
    async check(signal) {
      await settled(deps.waits.callMs, signal, isSettled);
      const to = connection;
      if (to === undefined || signal.aborted) return 'neither';
      try {
        await to.tools();
        return 'ok';
      } catch (error) {
        lost(to, error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
  };
}

/** Its state, since when, and the waiters for the next one. */
function createLife({
  name,
  clock,
  log,
  onChange,
}: Pick<McpServerDeps, 'name' | 'clock' | 'log' | 'onChange'>): Pick<
  McpServer,
  'state' | 'sinceMs' | 'settled'
> & { readonly become: (next: McpState) => void } {
  let state: McpState = { kind: 'stopped' };
  let sinceMs = clock.nowMs();
  const watchers = new Set<() => void>();
  return {
    state: () => state,
    sinceMs: () => sinceMs,
    become(next) {
      if (next.kind !== state.kind) sinceMs = clock.nowMs();
      state = next;
      if (next.kind === 'running' || next.kind === 'failed' || next.kind === 'skipped')
        log.info(`mcp.${next.kind}`, { server: name, ...next });
      for (const watcher of [...watchers]) watcher();
      onChange();
    },
    async settled(waitMs, signal, isDone) {
      if (isDone(state) || signal.aborted) return;
      const wait = new AbortController();
      const stopWaiting = (): void => {
        wait.abort();
      };
      const watch = (): void => {
        if (isDone(state)) stopWaiting();
      };
      watchers.add(watch);
      signal.addEventListener('abort', stopWaiting, { once: true });
      await clock.sleep(waitMs, wait.signal).catch(() => undefined);
      watchers.delete(watch);
      signal.removeEventListener('abort', stopWaiting);
    },
  };
}

const upWith = (pid: number | undefined, tools: number, reason: string | undefined): McpState => ({
  kind: 'running',
  pid,
  tools,
  ...(reason === undefined ? {} : { reason }),
});

/** Its tools as offered, and a note about those that cannot be. */
async function toolsOf(
  { name, spec, waits }: Pick<McpServerDeps, 'name' | 'spec' | 'waits'>,
  from: McpConnection,
): Promise<{ readonly specs: readonly ToolSpec[]; readonly leftOut: string | undefined }> {
  const described = await from.tools();
  const known = described.map(readTool).filter((tool): tool is McpTool => tool !== undefined);
  const specs = specsOf(name, known, spec.purity ?? {}, waits.callMs);
  return { specs, leftOut: leftOutText(described, specs.length) };
}

const notMade = (message: string) => ({
  kind: 'not_made' as const,
  outcome: { kind: 'failed', message, isRetryable: true } satisfies ToolOutcome,
});

const isSettled = ({ kind }: McpState): boolean => kind !== 'starting' && kind !== 'restarting';

/** An error from a tool is still an answer. That we stopped waiting proves nothing. */
/** Gives the breaker its verdict. True: the server got the call and failed; one that is away did not. */
function judge(breaker: Breaker, permit: Permit, end: CallEnd, signal: AbortSignal): boolean {
  const isNeutral =
    signal.aborted ||
    (end.kind === 'not_sent' && (end.isNeutral === true || end.isSessionGone === true));
  if (end.kind === 'answered') breaker.onSuccess(permit);
  else if (isNeutral) breaker.onIgnored(permit);
  else breaker.onFailure(permit, end.message);
  return end.kind === 'no_answer' && !isNeutral;
}

/** Why a server's tools are missing, in one or two sentences. */
function why(name: string, state: McpState): string {
  const server = `The MCP server ${name}`;
  switch (state.kind) {
    case 'failed':
      return `${server} has failed: ${state.reason}`;
    case 'skipped':
      return `${server} is not used: ${state.reason}`;
    case 'disabled':
      return `${server} is off.`;
    case 'restarting':
      return `${server} has ended and is restarting: ${state.reason}`;
    case 'starting':
      return `${server} is still starting.`;
    case 'stopping':
    case 'stopped':
      return `${server} is stopped.`;
    case 'running':
      return `${server} no longer has this tool.`;
  }
}

async function within(clock: Clock, work: Promise<unknown>, limitMs: number): Promise<void> {
  const done = new AbortController();
  try {
    await Promise.race([work, clock.sleep(limitMs, done.signal).catch(() => undefined)]);
  } finally {
    done.abort();
  }
}

/**
 * Lists the tools again when the server reports that they have changed, one listing at a time.
 * Reports during its start count once it runs.
 */
function createRelisting(deps: {
  readonly clock: Clock;
  readonly signal: () => AbortSignal;
  readonly connection: () => McpConnection | undefined;
  readonly look: (from: McpConnection) => Promise<void>;
  readonly onFailed: (error: unknown) => void;
}): { readonly changed: () => void; readonly opened: () => void } {
  let isOld = false;
  let looking: Promise<void> | undefined;

  const lookWhileOld = async (): Promise<void> => {
    for (let from = deps.connection(); isOld && from !== undefined; from = deps.connection()) {
      isOld = false;
      await deps.look(from).catch(deps.onFailed);
      // A stop ends the pause; then there is no connection, and nothing more to list.
      if (isOld) await deps.clock.sleep(RELIST_PAUSE_MS, deps.signal()).catch(() => undefined);
    }
  };
  const opened = (): void => {
    if (isOld && deps.connection() !== undefined)
      looking ??= lookWhileOld().finally(() => (looking = undefined));
  };
  return {
    opened,
    changed() {
      isOld = true;
      opened();
    },
  };
}
