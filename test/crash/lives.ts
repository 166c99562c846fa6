import type { HostLine } from './realm';
import type { Realm, Life } from './realm';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import type { ReplayDecision } from '../../shared/types';
import type { VerbOutput } from '../../shared/contract';
import { draftSpace } from './drafts';
import { spawnLife, type LifeProcess } from '../helpers/life-process';
import { readyLife } from '../helpers/ready-process';
import type { HostOptions } from './hosts/engine-life';

/** Tests that run beside a build can name a copy of their own. */
const HOST = process.env['HOLDFAST_CRASH_HOST'] ?? path.resolve('dist/test-hosts/engine-host.cjs');

export type Mode = 'safe_only' | 'always' | 'never';
export const MODES: readonly Mode[] = ['safe_only', 'always', 'never'];

/** Side by side: most of a life is waiting. */
export const inEveryMode = async (judge: (mode: Mode) => Promise<void>): Promise<void> => {
  await Promise.all(MODES.map(judge));
};

const realms = new Set<Realm>();

export function createRealm(mode: Mode, config: Record<string, unknown> = {}): Realm {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-crash-'));
  const realm: Realm = {
    root,
    dataDir: path.join(root, 'data'),
    outside: path.join(root, 'outside'),
    workspace: path.join(root, 'workspace'),
    acked: new Map(),
    killedAt: [],
    remove: () => {
      realms.delete(realm);
      fs.rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  realms.add(realm);
  fs.mkdirSync(realm.dataDir, { mode: 0o700 });
  fs.mkdirSync(realm.outside);
  fs.mkdirSync(realm.workspace);
  configure(realm, {
    'resilience.recovery.mode': mode,
    'resilience.recovery.side_effect_tools': mode === 'safe_only' ? ['send_email'] : [],
    'resilience.recovery.resume_delay': '20ms',
    'channels.default': 'chanA',
    'approvals.tools': { ask_me: 'ask' },
    ...config,
  });
  return realm;
}

/** Writes the settings file as a person would while nothing runs; keys are dotted. */
export function configure(realm: Realm, config: Record<string, unknown>): void {
  const nested: Record<string, unknown> = {
    agents: {
      fake: { provider: 'fake', model: 'fake-1', workspace: realm.workspace },
      drafter: {
        provider: 'fake',
        model: 'fake-1',
        workspace: draftSpace(realm),
        drafts: true,
      },
    },
  };
  for (const [key, value] of Object.entries(config)) {
    const names = key.split('.');
    let at = nested;
    for (const name of names.slice(0, -1)) at = (at[name] ??= {}) as Record<string, unknown>;
    at[names.at(-1) ?? ''] = value;
  }
  fs.writeFileSync(path.join(realm.dataDir, 'config.json'), JSON.stringify(nested, null, 2), {
    mode: 0o600,
  });
}

export interface LifeOptions extends Partial<Omit<HostOptions, 'dataDir' | 'outside' | 'crash'>> {
  readonly crash?: { readonly point: CrashPointName; readonly hit: number } | undefined;
  /** As much heap as the process may have, in MB. */
  readonly heapMb?: number;
  /** Runs under strace, which writes there in which order files are synced and renamed. */
  readonly tracePath?: string;
  /** Besides the usual environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Runs in this program, such as one that takes it the rights of root. */
  readonly within?: readonly string[];
  /** Sees every line as it comes. */
  readonly onLine?: (line: HostLine, life: Life) => void;
}

/** Names of files for their numbers, all threads, only what matters to a power cut. */
const TRACE = [
  '-f',
  '-y',
  '--seccomp-bpf',
  '-s',
  '0',
  '-e',
  'trace=openat,fsync,fdatasync,rename,renameat,renameat2,link,linkat',
];

const living = new Set<LifeProcess>();

/** Ends what a failed test has left running. */
export function endLives(): void {
  for (const child of living) child.kill();
}

/** After a test: ends what it has left running, and takes every realm of the file off the disk. */
export function endRealms(): void {
  endLives();
  for (const realm of [...realms]) realm.remove();
}

/** What a limit of memory, a trace or a library is for has to be there from the start of the program. */
function processOf(
  realm: Realm,
  host: HostOptions,
  { heapMb, tracePath, env, within }: LifeOptions,
): LifeProcess {
  const options = JSON.stringify(host);
  const zone = process.env['TZ'];
  const usual = {
    PATH: process.env['PATH'] ?? '',
    HOME: realm.outside,
    TMPDIR: realm.root,
    ...(zone === undefined ? {} : { TZ: zone }),
  };
  const ownProgram = (): LifeProcess => {
    const [program = '', ...leading] = [
      ...(within ?? []),
      ...(tracePath === undefined ? [] : ['strace', ...TRACE, '-o', tracePath]),
      process.execPath,
      ...(heapMb === undefined ? [] : [`--max-old-space-size=${String(heapMb)}`]),
    ];
    return spawnLife(program, [...leading, HOST, options], { ...usual, ...env });
  };
  return [heapMb, tracePath, env, within].every((one) => one === undefined)
    ? readyLife([path.join(path.dirname(HOST), 'engine-ready.cjs')], options, usual, ownProgram)
    : ownProgram();
}

export function startLife(realm: Realm, options: LifeOptions = {}): Life {
  const { onLine, crash, heapMb: _heapMb, tracePath: _tracePath, env: _env, ...more } = options;
  const { within: _within, ...rest } = more;
  const host: HostOptions = {
    noRestore: false,
    missingTools: [],
    host: 'fake',
    hasStatusCheck: false,
    isPoisoned: false,
    ...rest,
    dataDir: realm.dataDir,
    outside: realm.outside,
    ...(crash === undefined ? {} : { crash }),
  };
  const child = processOf(realm, host, options);
  living.add(child);
  const lines: HostLine[] = [];
  const waiting = new Set<{
    readonly fits: (line: HostLine) => boolean;
    readonly resolve: (line: HostLine) => void;
    readonly reject: (error: Error) => void;
  }>();
  child.stdin.on('error', () => undefined); // killed while a command was on its way
  const reader = readline.createInterface({ input: child.stdout });
  reader.on('line', (text) => {
    const line = JSON.parse(text) as HostLine;
    lines.push(line);
    const acked = line['acked'];
    const message = sent.get(Number(line['id']));
    if (typeof acked === 'number' && message !== undefined) realm.acked.set(acked, message);
    if (typeof line['killed'] === 'string') realm.killedAt.push(line['killed']);
    for (const one of waiting) {
      if (!one.fits(line)) continue;
      waiting.delete(one);
      one.resolve(line);
    }
    onLine?.(line, life);
  });
  const ended = child.ended.then((end) => {
    living.delete(child);
    for (const one of waiting)
      one.reject(new Error(`the host ended (${end}) before it said so\n${child.errors()}`));
    waiting.clear();
    return end;
  });
  const sent = new Map<number, string>();
  let nextId = 1;

  const life: Life = {
    get pid() {
      return child.pid();
    },
    ended,
    lines,
    line(fits) {
      const known = lines.find(fits);
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve, reject) => {
        if (!living.has(child)) reject(new Error(`the host has ended\n${child.errors()}`));
        else waiting.add({ fits, resolve, reject });
      });
    },
    async ready() {
      const line = await life.line((one) => one['isReady'] === true || 'startFailed' in one);
      if ('startFailed' in line) throw new Error(String(line['startFailed']));
      return line;
    },
    ask(command) {
      const id = nextId++;
      if (command.kind === 'accept') sent.set(id, command.text);
      if (living.has(child)) child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
      return life
        .line((line) => line['id'] === id)
        .catch((error: unknown) => {
          if (realm.killedAt.length > 0 || child.isKilled()) return undefined;
          throw error;
        });
    },
    async call(verb, input) {
      const line = await life.ask({ kind: 'call', verb, input });
      if (line === undefined || !('result' in line)) {
        throw new Error(`${verb} failed: ${JSON.stringify(line)}\n${child.errors()}`);
      }
      return line['result'] as VerbOutput<typeof verb>;
    },
    async accept(text, to = { channel: 'cli', peer: 'main' }) {
      const line = await life.ask({ kind: 'accept', text, ...to });
      if (typeof line?.['acked'] !== 'number') {
        throw new Error(`not accepted: ${JSON.stringify(line)}\n${child.errors()}`);
      }
      return line['acked'];
    },
    async stalled(name) {
      await life.line((line) => line['stalled'] === name);
    },
    async kill() {
      child.kill();
      await ended;
    },
    async stop() {
      await life.ask({ kind: 'stop' });
      child.stdin.end();
      await ended;
    },
  };
  return life;
}

