/**
 * A night without anybody, told in a minute with the real engine: agents at the usage limit of their
 * account, a provider that is down, a call that two answer at once, a task whose check finds nothing to
 * do, and a process that is killed again and again. In the morning the digest is printed as a phone gets
 * it, and what was done is counted from the journal and the files.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VerbInput } from '../../shared/contract';
import type { TurnSummary } from '../../shared/types';
import { writeForThisRunSync } from '../disk/durable-file';
import { HoldfastError } from '../engine/kernel/errors';
import { exited, startEngine, type Engine } from './demo-engine';
import type { ExitCode } from './exit-codes';
import { EXIT } from './exit-codes';
import type { CliIo } from './io';
import type { Reach } from './reach';
import { inertLine, painter, safeJson } from './render';

const PATIENCE_MS = 120_000;
const LOOK_MS = 50;

/**
 * A script that plays an agent with a usage limit over the Agent Client Protocol: it appends a line
 * when it has worked.
 */
const AGENT = `
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [folder, name] = process.argv.slice(2);
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const work = (sessionId, prompt) => {
  const untilMs = Number(readFileSync(folder + '/limit.txt', 'utf8'));
  appendFileSync(folder + '/asked.txt', name + '\\n');
  if (Date.now() < untilMs) {
    const data = { resets_at: Math.ceil(untilMs / 1000) };
    return { error: { code: -32603, message: 'Usage limit reached', data } };
  }
  appendFileSync(folder + '/done.txt', prompt + '\\n');
  const content = { type: 'text', text: 'Done: ' + prompt };
  const update = { sessionUpdate: 'agent_message_chunk', content };
  send({ method: 'session/update', params: { sessionId, update } });
  return { result: { stopReason: 'end_turn' } };
};
const answer = (method, params) => {
  if (method === 'initialize')
    return { result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } };
  if (method === 'session/new') return { result: { sessionId: name + '-' + process.pid } };
  if (method === 'session/load') return { result: {} };
  if (method !== 'session/prompt') return { error: { code: -32601, message: 'Unknown' } };
  const text = params.prompt.map((part) => part.text ?? '').join('\\n');
  return work(params.sessionId, text.trim().split('\\n').at(-1));
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined && method !== undefined) send({ id, ...answer(method, params) });
});
`;

/** Plays the phone: it prints what it receives. */
const PHONE = `
import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync(process.argv[2], readFileSync(0, 'utf8') + '\\n');
`;

interface Night {
  readonly io: CliIo;
  readonly root: string;
  readonly isShort: boolean;
  readonly say: (text: string) => void;
  readonly heading: (text: string) => void;
  readonly engine: () => Reach;
  /** Kills the process and starts Holdfast again. */
  readonly kill: (when: string) => Promise<void>;
  readonly kills: () => number;
}

interface NightCount {
  readonly accepted: number;
  /** Accepted turns that were not completed. */
  readonly lost: number;
  /** Lines of work that exist more than once. */
  readonly repeated: number;
  readonly kills: number;
  readonly digests: number;
}

const linesOf = (path: string): readonly string[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];

/**
 * Counts strictly: a turn that is not completed is lost, and each line of work must exist once.
 * Pure.
 */
