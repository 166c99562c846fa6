/**
 * What a stranger has who only knows the promises: one data directory, the built command line and
 * the headless host on plain Node, a fake provider over HTTP, SIGKILL, and sqlite read-only.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { version as ownVersion } from '../../../package.json';
import { controlSocketPath, controlTokenPath } from '../../../electron/control/address';
import type { ControlClient } from '../../../electron/control/client';
import { connectControl, readControlToken } from '../../../electron/control/client';
import { builtProgram } from '../../helpers/built-program';
import { commandHere } from '../../helpers/command-here';
import { startProgram, type ProgramProcess } from '../../helpers/start-program';
import type { FakeDialect, FakeProvider, FakeRequest } from '../../helpers/fake-provider';
import type { FakeReply } from '../../helpers/fake-provider-types';
import { startFakeProvider } from '../../helpers/fake-provider';
import type { ReplayDecision, StepView, TurnState, TurnSummary } from '../../../shared/types';
import { waitUntil } from '../../helpers/bounded-wait';

/** Commands that run until they are ended, or start what does. */
const OF_THEIR_OWN = new Set(['start', 'demo', 'orchestrator', 'mcp']);

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Launched {
  readonly child: ProgramProcess;
  readonly ended: Promise<Ended>;
  out(): string;
  err(): string;
}

interface Shown {
  readonly turn: TurnSummary;
  readonly prompt: string;
  readonly answer?: string;
  readonly steps: readonly StepView[];
  readonly decision?: ReplayDecision;
}

export interface RecoveryList {
  readonly decisions: readonly ReplayDecision[];
  readonly lastStart: readonly {
    readonly turnId: number;
    readonly action: string;
    readonly reason: string;
  }[];
}