/** Makes an edge of the world stand still, and lets it go again. */
export function holdEdge(realm: Realm, name: string): () => void {
  const file = path.join(realm.outside, `hold-${name}`);
  fs.writeFileSync(file, '');
  return () => {
    fs.rmSync(file, { force: true });
  };
}

export interface Effect {
  readonly tool: string;
  readonly args: unknown;
  readonly key: string;
  readonly turn: number;
}

function jsonLines(file: string): unknown[] {
  if (!fs.existsSync(file)) return [];
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

export const effectsOf = (realm: Realm): Effect[] =>
  jsonLines(path.join(realm.outside, 'effects.log')) as Effect[];
/** A request that reached the provider. */
interface Request {
  /** Over the exact request. */
  readonly hash: string;
  readonly prompt: string;
  /** The last message but one, as JSON. */
  readonly before: string;
}
export const requestsOf = (realm: Realm): Request[] =>
  jsonLines(path.join(realm.outside, 'bodies.log')) as Request[];
export const deliveriesOf = (
  realm: Realm,
  channel: string,
): {
  readonly deliveryId: string;
  readonly kind: string;
  readonly peer: string;
  readonly text: string;
}[] => jsonLines(path.join(realm.outside, `${channel}.log`)) as never;

/**
 * Answers every open question until there is none: "it happened" where the world shows it, else
 * "go on". Works as a person would, on what is listed.
 */
export async function decideAll(realm: Realm, life: Life): Promise<ReplayDecision[]> {
  const seen: ReplayDecision[] = [];
  for (let round = 0; round < 12; round += 1) {
    const { decisions } = await life.call('recovery.list', {});
    const { requests } = await life.call('approvals.list', {});
    if (decisions.length + requests.length === 0) return seen;
    seen.push(...decisions);
    for (const { requestId, requestHash } of requests)
      await life.call('approvals.allow', { requestId, requestHash });
    if (decisions.some((one) => one.kind === 'parked')) {
      fs.writeFileSync(path.join(realm.outside, 'provider-mended'), '');
    }
    for (const decision of decisions) {
      const { turnId, requestHash, ambiguous } = decision;
      const done = ambiguous.find((step) => hasHappened(realm, decision, step));
      if (done === undefined) await life.call('recovery.resume', { turnId, requestHash });
      else {
        const { index } = done;
        await life.call('recovery.confirmStep', { turnId, step: index, requestHash });
      }
    }
    await life.ask({ kind: 'quiet' });
  }
  throw new Error('the questions do not end');
}

function hasHappened(
  realm: Realm,
  decision: ReplayDecision,
  step: ReplayDecision['ambiguous'][number],
): boolean {
  if (step.tool.endsWith('write_file')) {
    const args = JSON.parse(step.args) as { readonly path: string; readonly content: string };
    const file = path.join(realm.workspace, args.path);
    return fs.existsSync(file) && fs.readFileSync(file, 'utf8') === args.content;
  }
  const key = decision.plan.steps.find((one) => one.index === step.index)?.idempotencyKey;
  return effectsOf(realm).some((effect) => effect.key === key);
}
