/**
 * A small Holdfast that the tests kill: one tool call, given as JSON on its input. `crashAt` kills
 * this process with SIGKILL at that point.
 */
import { readFileSync } from 'node:fs';
import { hasShellEffects } from '../../../electron/engine/shell-policy/shell-effects';
import { shellRisk } from '../../../electron/engine/shell-policy/shell-risk';
import { createFileTools } from '../../../electron/adapters/files/file-tools';
import { createShellTools } from '../../../electron/adapters/shell/shell-tools';

const input = JSON.parse(readFileSync(0, 'utf8')) as {
  call: { tool: string; args: never; workspace: string; idempotencyKey: string };
  crashAt?: string;
  instanceId: string;
  runId: string;
};

const files = createFileTools({
  crashPoints: {
    hit: (name) => {
      if (name === input.crashAt) process.kill(process.pid, 'SIGKILL');
    },
  },
});
const shell = createShellTools({
  onOutput: () => undefined,
  instanceId: input.instanceId,
  runId: input.runId,
  limits: () => ({ timeoutMs: 60_000, maxOutputBytes: 65_536 }),
  loginEnvironment: () => Promise.resolve({ kind: 'own', reason: 'test' }),
  ownEnvironment: process.env,
  commandHasEffects: hasShellEffects,
  commandRisk: shellRisk,
  namedRemote: () => undefined,
});
const host = input.call.tool === 'shell' ? shell : files;
const outcome = await host.call({
  turnId: 41,
  step: 5,
  env: [],
  signal: new AbortController().signal,
  ...input.call,
});
process.stdout.write(JSON.stringify(outcome));
