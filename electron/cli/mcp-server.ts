/**
 * Holdfast as an MCP server on standard input and output. Standard output carries only the
 * protocol. Each call connects to the engine again, so the server survives restarts of Holdfast.
 * The protocol package loads with this file, for this command only.
 */
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { toHoldfastError } from '../engine/kernel/errors';
import { oneTurn } from '../read-in-slices';
import type { CliIo } from './io';
import type { Caller, OfferedTool } from './mcp-tools';
import { offeredTools } from './mcp-tools';
import { withReach, type Reach } from './reach';
import { safeJson } from './render';

/** Set in programs that a turn of Holdfast starts. */
const TURN = 'HOLDFAST_TURN';

/** The turn's session; undefined if no turn of this data directory started us. */
async function sessionOfTurn(engine: Reach, turn: string | undefined): Promise<string | undefined> {
  if (turn === undefined || !/^\d{1,15}$/.test(turn)) return undefined;
  const found = await engine.call('turns.show', { turnId: Number(turn) }).catch(() => undefined);
  return found?.turn.sessionKey;
}

/** The tools that the settings enable; all of them if no data exists yet. */
async function toolsNow(io: CliIo, dataDir: string): Promise<readonly OfferedTool[]> {
  try {
    const key = 'extensions.core.scheduler_tool';
    const { value } = await withReach('read', { dataDir, io }, (engine) =>
      engine.call('config.get', { key }),
    );
    return offeredTools(value !== false);
  } catch {
    return offeredTools(true); // The call itself reports the error.
  }
}

/** Time limit for answers to a client that sends no more requests. */
const LAST_ANSWERS_MS = 30_000;

interface ToolAnswer {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
}

/** Serves until the client disconnects or this process is told to stop. */
export async function serveMcp(io: CliIo, dataDir: string): Promise<void> {
  const server = new Server(
    { name: 'holdfast', version: io.version },
    { capabilities: { tools: {} } },
  );
  const working = new Set<Promise<unknown>>();
  const answered = <T>(work: Promise<T>): Promise<T> => {
    const one = work.finally(() => working.delete(one));
    working.add(one);
    return one;
  };
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await answered(toolsNow(io, dataDir))).map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: schemaOf(tool),
      annotations: { ...tool.hints },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
    ...(await answered(
      told(io, dataDir, params.name, params.arguments ?? {}, {
        author: (server.getClientVersion()?.name ?? '').trim().slice(0, 64) || 'mcp',
        session: (engine) => sessionOfTurn(engine, io.env[TURN]),
      }),
    )),
  }));
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      io.stdout.write(chunk.toString('utf8'));
      done();
    },
  });
  // The package's reader accepts only bytes: on text it would never end.
  const input = io.stdin.pipe(new PassThrough());
  const over = new Promise<'input' | 'all'>((resolve) => {
    input.once('end', () => resolve('input'));
    io.stdin.once('close', () => resolve('input'));
    server.onclose = () => resolve('all');
  });
  const off = io.onSignal(() => void server.close());
  try {
    await server.connect(new StdioServerTransport(input, output));
    // A client that closes its end after its requests still reads the answers; a client that has
    // ended does not.
    if ((await over) === 'input') {
      const allAnswered = async (): Promise<void> => {
        do {
          await oneTurn();
          await Promise.allSettled(working);
        } while (working.size > 0);
        await oneTurn();
      };
      await Promise.race([allAnswered(), sleep(LAST_ANSWERS_MS, undefined, { ref: false })]);
    }
    await server.close();
  } finally {
    off();
  }
}

async function told(
  io: CliIo,
  dataDir: string,
  name: string,
  args: Record<string, unknown>,
  by: Caller,
): Promise<ToolAnswer> {
  const tool = (await toolsNow(io, dataDir)).find((one) => one.name === name);
  if (tool === undefined)
    return refusal('TOOL_UNKNOWN', `There is no tool "${name.slice(0, 60)}".`);
  const parsed = tool.input.safeParse(args);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where =
      issue === undefined ? '' : `${issue.path.map(String).join('.')}: ${issue.message}`;
    return refusal('INPUT_INVALID', `${name}: ${where}`, 'Nothing was done.');
  }
  try {
    const value = await withReach(tool.access, { dataDir, io }, (engine) =>
      tool.call(engine, parsed.data as never, by),
    );
    return { content: [{ type: 'text', text: safeJson(value, 1) }], structuredContent: value };
  } catch (thrown) {
    const { code, message, hint } = toHoldfastError(thrown);
    return refusal(code, message, hint);
  }
}

function refusal(code: string, message: string, hint = ''): ToolAnswer {
  return { content: [{ type: 'text', text: `${code}: ${message} ${hint}`.trim() }], isError: true };
}

function schemaOf(tool: OfferedTool): { type: 'object' } & Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(tool.input, { io: 'input' });
  return { ...schema, type: 'object' };
}
