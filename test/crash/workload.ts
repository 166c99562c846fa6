import { isEffect } from '../../electron/engine/recovery/ledger';
import type { StepRow, TurnRow } from '../../electron/ports/journal/rows';
import type { ReplayDecision } from '../../shared/types';
import { askForDrafts, decideDrafts, DRAFT_MESSAGE, judgeDrafts, judgeDraftsEnd } from './drafts';
import { databaseProblems, readEvidence, type Evidence } from './evidence';
import {
  decideAll,
  deliveriesOf,
  effectsOf,
  requestsOf,
  startLife,
  type Effect,
  type LifeOptions,
  type Mode,
} from './lives';
import type { Life, Realm } from './realm';
import fs from 'node:fs';
import path from 'node:path';
import { contentOf, EFFECT_TOOLS, planOf } from './plans';

/** Messages of one run: channel and CLI, one queued behind another, one cancelled, one refused. */
export const MESSAGES: readonly {
  readonly text: string;
  readonly channel: string;
  readonly peer: string;
}[] = [
  { text: 'mail m1', channel: 'chanB', peer: 'peer 1' },
  { text: 'queued q1', channel: 'chanB', peer: 'peer 1' },
  { text: 'files f1', channel: 'cli', peer: 'files' },
  { text: 'big b1', channel: 'chanB', peer: 'peer 2' },
  { text: 'stopme s1', channel: 'cli', peer: 'stop' },
  { text: 'mystery y1', channel: 'cli', peer: 'main' },
  { text: 'multi u1', channel: 'chanB', peer: 'peer 3' },
  { text: 'asked a1', channel: 'chanB', peer: 'peer 5' },
  { text: 'refused r1', channel: 'chanB', peer: 'peer 4' },
];

/** What had happened when a process was killed. */
export interface Snapshot {
  readonly evidence: Evidence | undefined;
  readonly effects: readonly Effect[];
  readonly requests: readonly { readonly hash: string; readonly prompt: string }[];
}

export const snapshot = (realm: Realm): Snapshot => ({
  evidence: readEvidence(realm),
  effects: effectsOf(realm),
  requests: requestsOf(realm),
});

/** Sends everything, decides what is asked, changes a setting and stops. */
export async function wholeLife(realm: Realm, options: LifeOptions): Promise<Life> {
  const life = startLife(realm, options);
  try {
    await life.ready();
    for (const message of MESSAGES) void life.ask({ kind: 'accept', ...message });
    void askForDrafts(life);
    await life.ask({ kind: 'quiet' });
    await decideAll(realm, life);
    await decideDrafts(life);
    await life.call('config.set', { key: 'log.level', value: 'debug' });
    await life.call('intake.pause', { forMs: 1 });
    await life.stop();
  } catch (error) {
    if ((await life.ended) !== 'SIGKILL') throw error;
  }
  await life.ended;
  return life;
}

/** Starts again without a crash, looks at what waits, decides it, stops; returns what is wrong. */
export async function recoverAndJudge(
  realm: Realm,
  mode: Mode,
  kills: readonly Snapshot[],
): Promise<string[]> {
  const life = startLife(realm);
  try {
    return await goOnAndJudge(life, realm, mode, kills);
  } catch (error) {
    // What comes next on this folder must not meet it there.
    await life.kill();
    throw error;
  }
}

async function goOnAndJudge(
  life: Life,
  realm: Realm,
  mode: Mode,
  kills: readonly Snapshot[],
): Promise<string[]> {
  await life.ready();
  await life.ask({ kind: 'quiet' });
  const { decisions } = await life.call('recovery.list', {});
  const problems: string[] = [];
  const last = kills.at(-1);
  if (last !== undefined) problems.push(...judgeHeld(mode, last, decisions, snapshotLogs(realm)));
  const decided = [...decisions, ...(await decideAll(realm, life))];
  problems.push(...judgeDrafts(realm, (await life.call('drafts.list', {})).drafts));
  await decideDrafts(life);
  await life.stop();
  const end = snapshot(realm);
  if (end.evidence === undefined) return [...problems, 'no database at the end'];
  problems.push(...judgeTurns(realm, end.evidence, end.effects, kills.length));
  problems.push(...judgeEffects(mode, end.evidence, end.effects, kills));
  problems.push(...judgeAmbiguous(end.evidence, kills, decided));
  problems.push(...judgeRequests(end, kills.length));
  problems.push(...judgeReplies(realm, end.evidence, kills.length));
  problems.push(...judgeWorkspace(realm, end.evidence));
  problems.push(...judgeDraftsEnd(realm, draftExpected(end.evidence)));
  problems.push(...databaseProblems(realm));
  return problems;
}

