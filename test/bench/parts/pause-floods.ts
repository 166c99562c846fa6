/** Outside programs that say too much, each a process of its own, and what answers them. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startAcpAgent, ACP_TIMEOUTS } from '../../../electron/adapters/acp/acp-agent';
import { createLineReader, readClaudeLine } from '../../../electron/adapters/command/claude-stream';
import { connect } from '../../../electron/adapters/mcp/connect';
import { readTool, specsOf, type McpTool } from '../../../electron/adapters/mcp/tool-specs';
import { runCommand } from '../../../electron/adapters/shell/run-command';
import { createControlServer } from '../../../electron/control/server';
import { createFakeHoldfast, recordedLog } from '../../integration/control/fake-holdfast';
import { ask, rigOf } from '../../integration/providers/provider-harness';

/** Longer than every flood lasts before it is ended. */
const FLOOD_MS = 6_000;

const quietly = (work: Promise<unknown>): Promise<unknown> =>
  Promise.race([
    work.catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, FLOOD_MS).unref()),
  ]);

/** Writes as fast as it is read. */
const POUR = `
const pour = (line) => { const many = line.repeat(Math.max(1, Math.floor(65536 / line.length)));
  const go = () => { while (process.stdout.write(many)); process.stdout.once('drain', go); }; go(); };
const rl = require('node:readline').createInterface({ input: process.stdin });
const say = (value) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...value }) + '\\n');
`;

const MCP = `${POUR}
const how = process.argv[1];
const one = (at) => ({ name: 't' + at, inputSchema: { type: 'object', properties: { a: { type: 'string' } } } });
rl.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } });
  if (method === 'tools/list') say({ id, result: { tools: Array.from({ length: how === 'tools' ? 19000 : 3 }, (_, at) => one(at)) } });
  if (method !== 'tools/call') return;
  const token = params._meta.progressToken;
  if (how === 'requests') pour('{"jsonrpc":"2.0","id":1,"method":"x"}\\n');
  if (how === 'notes') pour('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\\n');
  if (how === 'progress') pour(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: 1 } }) + '\\n');
  if (how === 'text') say({ id, result: { content: [{ type: 'text', text: 'line of text\\n'.repeat(550000) }] } });
  if (how === 'escapes') say({ id, result: { content: [{ type: 'text', text: '\\u0001'.repeat(1300000) }] } });
  if (how === 'parts') say({ id, result: { content: Array.from({ length: 30000 }, () => ({ type: 'text', text: 'x' })) } });
  if (how === 'values') process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"structuredContent":[' + '{},'.repeat(2500000) + '0]}}\\n');
  if (how === 'line') pour('x'.repeat(65536));
});
`;

async function mcp(how: string): Promise<void> {
  const signal = new AbortController().signal;
  const made = await connect({
    target: { kind: 'stdio', command: process.execPath, args: ['-e', MCP, how], cwd: '/', env: {} },
    version: '0',
    handshakeMs: 10_000,
    signal,
    onErrorLine: () => undefined,
    onToolsChanged: () => undefined,
  });
  const tools = await made.tools().catch(() => []);
  specsOf('x', tools.map(readTool).filter((tool): tool is McpTool => tool !== undefined), {}, 1_000); // prettier-ignore
  const call = {
    tool: 't0',
    args: {},
    idempotencyKey: 'k',
    timeoutMs: 4_000,
    totalMs: 4_000,
    signal,
  };
  if (how !== 'tools') await quietly(made.call(call));
  await made.close(0);
}

const ACP = `${POUR}
const how = process.argv[1];
rl.on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') say({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === 'session/new') say({ id, result: { sessionId: 's' } });
  if (method !== 'session/prompt') return;
  const update = (text) => JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } } }) + '\\n';
  if (how === 'updates') pour(update('x'));
  if (how === 'text') process.stdout.write(update('line of text\\n'.repeat(550000)));
  if (how === 'requests') pour('{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{}}\\n');
});
`;

async function acp(how: string): Promise<void> {
  const aborter = new AbortController();
  const started = await startAcpAgent({
    start: {
      command: process.execPath,
      args: ['-e', ACP, how],
      workspace: '/',
      signal: aborter.signal,
    } as never,
    env: {} as never,
    extraArgs: [],
    version: '0',
    timeouts: ACP_TIMEOUTS,
    onEnd: () => undefined,
  });
  if (started.kind === 'failure') throw new Error(JSON.stringify(started));
  const agent = started.value;
  const session = await agent.newSession();
  if (session.kind === 'failure') throw new Error('no session');
  const heard = { onEvent: () => undefined, onPermission: () => ({ kind: 'cancelled' }) };
  await quietly(agent.prompt(session.value as never, 'go', heard as never));
  await agent.stop();
}

