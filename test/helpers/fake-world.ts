import fs from 'node:fs';
import path from 'node:path';
import type {
  ModelAnswer,
  ModelRequest,
  Provider,
  ProviderOutcome,
  ProviderProbe,
} from '../../electron/ports/provider';
import type { Channel, Delivery, Intake, TimedAnswer } from '../../electron/ports/channel';
import type { ToolHost, ToolSpec } from '../../electron/ports/tools';
import type { ToolCall, ToolOutcome } from '../../electron/ports/tool-call';

/** Appends one line and lets it reach the disk: what a real effect leaves in the world. */
function append(file: string, line: string): void {
  const fd = fs.openSync(file, 'a');
  fs.writeSync(fd, `${line}\n`);
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}

export function linesOf(file: string): string[] {
  return fs.existsSync(file)
    ? fs
        .readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}

/** FT of the rows: one line in `effects.log` per real execution; can stall before or after it. */
interface FakeToolsOptions {
  readonly dir: string;
  /** Called before and after the effect; a promise that never resolves is a stall. */
  readonly gate?: (at: 'before' | 'after', call: ToolCall) => Promise<void> | void;
  readonly outcome?: (call: ToolCall) => ToolOutcome | undefined;
  readonly status?: (call: ToolCall) => 'done' | 'not_done' | 'unknown';
  readonly specs?: readonly ToolSpec[];
  readonly host?: string;
}

const anyObject = { type: 'object', additionalProperties: true };

export const FAKE_SPECS: readonly ToolSpec[] = [
  {
    name: 'send_email',
    description: 'Sends a mail',
    inputSchema: anyObject,
    purity: 'external',
    isProposedForGate: true,
  },
  { name: 'charge', description: 'Charges a card', inputSchema: anyObject, purity: 'side_effect' },
  {
    name: 'put',
    description: 'Puts a value',
    inputSchema: anyObject,
    purity: 'side_effect',
    isIdempotent: true,
  },
  { name: 'mystery', description: 'Nobody said what it does', inputSchema: anyObject },
  { name: 'look', description: 'Reads the world', inputSchema: anyObject, purity: 'world' },
  { name: 'add', description: 'Adds numbers', inputSchema: anyObject, purity: 'pure' },
];

export function createFakeTools(options: FakeToolsOptions): ToolHost & { readonly log: string } {
  const log = path.join(options.dir, 'effects.log');
  const specs = options.specs ?? FAKE_SPECS;
  return {
    name: options.host ?? 'fake',
    log,
    tools: () => specs,
    async call(call) {
      await options.gate?.('before', call);
      append(
        log,
        JSON.stringify({
          tool: call.tool,
          args: call.args,
          key: call.idempotencyKey,
          turn: call.turnId,
        }),
      );
      await options.gate?.('after', call);
      const world = path.join(options.dir, 'world.txt');
      const seen =
        call.tool === 'look' && fs.existsSync(world) ? fs.readFileSync(world, 'utf8') : 'ok';
      return (
        options.outcome?.(call) ?? {
          kind: 'result',
          content: `${call.tool}: ${seen}`,
          isError: false,
        }
      );
    },
    ...(options.status === undefined
      ? {}
      : { status: (call: ToolCall) => Promise.resolve(options.status?.(call) ?? 'unknown') }),
  };
}

/** What the fake model says next; a pure function of the conversation, as a real one is not. */
export type Script = (request: ModelRequest) => {
  readonly text?: string;
  readonly calls?: readonly { readonly tool: string; readonly args?: unknown }[];
};

/** A provider in this process: every request is a line in `requests.log`. */
export function createFakeProvider(options: {
  readonly dir: string;
  readonly script: Script;
  readonly name?: string;
  readonly gate?: (
    request: ModelRequest,
  ) => Promise<ProviderOutcome | undefined> | ProviderOutcome | undefined;
  /** What a light request comes to; it is there by default. */
  readonly probe?: () => ProviderProbe;
}): Provider & { readonly log: string } {
  const log = path.join(options.dir, 'requests.log');
  return {
    name: options.name ?? 'fake',
    log,
    probe: () => Promise.resolve(options.probe?.() ?? { kind: 'ok' }),
    async stream(request, { signal, onText }) {
      append(log, JSON.stringify({ messages: request.messages.length, model: request.model }));
      const early = await options.gate?.(request);
      if (early !== undefined) return early;
      if (signal.aborted) {
        return {
          kind: 'failure',
          failure: { kind: 'aborted', message: 'Stopped.', hint: '', isRetryable: true },
        };
      }
      return { kind: 'answer', answer: answerOf(options.script, request, onText) };
    },
  };
}

function answerOf(
  script: Script,
  request: ModelRequest,
  onText: (text: string) => void,
): ModelAnswer {
  const said = script(request);
  const calls = said.calls ?? [];
  const base = request.messages.length;
  if (said.text !== undefined) onText(said.text);
  return {
    parts: [
      ...(said.text === undefined ? [] : [{ kind: 'text' as const, text: said.text }]),
      ...calls.map((call, index) => ({
        kind: 'tool_call' as const,
        callId: `call-${String(base)}-${String(index)}`,
        tool: call.tool,
        args: (call.args ?? {}) as never,
      })),
    ],
    finish: calls.length > 0 ? 'tool_calls' : 'stop',
    usage: { inputTokens: 100, outputTokens: 10, costUsd: 0.01 },
  };
}

/** Number of tool results the conversation of the present turn already has. */
export function resultsSoFar(request: ModelRequest): number {
  return request.messages.filter((message) => message.role === 'tool').length;
}

/** The last thing the user said. */
export function promptOf(request: ModelRequest): string {
  return request.messages.findLast((message) => message.role === 'user')?.text ?? '';
}

/** FC of the rows: deliveries as lines of a file, so that they survive a kill. */
export function createFakeChannel(options: {
  readonly dir: string;
  readonly name: string;
  readonly isReady?: () => boolean;
  /** A desktop that is told of answers of time, and may not be disturbed while this says so. */
  readonly isQuiet?: () => boolean;
}): Channel & {
  readonly log: string;
  readonly received: () => Delivery[];
  /** What it was told of at once, each time. */
  readonly told: () => (readonly TimedAnswer[])[];
  intake(): Intake;
} {
  const log = path.join(options.dir, `${options.name}.log`);
  const toldLog = path.join(options.dir, `${options.name}-told.log`);
  let open: Intake | undefined;
  return {
    ...(options.isQuiet === undefined
      ? {}
      : {
          timed: {
            isHeld: options.isQuiet,
            tell(answers) {
              append(toldLog, JSON.stringify(answers));
              return Promise.resolve();
            },
          },
        }),
    told: () => linesOf(toldLog).map((line) => JSON.parse(line) as TimedAnswer[]),
    name: options.name,
    log,
    isReady: options.isReady ?? (() => true),
    deliver(delivery) {
      append(log, JSON.stringify(delivery));
      return Promise.resolve();
    },
    start(intake) {
      open = intake;
    },
    received: () => linesOf(log).map((line) => JSON.parse(line) as Delivery),
    intake() {
      if (open === undefined) throw new Error('the intake is not open yet');
      return open;
    },
  };
}
