/** Holdfast is killed while agents of other programs are at work; then it comes back. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRealm, endLives, startLife } from './lives';
import {
  answer,
  born,
  configureOwn,
  effects,
  ended,
  question,
  send,
  stepsOf,
  WAIT,
} from './outside-world';
import type { Life, Realm } from './realm';
import { ACP_AGENT } from '../helpers/acp-agent-program';

let realm: Realm;
beforeEach(() => {
  realm = createRealm('safe_only');
});
afterEach(() => {
  endLives();
  realm.remove();
});
const agent = (command: string, args: readonly string[], extra: Record<string, unknown> = {}) => {
  configureOwn(realm, command, args, extra);
};
const begin = (): Promise<Life> => born(realm);
const effected = (): readonly string[] => effects(realm);

describe('a scripted agent', () => {
  it('S3-07 killed at the question: it stays, its answer counts, the effect happens once', async () => {
    agent(process.execPath, [ACP_AGENT, 'plain']);
    const first = await begin();
    const turnId = await send(first, 'do: run one\ndo: say done');
    await question(first);
    await first.kill();
    const second = await begin();
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
    expect(effected()).toEqual(['one']);
    await second.stop();
  });

  it('S4-20 killed in a call: what it left at work is waited for, nothing happens twice', async () => {
    agent(process.execPath, [ACP_AGENT, 'plain']);
    const first = await begin();
    const turnId = await send(first, 'do: slow job\ndo: say done');
    await answer(first, 'approvals.allow', await question(first));
    await expect.poll(effected, WAIT).toEqual(['begin job']);
    await first.kill();
    const second = await begin();
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
    expect(effected()).toEqual(['begin job', 'job']);
    await second.stop();
  });

  it('S4-25 killed in a call, with skip: its result is empty, and the agent that wants it again is refused', async () => {
    // Its session is lost, too: what it remembers of the call would be a known result.
    agent(process.execPath, [ACP_AGENT, 'lost'], { 'skill_resume.default': 'skip' });
    const first = await begin();
    const turnId = await send(first, 'do: slow job\ndo: say done');
    await answer(first, 'approvals.allow', await question(first));
    await expect.poll(effected, WAIT).toEqual(['begin job']);
    await first.kill();
    const second = await begin();
    expect((await ended(second, turnId)).state).toBe('completed');
    expect((await second.call('approvals.list', {})).requests).toEqual([]);
    const calls = (await stepsOf(second, turnId)).filter(([tool]) => tool === 'own.shell');
    expect(calls.map(([, state]) => state)).toEqual(['skipped', 'completed']);
    expect(effected().filter((line) => line === 'begin job')).toHaveLength(1);
    const log = fs.readFileSync(path.join(realm.outside, 'agent.log'), 'utf8');
    expect(log).toContain('treat the result as empty');
    expect(log).toContain('answer job no');
    await second.stop();
  });

  it('S0-09 S0-12 killed in a call of a listed tool: held, and nobody asks the agent again', async () => {
    agent(process.execPath, [ACP_AGENT, 'plain']);
    const first = await begin();
    const turnId = await send(first, 'do: slow job');
    await answer(first, 'approvals.allow', await question(first));
    await expect.poll(effected, WAIT).toEqual(['begin job']);
    await first.kill();
    agent(process.execPath, [ACP_AGENT, 'plain'], {
      'resilience.recovery.side_effect_tools': ['shell'],
    });
    const second = await begin();
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
    const first = await begin();
    const turnId = await send(first, 'do: both slow-job two');
    const open = async (life: Life) => (await life.call('approvals.list', {})).requests;
    await expect.poll(async () => (await open(first)).length, WAIT).toBe(2);
    const job = (await open(first)).find(({ hint }) => hint === 'slow-job')!;
    await answer(first, 'approvals.allow', job);
    await expect.poll(effected, WAIT).toEqual(['begin slow-job']);
    await first.kill();
    const second = await begin();
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
    const first = await begin();
    const turnId = await send(first, 'do: run one\ndo: never');
    await answer(first, 'approvals.allow', await question(first));
    await expect
      .poll(() => stepsOf(first, turnId), WAIT)
      .toContainEqual(['own.shell', 'completed']);
    await first.kill();
    const second = await begin();
    const asked = await question(second);
    expect(asked.reason).toContain('was completed before the restart');
    expect(effected()).toEqual(['one']);
    await second.call('turns.cancel', { turnId });
    await second.stop();
  });

  it('S4-29 a start without restore begins a conversation of its own with the agent, for 2 messages; the next start goes on in the earlier one, and the effect happens once', async () => {
    agent(process.execPath, [ACP_AGENT, 'plain']);
    const first = await begin();
    const kept = await send(first, 'do: run one\ndo: say done');
    await question(first);
    await first.kill();
    const apart = startLife(realm, { noRestore: true });
    await apart.ready();
    for (const text of ['do: say two', 'do: say three'])
      expect((await ended(apart, await send(apart, text))).state).toBe('completed');
    await apart.kill();
    const last = await begin();
    await answer(last, 'approvals.allow', await question(last));
    expect((await ended(last, kept)).state).toBe('completed');
    expect((await ended(last, await send(last, 'do: say four'))).state).toBe('completed');
    const log = fs.readFileSync(path.join(realm.outside, 'agent.log'), 'utf8');
    const [earlier, own, ...more] = [...log.matchAll(/^in (.+)$/gm)].map(([, ref]) => ref);
    expect(own).not.toBe(earlier);
    expect(more).toEqual([own, earlier, earlier]);
    expect(effected()).toEqual(['one']);
    await last.stop();
  });

  it('S0-11 mode never asks the agent nothing until a person says so', async () => {
    agent(process.execPath, [ACP_AGENT, 'plain'], { 'resilience.recovery.mode': 'never' });
    const first = await begin();
    const turnId = await send(first, 'do: read a.txt\ndo: never');
    await expect.poll(() => stepsOf(first, turnId), WAIT).toContainEqual(['own.read', 'completed']);
    await first.kill();
    const second = await begin();
    expect((await ended(second, turnId)).state).toBe('held');
    const log = fs.readFileSync(path.join(realm.outside, 'agent.log'), 'utf8');
    expect(log.match(/^start /gm)).toHaveLength(1);
    await second.stop();
  });
});
