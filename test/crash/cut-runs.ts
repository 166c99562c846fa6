/** Lives that are traced, and what is wrong with what power cuts of them leave. */
import fs from 'node:fs';
import path from 'node:path';
import { createRandom } from '../helpers/random';
import { createDisk, recordsOf, type Disk, type DiskModel } from './disk-images';
import { shimEnv, type Failing } from './disk-shim';
import { askForDrafts, decidedMissing, decisionOn } from './drafts';
import { databaseProblems, readEvidence, type Evidence } from './evidence';
import { keptProblems, lockMissing, TYPED_FIELD, typedMissing, typedText } from './kept-files';
import {
  createRealm,
  decideAll,
  deliveriesOf,
  effectsOf,
  MODES,
  requestsOf,
  startLife,
  type Mode,
} from './lives';
import type { Life, Realm } from './realm';
import { EFFECT_TOOLS } from './plans';
import { MESSAGES, recoverAndJudge, snapshot } from './workload';

export interface CutRun {
  readonly seed: number;
  readonly images: number;
  readonly shim: string;
  /** Of so many images one is started on, and goes on to the end. */
  readonly startsOneOf: number;
  readonly failing?: Omit<Failing, 'seed'> | undefined;
}

/** What the answer to a call promises, by its process and its number; says what is missing. */
type Promised = Map<string, () => string | undefined>;
type Saving =
  'config.set' | 'provider.setKey' | 'unsent.keep' | 'drafts.promote' | 'drafts.discard';

/** A process of the run, in its order. */
interface Begun {
  readonly pid: number;
  /** It was never asked to stop, and had no reason to. */
  readonly keepsLock: boolean;
}

const isWorld = (relative: string): boolean => /^outside(?:\/|$)/.test(relative);

