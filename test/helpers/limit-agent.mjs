/**
 * An agent that answers every prompt with the error of its first argument, and can do nothing else: eighty
 * of them start in the time of ten that load a package.
 */
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';

const [message = ''] = process.argv.slice(2);
const home = process.env['ACP_HOME'] ?? process.env['HOME'] ?? '.';

const answers = {
  initialize: () => ({
    result: { protocolVersion: 1, agentCapabilities: { loadSession: false } },
  }),
  'session/new': () => ({ result: { sessionId: `limit-${String(process.pid)}` } }),
  'session/prompt': () => {
    fs.appendFileSync(path.join(home, 'agent.log'), `prompt ${JSON.stringify(message)}\n`);
    return { error: { code: -32603, message } };
  },
};

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const answer = answers[method]?.();
  if (answer !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
