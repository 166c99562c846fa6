import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import { changeDatabase, databaseProblems, dumpTables, readEvidence } from './evidence';
import {
  configure,
  createRealm,
  decideAll,
  deliveriesOf,
  effectsOf,
  endRealms,
  holdEdge,
  requestsOf,
  startLife,
  type LifeOptions,
  type Mode,
} from './lives';
import type { Life, Realm } from './realm';

afterEach(endRealms);

function realmFor(mode: Mode, config: Record<string, unknown> = {}): Realm {
  return createRealm(mode, config);
}

/** One message in a process that is killed at a point of its turn. */
async function killedAt(
  realm: Realm,
  text: string,
  point: CrashPointName,
  hit = 1,
  options: LifeOptions = {},
): Promise<number> {
  const life = startLife(realm, { ...options, crash: { point, hit } });
  await life.ready();
  void life.ask({ kind: 'accept', text, channel: 'cli', peer: 'main' });
  expect(await life.ended).toBe('SIGKILL');
  return readEvidence(realm)?.turns.at(-1)?.id ?? 0;
}

/** A person says "go on" to the open decision, and that run is killed, too. */
async function killedResuming(
  realm: Realm,
  turnId: number,
  crash: NonNullable<LifeOptions['crash']>,
): Promise<void> {
  const life = startLife(realm, { crash });
  await life.ready();
  const [decision] = (await life.call('recovery.list', {})).decisions;
  const requestHash = decision?.requestHash ?? '';
  void life.ask({ kind: 'call', verb: 'recovery.resume', input: { turnId, requestHash } });
  expect(await life.ended).toBe('SIGKILL');
}

async function started(realm: Realm, options: LifeOptions = {}): Promise<Life> {
  const life = startLife(realm, options);
  await life.ready();
  await life.ask({ kind: 'quiet' });
  return life;
}

const stateOf = async (life: Life, turnId: number): Promise<string> =>
  (await life.call('turns.show', { turnId })).turn.state;
const times = (realm: Realm, tool: string): number =>
  effectsOf(realm).filter((one) => one.tool === tool).length;
const keysOf = (realm: Realm, tool: string): string[] => [
  ...new Set(
    effectsOf(realm)
      .filter((one) => one.tool === tool)
      .map((one) => one.key),
  ),
];
const isWhole = (realm: Realm): void => {
  expect(databaseProblems(realm)).toEqual([]);
};

