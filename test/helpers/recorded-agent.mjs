/**
 * Says word for word what a real agent said over its pipes. Its argument is JSON: an answer for each
 * method, `{ result }` or `{ error }`, with the `updates` that came before it; a list has one for each
 * time it is asked. What it is asked goes to `asked.log` in its folder.
 */
import fs from 'node:fs';
import { createInterface } from 'node:readline';

const answers = JSON.parse(process.argv[2] ?? '{}');
const counts = {};
const say = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === undefined) return;
  fs.appendFileSync('asked.log', `${JSON.stringify({ method, params })}\n`);
  if (id === undefined) return;
  const known = answers[method] ?? { error: { code: -32601, message: 'Method not found' } };
  const at = (counts[method] = (counts[method] ?? 0) + 1) - 1;
  const { updates = [], ...answer } = Array.isArray(known) ? known[at] : known;
  for (const update of updates)
    say({ method: 'session/update', params: { sessionId: params.sessionId, update } });
  say({ id, ...answer });
});