async function command(line: string): Promise<void> {
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), FLOOD_MS / 2);
  const lines = createLineReader((text) => readClaudeLine(text));
  await runCommand({
    argv: [process.execPath, '-e', `${POUR} pour(eval(process.argv[1]))`, line],
    cwd: '/',
    env: {} as never,
    timeoutMs: FLOOD_MS,
    capBytes: 0,
    signal: aborter.signal,
    input: '',
    onChunk: (from, chunk) => (from === 'stdout' ? lines.push(chunk) : []),
  });
  clearTimeout(timer);
}

const PROVIDER = `
const [how] = process.argv.slice(1);
require('node:http').createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const delta = (content) => 'data: ' + JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content } }] }) + '\\n\\n';
  const all = how === 'tiny' ? delta('x').repeat(60000) : how === 'empty' ? 'data: {}\\n\\n'.repeat(300000)
    : how === 'giant' ? delta('line of text\\n'.repeat(280000)) : how === 'line' ? 'data: ' + 'x'.repeat(60e6)
    : 'data: {"choices":[' + '{},'.repeat(1300000) + '0]}\\n\\n';
  response.end(all + 'data: [DONE]\\n\\n');
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
`;

async function provider(how: string): Promise<void> {
  const child = spawn(process.execPath, ['-e', PROVIDER, how], { stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8').trim())),
  );
  const rig = rigOf({
    kind: 'openai-compatible',
    base_url: `http://127.0.0.1:${port}/v1`,
  } as never);
  await quietly(rig.call(ask('hello')));
  child.kill('SIGKILL');
}

const CLIENT = `
const [socket, token, how] = process.argv.slice(1);
const to = require('node:net').connect(socket);
const line = (value) => to.write(JSON.stringify(value) + '\\n');
const parts = (text) => { for (let from = 0; from < text.length; from += 20000)
  line({ kind: 'part', text: text.slice(from, from + 20000), isLast: from + 20000 >= text.length }); };
const call = (input) => '{"kind":"call","id":1,"verb":"turn.send","input":' + input + '}';
to.on('data', () => undefined); to.on('error', () => undefined); to.on('close', () => process.exit());
line({ kind: 'hello', token, version: 'x' });
if (how === 'text') parts(call(JSON.stringify({ text: 'x'.repeat(4e6) })));
if (how === 'escapes') parts(call(JSON.stringify({ text: '\\u0001'.repeat(4e6) })));
if (how === 'lists') parts(call('[' + '{},'.repeat(6e6) + '0]'));
if (how === 'deep') parts(call('['.repeat(8e6) + ']'.repeat(8e6)));
if (how === 'keys') parts(call('{' + Array.from({ length: 1e6 }, (_, at) => '"k' + at + '":1').join(',') + '}'));
if (how === 'calls') to.write((call('{}') + '\\n').repeat(100000));
if (how === 'lines') to.write('\\n'.repeat(20e6));
if (how === 'parts') to.write('{"kind":"part","text":"","isLast":false}\\n'.repeat(300000));
setTimeout(() => process.exit(), 3000);
`;

async function control(how: string): Promise<void> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-b-'));
  const at = { socketPath: path.join(home, 'run', 's'), tokenPath: path.join(home, 'run', 't') };
  const server = createControlServer({ ...at, holdfast: createFakeHoldfast(), log: recordedLog(), version: '0' }); // prettier-ignore
  await server.start();
  const token = fs.readFileSync(at.tokenPath, 'utf8');
  const child = spawn(process.execPath, ['-e', CLIENT, at.socketPath, token, how], {
    stdio: 'ignore',
  });
  await new Promise((resolve) => child.once('exit', resolve));
  await server.stop();
  fs.rmSync(home, { recursive: true, force: true });
}

/** Name, and the flood with its kinds. */
export const FLOODS: Readonly<Record<string, () => Promise<void>>> = {
  ...Object.fromEntries(
    ['requests', 'notes', 'progress', 'text', 'escapes', 'parts', 'values', 'tools', 'line'].map(
      (how) => [`MCP server, ${how}`, () => mcp(how)] as const,
    ),
  ),
  ...Object.fromEntries(
    ['updates', 'text', 'requests'].map((how) => [`ACP agent, ${how}`, () => acp(how)] as const),
  ),
  'command agent, lines': () => command(`'{"type":"tool_progress"}\\n'`),
  'command agent, long lines': () => command(`'{"a":"' + 'x'.repeat(30e6) + '"}\\n'`),
  'command agent, values': () => command(`'[' + '{},'.repeat(2e6) + '0]\\n'`),
  ...Object.fromEntries(
    ['tiny', 'empty', 'giant', 'line', 'values'].map(
      (how) => [`provider, ${how}`, () => provider(how)] as const,
    ),
  ),
  ...Object.fromEntries(
    ['text', 'escapes', 'lists', 'deep', 'keys', 'calls', 'lines', 'parts'].map(
      (how) => [`control client, ${how}`, () => control(how)] as const,
    ),
  ),
};
