/**
 * One piece of work that uses everything: a turn that a schedule makes while its provider is down,
 * which waits for the provider, runs a skill whose phases wait for leave, answers on a channel and is
 * told of at a broker, beside events of a program of its own. X-05.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TurnRow } from '../../electron/ports/journal/rows';
import { createNats, type NatsServer } from '../helpers/nats-server';
import { databaseProblems, readEvidence, rowsOf } from './evidence';
import { createRealm, decideAll, deliveriesOf, effectsOf, type Mode } from './lives';
import type { Life, Realm } from './realm';

const PROMPT = 'allof w';
const EVENTS = ['e1', 'e2', 'e3', 'e4', 'e5'];
const plug = (realm: Realm): string => path.join(realm.outside, 'provider-down');

/** A data directory with the skill in it, and everything outside of it, which is down. */
export interface Place {
  readonly realm: Realm;
  readonly nats: NatsServer;
  isBrokerUp: boolean;
  end(): Promise<void>;
}

export async function createPlace(mode: Mode): Promise<Place> {
  const store = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-broker-'));
  const nats = await createNats(store);
  const realm = createRealm(mode, {
    'nats.url': nats.url,
    'nats.subjects': ['holdfast.>', 'test.>'],
    // The turn is innocent: it is not to be parked for being killed from outside.
    'resilience.recovery.max_attempts': 10,
    'resilience.recovery.side_effect_tools': mode === 'safe_only' ? ['charge', 'put'] : [],
    'resilience.outage_threshold': 1,
    'resilience.probe_interval': '100ms',
    'resilience.scheduler.catchup_spacing': '10ms',
    'work.requeue_delay': '10ms',
    'work.requeue_max_delay': '20ms',
    'retry.server.max_attempts': 1,
    'breakers.initial_backoff': '50ms',
    'breakers.max_backoff': '100ms',
  });
  const folder = path.join(realm.dataDir, 'skills/three');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(
    path.join(folder, 'SKILL.md'),
    '---\nname: three\ndescription: three phases\nphases:\n  - name: a\n  - name: b\n  - name: c\n---\n',
  );
  fs.writeFileSync(plug(realm), '');
  return {
    realm,
    nats,
    isBrokerUp: false,
    async end() {
      await nats.kill();
      realm.remove();
      fs.rmSync(store, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Does what a person and a program of theirs would do, by what is there to see, until nothing is
 * left to do; so it goes on in the next life where the one before was killed.
 */
export async function driveToEnd(place: Place, life: Life): Promise<void> {
  const { realm } = place;
  const { tasks } = await life.call('tasks.list', { includeOver: true });
  if (tasks.length === 0) {
    const origin = { agent: 'fake', channel: 'chanB', peer: 'anna' };
    await life.call('tasks.add', { prompt: PROMPT, schedule: 'in 1s', ...origin });
  }
  // A producer that does not know whether an event was taken gives it again under its id.
  for (const id of EVENTS)
    await life.call('events.publish', { topic: 'test.a', payload: JSON.stringify({ id }), id });
  for (let round = 0; round < 1_500; round += 1) {
    await endOutageOnceItWaits(place, life);
    const { decisions } = await life.call('recovery.list', {});
    const { requests } = await life.call('approvals.list', {});
    if (decisions.length + requests.length > 0) await decideAll(realm, life);
    if (await isOver(realm, life)) return;
    await pause(10);
  }
  throw new Error(`it does not end: ${JSON.stringify(await whereItIs(life))}`);
}

/** Provider and broker are there again as soon as the turn waits. */
async function endOutageOnceItWaits(place: Place, life: Life): Promise<void> {
  if (place.isBrokerUp) return;
  const { total } = await life.call('outage.queue', {});
  if (total === 0) return;
  fs.rmSync(plug(place.realm), { force: true });
  place.isBrokerUp = true;
  await place.nats.start();
}

async function isOver(realm: Realm, life: Life): Promise<boolean> {
  const { turns } = await life.call('turns.list', {});
  if (turns.length === 0 || turns.some((turn) => turn.endedAtMs === undefined)) return false;
  const told = deliveriesOf(realm, 'chanB').filter((one) => one.kind === 'answer');
  if (told.length === 0) return false;
  const { providers } = await life.call('provider.status', { provider: 'fake' });
  if (providers[0]?.state !== 'answering') return false;
  return (await life.call('queue.status', {})).depth === 0;
}

async function whereItIs(life: Life): Promise<unknown> {
  const { turns } = await life.call('turns.list', {});
  const { depth } = await life.call('queue.status', {});
  const { providers } = await life.call('provider.status', { provider: 'fake' });
  const { decisions } = await life.call('recovery.list', {});
  return { turns, depth, provider: providers[0]?.state, decisions };
}

/**
 * What is left when everything is over, without what has to differ: times, numbers of journal rows,
 * how often Holdfast was started and what those starts decided.
 */
export async function finalState({ realm, nats }: Place): Promise<Record<string, unknown>> {
  const evidence = readEvidence(realm);
  const turns = evidence?.turns ?? [];
  const events = await nats.stored();
  return {
    problems: databaseProblems(realm),
    tasks: rowsOf(realm, 'SELECT name, prompt, state, run_count, is_open FROM tasks'),
    slots: rowsOf(realm, 'SELECT task_id, missed, turn_id IS NOT NULL AS ran FROM task_slots'),
    turns: turns.map((turn) => turnFacts(turn)),
    steps: turns.map((turn) => doneSteps(evidence?.steps.get(turn.id) ?? [])),
    runs: rowsOf(realm, 'SELECT skill, state, phase, visits, is_open FROM runs'),
    questions: rowsOf(realm, 'SELECT answered_seq IS NOT NULL AS answered FROM requests'),
    waiting: rowsOf(realm, 'SELECT turn_id FROM held_work'),
    outages: rowsOf(realm, 'SELECT provider, resolved_at IS NOT NULL AS over FROM outages'),
    effects: effectsOf(realm).map(({ tool, args, turn }) => JSON.stringify([turn, tool, args])),
    answers: distinct(
      deliveriesOf(realm, 'chanB')
        .filter((one) => one.kind === 'answer')
        .map(({ deliveryId, peer, text }) => [
          deliveryId.replace(/^[^:]+/, 'db'),
          peer,
          // The model repeats its last result, which says so where a person has confirmed the step.
          text.replace(/ \(.*\)$/s, ''),
        ]),
    ),
    elsewhere: deliveriesOf(realm, 'chanA').filter((one) => one.kind === 'answer'),
    // Each under one id, and nothing that only a start has to tell.
    events: distinct(
      events
        .filter(({ topic }) => topic !== 'holdfast.started' && topic !== 'holdfast.turn.held')
        .map(({ topic, payload }) => [topic, factsOf(payload)]),
    ),
    eventIds: events.length - new Set(events.map((event) => event.id)).size,
  };
}

const turnFacts = (turn: TurnRow) => ({
  id: turn.id,
  session: turn.sessionKey,
  prompt: turn.promptStart,
  state: turn.state,
  channel: turn.channel,
  peer: turn.peer,
  isReplyPending: turn.isReplyPending,
});

/** Steps that came to their end: each once, however often it was cut off; effects have their order. */
const doneSteps = (steps: readonly { readonly tool: string; readonly state: string }[]) =>
  steps
    .filter(({ state }) => state === 'completed' || state === 'confirmed')
    .map((one) => one.tool)
    .toSorted();

/** What an event says, without the instant and the number of its journal row. */
function factsOf(payload: string): unknown {
  const { id, atMs, ...facts } = JSON.parse(payload) as Record<string, unknown>;
  return atMs === undefined ? { id } : facts;
}

const distinct = (values: readonly unknown[]): string[] =>
  [...new Set(values.map((value) => JSON.stringify(value)))].toSorted();