export function countNight(facts: {
  readonly accepted: readonly number[];
  readonly turns: readonly Pick<TurnSummary, 'id' | 'state'>[];
  readonly work: readonly string[];
  readonly kills: number;
  readonly digests: number;
}): NightCount {
  const { accepted, turns, work, kills, digests } = facts;
  const completed = new Set(turns.filter(({ state }) => state === 'completed').map(({ id }) => id));
  return {
    accepted: accepted.length,
    lost: accepted.filter((id) => !completed.has(id)).length,
    repeated: work.length - new Set(work).size,
    kills,
    digests,
  };
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > endMs) throw new HoldfastError('INTERNAL', `${what}: not in 2 min.`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

const turnIn = (
  night: Night,
  turnId: number,
  ...states: readonly TurnSummary['state'][]
): Promise<TurnSummary> =>
  until(`turn ${String(turnId)}`, async () => {
    const { turn } = await night.engine().call('turns.show', { turnId });
    return states.includes(turn.state) ? turn : undefined;
  });

async function send(night: Night, agent: string, text: string): Promise<number> {
  const session = `${agent}: ${text}`.slice(0, 60);
  return (await night.engine().call('send', { text, agent, session })).turnId;
}

/** Two agents with one account, a phone, and waits short enough for a demo of a minute. */
async function setUp({ root, engine }: Night): Promise<void> {
  const program = process.execPath;
  const agent = (name: string) => ({
    executor: 'acp',
    command: program,
    args: [join(root, 'agent.mjs'), root, name],
    workspace: root,
    account: 'shared',
  });
  const phone = {
    kind: 'command',
    command: program,
    args: [join(root, 'phone.mjs'), join(root, 'phone.txt')],
  };
  const settings: Readonly<Record<string, VerbInput<'config.set'>['value']>> = {
    agents: { one: agent('one'), two: agent('two') },
    'channels.own': { phone },
    'limits.margin': '1s',
    'resilience.outage_threshold': 1,
    'resilience.probe_interval': '1s',
    'retry.server.max_attempts': 1,
    'reminders.after': 0,
  };
  for (const [key, value] of Object.entries(settings))
    await engine().call('config.set', { key, value });
}

/** Accepts the work of the evening, which then waits. */
async function evening(night: Night): Promise<readonly number[]> {
  const { root, say } = night;
  const limitMs = night.isShort ? 8_000 : 20_000;
  writeForThisRunSync(join(root, 'limit.txt'), String(Date.now() + limitMs));
  const limited = await send(night, 'one', 'fix the failing tests');
  const { reason } = await turnIn(night, limited, 'waiting');
  say(`turn ${String(limited)} of agent one is at its usage limit: ${inertLine(reason)}`);
  const sharing = await send(night, 'two', 'write the release notes');
  await turnIn(night, sharing, 'waiting');
  const asked = linesOf(join(root, 'asked.txt')).length;
  say(
    `turn ${String(sharing)} of agent two shares its account and waits, too: ${String(asked)} request so far`,
  );
  await night.engine().call('tasks.add', {
    name: 'mailbox',
    prompt: 'Read the new mail',
    schedule: 'every 2s',
    agent: 'practice',
    check: `command: test -e ${join(root, 'new-mail')}`,
  });
  say('task "mailbox" runs every 2 s if its check finds new mail; there is none');
  return [limited, sharing];
}

/** A call that needs approval: the question survives a kill, and only one of two answers counts. */
async function question(night: Night): Promise<number> {
  const turnId = await send(night, 'practice', 'Show me an approval');
  await turnIn(night, turnId, 'requires_action');
  await night.kill('while a tool call needs approval');
  const { requests } = await night.engine().call('approvals.list', {});
  const [request] = requests;
  if (request === undefined) throw new HoldfastError('INTERNAL', 'The question is gone.');
  const { requestId, requestHash } = request;
  const answers = await Promise.allSettled(
    [1, 2].map(() => night.engine().call('approvals.allow', { requestId, requestHash })),
  );
  const taken = answers.filter(({ status }) => status === 'fulfilled').length;
  night.say(
    `two devices allow it at once: ${String(taken)} answer counts, ${String(2 - taken)} is refused`,
  );
  await turnIn(night, turnId, 'completed');
  return turnId;
}

/** The provider is down until the last kill: messages wait on disk. */
async function outage(night: Night): Promise<number> {
  const down = () => night.engine().call('practice.providerDown', { seconds: 300 });
  await down();
  const turnId = await send(night, 'practice', 'Write notes from the source file.');
  await turnIn(night, turnId, 'waiting');
  night.say(`the provider of the demo agent is down: turn ${String(turnId)} waits`);
  for (let left = night.isShort ? 0 : 3; left >= 0; left -= 1) {
    await night.kill('in the outage');
    if (left > 0) await down();
  }
  return turnId;
}

/** Waits until everything that can be done is done; then the phone gets its digest. */
async function morning(night: Night, accepted: readonly number[]): Promise<NightCount> {
  const { root, say } = night;
  for (const turnId of accepted) {
    const turn = await turnIn(night, turnId, 'completed', 'failed', 'cancelled', 'held', 'parked');
    say(`turn ${String(turnId)} of agent ${turn.agent} is ${turn.state}`);
  }
  const now = new Date();
  const at = [now.getHours(), now.getMinutes()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  await night.engine().call('config.set', { key: 'digest.at', value: at });
  const phone = join(root, 'phone.txt');
  const isDigest = (line: string): boolean => line.startsWith('Daily digest');
  const digest = await until('the digest', async () => {
    const lines = linesOf(phone);
    const from = lines.findLastIndex(isDigest);
    return from < 0 ? undefined : lines.slice(from);
  });
  night.heading('The digest, as the phone got it');
  for (const line of digest) say(inertLine(line));

  const { turns } = await night.engine().call('turns.list', { limit: 200 });
  const { tasks } = await night.engine().call('tasks.list', {});
  const taskId = tasks[0]?.id ?? 0;
  const { runs } = await night.engine().call('tasks.history', { taskId, limit: 200 });
  const skipped = runs.filter(({ why }) => why === 'nothing').length;
  night.heading('Counted from the journal and the files');
  const asked = linesOf(join(root, 'asked.txt')).length;
  say(
    `task "mailbox": ${String(skipped)} checks with nothing to do, ${String(runs.length - skipped)} runs`,
  );
  say(`agents one and two: ${String(asked)} requests in all, one of them at the limit`);
  return countNight({
    accepted,
    turns,
    work: linesOf(join(root, 'done.txt')),
    kills: night.kills(),
    digests: linesOf(phone).filter(isDigest).length,
  });
}

async function tellNight(night: Night): Promise<NightCount> {
  night.heading('1. In the evening you leave');
  await setUp(night);
  const limited = await evening(night);
  night.heading('2. At night the process is killed (SIGKILL), again and again');
  await night.kill('while two turns wait for their limit');
  const asked = await question(night);
  const waited = await outage(night);
  night.heading('3. In the morning');
  return morning(night, [...limited, asked, waited]);
}

/** Runs the night and cleans up, however it ends. */
export async function runNight(
  io: CliIo,
  options: { readonly isShort: boolean; readonly isJson: boolean },
): Promise<ExitCode> {
  const beganMs = performance.now();
  const tookMs = (): number => performance.now() - beganMs;
  const paint = painter(io.stdout.isTTY, io.env);
  const out = (text: string): void => {
    if (!options.isJson) io.stdout.write(`${text}\n`);
  };
  const root = mkdtempSync(join(tmpdir(), 'holdfast-demo-'));
  const dataDir = join(root, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  writeForThisRunSync(join(root, 'agent.mjs'), AGENT);
  writeForThisRunSync(join(root, 'phone.mjs'), PHONE);
  let engine: Engine | undefined;
  let kills = 0;
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (engine === undefined) return;
    await engine.reach.close().catch(() => undefined);
    if (engine.child.exitCode === null && engine.child.signalCode === null)
      engine.child.kill(signal);
    const late = setTimeout(() => engine?.child.kill('SIGKILL'), 6_000);
    await exited(engine.child);
    clearTimeout(late);
  };
  const say = (text: string): void =>
    out(`  ${(tookMs() / 1000).toFixed(1).padStart(5)} s  ${text}`);
  const night: Night = {
    io,
    root,
    isShort: options.isShort,
    say,
    heading: (text) => out(paint('strong', text)),
    kills: () => kills,
    engine() {
      if (engine === undefined) throw new HoldfastError('INTERNAL', 'The engine is not running.');
      return engine.reach;
    },
    async kill(when) {
      await until('a moment in which no turn runs', async () => {
        const { turns } = await night.engine().call('turns.list', { states: ['running'] });
        return turns.length === 0 ? true : undefined;
      });
      const pid = engine?.child.pid;
      await end('SIGKILL');
      kills += 1;
      engine = await startEngine(io, dataDir);
      say(
        `process ${String(pid)} is killed ${when}; Holdfast starts again as ${String(engine.child.pid)}`,
      );
    },
  };
  const off = io.onSignal(() => {
    engine?.child.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true });
    io.exitNow(EXIT.failed);
  });
  try {
    await io.composer(); // loaded now: between kill and restart the story should not wait for it
    engine = await startEngine(io, dataDir);
    const count = await tellNight(night);
    if (options.isJson)
      io.stdout.write(`${safeJson({ ...count, tookMs: Math.round(tookMs()) }, 2)}\n`);
    else
      out(
        `${String(count.kills)} kills, ${String(count.lost)} lost, ${String(count.repeated)} repeated, ${String(count.digests)} digest`,
      );
    return count.lost === 0 && count.repeated === 0 && count.digests === 1 ? EXIT.ok : EXIT.failed;
  } finally {
    off();
    await end('SIGTERM');
    rmSync(root, { recursive: true, force: true });
  }
}