describe('crash upon crash', () => {
  it('S4-23 killed twice after the same effect: 3 calls in 3 lives share 1 idempotency key', async () => {
    const realm = realmFor('always');
    const turnId = await killedAt(realm, 'one x', 'step.effect.after');
    const second = startLife(realm, { crash: { point: 'step.effect.after', hit: 1 } });
    expect(await second.ended).toBe('SIGKILL');
    const life = await started(realm);
    expect(await stateOf(life, turnId)).toBe('completed');
    await life.stop();
    expect(times(realm, 'charge')).toBe(3);
    expect(keysOf(realm, 'charge')).toHaveLength(1);
    isWhole(realm);
  });

  it('S4-01 the memory running out after an effect is like SIGKILL: same key, then completed', async () => {
    const realm = realmFor('always');
    const release = holdEdge(realm, 'charge-after');
    const first = startLife(realm, { heapMb: 128 });
    await first.ready();
    const turnId = await first.accept('one x', { channel: 'cli', peer: 'main' });
    await first.stalled('charge-after');
    void first.ask({ kind: 'exhaust' }).catch(() => undefined);
    expect(await first.ended).toBe('SIGABRT');
    release();
    const life = await started(realm);
    expect(await stateOf(life, turnId)).toBe('completed');
    await life.stop();
    expect([times(realm, 'charge'), keysOf(realm, 'charge').length]).toEqual([2, 1]);
    isWhole(realm);
  });

  it.each([
    ['poison', 1],
    ['ticking', 3],
  ])(
    'S0-+04 a turn that ends its host (%s) is parked after 3 starts; the app stays up and works',
    async (plan, _ticks) => {
      const realm = realmFor('always', { 'resilience.recovery.max_attempts': 3 });
      const first = startLife(realm, { isPoisoned: true });
      await first.ready();
      void first.ask({ kind: 'accept', text: `${plan} p`, channel: 'cli', peer: 'main' });
      expect(await first.ended).toBe('SIGKILL');
      for (let again = 0; again < 2; again += 1) {
        expect(await startLife(realm, { isPoisoned: true }).ended).toBe('SIGKILL');
      }
      const life = await started(realm, { isPoisoned: true });
      const { decisions } = await life.call('recovery.list', {});
      expect(decisions).toMatchObject([{ turnId: 1, kind: 'parked' }]);
      expect(decisions[0]?.reason).toContain('ended Holdfast 3 times');
      const other = await life.accept('one o', { channel: 'cli', peer: 'other' });
      await life.ask({ kind: 'quiet' });
      expect(await stateOf(life, other)).toBe('completed');
      await life.stop();
      expect(times(realm, 'kill_host')).toBe(3);
      expect(keysOf(realm, 'kill_host')).toHaveLength(1);
      isWhole(realm);
    },
  );

  it('S0-+04 3 turns at work in 2 ends go on one by one: the one that ends its host alone is parked, 2 complete', async () => {
    const realm = realmFor('always');
    const letPut = holdEdge(realm, 'put-before');
    const together = async (life: Life): Promise<void> => {
      const letKill = holdEdge(realm, 'kill_host-before');
      await life.ready();
      if (realm.acked.size === 0) {
        await life.accept('multi a', { channel: 'cli', peer: 'a' });
        await life.accept('multi b', { channel: 'cli', peer: 'b' });
        await life.accept('poison p', { channel: 'cli', peer: 'p' });
      }
      await life.stalled('kill_host-before');
      let stalls = 0;
      await life.line((line) => line['stalled'] === 'put-before' && (stalls += 1) === 2);
      letKill();
      expect(await life.ended).toBe('SIGKILL');
    };
    await together(startLife(realm, { isPoisoned: true }));
    await together(startLife(realm, { isPoisoned: true }));

    const third = startLife(realm, { isPoisoned: true });
    await third.ready();
    await third.stalled('put-before');
    const later = await third.accept('one o', { channel: 'cli', peer: 'o' });
    const { turns } = await third.call('turns.list', { limit: 10 });
    expect(turns.filter((turn) => turn.state === 'running').map((turn) => turn.id)).toEqual([1]);
    letPut();
    expect(await third.ended).toBe('SIGKILL');

    const life = await started(realm, { isPoisoned: true });
    const { decisions } = await life.call('recovery.list', {});
    expect(decisions).toMatchObject([{ turnId: 3, kind: 'parked' }]);
    for (const turnId of [1, 2, later]) expect(await stateOf(life, turnId)).toBe('completed');
    await life.stop();
    expect([times(realm, 'kill_host'), keysOf(realm, 'put').length]).toEqual([3, 4]);
    isWhole(realm);
  });

  it('S0-+04 a parked turn that a person lets go on is parked again after 3 more ends, not for ever', async () => {
    const realm = realmFor('always');
    const first = startLife(realm, { isPoisoned: true });
    await first.ready();
    void first.ask({ kind: 'accept', text: 'poison p', channel: 'cli', peer: 'main' });
    await first.ended;
    for (let again = 0; again < 2; again += 1) {
      await startLife(realm, { isPoisoned: true }).ended;
    }
    const asking = await started(realm, { isPoisoned: true });
    const [decision] = (await asking.call('recovery.list', {})).decisions;
    void asking.ask({
      kind: 'call',
      verb: 'recovery.resume',
      input: { turnId: 1, requestHash: decision?.requestHash },
    });
    expect(await asking.ended).toBe('SIGKILL');
    let ends = 1;
    for (; ends < 8; ends += 1) {
      const life = startLife(realm, { isPoisoned: true });
      const end = await Promise.race([
        life.ended,
        life.ready().then(() => life.ask({ kind: 'quiet' })),
      ]);
      if (end !== 'SIGKILL' && end !== undefined) {
        expect(await stateOf(life, 1)).toBe('parked');
        await life.stop();
        break;
      }
    }
    expect(ends).toBe(3);
    isWhole(realm);
  });

  it('S0-34 12 turns cut off at once make 12 decisions and 1 notice that counts them', async () => {
    const realm = realmFor('never', { 'limits.max_running_turns': 20 });
    holdEdge(realm, 'provider');
    const life = startLife(realm);
    await life.ready();
    let stalls = 0;
    for (let n = 1; n <= 12; n += 1) {
      await life.accept(`talk ${String(n)}`, { channel: 'cli', peer: `s${String(n)}` });
    }
    while (stalls < 12) {
      stalls = life.lines.filter((line) => line['stalled'] === 'provider').length;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await life.kill();
    fs.rmSync(path.join(realm.outside, 'hold-provider'));
    const again = await started(realm);
    expect((await again.call('recovery.list', {})).decisions).toHaveLength(12);
    const { items } = await again.call('inbox.list', {});
    expect(items.filter((item) => item.kind === 'replay_decision')).toHaveLength(12);
    expect(items.filter((item) => item.kind === 'restart_notice')).toHaveLength(1);
    await expect
      .poll(() => deliveriesOf(realm, 'chanA').map((one) => one.text))
      .toEqual([expect.stringMatching(/12/)]);
    expect(requestsOf(realm)).toHaveLength(12);
    await decideAll(realm, again);
    await again.stop();
    expect(readEvidence(realm)?.turns.map((turn) => turn.state)).toEqual(
      Array.from({ length: 12 }, () => 'completed'),
    );
    isWhole(realm);
  });
});

describe('answers', () => {
  it.each(['resume', 'confirm'] as const)(
    'S4-+04 "%s" given, then killed before it is used: used after the start and not asked again',
    async (answer) => {
      const realm = realmFor('never');
      const turnId = await killedAt(realm, 'one x', 'step.effect.after');
      const asking = startLife(realm, { crash: { point: 'decision.record.after', hit: 1 } });
      await asking.ready();
      const [decision] = (await asking.call('recovery.list', {})).decisions;
      const { requestHash = '', ambiguous = [] } = decision ?? {};
      void asking.ask(
        answer === 'resume'
          ? { kind: 'call', verb: 'recovery.resume', input: { turnId, requestHash } }
          : {
              kind: 'call',
              verb: 'recovery.confirmStep',
              input: { turnId, step: ambiguous[0]?.index, requestHash },
            },
      );
      expect(await asking.ended).toBe('SIGKILL');
      const life = await started(realm);
      expect((await life.call('recovery.list', {})).decisions).toEqual([]);
      expect(await stateOf(life, turnId)).toBe('completed');
      await life.stop();
      expect(times(realm, 'charge')).toBe(answer === 'resume' ? 2 : 1);
      expect(keysOf(realm, 'charge')).toHaveLength(1);
      isWhole(realm);
    },
  );

  it('S4-+04 killed while a read before the open step is asked again: the answer still counts', async () => {
    const realm = realmFor('safe_only');
    const turnId = await killedAt(realm, 'lookmail x', 'step.effect.after', 2);
    await killedResuming(realm, turnId, { point: 'step.effect.before', hit: 1 });
    const life = await started(realm);
    expect((await life.call('recovery.list', {})).decisions).toEqual([]);
    expect(await stateOf(life, turnId)).toBe('completed');
    await life.stop();
    expect(times(realm, 'send_email')).toBe(2);
    expect(keysOf(realm, 'send_email')).toHaveLength(1);
    isWhole(realm);
  });

  it('S0-09 S0-11 "go on" covers 1 run of a listed call: killed in that one, the next start asks again and sends nothing', async () => {
    const realm = realmFor('safe_only');
    const turnId = await killedAt(realm, 'lookmail x', 'step.effect.after', 2);
    await killedResuming(realm, turnId, { point: 'step.effect.after', hit: 2 });
    const life = await started(realm);
    const { decisions } = await life.call('recovery.list', {});
    expect(decisions).toMatchObject([{ turnId, kind: 'held', promptStart: 'lookmail x' }]);
    expect(decisions[0]?.reason).toContain('send_email (started, outcome unknown)');
    expect(await stateOf(life, turnId)).toBe('held');
    expect([times(realm, 'send_email'), keysOf(realm, 'send_email').length]).toEqual([2, 1]);
    await life.stop();
  });

  it.each(['resume', 'confirmStep', 'skipStep', 'discard'] as const)(
    'I4 recovery.%s with the hash of another question, or a second time, is refused and does nothing',
    async (answer) => {
      const realm = realmFor('never');
      const turnId = await killedAt(realm, 'one x', 'step.effect.after');
      const life = await started(realm);
      const [decision] = (await life.call('recovery.list', {})).decisions;
      const { requestHash = '', ambiguous = [] } = decision ?? {};
      const step = ambiguous[0]?.index;
      const isOfStep = answer === 'confirmStep' || answer === 'skipStep';
      const asked = (hash: string): Promise<Record<string, unknown> | undefined> => {
        const input = { turnId, requestHash: hash, ...(isOfStep ? { step } : {}) };
        return life.ask({ kind: 'call', verb: `recovery.${answer}`, input });
      };
      const other = requestHash.replace(/^./, (first) => (first === 'a' ? 'b' : 'a'));
      expect(await asked(other)).toMatchObject({ failed: 'REQUEST_STALE' });
      expect(await stateOf(life, turnId)).toBe('held');
      expect([times(realm, 'charge'), requestsOf(realm).length]).toEqual([1, 1]);
      expect(await asked(requestHash)).toHaveProperty('result');
      await life.ask({ kind: 'quiet' });
      const before = [await stateOf(life, turnId), times(realm, 'charge')];
      expect(await asked(requestHash)).toHaveProperty('failed');
      await life.ask({ kind: 'quiet' });
      expect([await stateOf(life, turnId), times(realm, 'charge')]).toEqual(before);
      await life.stop();
    },
  );

  it('S0-11 with never the question survives 2 restarts and no call is made before the answer', async () => {
    const realm = realmFor('never');
    const turnId = await killedAt(realm, 'one x', 'provider.answer.after');
    for (let restart = 0; restart < 2; restart += 1) {
      const life = await started(realm);
      expect((await life.call('recovery.list', {})).decisions).toHaveLength(1);
      await life.kill();
    }
    expect([requestsOf(realm).length, effectsOf(realm).length]).toEqual([1, 0]);
    const life = await started(realm);
    await decideAll(realm, life);
    expect(await stateOf(life, turnId)).toBe('completed');
    await life.stop();
    isWhole(realm);
  });

  it('S0-+03 canceled and killed in the same instant: nothing is recovered', async () => {
    const realm = realmFor('always');
    holdEdge(realm, 'provider');
    const life = startLife(realm, { crash: { point: 'turn.cancel.after', hit: 1 } });
    await life.ready();
    const turnId = await life.accept('one x');
    await life.stalled('provider');
    void life.ask({ kind: 'call', verb: 'turns.cancel', input: { turnId } });
    expect(await life.ended).toBe('SIGKILL');
    const again = await started(realm);
    const { decisions, lastStart } = await again.call('recovery.list', {});
    expect([decisions, lastStart]).toEqual([[], []]);
    expect(await stateOf(again, turnId)).toBe('cancelled');
    await again.stop();
    expect([requestsOf(realm).length, effectsOf(realm).length]).toEqual([1, 0]);
    isWhole(realm);
  });
});

describe('the gate', () => {
  it('S0-+01 a turn cut off 25 h ago is shown as stale, makes no call, and goes on when told to', async () => {
    const realm = realmFor('always');
    const turnId = await killedAt(realm, 'one x', 'provider.answer.after');
    const ago = String(25 * 3_600_000);
    changeDatabase(
      realm,
      `UPDATE turns SET accepted_at = accepted_at - ${ago}, started_at = started_at - ${ago};
       UPDATE journal SET at_ms = at_ms - ${ago}`,
    );
    const life = await started(realm);
    expect((await life.call('recovery.list', {})).decisions).toMatchObject([
      { turnId, kind: 'stale' },
    ]);
    expect(requestsOf(realm)).toHaveLength(1);
    await decideAll(realm, life);
    expect(await stateOf(life, turnId)).toBe('completed');
    await life.stop();
  });

  it.each([
    { before: [], after: ['charge'], isHeld: true },
    { before: [], after: ['fake.charge'], isHeld: true },
    { before: [], after: ['mail.charge'], isHeld: false },
    { before: ['charge'], after: [], isHeld: false },
    { before: [], after: ['Charge'], isHeld: false },
    { before: [], after: ['put'], isHeld: false },
  ])(
    'S0-12 S0-13 the list is read at the start: $before, edited while stopped to $after',
    async ({ before, after, isHeld }) => {
      const key = 'resilience.recovery.side_effect_tools';
      const realm = realmFor('safe_only', { [key]: before });
      const turnId = await killedAt(realm, 'one x', 'provider.request.before', 2);
      configure(realm, { 'resilience.recovery.mode': 'safe_only', [key]: after });
      const life = await started(realm);
      expect(await stateOf(life, turnId)).toBe(isHeld ? 'held' : 'completed');
      await life.stop();
      expect([times(realm, 'charge'), requestsOf(realm).length]).toEqual([1, isHeld ? 1 : 2]);
    },
  );

  it('S0-13 a listed name of a tool host that is gone still holds the turn', async () => {
    const realm = realmFor('safe_only', {
      'resilience.recovery.side_effect_tools': ['mail.extra'],
    });
    const turnId = await killedAt(realm, 'extra x', 'step.effect.after', 1, { host: 'mail' });
    const life = await started(realm, { host: 'mail', missingTools: ['extra'] });
    expect(await stateOf(life, turnId)).toBe('held');
    await life.stop();
    expect(times(realm, 'extra')).toBe(1);
  });

  it('S4-20 a tool that is gone and whose call is unknown makes a question, not a silent answer', async () => {
    const realm = realmFor('always');
    const turnId = await killedAt(realm, 'extra x', 'step.effect.after');
    const life = await started(realm, { missingTools: ['extra'] });
    const { decisions } = await life.call('recovery.list', {});
    expect(decisions).toMatchObject([{ turnId, ambiguous: [{ tool: 'fake.extra' }] }]);
    await decideAll(realm, life);
    expect(await stateOf(life, turnId)).toBe('completed');
    await life.stop();
    expect([times(realm, 'extra'), times(realm, 'charge')]).toEqual([1, 1]);
    isWhole(realm);
  });

  it('S4-09 a tool that is gone and whose call had finished gives its recorded result', async () => {
    const realm = realmFor('always');
    const turnId = await killedAt(realm, 'extra x', 'provider.request.before', 2);
    const life = await started(realm, { missingTools: ['extra'] });
    expect(await stateOf(life, turnId)).toBe('completed');
    await life.stop();
    expect([times(realm, 'extra'), times(realm, 'charge')]).toEqual([1, 1]);
  });

  it.each([
    ['skip', 'completed', 1, 'skipped'],
    ['discard_skill', 'discarded', 1, 'ambiguous'],
    ['prompt', 'completed', 2, 'ambiguous'],
  ])(
    'S4-25 S4-26 S4-27 the policy %s ends the turn %s with %i effect lines',
    async (policy, state, lines, stepState) => {
      const realm = realmFor('always', { 'skill_resume.default': policy });
      const turnId = await killedAt(realm, 'one x', 'step.effect.after');
      const life = await started(realm);
      expect(await stateOf(life, turnId)).toBe(state);
      await life.stop();
      expect(times(realm, 'charge')).toBe(lines);
      expect(readEvidence(realm)?.steps.get(turnId)?.[1]?.state).toBe(stepState);
      isWhole(realm);
    },
  );

  it.each([
    ['step.effect.after', 'confirmed', 1],
    ['step.effect.before', 'ambiguous', 1],
  ] as const)(
    'S4-23 killed at %s, a tool that can say whether it happened is asked: step %s, %i effect line',
    async (point, stepState, lines) => {
      const realm = realmFor('always');
      const turnId = await killedAt(realm, 'one x', point, 1, { hasStatusCheck: true });
      const life = await started(realm, { hasStatusCheck: true });
      expect(await stateOf(life, turnId)).toBe('completed');
      await life.stop();
      expect(times(realm, 'charge')).toBe(lines);
      expect(readEvidence(realm)?.steps.get(turnId)?.[1]?.state).toBe(stepState);
    },
  );
});

describe('what is asked again', () => {
  const world = (realm: Realm, text: string): void => {
    fs.writeFileSync(path.join(realm.outside, 'world.txt'), text);
  };

  it('S4-13 with the world unchanged the read goes out again and 0 answers are paid twice', async () => {
    const realm = realmFor('always');
    world(realm, 'one');
    const turnId = await killedAt(realm, 'look2 x', 'provider.request.before', 4);
    expect(requestsOf(realm)).toHaveLength(3);
    const life = await started(realm);
    const { turn, steps } = await life.call('turns.show', { turnId });
    await life.stop();
    expect(turn).toMatchObject({ state: 'completed', reused: 5 });
    // The fourth request had never been sent.
    expect(requestsOf(realm)).toHaveLength(4);
    expect(steps.filter((step) => step.drift === 'same')).toHaveLength(1);
    expect(['look', 'charge', 'put'].map((tool) => times(realm, tool))).toEqual([2, 1, 1]);
    isWhole(realm);
  });

  it('S4-11 S4-12 with the world changed the answers after it are asked anew, effects are not', async () => {
    const realm = realmFor('always');
    world(realm, 'one');
    const turnId = await killedAt(realm, 'look2 x', 'provider.request.before', 4);
    world(realm, 'two');
    const life = await started(realm);
    const { answer, steps } = await life.call('turns.show', { turnId });
    await life.stop();
    expect(answer).toContain('look: two');
    // Answer 1 is reused; 2 and 3 are asked again after the read, 4 for the first time.
    expect(requestsOf(realm)).toHaveLength(6);
    expect(new Set(requestsOf(realm).map((one) => one.hash)).size).toBe(6);
    expect(steps.filter((step) => step.drift === 'changed')).toHaveLength(1);
    expect(['look', 'charge', 'put'].map((tool) => times(realm, tool))).toEqual([2, 1, 1]);
    isWhole(realm);
  });

  it('S0-33 a prompt of 1 MB with emoji and NUL is sent again as the same bytes', async () => {
    const realm = realmFor('always');
    const unit = 'talk 🦊\u0000 zażółć ';
    const text = unit.repeat(Math.ceil((1024 * 1024 - unit.length) / unit.length));
    const turnId = await killedAt(realm, text, 'provider.answer.after');
    const life = await started(realm);
    expect(await stateOf(life, turnId)).toBe('completed');
    await life.stop();
    const hashes = requestsOf(realm).map((one) => one.hash);
    expect(hashes).toHaveLength(2);
    expect(new Set(hashes).size).toBe(1);
    isWhole(realm);
  });

  const blobFiles = (realm: Realm): string[] =>
    fs
      .readdirSync(path.join(realm.dataDir, 'blobs'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));

  it.each(['absent', 'torn'])(
    'S4-+05 a large effect result whose file is %s does not fire the effect again',
    async (damage) => {
      const realm = realmFor('always');
      const turnId = await killedAt(realm, 'big x', 'provider.answer.after', 2);
      const [file = ''] = blobFiles(realm);
      if (damage === 'absent') fs.rmSync(file);
      else fs.truncateSync(file, 1000);
      const life = await started(realm);
      const { turn, steps } = await life.call('turns.show', { turnId });
      await life.stop();
      expect(turn.state).toBe('completed');
      expect(steps.filter((step) => step.tool === 'fake.charge')).toHaveLength(1);
      expect([times(realm, 'charge'), times(realm, 'put')]).toEqual([1, 1]);
      isWhole(realm);
    },
  );

  it.each(['absent', 'torn'])(
    'S4-+05 a large model answer whose file is %s counts as not recorded: asked again, 0 effects more',
    async (damage) => {
      const realm = realmFor('always');
      const turnId = await killedAt(realm, 'verbose x', 'provider.request.before', 3);
      expect(requestsOf(realm)).toHaveLength(2);
      const [file = ''] = blobFiles(realm);
      if (damage === 'absent') fs.rmSync(file);
      else fs.truncateSync(file, 1000);
      const life = await started(realm);
      expect(await stateOf(life, turnId)).toBe('completed');
      await life.stop();
      // The first is asked again with the same request, the third for the first time.
      const hashes = requestsOf(realm).map((one) => one.hash);
      expect([hashes.length, new Set(hashes).size]).toEqual([4, 3]);
      expect([times(realm, 'charge'), times(realm, 'put')]).toEqual([1, 1]);
      isWhole(realm);
    },
  );
});

describe('a start without restore', () => {
  it('S4-29 changes no row of turns, steps, sessions and inbox; the next start restores all', async () => {
    const realm = realmFor('always');
    holdEdge(realm, 'provider');
    const life = startLife(realm);
    await life.ready();
    for (const peer of ['a', 'b', 'c']) {
      await life.accept(`one ${peer}`, { channel: 'chanB', peer });
    }
    await life.accept('talk queued', { channel: 'chanB', peer: 'a' });
    await life.stalled('provider');
    await life.kill();
    fs.rmSync(path.join(realm.outside, 'hold-provider'));
    const tables = ['turns', 'steps', 'sessions', 'inbox', 'session_events'];
    const before = dumpTables(realm, tables);
    const skipping = await started0(realm);
    expect(await skipping.call('status.get', {})).toMatchObject({
      recovery: { restoreSkipped: true },
    });
    await skipping.stop();
    expect(dumpTables(realm, tables)).toBe(before);
    const again = await started(realm);
    await again.stop();
    expect(readEvidence(realm)?.turns.map((turn) => turn.state)).toEqual(
      Array.from({ length: 4 }, () => 'completed'),
    );
    expect(times(realm, 'charge')).toBe(3);
    expect(deliveriesOf(realm, 'chanB')).toHaveLength(4);
    isWhole(realm);
  });
});

/** A start without restore never becomes quiet: what is open stays open. */
async function started0(realm: Realm): Promise<Life> {
  const life = startLife(realm, { noRestore: true });
  await life.ready();
  return life;
}
