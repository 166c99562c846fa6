import { Readable } from 'node:stream';
import { runCli } from '../../../electron/cli/cli';
import type { CliIo, Composer, Offline } from '../../../electron/cli/io';
import type { FakeHoldfast } from '../control/fake-holdfast';
import { NOW_MS } from '../control/fake-holdfast';

export interface World {
  readonly io: CliIo;
  readonly opened: string[];
  signal(name: NodeJS.Signals): void;
  out(): string;
  err(): string;
  run(...argv: string[]): Promise<{ code: number; out: string; err: string }>;
}

interface WorldOptions {
  dataDir: string;
  fake: FakeHoldfast;
  stdin?: string | Readable;
  isTTY?: boolean;
  env?: Record<string, string>;
  composer?: Partial<Composer>;
  offline?: Partial<Offline>;
}

/** A terminal or a pipe, a clock that stands still, and a composition root that hands out the fake. */
export function createWorld(options: WorldOptions): World {
  let out = '';
  let err = '';
  const opened: string[] = [];
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  const open = (how: string) => async (dataDir: string) => {
    opened.push(`${how} ${dataDir}`);
    return { holdfast: options.fake, close: () => void opened.push('close') };
  };
  const stream = (take: (text: string) => void) => ({
    write: take,
    isTTY: options.isTTY ?? false,
    columns: 100,
  });
  const io: CliIo = {
    stdout: stream((text) => (out += text)),
    stderr: stream((text) => (err += text)),
    stdin:
      typeof options.stdin === 'string'
        ? Readable.from([options.stdin])
        : (options.stdin ?? Readable.from([])),
    env: { NO_COLOR: '1', ...options.env },
    home: options.dataDir,
    version: '0.1.0',
    nowMs: () => NOW_MS,
    self: { command: 'none', args: [] },
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    newToken: () => 'f0'.repeat(32),
    exitNow: (code) => void opened.push(`exit ${String(code)}`),
    composer: async () => ({
      compose: () => Promise.reject(new Error('not here')),
      ...options.composer,
    }),
    offline: {
      openReadOnly: open('read'),
      openForDecision: open('decide'),
      resetData: async () => ({}),
      removeData: async () => false,
      exportData: async (_dataDir, file) => void opened.push(`export ${file}`),
      importData: async (_dataDir, file) => void opened.push(`import ${file}`),
      applyUpdate: () => Promise.reject(new Error('not here')),
      trySchedule: async (input, nowMs) =>
        (await import('../../../electron/offline/dry-run')).trySchedule(input, nowMs),
      tryGuard: async (command, env) =>
        (await import('../../../electron/offline/dry-run')).tryGuard(command, env),
      programEnvironment: async () => ({ PATH: process.env['PATH'] ?? '' }),
      ...options.offline,
    },
  };
  return {
    io,
    opened,
    signal: (name) => {
      for (const listener of listeners) listener(name);
    },
    out: () => out,
    err: () => err,
    run: async (...argv) => {
      out = '';
      err = '';
      const code = await runCli([...argv, '--data-dir', options.dataDir], io);
      return { code, out, err };
    },
  };
}
