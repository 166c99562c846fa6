#!/usr/bin/env node
/**
 * A script that speaks like `claude -p --output-format stream-json`: stream, hooks, conversations of
 * its own, shells in groups of their own. What it does stands in `plan.json` of its folder; what it
 * is told goes to `told.jsonl`. Files `hold-<where>` make it stand still there. With `counts` in its
 * plan it counts the cost of the whole conversation in its record, as Claude Code does from 2.1.277 on.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const args = process.argv.slice(2);
if (args.includes('--version')) {
  process.stdout.write(`${process.env.CLAUDE_DOUBLE_VERSION ?? '2.1.197'} (Claude Code)\n`);
  process.exit(0);
}
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const cwd = process.cwd();
const plan = JSON.parse(fs.readFileSync(path.join(cwd, 'plan.json'), 'utf8'));
const settings = option('--settings');
const hooks =
  settings === undefined ? {} : (JSON.parse(fs.readFileSync(settings, 'utf8')).hooks ?? {});
const memory = path.join(cwd, 'conversations');
fs.mkdirSync(memory, { recursive: true });

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const held = async (where) => {
  const file = path.join(cwd, `hold-${where}`);
  if (!fs.existsSync(file)) return;
  fs.writeFileSync(path.join(cwd, `at-${where}`), '');
  while (fs.existsSync(file)) await pause(5);
};
const say = (value) => fs.writeSync(1, `${JSON.stringify({ ...value, session_id: session })}\n`);
const fail = (text) => {
  fs.writeSync(2, `${text}\n`);
  process.exit(1);
};

/** What Claude Code does with an exit code: 2 refuses, every other failure lets it go on. */
const callHook = (event, fields) =>
  new Promise((resolve) => {
    const hook = plan.hooks === false ? undefined : hooks[event]?.[0]?.hooks[0];
    if (hook === undefined) return resolve({ decision: 'none' });
    const child = spawn('/bin/sh', ['-c', hook.command], { stdio: ['pipe', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    child.stdin.on('error', () => undefined);
    child.stdin.end(
      JSON.stringify({ session_id: session, cwd, hook_event_name: event, ...fields }),
    );
    child.on('close', (code) => {
      if (code === 2) return resolve({ decision: 'deny', reason: err });
      if (code !== 0 || out === '') return resolve({ decision: 'none' });
      const said = JSON.parse(out).hookSpecificOutput;
      resolve({ decision: said.permissionDecision, reason: said.permissionDecisionReason });
    });
  });

/** The call whose command runs, for a program that reports what it was told to end: `reportsEnd`. */
let running;
if (plan.reportsEnd === true)
  process.on('SIGTERM', () => {
    if (running === undefined) process.exit(143);
    const { child, fields } = running;
    child.kill('SIGKILL');
    void callHook('PostToolUseFailure', { ...fields, error: 'Exit code 1' }).then(() => {
      fs.writeFileSync(path.join(cwd, 'reported-end'), '');
      process.exit(143);
    });
  });

const runShell = (command, fields) =>
  new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running = { child, fields };
    let stdout = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.on('close', () => {
      // One that reports its end says nothing else of the call any more.
      if (plan.reportsEnd === true && child.signalCode !== null) return;
      running = undefined;
      resolve({ stdout, stderr: '' });
    });
  });

let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;

const resumed = option('--resume');
const session = resumed ?? randomUUID();
const file = path.join(memory, `${session}.json`);
if (resumed !== undefined && !fs.existsSync(file))
  fail(`No conversation found with session ID: ${resumed}`);
fs.appendFileSync(
  path.join(cwd, 'told.jsonl'),
  `${JSON.stringify({ resumed: resumed ?? null, prompt, args, marker: process.env.HOLDFAST_TURN ?? null, secret: process.env.SOME_TOKEN ?? null })}\n`,
);
fs.writeFileSync(file, '{}');
process.stdout.on('error', () => process.exit(1));

await held('start');
await callHook('SessionStart', { source: resumed === undefined ? 'startup' : 'resume' });
say({ type: 'system', subtype: 'init', cwd, tools: ['Bash'] });
if (plan.retries !== undefined) {
  for (let attempt = 1; ; attempt += 1) {
    say({
      type: 'system',
      subtype: 'api_retry',
      attempt,
      max_retries: 10,
      retry_delay_ms: 20,
      error_status: plan.retries,
      error: 'authentication_failed',
    });
    await pause(20);
  }
}
const refused = path.join(cwd, 'refuse');
if (fs.existsSync(refused)) {
  const status = Number(fs.readFileSync(refused, 'utf8'));
  say({
    type: 'result',
    subtype: 'success',
    is_error: true,
    api_error_status: status,
    result: `API Error: ${String(status)} mock`,
    usage: {},
  });
  process.exit(1);
}
const limited = path.join(cwd, 'limit');
if (fs.existsSync(limited)) {
  const result = `Claude AI usage limit reached|${fs.readFileSync(limited, 'utf8')}`;
  say({ type: 'result', subtype: 'success', is_error: true, result, usage: {} });
  process.exit(1);
}
const done = prompt.split('Already done. Do not do these again:')[1]?.split('\n\n')[0] ?? '';
for (const [index, call] of plan.calls.entries()) {
  const about = call.input.command ?? call.input.file_path;
  if (plan.isStubborn !== true && done.includes(about)) continue;
  const id = `toolu_${String(index)}_${randomUUID().slice(0, 8)}`;
  const result = (content, isError) =>
    say({
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }],
      },
    });
  say({
    type: 'assistant',
    message: {
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: call.tool, input: call.input }],
    },
  });
  await held(`before-${String(index)}`);
  const fields = { tool_name: call.tool, tool_input: call.input, tool_use_id: id };
  fs.writeFileSync(path.join(cwd, `asks-${String(index)}`), '');
  const verdict = await callHook('PreToolUse', fields);
  const isOwn = plan.allow === true && verdict.decision === 'none';
  if (verdict.decision !== 'allow' && !isOwn) {
    result(verdict.reason ?? 'Permission was not granted.', true);
    continue;
  }
  await held(`allowed-${String(index)}`);
  const response =
    call.tool === 'Bash'
      ? await runShell(call.input.command, fields)
      : { stdout: 'ok', stderr: '' };
  await held(`after-${String(index)}`);
  await callHook('PostToolUse', { ...fields, tool_response: response });
  result(response.stdout === '' ? '(no output)' : response.stdout, false);
}
await held('end');
if (plan.exit !== undefined) fail(plan.exit);
say({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text: plan.text }] },
});
const record = path.join(process.env.HOME ?? '', '.claude', 'projects', 'own', `${session}.jsonl`);
const counted =
  plan.counts === true && resumed !== undefined
    ? JSON.parse(fs.readFileSync(record, 'utf8').trim().split('\n').at(-1)).totalCostUSD
    : 0;
const totalCostUSD = counted + 0.01;
if (plan.counts === true) {
  fs.mkdirSync(path.dirname(record), { recursive: true });
  fs.appendFileSync(record, `${JSON.stringify({ type: 'cost-state', totalCostUSD })}\n`);
}
say({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: plan.text,
  total_cost_usd: totalCostUSD,
  usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 7 },
});