/** Plays lives on one folder, cuts the power at many moments, and judges each: what is wrong. */
export async function cutRun(run: CutRun): Promise<{ problems: string[]; images: number }> {
  const random = createRandom(run.seed);
  const mode: Mode = MODES[random(3)] ?? 'always';
  const realm = createRealm(mode, {
    'resilience.recovery.max_attempts': 10,
    'providers.office': { kind: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' },
  });
  const tracePath = `${realm.root}.trace`;
  const promised: Promised = new Map();
  const lives: Begun[] = [];
  try {
    const disk = createDisk(realm.root, isWorld);
    await play(run, realm, tracePath, { promised, lives }, random);
    const trace = fs.readFileSync(tracePath);
    const acked = new Map(realm.acked);
    const count = [...recordsOf(trace)].length;
    const cuts = chooseCuts(trace, count, run.images, random);
    const problems: string[] = [];
    let images = 0;
    for (const record of recordsOf(trace)) {
      disk.take(record, random);
      for (; cuts[0] === disk.taken(); cuts.shift()) {
        for (const model of run.failing === undefined
          ? (['mild', 'strict'] as const)
          : (['strict'] as const)) {
          images += 1;
          const name = `seed ${String(run.seed)} ${mode} ${model} cut at ${String(disk.taken())} of ${String(count)}`;
          const isStarted = images % run.startsOneOf === 0;
          const found = await judgeCut({
            realm,
            disk,
            model,
            random,
            mode,
            acked,
            promised,
            lives,
            isStarted,
          });
          problems.push(...found.map((problem) => `${name}: ${problem}`));
        }
      }
    }
    return { problems, images };
  } finally {
    realm.remove();
    if (process.env['HOLDFAST_KEEP_TRACE'] === undefined) fs.rmSync(tracePath, { force: true });
  }
}

/** Half of them right behind something that was said, where it must be true; the others anywhere. */
function chooseCuts(
  trace: Buffer,
  count: number,
  images: number,
  random: (below: number) => number,
): number[] {
  const said: number[] = [];
  let at = 0;
  for (const { kind, a } of recordsOf(trace)) {
    at += 1;
    if (kind === 'M' || a.includes('/outside/')) said.push(at);
  }
  const cuts = Array.from({ length: images }, (_, index) =>
    index % 2 === 0 && said.length > 0 ? (said[random(said.length)] ?? 1) : 1 + random(count),
  );
  return cuts.toSorted((one, other) => one - other);
}

/** One to three lives: each sends, decides and changes settings, and is stopped or killed. */
async function play(
  run: CutRun,
  realm: Realm,
  tracePath: string,
  { promised, lives }: { readonly promised: Promised; readonly lives: Begun[] },
  random: (below: number) => number,
): Promise<void> {
  const count = 1 + random(3);
  for (let index = 0; index < count; index += 1) {
    const failing =
      run.failing === undefined ? undefined : { ...run.failing, seed: run.seed * 10 + index };
    const life = startLife(realm, { env: shimEnv(run.shim, realm.root, tracePath, failing) });
    const ending = index === count - 1 || random(2) === 0 ? 'stop' : 'kill';
    const isKilled = ending === 'kill' || run.failing !== undefined;
    // One that a sick disk stops gives the lock back by itself, at a time that nobody is told.
    lives.push({ pid: life.pid, keepsLock: isKilled && run.failing === undefined });
    // A sick disk may refuse any of it; who was told is told the truth.
    await work(life, realm, index, promised, ending === 'kill' ? random(600) : 6_000).catch(
      () => undefined,
    );
    if (isKilled) await life.kill();
    else await Promise.race([life.stop().catch(() => undefined), life.ended]);
    await life.ended;
  }
}

async function work(
  life: Life,
  realm: Realm,
  index: number,
  promised: Promised,
  forMs: number,
): Promise<void> {
  await life.ready();
  const timer = setTimeout(() => void life.kill(), forMs);
  try {
    if (index === 0)
      for (const message of MESSAGES)
        void life.ask({ kind: 'accept', ...message }).catch(() => undefined);
    else
      void life
        .ask({ kind: 'accept', text: `mail n${String(index)}`, channel: 'chanB', peer: 'peer 9' })
        .catch(() => undefined);
    if (index === 0) void askForDrafts(life).catch(() => undefined);
    // A later life may have got as far as its own before the cut.
    const { dataDir } = realm;
    await promise(
      life,
      promised,
      {
        verb: 'config.set',
        input: { key: 'retry.server.max_attempts', value: FIRST_VALUE + index },
      },
      () => missing(dataDir, 'config.json', /"max_attempts": ([3-9])\b/, FIRST_VALUE + index),
    );
    await promise(
      life,
      promised,
      {
        verb: 'provider.setKey',
        input: { name: 'office', key: `key ${String(index)}`, allowPlaintext: true },
      },
      () => missing(path.join(dataDir, 'secrets'), undefined, /key (\d)/, index),
    );
    // The revision of a field grows, whichever life writes it.
    const typed = { field: TYPED_FIELD, text: typedText(index), rev: index + 1 };
    await promise(life, promised, { verb: 'unsent.keep', input: typed }, () =>
      typedMissing(realm, index),
    );
    await life.ask({ kind: 'quiet' });
    await decideAll(realm, life);
    await decide(life, realm, promised);
  } finally {
    clearTimeout(timer);
  }
}

/** Each draft that is listed, as a person would. */
async function decide(life: Life, realm: Realm, promised: Promised): Promise<void> {
  const { drafts } = await life.call('drafts.list', {});
  for (const draft of drafts) {
    const { draftId, requestHash } = draft;
    await promise(
      life,
      promised,
      { verb: decisionOn(draft.path), input: { draftId, requestHash } },
      () => decidedMissing(realm, draft),
    );
  }
}

const FIRST_VALUE = 3;

/** What is wrong where no file of the folder has this number or one that was written later. */
function missing(
  folder: string,
  name: string | undefined,
  pattern: RegExp,
  least: number,
): string | undefined {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const found = names
    .filter((one) => one === (name ?? one) && !one.endsWith('.tmp'))
    .map((one) => Number(pattern.exec(fs.readFileSync(path.join(folder, one), 'utf8'))?.[1] ?? -1));
  const most = Math.max(-1, ...found);
  return most >= least
    ? undefined
    : `${name ?? 'the key'} has ${String(most)}, ${String(least)} had been set`;
}

async function promise(
  life: Life,
  promised: Promised,
  { verb, input }: { verb: Saving; input: unknown },
  check: () => string | undefined,
): Promise<void> {
  const line = await life.ask({ kind: 'call', verb, input });
  // A key that the disk refused works until the end, and the answer says so: nothing was promised.
  const isKept = !JSON.stringify(line ?? {}).includes('"session-only"');
  if (line !== undefined && 'result' in line && isKept)
    promised.set(nameOf(life.pid, Number(line['id'])), check);
}

interface Cut {
  readonly realm: Realm;
  readonly disk: Disk;
  readonly model: DiskModel;
  readonly random: (below: number) => number;
  readonly mode: Mode;
  readonly acked: ReadonlyMap<number, string>;
  readonly promised: Promised;
  readonly lives: readonly Begun[];
  readonly isStarted: boolean;
}

async function judgeCut(cut: Cut): Promise<string[]> {
  const { realm, disk, model, random } = cut;
  fs.rmSync(realm.root, { recursive: true, force: true });
  disk.leave(realm.root, model, random);
  const said = linesOf(disk);
  const problems = announcedProblems(cut, said);
  realm.acked.clear();
  for (const line of said) {
    const text = cut.acked.get(Number(line['acked']));
    if (text !== undefined) realm.acked.set(Number(line['acked']), text);
  }
  if (!cut.isStarted) return problems;
  try {
    // Each of the lives before the cut may have asked once more for what it did not get to keep.
    const lives = new Set(disk.marks.map(({ pid }) => pid)).size;
    const now = snapshot(realm);
    const kills = Array.from({ length: Math.max(1, lives) }, () => now);
    return [...problems, ...(await recoverAndJudge(realm, cut.mode, kills))];
  } catch (error) {
    return [
      ...problems,
      `a start on it: ${error instanceof Error ? error.message : String(error)}`,
    ];
  }
}

type Line = Readonly<Record<string, unknown>>;

const linesOf = (disk: Disk): Line[] =>
  disk.marks.flatMap(({ pid, text }) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({ ...(JSON.parse(line) as Line), pid })),
  );

