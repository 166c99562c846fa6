/**
 * The real composition with a model and a tool that cost nothing: what is left is the journal, the
 * turn runner, the audit and the log.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { ComposeOptions, Composition } from '../../../electron/compose/options';
import type { Provider } from '../../../electron/ports/provider';
import type { ToolHost } from '../../../electron/ports/tools';
import { ROW_BYTES } from './raw';

const RESULT = 'r'.repeat(ROW_BYTES);

/** Answers once with the number of calls that the message asks for, and then with a text. */
function createModel(): Provider {
  return {
    name: 'bench',
    probe: () => Promise.resolve({ kind: 'ok' }),
    stream(request) {
      const last = request.messages.at(-1);
      const calls = last?.role === 'user' ? Number(last.text) : 0;
      const usage = { inputTokens: 10, outputTokens: 1 };
      return Promise.resolve({
        kind: 'answer' as const,
        answer:
          calls === 0
            ? { parts: [{ kind: 'text' as const, text: 'done' }], finish: 'stop' as const, usage }
            : {
                parts: Array.from({ length: calls }, (_, index) => ({
                  kind: 'tool_call' as const,
                  callId: `c${String(index)}`,
                  tool: 'note',
                  args: { i: index },
                })),
                finish: 'tool_calls' as const,
                usage,
              },
      });
    },
  };
}

interface BenchTools {
  /** Called with turn and argument before the result; a promise that stays open is a stall. */
  readonly onCall?: (turnId: number, index: number) => Promise<void> | void;
}

function createNotes({ onCall }: BenchTools): ToolHost {
  const specs = [
    {
      name: 'note',
      description: 'Notes a number',
      inputSchema: { type: 'object' },
      purity: 'side_effect' as const,
    },
  ];
  return {
    name: 'bench',
    tools: () => specs,
    async call({ turnId, args }) {
      await onCall?.(turnId, Number((args as { i: number }).i));
      return { kind: 'result', content: RESULT, isError: false };
    },
  };
}

export interface BenchRun {
  readonly composition: Composition;
  /** Resolves when `count` more turns have been closed on disk. */
  closed(count: number): Promise<void>;
  /** Sends a message whose turn makes `steps` tool calls; resolves when it is accepted. */
  send(steps: number, session: string): Promise<void>;
}

/** Starts the composition in `dataDir`. */
export async function startRun(
  compose: (options: ComposeOptions) => Composition,
  dataDir: string,
  tools: BenchTools = {},
): Promise<BenchRun> {
  fs.mkdirSync(path.join(dataDir, 'workspace'), { recursive: true, mode: 0o700 });
  let closed = 0;
  let wanted: { readonly count: number; readonly resolve: () => void } | undefined;
  const composition = compose({
    dataDir,
    mode: 'headless',
    flags: { noRestore: false, hidden: true, takeover: false, afterCrash: false },
    version: '0.0.0-bench',
    env: { PATH: process.env['PATH'], HOME: dataDir },
    overrides: {
      agents: {
        bench: { provider: 'bench', model: 'b', workspace: path.join(dataDir, 'workspace') },
      },
      'limits.turn_steps': 100_000,
      'limits.max_running_turns': 1_000,
    },
    providers: [createModel()],
    toolHosts: [createNotes(tools)],
    crashPoints: {
      // The one place that says "closed and on disk" without asking the database.
      hit(point) {
        if (point !== 'turn.close.after') return;
        closed += 1;
        if (wanted !== undefined && closed >= wanted.count) wanted.resolve();
      },
    },
  });
  let seen = 0;
  const run: BenchRun = {
    composition,
    async closed(count) {
      seen += count;
      if (closed < seen) {
        await new Promise<void>((resolve) => {
          wanted = { count: seen, resolve };
        });
      }
      wanted = undefined;
    },
    async send(steps, session) {
      await composition.holdfast.call(
        'send',
        { text: String(steps), session, agent: 'bench' },
        'test',
      );
    },
  };
  return run;
}
