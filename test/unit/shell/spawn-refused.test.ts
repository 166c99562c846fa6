/** A process with no free file number gets a child without pipes, whose error comes a moment later. */
import { EventEmitter } from 'node:events';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSshCommands } from '../../../electron/adapters/hosts/ssh-command';
import { startServerProcess } from '../../../electron/adapters/mcp/server-process';
import { resolveLoginEnvironment } from '../../../electron/adapters/shell/login-environment';
import { runCommand } from '../../../electron/adapters/shell/run-command';
import { askFar } from '../../../electron/cli/far-host';

// Files share their modules: those that this one changes are its own.
vi.hoisted(() => vi.resetModules());
afterAll(() => vi.resetModules());
vi.mock('node:child_process', async (original) => ({
  ...(await original<object>()),
  spawn() {
    const child = Object.assign(new EventEmitter(), {
      exitCode: null,
      signalCode: null,
      kill: () => false,
      unref: () => undefined,
    });
    process.nextTick(() => {
      child.emit('error', Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' }));
      child.emit('close', -24, null);
    });
    return child;
  },
}));

const unheard: unknown[] = [];
const hear = (error: unknown): void => void unheard.push(error);
beforeEach(() => {
  unheard.length = 0;
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, hear);
});
afterEach(() => {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.off(event, hear);
});

const place = { command: 'node', args: [], cwd: '/', env: {} };
const signal = new AbortController().signal;
const address = { address: 'host' } as never;

it.each([
  [
    'a command',
    () =>
      runCommand({
        ...{ argv: ['node'], cwd: '/', env: {}, input: 'x' },
        ...{ timeoutMs: 5_000, capBytes: 100, signal },
      }),
    { kind: 'not_started' },
  ],
  [
    'an MCP server',
    () =>
      startServerProcess({ ...place, onErrorLine: () => undefined }).catch(
        (error: unknown) => error,
      ),
    { code: 'EMFILE' },
  ],
  [
    'the shell of the account',
    () => resolveLoginEnvironment({ own: { SHELL: '/bin/sh' }, platform: 'linux' } as never),
    { kind: 'own' },
  ],
  [
    'ssh to a host',
    () => createSshCommands(() => ({}))(address, [], () => undefined).ended,
    { fault: 'no_ssh' },
  ],
  ['ssh for a command', () => askFar({}, 'host', address, [], 1_000), { kind: 'unreachable' }],
])('X-06 %s that gets no pipes fails alone, and ends nothing else', async (_what, run, end) => {
  expect(await run()).toMatchObject(end);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(unheard).toEqual([]);
});