interface AuditLine {
  readonly n: number;
  readonly event: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A data directory with a workspace, and everything that was started on it. */
export interface Site {
  readonly dataDir: string;
  readonly workspace: string;
  readonly fp: FakeProvider;
  /** Writes the settings file by hand: agents `a` and `b` on the fake provider, plus `extra`. */
  configure(extra?: Record<string, unknown>, dialect?: FakeDialect): void;
  launch(args: readonly string[], stdin?: string, env?: Record<string, string>): Launched;
  /** Runs a command to its end; in this process where it is one that ends by itself. */
  hf(...args: string[]): Promise<Ended>;
  /** Runs with `--json`; the value, or an error with what was printed. */
  json<T>(...args: string[]): Promise<T>;
  /** Starts headless and resolves when it takes messages. */
  start(...args: string[]): Promise<Launched>;
  /** SIGKILL, and until the process is gone. */
  kill(host: Launched): Promise<void>;
  /** `holdfast stop`, and until the process is gone. */
  stop(host: Launched): Promise<Ended>;
  /** A connection to the running host, where starting a command for each call would be slow. */
  client(): Promise<ControlClient>;
  /** Turn number of an accepted message. */
  send(text: string, ...args: string[]): Promise<number>;
  show(turnId: number): Promise<Shown>;
  /** The turn as soon as it is in one of the states, looked up read-only in the database. */
  turnIn(turnId: number, ...states: TurnState[]): Promise<void>;
  audit(): readonly AuditLine[];
  /** A read-only query of the database. */
  db<T>(query: string, ...values: unknown[]): T[];
  /** Changes the database while nothing runs, as a row's check does. */
  edit(query: string, ...values: unknown[]): void;
  effects(): string[];
  remove(): Promise<void>;
}

export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 120_000,
): Promise<void> {
  const endMs = Date.now() + limitMs;
  // Most looks open a database: what takes seconds is not looked at a hundred times a second.
  for (let pauseMs = 10; !(await condition()); pauseMs = Math.min(pauseMs * 1.3, 60)) {
    if (Date.now() > endMs) throw new Error(`not within ${String(limitMs)} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

const DIED_BY_ITS_OWN_ERROR = 70;

/** What it died of, said with the test: a wrong exit code alone tells nothing. */
function lastWords(dataDir: string): string {
  const note = path.join(dataDir, 'run', 'crash.json');
  const words = fs.existsSync(note) ? fs.readFileSync(note, 'utf8') : 'It left no crash note.';
  console.error(words);
  return words;
}

const gone = (child: ProgramProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) =>
        child.once('exit', () => {
          resolve();
        }),
      );

export async function createSite(): Promise<Site> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-rows-'));
  const dataDir = path.join(root, 'data');
  const workspace = path.join(root, 'workspace');
  fs.mkdirSync(dataDir, { mode: 0o700 });
  fs.mkdirSync(workspace);
  const fp = await startFakeProvider({ script: () => ({ text: 'ok' }) });
  const children: ProgramProcess[] = [];
  const environment = {
    PATH: process.env['PATH'],
    HOME: root,
    SHELL: '/bin/sh',
    HOLDFAST_NO_RELAUNCH: '1',
    NO_COLOR: '1',
  };

  const launch: Site['launch'] = (args, stdin = '', env = {}) => {
    const child = startProgram([...args, '--data-dir', dataDir], { ...environment, ...env });
    children.push(child);
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stdin.on('error', () => undefined); // a command that reads nothing may be gone already
    child.stdin.end(stdin);
    const ended = new Promise<Ended>((resolve) =>
      child.once('close', (code) => {
        const words = code === DIED_BY_ITS_OWN_ERROR ? lastWords(dataDir) : '';
        resolve({ code, out, err: child.errors() + words });
      }),
    );
    return { child, ended, out: () => out, err: child.errors };
  };
  const hf: Site['hf'] = (...args) =>
    OF_THEIR_OWN.has(args[0] ?? '')
      ? launch(args).ended
      : commandHere([...args, '--data-dir', dataDir], {
          env: environment,
          home: root,
          program: builtProgram(),
        });
  const open = (isReadOnly: boolean): Database.Database =>
    new Database(path.join(dataDir, 'holdfast.db'), { readonly: isReadOnly, timeout: 60_000 });
  const db: Site['db'] = <T>(query: string, ...values: unknown[]): T[] => {
    const database = open(true);
    try {
      return database.prepare(query).all(...values) as T[];
    } finally {
      database.close();
    }
  };
  const json = async <T>(...args: string[]): Promise<T> => {
    const ended = await hf(...args, '--json');
    if (ended.code !== 0)
      throw new Error(`${args.join(' ')}: ${String(ended.code)} ${ended.out} ${ended.err}`);
    return JSON.parse(ended.out) as T;
  };

  return {
    dataDir,
    workspace,
    fp,
    configure(extra = {}, dialect = 'openai-compatible') {
      const agent = { provider: 'fp', model: 'm', workspace };
      fs.writeFileSync(
        path.join(dataDir, 'config.json'),
        JSON.stringify({
          providers: {
            fp: {
              kind: dialect,
              base_url: fp.baseUrl(dialect),
              price_input_per_million_usd: 100,
              price_output_per_million_usd: 1000,
            },
          },
          agents: { a: agent, b: agent },
          ...extra,
        }),
        { mode: 0o600 },
      );
    },
    launch,
    hf,
    json,
    async start(...args) {
      const host = launch(['start', '--headless', ...args]);
      await until(
        'the host is ready',
        () => host.out().includes('\n') || host.child.exitCode !== null,
      );
      if (host.child.exitCode !== null) throw new Error(`no start: ${host.out()} ${host.err()}`);
      return host;
    },
    async kill(host) {
      host.child.kill('SIGKILL');
      await gone(host.child);
    },
    async stop(host) {
      const stopped = await hf('stop');
      if (stopped.code !== 0) throw new Error(`stop: ${String(stopped.code)} ${stopped.err}`);
      return host.ended;
    },
    async client() {
      const result = await connectControl({
        socketPath: controlSocketPath(dataDir, environment, process.platform),
        token: readControlToken(controlTokenPath(dataDir, process.platform)) ?? '',
        version: ownVersion,
        timeoutMs: 60_000,
      });
      if (result.kind !== 'connected') throw result.error;
      return result.client;
    },
    async send(text, ...args) {
      return (await json<{ turnId: number }>('send', text, ...args)).turnId;
    },
    show: (turnId) => json<Shown>('turns', 'show', String(turnId)),
    async turnIn(turnId, ...states) {
      let last: unknown;
      try {
        await until(`turn ${String(turnId)} is ${states.join(' or ')}`, () => {
          last = db<{ state: TurnState; reason: string }>(
            'SELECT state, reason FROM turns WHERE id = ?',
            turnId,
          )[0];
          return states.includes((last as { state: TurnState }).state);
        });
      } catch (error) {
        throw new Error(`${String(error)}; it is ${JSON.stringify(last)}`);
      }
    },
    audit() {
      const dir = path.join(dataDir, 'audit');
      if (!fs.existsSync(dir)) return [];
      return fs
        .readdirSync(dir)
        .sort()
        .flatMap((name) => fs.readFileSync(path.join(dir, name), 'utf8').split('\n'))
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as AuditLine);
    },
    db,
    edit(query, ...values) {
      const database = open(false);
      try {
        database.prepare(query).run(...values);
      } finally {
        database.close();
      }
    },
    effects() {
      const file = path.join(workspace, 'effects.log');
      return fs.existsSync(file)
        ? fs
            .readFileSync(file, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
        : [];
    },
    async remove() {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill('SIGCONT');
        child.kill('SIGKILL');
        await gone(child);
      }
      await fp.stop();
      fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Number of tool results since the newest message of the user, of a compatible request. */
export function resultsIn(request: FakeRequest): number {
  const { messages } = request.json as { messages: { role: string }[] };
  const from = messages.findLastIndex((message) => message.role === 'user');
  return messages.slice(from).filter((message) => message.role === 'tool').length;
}

/** The newest message of the user, of a compatible request. */
export function promptIn(request: FakeRequest): string {
  const { messages } = request.json as { messages: { role: string; content: unknown }[] };
  const { content } = messages.findLast((message) => message.role === 'user') ?? { content: '' };
  return typeof content === 'string'
    ? content
    : (content as { text?: string }[]).map((part) => part.text ?? '').join('');
}

/** The last tool result of a compatible request. */
export function lastResultIn(request: FakeRequest): string {
  const { messages } = request.json as { messages: { role: string; content: unknown }[] };
  return String(messages.findLast((message) => message.role === 'tool')?.content ?? '');
}

/** A provider that makes these calls one after the other, then says "done: <prompt>". */
export function callsThenDone(
  ...calls: readonly { readonly name: string; readonly args: unknown }[]
): (request: FakeRequest) => FakeReply {
  return (request) => {
    const call = calls[resultsIn(request)];
    return call === undefined
      ? { text: `done: ${promptIn(request)}` }
      : { toolCalls: [{ name: call.name, args: call.args }] };
  };
}

/** A shell call that leaves one line with its idempotency key: FT of the rows on the real tool. */
export const effect = (tag: string): { name: string; args: unknown } => ({
  name: 'shell',
  args: { command: `echo "${tag} $HOLDFAST_IDEMPOTENCY_KEY" >> effects.log` },
});

/** The same, and then it stands still until the file `go` is in the workspace. */
export const stalledEffect = (tag: string): { name: string; args: unknown } => ({
  name: 'shell',
  args: {
    command: `echo "${tag} $HOLDFAST_IDEMPOTENCY_KEY" >> effects.log; ${waitUntil('[ -e go ] || [ ! -e effects.log ]')}`,
  },
});
