/** Holdfast is killed while agents of other programs are at work; then it comes back. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalView, TurnSummary } from '../../shared/types';
import { startFakeProvider, type FakeProvider } from '../helpers/fake-provider';
import { commandOfPrompt, configureOpencode, findOpencode } from '../helpers/opencode';
import { configure, createRealm, endLives, startLife } from './lives';
import type { Life, Realm } from './realm';
import { isLeftOut } from '../helpers/skips';
import { ACP_AGENT } from '../helpers/acp-agent-program';

// A real agent takes 5 s to start where nothing else runs, and ten times that on a busy computer.
const WAIT = { timeout: 120_000, interval: 50 };
const REAL_AGENT_MS = 480_000;

let realm: Realm;
beforeEach(() => {
  realm = createRealm('safe_only');
});
afterEach(() => {
  endLives();
  realm.remove();
});

function agent(
  command: string,
  args: readonly string[],
  extra: Record<string, unknown> = {},
): void {
  configure(realm, {
    'resilience.recovery.resume_delay': '20ms',
    'approvals.tools': { shell: 'ask' },
    'agents.own': { executor: 'acp', command, args, workspace: realm.workspace },
    ...extra,
  });
}

async function born(): Promise<Life> {
  const life = startLife(realm);
  await life.ready();
  return life;
}

const effects = (): readonly string[] => {
  const file = path.join(realm.workspace, 'effects.log');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : [];
};
async function send(life: Life, text: string): Promise<number> {
  return (await life.call('send', { text, session: 'work', agent: 'own' })).turnId;
}
async function question(life: Life): Promise<ApprovalView> {
  const look = async () => (await life.call('approvals.list', {})).requests[0];
  await expect
    .poll(look, WAIT)
    .toBeDefined()
    .catch(async (error: unknown) => {
      // What stands instead of the question tells more than its absence.
      const { turns } = await life.call('turns.list', { limit: 5 });
      throw new Error(JSON.stringify(turns.map(({ state, reason }) => ({ state, reason }))), {
        cause: error,
      });
    });
  return (await look())!;
}
const answer = (life: Life, verb: 'approvals.allow' | 'approvals.deny', asked: ApprovalView) =>
  life.call(verb, { requestId: asked.requestId, requestHash: asked.requestHash });
async function ended(life: Life, turnId: number): Promise<TurnSummary> {
  const look = async () => (await life.call('turns.show', { turnId })).turn;
  await expect
    .poll(async () => (await look()).state, WAIT)
    .toMatch(/completed|failed|held|parked|waiting/);
  return look();
}
const stepsOf = async (life: Life, turnId: number) =>
  (await life.call('turns.show', { turnId })).steps.map((step) => [step.tool, step.state]);

describe('a scripted agent', () => {
  it('S3-07 killed at the question: it stays, its answer counts, the effect happens once', async () => {
    agent(process.execPath, [ACP_AGENT, 'plain']);
    const first = await born();
    const turnId = await send(first, 'do: run one\ndo: say done');
    await question(first);
    await first.kill();
    const second = await born();
    const asked = await question(second);
    expect(asked.hint).toBe('one');
    // Nothing runs it, and neither the list of steps nor the conversation says so.
    expect((await second.call('turns.show', { turnId })).steps.at(-1)).toMatchObject({
      fate: 'asks',
      requestId: asked.requestId,
    });
    const { events } = await second.call('session.events', { session: 'work' });
    expect(events.find(({ tool }) => tool === 'own.shell')?.stepFate).toBe('asks');
    await answer(second, 'approvals.allow', asked);
    expect((await ended(second, turnId)).state).toBe('completed');
    expect(effects()).toEqual(['one']);
    await second.stop();
  });

  it('S4-20 killed in a call: what it left at work is waited for, nothing happens twice', async () => {
    agent(process.execPath, [ACP_AGENT, 'plain']);
    const first = await born();
    const turnId = await send(first, 'do: slow job\ndo: say done');
    await answer(first, 'approvals.allow', await question(first));
    await expect.poll(effects, WAIT).toEqual(['begin job']);
    await first.kill();
    const second = await born();
    const turn = await Promise.race([
      ended(second, turnId),
      // The agent may not remember it: then the person is asked, and says no.
      question(second).then(async (asked) => {
        expect(asked.reason).toContain('before the restart');
        await answer(second, 'approvals.deny', asked);
        return ended(second, turnId);
      }),
    ]);
    expect(turn.state).toBe('completed');
    expect(effects()).toEqual(['begin job', 'job']);
    await second.stop();
  });

  it('S4-25 killed in a call, with skip: its result is empty, and the agent that wants it again is refused', async () => {
    // Its session is lost, too: what it remembers of the call would be a known result.
    agent(process.execPath, [ACP_AGENT, 'lost'], { 'skill_resume.default': 'skip' });
    const first = await born();
    const turnId = await send(first, 'do: slow job\ndo: say done');
    await answer(first, 'approvals.allow', await question(first));
    await expect.poll(effects, WAIT).toEqual(['begin job']);
    await first.kill();
    const second = await born();
    expect((await ended(second, turnId)).state).toBe('completed');
    expect((await second.call('approvals.list', {})).requests).toEqual([]);
    const calls = (await stepsOf(second, turnId)).filter(([tool]) => tool === 'own.shell');
    expect(calls.map(([, state]) => state)).toEqual(['skipped', 'completed']);
    expect(effects().filter((line) => line === 'begin job')).toHaveLength(1);
    const log = fs.readFileSync(path.join(realm.outside, 'agent.log'), 'utf8');
    expect(log).toContain('treat the result as empty');
    expect(log).toContain('answer job no');
    await second.stop();
  });

  it('S0-09 S0-12 killed in a call of a listed tool: held, and nobody asks the agent again', async () => {
    agent(process.execPath, [ACP_AGENT, 'plain']);
    const first = await born();
    const turnId = await send(first, 'do: slow job');
    await answer(first, 'approvals.allow', await question(first));
    await expect.poll(effects, WAIT).toEqual(['begin job']);
    await first.kill();
    agent(process.execPath, [ACP_AGENT, 'plain'], {
      'resilience.recovery.side_effect_tools': ['shell'],
    });
    const second = await born();
    const turn = await ended(second, turnId);
    expect(turn.state).toBe('held');
    expect(turn.reason).toContain('shell (started, outcome unknown)');
    const log = fs.readFileSync(path.join(realm.outside, 'agent.log'), 'utf8');
    expect(log.match(/^start /gm)).toHaveLength(1);
    await second.stop();
  });

  it('S0-09 S3-07 killed in a call of a listed tool while another call asks: held, and the question stays', async () => {
    const listed = { 'resilience.recovery.side_effect_tools': ['shell'] };
    agent(process.execPath, [ACP_AGENT, 'plain'], listed);
    const first = await born();
    const turnId = await send(first, 'do: both slow-job two');
    const open = async (life: Life) => (await life.call('approvals.list', {})).requests;
    await expect.poll(async () => (await open(first)).length, WAIT).toBe(2);
    const job = (await open(first)).find(({ hint }) => hint === 'slow-job')!;
    await answer(first, 'approvals.allow', job);
    await expect.poll(effects, WAIT).toEqual(['begin slow-job']);
    await first.kill();
    const second = await born();
    const turn = await ended(second, turnId);
    expect([turn.state, turn.reason]).toEqual([
      'held',
      expect.stringContaining('shell (started, outcome unknown)'),
    ]);
    expect((await open(second)).map(({ hint }) => hint)).toEqual(['two']);
    expect((await stepsOf(second, turnId)).slice(-2)).toEqual([
      ['own.shell', 'ambiguous'],
      ['own.shell', 'failed'],
    ]);
    const { decisions } = await second.call('recovery.list', {});
    expect(decisions).toMatchObject([{ turnId, kind: 'held' }]);
    const log = fs.readFileSync(path.join(realm.outside, 'agent.log'), 'utf8');
    expect(log.match(/^start /gm)).toHaveLength(1);
    await second.stop();
  });

  it('S0-10 mode always resumes the listed one too, and a repeat is asked about', async () => {
    const always = {
      'resilience.recovery.mode': 'always',
      'resilience.recovery.side_effect_tools': ['shell'],
    };
    agent(process.execPath, [ACP_AGENT, 'forget'], always);
    const first = await born();
    const turnId = await send(first, 'do: run one\ndo: never');
    await answer(first, 'approvals.allow', await question(first));
    await expect
      .poll(() => stepsOf(first, turnId), WAIT)
      .toContainEqual(['own.shell', 'completed']);
    await first.kill();
    const second = await born();
    const asked = await question(second);
    expect(asked.reason).toContain('was completed before the restart');
    expect(effects()).toEqual(['one']);
    await second.call('turns.cancel', { turnId });
    await second.stop();
  });

  it('S4-29 a start without restore begins a conversation of its own with the agent, for 2 messages; the next start goes on in the earlier one, and the effect happens once', async () => {
    agent(process.execPath, [ACP_AGENT, 'plain']);
    const first = await born();
    const kept = await send(first, 'do: run one\ndo: say done');
    await question(first);
    await first.kill();
    const apart = startLife(realm, { noRestore: true });
    await apart.ready();
    for (const text of ['do: say two', 'do: say three'])
      expect((await ended(apart, await send(apart, text))).state).toBe('completed');
    await apart.kill();
    const last = await born();
    await answer(last, 'approvals.allow', await question(last));
    expect((await ended(last, kept)).state).toBe('completed');
    expect((await ended(last, await send(last, 'do: say four'))).state).toBe('completed');
    const log = fs.readFileSync(path.join(realm.outside, 'agent.log'), 'utf8');
    const [earlier, own, ...more] = [...log.matchAll(/^in (.+)$/gm)].map(([, ref]) => ref);
    expect(own).not.toBe(earlier);
    expect(more).toEqual([own, earlier, earlier]);
    expect(effects()).toEqual(['one']);
    await last.stop();
  });

  it('S0-11 mode never asks the agent nothing until a person says so', async () => {
    agent(process.execPath, [ACP_AGENT, 'plain'], { 'resilience.recovery.mode': 'never' });
    const first = await born();
    const turnId = await send(first, 'do: read a.txt\ndo: never');
    await expect.poll(() => stepsOf(first, turnId), WAIT).toContainEqual(['own.read', 'completed']);
    await first.kill();
    const second = await born();
    expect((await ended(second, turnId)).state).toBe('held');
    const log = fs.readFileSync(path.join(realm.outside, 'agent.log'), 'utf8');
    expect(log.match(/^start /gm)).toHaveLength(1);
    await second.stop();
  });
});

const real = await findOpencode();
const why = 'missing' in real ? ` (skipped: ${real.missing})` : '';

describe.skipIf(isLeftOut('opencode itself', 'missing' in real && real.missing))(
  `opencode itself${why}`,
  { timeout: REAL_AGENT_MS },
  () => {
    let provider: FakeProvider;
    afterAll(() => provider?.stop());

    async function setUp(): Promise<void> {
      provider ??= await startFakeProvider({ script: commandOfPrompt });
      configureOpencode(path.join(realm.outside, '.config'), provider);
      agent('path' in real ? real.path : '', ['acp']);
    }

    it('S3-07 killed at the question: resumed, the effect happens exactly once', async () => {
      await setUp();
      const first = await born();
      const turnId = await send(first, 'run: echo one >> effects.log');
      await question(first);
      await first.kill();
      expect(effects()).toEqual([]);
      const second = await born();
      await answer(second, 'approvals.allow', await question(second));
      expect((await ended(second, turnId)).state).toBe('completed');
      expect(effects()).toEqual(['one']);
      // One question in all: the stored answer was heard when the agent asked again.
      const { requests } = await second.call('approvals.list', { includeAnswered: true });
      expect(requests).toHaveLength(1);
      await second.stop();
    });

    it('S4-20 killed in the call: the repeat is put to the person, the effect happens once', async () => {
      await setUp();
      const first = await born();
      const turnId = await send(
        first,
        'run: echo one >> effects.log; sleep 4; echo two >> effects.log',
      );
      await answer(first, 'approvals.allow', await question(first));
      await expect.poll(effects, WAIT).toEqual(['one']);
      await first.kill();
      const second = await born();
      const asked = await question(second);
      expect(asked.reason).toContain('before the restart');
      await answer(second, 'approvals.deny', asked);
      expect((await ended(second, turnId)).state).toBe('completed');
      expect(effects().filter((line) => line === 'one')).toHaveLength(1);
      await second.stop();
    });
  },
);
