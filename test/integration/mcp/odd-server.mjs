/**
 * A small MCP server by hand, for what well-behaved servers never do. Arguments: how it begins
 * (`normal`, `late-tools`, `odd-tools`, `no-tools`, `odd-hello`, `refuses`, `mute-forever`, `dies`,
 * `flood-line`, `flood-lines`), and a file of its notes.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import readline from 'node:readline';

const [how = 'normal', notes] = process.argv.slice(2);
const note = (text) => notes !== undefined && appendFileSync(notes, `${text}\n`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

note(`start ${process.pid}`);
process.stderr.write('odd server begins\n');
if (how === 'dies') {
  process.stderr.write('no such database\n');
  process.exit(7);
}
if (how === 'mute-forever') {
  // It and what it starts ignore every polite word.
  process.on('SIGTERM', () => undefined);
  const child = spawn(
    process.execPath,
    ['-e', 'process.on("SIGTERM",()=>{});setInterval(()=>{},1000)'],
    { stdio: 'ignore' },
  );
  note(`child ${child.pid}`);
  setInterval(() => undefined, 1000);
}
if (how === 'flood-line')
  for (;;)
    if (!process.stdout.write('x'.repeat(65_536)))
      await new Promise((resolve) => process.stdout.once('drain', resolve));
if (how === 'flood-lines')
  for (;;)
    if (!process.stdout.write('{"a":1}\n'.repeat(1000)))
      await new Promise((resolve) => process.stdout.once('drain', resolve));

const object = { type: 'object', properties: {}, additionalProperties: true };
const tools = [
  {
    name: 'work',
    description: 'Takes its time',
    inputSchema: object,
    annotations: { readOnlyHint: false },
  },
  { name: 'look', description: 'Reads', inputSchema: object, annotations: { readOnlyHint: true } },
  {
    name: 'env',
    description: 'Shows its environment',
    inputSchema: object,
    annotations: { readOnlyHint: true },
  },
  { name: 'die', description: 'Ends the server', inputSchema: object },
  { name: 'work-raw', description: 'Answers with what it is told', inputSchema: object },
  {
    name: 'look-raw',
    description: 'The same for a read',
    inputSchema: object,
    annotations: { readOnlyHint: true },
  },
  {
    name: 'big',
    description: 'A large result',
    inputSchema: object,
    annotations: { readOnlyHint: true },
  },
  {
    name: 'orderly',
    description: 'Wipes',
    inputSchema: object,
    annotations: { destructiveHint: true },
  },
];
if (how === 'odd-tools')
  tools.push({ name: 'odd', inputSchema: 'none' }, null, { name: 'bare' }, { name: 'look' });
const text = (value, isError = false) => ({ content: [{ type: 'text', text: value }], isError });

function bring(name) {
  tools.push({ name, description: 'It came', inputSchema: object });
  say({ method: 'notifications/tools/list_changed' });
}

async function call(id, { name, arguments: args = {}, _meta: meta = {} }) {
  note(`call ${name} ${JSON.stringify(args)} ${meta['holdfast/idempotency-key'] ?? ''}`);
  switch (name) {
    case 'work':
      for (let left = args.ms ?? 0; left > 0; left -= args.every ?? 100) {
        await pause(Math.min(left, args.every ?? 100));
        if (args.progress === true)
          say({
            method: 'notifications/progress',
            params: { progressToken: meta.progressToken, progress: 1 },
          });
      }
      note(`worked ${JSON.stringify(args)}`);
      return text('worked');
    case 'env':
      return text(JSON.stringify(process.env));
    case 'late':
      tools.splice(0, tools.length);
      bring('grown');
      return text('grown');
    case 'die':
      process.kill(process.pid, 'SIGKILL');
      return pause(60_000);
    case 'work-raw':
    case 'look-raw':
      note(`did ${name}`);
      return args.result;
    case 'big':
      return text('y'.repeat(args.bytes));
    default:
      return text(`${name} ok`);
  }
}

const lines = readline.createInterface({ input: process.stdin });
lines.on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'notifications/cancelled') note(`cancelled ${params.requestId}`);
  if (id === undefined || how.startsWith('mute')) return;
  if (method === 'initialize') {
    const { protocolVersion } = params;
    if (how === 'odd-hello') return say({ id, result: { hello: 1 } });
    if (how === 'refuses') return say({ id, error: { code: -32000, message: 'not today' } });
    say({
      id,
      result: {
        protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'odd', version: '1' },
      },
    });
  } else if (method === 'tools/list') {
    if (how === 'no-tools') return say({ id, result: { tools: 'none' } });
    // Its tools come while it is asked for them for the first time.
    const known = [...tools];
    if (how === 'late-tools' && !tools.some((tool) => tool.name === 'late')) bring('late');
    say({ id, result: { tools: known } });
  } else if (method === 'tools/call') say({ id, result: await call(id, params) });
  else say({ id, error: { code: -32601, message: 'Method not found' } });
});
if (how !== 'mute-forever')
  lines.on('close', async () => {
    note('input closed');
    // A server that has something to finish first.
    await pause(Number(process.env['LEAVE_AFTER_MS'] ?? 0));
    note('left');
    process.exit(0);
  });