/**
 * A draft that the disk refused is a failed step that its agent was told of, and the turn goes on
 * without it.
 */
function draftExpected({ turns, steps }: Evidence): 'none' | 'refused by the disk' | 'accepted' {
  const turn = turns.find(({ promptStart }) => promptStart === DRAFT_MESSAGE);
  if (turn === undefined) return 'none';
  const isRefused = steps
    .get(turn.id)
    ?.some(({ end }) => end?.state === 'failed' && !end.isCutOff && end.error.includes('EIO'));
  return isRefused === true ? 'refused by the disk' : 'accepted';
}

const snapshotLogs = (realm: Realm): Pick<Snapshot, 'effects' | 'requests'> => ({
  effects: effectsOf(realm),
  requests: requestsOf(realm),
});

/** True where the gate of R6 has to hold the turn at the next start. */
function isGated(mode: Mode, turn: TurnRow, steps: readonly StepRow[]): boolean {
  if (turn.state === 'held') return true;
  const wasRunning = turn.state === 'running' || (turn.state === 'queued' && turn.attempt > 0);
  if (!wasRunning || turn.isAnswered) return false;
  if (mode === 'never') return true;
  return mode === 'safe_only' && steps.some((step) => step.tool === 'fake.send_email');
}

/** Exactly the gated turns wait, and nothing of them has touched provider or tools. */
function judgeHeld(
  mode: Mode,
  kill: Snapshot,
  decisions: readonly ReplayDecision[],
  now: Pick<Snapshot, 'effects' | 'requests'>,
): string[] {
  const problems: string[] = [];
  const held = new Set(decisions.filter((one) => one.kind === 'held').map((one) => one.turnId));
  for (const turn of kill.evidence?.turns ?? []) {
    const name = `turn ${String(turn.id)} (${turn.promptStart})`;
    const isExpected = isGated(mode, turn, kill.evidence?.steps.get(turn.id) ?? []);
    if (held.has(turn.id) !== isExpected) {
      problems.push(`${name} is ${isExpected ? 'not held' : 'held'} in mode ${mode}`);
    }
    if (!isExpected) continue;
    const count = (all: Pick<Snapshot, 'effects' | 'requests'>): string =>
      `${String(all.effects.filter((one) => one.turn === turn.id).length)} tool calls, ` +
      `${String(all.requests.filter((one) => one.prompt === turn.promptStart).length)} requests`;
    if (count(kill) !== count(now)) {
      problems.push(`${name} was held, yet went from ${count(kill)} to ${count(now)}`);
    }
  }
  for (const decision of decisions) {
    const isRefused = decision.promptStart.startsWith('refused ');
    if (decision.kind !== 'held' && !(decision.kind === 'parked' && isRefused)) {
      problems.push(`turn ${String(decision.turnId)} is ${decision.kind}: ${decision.reason}`);
    }
  }
  return problems;
}

/** Every acknowledged turn is there and ended as its plan says; so did those nobody heard of. */
function judgeTurns(
  realm: Realm,
  evidence: Evidence,
  effects: readonly Effect[],
  killCount: number,
): string[] {
  const problems: string[] = [];
  const known = new Map(evidence.turns.map((turn) => [turn.id, turn]));
  for (const [turnId, text] of realm.acked) {
    if (known.get(turnId)?.promptStart !== text) {
      problems.push(`accepted turn ${String(turnId)} (${text}) is missing`);
    }
  }
  const sent = [...MESSAGES.map(({ text }) => text), DRAFT_MESSAGE];
  if (killCount === 0 && evidence.turns.length !== sent.length) {
    problems.push(`${String(evidence.turns.length)} turns of ${String(sent.length)} messages`);
  }
  for (const turn of evidence.turns) {
    const name = `turn ${String(turn.id)} (${turn.promptStart})`;
    const expected = turn.promptStart.startsWith('stopme') ? 'cancelled' : 'completed';
    if (turn.state !== expected) problems.push(`${name} is ${turn.state}: ${turn.reason}`);
    if (expected === 'cancelled' && effects.some((one) => one.turn === turn.id && isNever(one))) {
      problems.push(`${name} went on after it was cancelled`);
    }
    if (turn.state !== 'completed') continue;
    for (const call of planOf(turn.promptStart).answers.flat()) {
      if (!EFFECT_TOOLS.includes(call.tool)) continue;
      const lines = effects.filter(
        (one) =>
          one.turn === turn.id &&
          one.tool === call.tool &&
          JSON.stringify(one.args) === JSON.stringify(call.args),
      );
      if (lines.length === 0) problems.push(`${name} never did ${call.tool}`);
      if (new Set(lines.map((one) => one.key)).size > 1) {
        problems.push(`${name} did ${call.tool} with ${JSON.stringify(lines)}`);
      }
    }
  }
  return problems;
}