const nameOf = (pid: number, id: number): string => `${String(pid)} ${String(id)}`;

/** What had been said or had happened outside before the cut, and is not in what the cut left. */
function announcedProblems(
  { realm, acked, promised, lives }: Cut,
  said: readonly Line[],
): string[] {
  let evidence: Evidence | undefined;
  const problems: string[] = [];
  try {
    evidence = readEvidence(realm);
    if (evidence !== undefined) problems.push(...databaseProblems(realm));
  } catch (error) {
    return [`the database: ${error instanceof Error ? error.message : String(error)}`];
  }
  problems.push(
    ...keptProblems(realm, evidence !== undefined),
    ...lockProblems(realm, lives, said),
  );
  if (evidence === undefined) {
    return said.some((line) => 'acked' in line || line['isReady'] === true)
      ? [...problems, 'the database is gone']
      : problems;
  }
  const turns = new Map(evidence.turns.map((turn) => [turn.id, turn]));
  const told = new Map<number, string>();
  for (const line of said) {
    const turnId = Number(line['acked']);
    if ('acked' in line && turns.get(turnId)?.promptStart !== acked.get(turnId))
      problems.push(`turn ${String(turnId)} had been accepted`);
    const broken = promised.get(nameOf(Number(line['pid']), Number(line['id'])))?.();
    if (broken !== undefined) problems.push(broken);
    if ('changed' in line) told.set(Number(line['changed']), String(line['state']));
  }
  for (const [turnId, state] of told) {
    if ((state === 'completed' || state === 'cancelled') && turns.get(turnId)?.state !== state)
      problems.push(`turn ${String(turnId)} had been told as ${state}`);
  }
  return [...problems, ...worldProblems(realm, evidence)];
}

/** Who is ready is named by the record of the lock until it is asked to stop, or the next one is. */
function lockProblems(realm: Realm, lives: readonly Begun[], said: readonly Line[]): string[] {
  const ready = said.findLast((line) => line['isReady'] === true)?.['pid'];
  const from = lives.findIndex(({ pid }) => pid === ready);
  if (lives[from]?.keepsLock !== true) return [];
  const problem = lockMissing(
    realm,
    lives.slice(from).map(({ pid }) => pid),
  );
  return problem === undefined ? [] : [problem];
}

function worldProblems(realm: Realm, evidence: Evidence): string[] {
  const problems: string[] = [];
  const turns = new Map(evidence.turns.map((turn) => [turn.id, turn]));
  for (const { deliveryId, kind } of deliveriesOf(realm, 'chanB')) {
    const turnId = Number(deliveryId.split(':')[2]);
    if (kind === 'answer' && turns.get(turnId)?.state !== 'completed')
      problems.push(`the answer of turn ${String(turnId)} had been sent`);
  }
  for (const { key, turn, tool } of effectsOf(realm)) {
    // What only computes needs no intent.
    if (!EFFECT_TOOLS.includes(tool)) continue;
    const step = Number(key.split('-').at(-1));
    if (evidence.steps.get(turn)?.some((one) => one.step === step) !== true)
      problems.push(`${key} had begun, and has no step`);
  }
  const asked = new Map<string, Set<string>>();
  for (const { prompt, hash } of requestsOf(realm))
    asked.set(prompt, (asked.get(prompt) ?? new Set()).add(hash));
  for (const [prompt, hashes] of asked) {
    const turn = evidence.turns.find((one) => one.promptStart === prompt);
    const steps = turn === undefined ? [] : (evidence.steps.get(turn.id) ?? []);
    const answered = steps.filter(
      (one) => one.tool === 'model' && one.state === 'completed',
    ).length;
    if (answered < hashes.size - 1)
      problems.push(`${prompt}: ${String(hashes.size)} requests, ${String(answered)} answers kept`);
  }
  return problems;
}
