/**
 * A small program that owns a data directory the way the app does. Tests start it as a real
 * process: argv[2] is its configuration, stdin takes commands, stdout gives one JSON per line.
 */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import readline from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { createSystemInstanceLock } from '../../../electron/adapters/instance/instance-lock';
import { lockRules } from '../../../electron/engine/instance/decide-lock';
import { toHoldfastError } from '../../../electron/engine/kernel/errors';
import type { Clock } from '../../../electron/ports/clock';
import type {
  AskHolder,
  ConflictPolicy,
  HeldLock,
  LockMode,
  LockTimings,
} from '../../../electron/ports/instance-lock';

/** Configuration of one host process. */
export interface HostConfig {
  readonly dataDir: string;
  readonly mode?: LockMode;
  readonly takeover?: boolean;
  readonly onConflict?: ConflictPolicy;
  readonly timings?: Partial<LockTimings>;
  /** What the host does on SIGTERM: leave after so many ms, or ignore it (null). */
  readonly exitAfterTermMs?: number | null;
  /** How its control socket behaves. */
  readonly socket?: 'healthy' | 'hung' | 'refusing' | 'none';
  /** Phase after the acquisition; `starting` stays, and so does that of a command. */
  readonly phase?: 'starting' | 'running' | 'migrating';
  /** Appends one line to `effects.log` at this interval, guarded by the fence. */
  readonly writeEveryMs?: number;
  /** SIGKILLs itself at this crash point. */
  readonly crashAt?: string;
  /** Do not acquire before the command `acquire`. */
  readonly isManual?: boolean;
}

const config = JSON.parse(process.argv[2] ?? '{}') as HostConfig;

function say(event: string, facts: object = {}): void {
  process.stdout.write(
    `${JSON.stringify({ event, pid: process.pid, atMs: Date.now(), ...facts })}\n`,
  );
}

const clock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (delayMs, signal) => {
    await delay(delayMs, undefined, signal === undefined ? {} : { signal });
  },
};

const askHolder: AskHolder = (socketPath, _token, verb, timeoutMs) =>
  new Promise((resolve) => {
    const socket = net.connect(socketPath);
    const timer = setTimeout(() => {
      socket.destroy();
      resolve('silent');
    }, timeoutMs);
    const end = (answer: 'focused' | 'leaving' | 'silent' | 'refused') => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    socket.on('error', () => {
      end('silent');
    });
    socket.on('connect', () => socket.write(`${verb}\n`));
    socket.on('data', (data) => {
      end(data.toString().trim() as 'focused');
    });
  });

const instanceLock = createSystemInstanceLock({
  rules: { ...lockRules, timings: { ...lockRules.timings, ...config.timings } },
  clock,
  crashPoints: {
    hit: (name) => {
      if (name === config.crashAt) process.kill(process.pid, 'SIGKILL');
    },
  },
});

const socketPath = path.join(config.dataDir, 'run', 'control.sock');
let lock: HeldLock | null = null;

function serve(): void {
  const kind = config.socket ?? 'none';
  if (kind === 'none') return;
  fs.rmSync(socketPath, { force: true });
  net
    .createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        const verb = data.toString().trim();
        say('asked', { verb });
        if (kind === 'hung') return;
        if (kind === 'refusing') socket.write('refused\n');
        else if (verb === 'focus') socket.write('focused\n');
        else {
          socket.write('leaving\n');
          stop('socket');
        }
      });
    })
    .listen(socketPath);
}

function stop(by: string): void {
  const note = lock?.takeoverNote() ?? null;
  say('stopping', { by, reason: note === null ? 'signal' : 'takeover', note });
  setTimeout(() => {
    lock?.release();
    say('stopped');
    process.exit(0);
  }, config.exitAfterTermMs ?? 0);
}

function startWriting(): void {
  if (config.writeEveryMs === undefined) return;
  const log = path.join(config.dataDir, 'effects.log');
  setInterval(() => {
    try {
      lock?.assertStillOwner();
      fs.appendFileSync(log, `${process.pid} ${Date.now()}\n`);
    } catch (error) {
      say('lost', { code: toHoldfastError(error).code });
      process.exit(5);
    }
  }, config.writeEveryMs);
}

async function acquire(beganAtMs: number): Promise<void> {
  const began = performance.now();
  try {
    const result = await instanceLock.acquire({
      dataDir: config.dataDir,
      mode: config.mode ?? 'headless',
      takeover: config.takeover ?? false,
      onConflict: config.onConflict ?? null,
      version: '0.1.0',
      socketPath,
      tokenPath: null,
      argvMarker: process.argv[1] ?? '',
      beganAtMs,
      askHolder,
    });
    const tookMs = performance.now() - began;
    if (result.kind === 'handed_over') {
      say('handed_over', { tookMs, holderPid: result.holderPid });
      if (config.isManual !== true) process.exit(0);
      return;
    }
    lock = result.lock;
    const { replaced, leftBehind } = result;
    serve();
    const phase = config.phase ?? (config.mode === 'command' ? 'starting' : 'running');
    if (phase !== 'starting') lock.setPhase(phase);
    startWriting();
    say('acquired', { tookMs, replaced, leftBehind, instanceId: lock.instanceId });
  } catch (thrown) {
    const error = toHoldfastError(thrown);
    const tookMs = performance.now() - began;
    say('refused', {
      code: error.code,
      message: error.message,
      hint: error.hint,
      facts: error.facts,
      tookMs,
    });
    if (config.isManual !== true) process.exit(4);
  }
}

/** Reads and stats everything in D the way a listing does; never opens `lock.db`. */
function list(): void {
  const seen = fs.readdirSync(config.dataDir).map((name) => {
    const target = path.join(config.dataDir, name);
    const stat = fs.statSync(target);
    if (name !== 'lock.db' && stat.isFile()) fs.readFileSync(target);
    return { name, size: stat.size };
  });
  say('listed', { seen });
}

async function attempt(name: string, action: () => void | Promise<void>): Promise<void> {
  try {
    await action();
    say(name, { ok: true });
  } catch (error) {
    say(name, { ok: false, code: toHoldfastError(error).code });
  }
}

process.on('SIGTERM', () => {
  if (config.exitAfterTermMs === null) say('ignored');
  else stop('SIGTERM');
});

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const held = lock;
  if (line === 'acquire') void acquire(Date.now());
  if (line === 'list') list();
  if (line === 'release') {
    void attempt('released', () => {
      // Called twice on purpose by the release test; a manual host replaces it by its next lock.
      held?.release();
    });
  }
  if (line === 'assert') void attempt('asserted', () => held?.assertStillOwner());
  if (line === 'alive') void attempt('touched', () => held?.touchAlive());
  // Between two writes: a signal from outside may come between a look at the lock and its write.
  if (line === 'freeze') {
    say('freezing');
    process.kill(process.pid, 'SIGSTOP');
  }
  if (line === 'drop') {
    // The trap that security part 7 measured: closing any descriptor drops the owner's lock.
    fs.closeSync(fs.openSync(path.join(config.dataDir, 'lock.db'), 'r'));
    say('dropped');
  }
});

if (config.isManual === true) say('ready');
else void acquire(Date.now() - process.uptime() * 1_000);