const isNever = (effect: Effect): boolean =>
  (effect.args as { readonly never?: boolean }).never === true;

/** Rank of a step in the chain that shares one idempotency key. */
function chainOf(steps: readonly StepRow[], root: number): readonly StepRow[] {
  const members = new Set([root]);
  for (const step of steps) {
    if (step.againOf !== undefined && members.has(step.againOf)) members.add(step.step);
  }
  return steps.filter((step) => members.has(step.step));
}

/** A key twice only where the journal shows it was run again as an unknown one, by policy. */
function judgeEffects(
  mode: Mode,
  evidence: Evidence,
  effects: readonly Effect[],
  kills: readonly Snapshot[],
): string[] {
  const problems: string[] = [];
  const byKey = new Map<string, Effect[]>();
  for (const effect of effects) {
    if (!EFFECT_TOOLS.includes(effect.tool)) continue;
    byKey.set(effect.key, [...(byKey.get(effect.key) ?? []), effect]);
  }
  for (const [key, lines] of byKey) {
    const { turn, tool } = lines[0] ?? { turn: 0, tool: '' };
    const prefix = `hf-${evidence.databaseId}-${String(turn)}-`;
    const root = Number(key.slice(prefix.length));
    const steps = evidence.steps.get(turn) ?? [];
    const chain = chainOf(steps, root);
    if (!key.startsWith(prefix) || chain[0]?.tool !== `fake.${tool}`) {
      problems.push(`${tool} was called with ${key}, which no step of turn ${String(turn)} has`);
      continue;
    }
    if (lines.length > chain.length) {
      problems.push(`${key}: ${String(lines.length)} effects, ${String(chain.length)} intents`);
    }
    if (chain.slice(0, -1).some((step) => step.state !== 'ambiguous')) {
      problems.push(`${key}: run again after ${chain.map((step) => step.state).join(', ')}`);
    }
    const isGatedTool = mode === 'never' || (mode === 'safe_only' && tool === 'send_email');
    if (isGatedTool && lines.length > 1) problems.push(`${key}: twice, although a person decides`);
  }
  for (const kill of kills) {
    for (const [turnId, steps] of kill.evidence?.steps ?? []) {
      for (const step of steps) {
        if (!isEffect(step) || step.state !== 'completed') continue;
        if (!step.tool.startsWith('fake.')) continue;
        const root = step.againOf ?? step.step;
        const key = `hf-${evidence.databaseId}-${String(turnId)}-${String(root)}`;
        const count = (all: readonly Effect[]): number =>
          all.filter((one) => one.key === key).length;
        if (count(kill.effects) !== count(effects)) {
          problems.push(`${key} (${step.tool}) was finished at the kill and fired again`);
        }
      }
    }
  }
  return problems;
}

/** No unknown effect goes on silently: it was listed for a person, or run again by policy. */
function judgeAmbiguous(
  evidence: Evidence,
  kills: readonly Snapshot[],
  decisions: readonly ReplayDecision[],
): string[] {
  const problems: string[] = [];
  for (const kill of kills) {
    for (const [turnId, steps] of kill.evidence?.steps ?? []) {
      const turn = kill.evidence?.turns.find((one) => one.id === turnId);
      if (turn?.endedAtMs !== undefined) continue;
      for (const step of steps) {
        if (step.state !== 'started' || !isEffect(step)) continue;
        const now = evidence.steps.get(turnId) ?? [];
        const after = now.find((one) => one.step === step.step);
        const isListed = decisions.some(
          (one) => one.turnId === turnId && one.ambiguous.some((open) => open.index === step.step),
        );
        const isRunAgain = now.some((one) => one.step > step.step && one.againOf !== undefined);
        const name = `step ${String(step.step)} (${step.tool}) of turn ${String(turnId)}`;
        if (after?.state !== 'ambiguous' && after?.state !== 'confirmed') {
          problems.push(`${name} was cut off and is ${after?.state ?? 'gone'}`);
        } else if (after.state === 'ambiguous' && !isListed && !isRunAgain) {
          problems.push(`${name} was neither listed nor run again`);
        }
      }
    }
  }
  return problems;
}

/** The same state asks the same question: no request is new after a crash, few are paid again. */
function judgeRequests(end: Snapshot, killCount: number): string[] {
  const problems: string[] = [];
  for (const turn of end.evidence?.turns ?? []) {
    if (turn.state !== 'completed') continue;
    const requests = end.requests.filter((one) => one.prompt === turn.promptStart);
    const distinct = new Set(requests.map((one) => one.hash)).size;
    const planned = planOf(turn.promptStart).answers.length + 1;
    const refusals = turn.promptStart.startsWith('refused ') ? 1 + killCount : 0;
    // What a sick disk refused the agent is tried again by the next run (S4-09): from there on it tells the model
    // something else.
    const anew = (planned - 1) * notStaged(end.evidence?.steps.get(turn.id) ?? []);
    const name = `turn ${String(turn.id)} (${turn.promptStart})`;
    if (distinct < planned || distinct > planned + anew) {
      problems.push(
        `${name} sent ${String(distinct)} different requests, planned ${String(planned)}`,
      );
    }
    if (requests.length > planned + anew + killCount + refusals) {
      problems.push(`${name} paid ${String(requests.length)} requests for ${String(planned)}`);
    }
  }
  return problems;
}

const notStaged = (steps: readonly StepRow[]): number =>
  steps.filter(({ end }) => end?.state === 'failed' && / was not staged /.test(end.error)).length;

/** Each answer at least once, always under one id, only to who asked. S0-06. */
function judgeReplies(realm: Realm, evidence: Evidence, killCount: number): string[] {
  const problems: string[] = [];
  const told = deliveriesOf(realm, 'chanB').filter((one) => one.kind === 'answer');
  for (const turn of evidence.turns) {
    const id = `${evidence.databaseId}:turn:${String(turn.id)}`;
    const mine = told.filter((one) => one.deliveryId === id);
    const isDue = turn.channel === 'chanB' && turn.state === 'completed';
    if (isDue ? mine.length < 1 || mine.length > 1 + killCount : mine.length > 0) {
      problems.push(`turn ${String(turn.id)} was answered ${String(mine.length)} times`);
    }
    for (const one of mine) {
      if (one.peer !== turn.peer || !one.text.startsWith(`done: ${turn.promptStart}`)) {
        problems.push(`${id} went to ${one.peer} with "${one.text}"`);
      }
    }
    if (turn.isReplyPending) problems.push(`the answer of turn ${String(turn.id)} is pending`);
  }
  const ids = new Set(evidence.turns.map((t) => `${evidence.databaseId}:turn:${String(t.id)}`));
  if (told.some((one) => !ids.has(one.deliveryId))) problems.push('an answer of no turn');
  if (deliveriesOf(realm, 'chanA').some((one) => one.kind === 'answer')) {
    problems.push('an answer went to the channel that did not ask');
  }
  return problems;
}

/** Whole files with their whole content, and nothing half written. S4-14. */
function judgeWorkspace(realm: Realm, evidence: Evidence): string[] {
  const expected = new Map<string, string>();
  for (const { promptStart } of evidence.turns) {
    if (!promptStart.startsWith('files ')) continue;
    const tag = promptStart.slice('files '.length);
    for (const part of ['a', 'b']) expected.set(`${tag}-${part}.txt`, contentOf(tag, part));
  }
  const names = fs.readdirSync(realm.workspace);
  return [
    ...names.filter((name) => !expected.has(name)).map((name) => `${name} is in the workspace`),
    ...[...expected]
      .filter(([name, content]) => {
        const file = path.join(realm.workspace, name);
        return !fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== content;
      })
      .map(([name]) => `${name} is not whole`),
  ];
}
