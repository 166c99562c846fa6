import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Site, RecoveryList } from './site';
import {
  callsThenDone,
  createSite,
  effect,
  promptIn,
  resultsIn,
  stalledEffect,
  until,
} from './site';
import type { FakeDialect } from '../../helpers/fake-provider';
import { SLACK } from '../../helpers/slack';
import { waitUntil } from '../../helpers/bounded-wait';
import { isLeftOut, NOT_LINUX } from '../../helpers/skips';

let site: Site;

beforeEach(async () => {
  site = await createSite();
  site.configure();
});
afterEach(() => site.remove());

const mode = (recovery: Record<string, unknown>): void => {
  site.configure({ resilience: { recovery } });
};

describe('a turn is on disk before anything of it leaves', () => {
  it('S0-03 a provider that stalls on the first byte, then SIGKILL: the open row and its started step are there', async () => {
    site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
    const host = await site.start();
    const turnId = await site.send('keep me');
    await site.fp.waitForRequests(1);
    const arrivedMs = site.fp.calls()[0]?.atMs ?? 0;
    await site.kill(host);
    expect(
      site.db('SELECT turn_id, context, session_ref, prompt, status FROM turn_journal'),
    ).toEqual([
      { turn_id: turnId, context: 'a', session_ref: 'main', prompt: 'keep me', status: 'open' },
    ]);
    const [row] = site.db<{ started_at: number }>('SELECT started_at FROM turn_journal');
    expect(row?.started_at).toBeLessThanOrEqual(arrivedMs);
    expect(site.db('SELECT step, tool, state FROM turn_steps')).toEqual([
      { step: 1, tool: 'model', state: 'started' },
    ]);
  });

  it('S0-05 S0-08 three killed turns: recovery list shows exactly those, each with decision and reason, a finished one is not among them; the two without a listed tool go on unasked, and the notice says so', async () => {
    mode({ side_effect_tools: ['shell'] });
    site.fp.setScript((request) => {
      const prompt = promptIn(request);
      if (prompt === 'finished') return { text: 'done' };
      if (prompt === 'read only') {
        return resultsIn(request) === 0
          ? { toolCalls: [{ name: 'list_files', args: {} }] }
          : { fault: 'stall_first_byte' };
      }
      if (prompt === 'thinking') return { fault: 'stall_first_byte' };
      return callsThenDone(stalledEffect('x'))(request);
    });
    const host = await site.start();
    const finished = await site.send('finished', '--session', 's0');
    await site.turnIn(finished, 'completed');
    const reading = await site.send('read only', '--session', 's1');
    const thinking = await site.send('thinking', '--session', 's2');
    const effecting = await site.send('effect', '--session', 's3');
    await until(
      'all three are stalled',
      () => site.fp.calls().length === 5 && site.effects().length === 1,
    );
    await site.kill(host);
    site.fp.setScript(callsThenDone());
    await site.start();
    const list = await site.json<RecoveryList>('recovery', 'list');
    expect(list.lastStart.map(({ turnId, action, reason }) => [turnId, action, reason])).toEqual([
      [reading, 'resume', 'No outcome is unknown: it resumes where it stopped.'],
      [thinking, 'resume', 'No outcome is unknown: it resumes where it stopped.'],
      [effecting, 'hold', 'shell (started, outcome unknown): on your side-effect list.'],
    ]);
    expect(list.decisions.map((one) => [one.turnId, one.promptStart, one.agent])).toEqual([
      [effecting, 'effect', 'a'],
    ]);
    expect(list.decisions[0]?.ambiguous).toMatchObject([
      // The command had its key in its environment: the question must not deny it.
      { tool: 'shell.shell', isIdempotent: false, keyIn: 'environment' },
    ]);
    expect(list.decisions[0]?.question).toMatch(/^Did this command run: ".+"\?$/);
    await site.turnIn(reading, 'completed');
    await site.turnIn(thinking, 'completed');
    expect((await site.show(reading)).answer).toBe('done: read only');
    const { items } = await site.json<{ items: { kind: string; title: string }[] }>(
      'inbox',
      'list',
    );
    expect(items.find(({ kind }) => kind === 'restart_notice')?.title).toMatch(
      /\. 2 turns resumed, 1 needs a decision\.$/,
    );
    expect(site.effects()).toHaveLength(1);
    // Answered in one of the three ways: it happened.
    const step = String(list.decisions[0]?.ambiguous[0]?.index);
    const wrong = await site.hf('recovery', 'confirm-step', String(effecting), '99', '--json');
    expect([wrong.code, JSON.parse(wrong.out)]).toMatchObject([
      4,
      { error: { code: 'STEP_STATE' } },
    ]);
    expect((await site.hf('recovery', 'confirm-step', String(effecting), step)).code).toBe(0);
    await site.turnIn(effecting, 'completed');
    expect(site.effects()).toHaveLength(1);
    expect((await site.hf('recovery', 'confirm-step', String(effecting), step)).code).toBe(4);
    // A script reads the outcome; a person reads it in the words of today.
    const ended = await site.json<{ items: { outcome?: string }[] }>(
      'inbox',
      'list',
      '--include-ended',
    );
    expect(ended.items.map(({ outcome }) => outcome)).toContain('recorded as done');
    expect((await site.hf('inbox', 'list', '--include-ended')).out).toContain('[marked as done]');
  });

  it.each<FakeDialect>(['openai-compatible', 'anthropic', 'google'])(
    'S0-33 S4-10 %s: a prompt of 1 MB with NUL, emoji and half a character: the request after SIGKILL has the same body hash as the one before it; the answered call is not paid again',
    async (dialect) => {
      site.configure({}, dialect);
      let calls = 0;
      site.fp.setScript(() => {
        calls += 1;
        return calls === 1
          ? {
              text: 'I write.',
              toolCalls: [{ name: 'write_file', args: { path: 'é.txt', content: '✓' } }],
            }
          : { fault: 'stall_first_byte' };
      });
      const host = await site.start();
      const prompt = `crash \u0000 me \u{1F600} \u202E \ud800 ${'x'.repeat(1_000_000)} \t\r\n end`;
      const { turnId } = await (await site.client()).call('send', { text: prompt });
      await site.fp.waitForRequests(2);
      await site.kill(host);
      site.fp.setScript(() => ({ text: 'finished' }));
      await site.start();
      await site.turnIn(turnId, 'completed');
      const hashes = site.fp.calls().map((request) => request.bodySha256);
      expect(hashes).toHaveLength(3);
      expect(hashes[2]).toBe(hashes[1]);
      expect(hashes[0]).not.toBe(hashes[1]);
      expect(site.fp.calls()[2]?.body).toContain('x'.repeat(1_000_000));
      const shown = await site.show(turnId);
      expect([shown.answer, shown.turn.reused]).toEqual(['finished', 2]);
    },
  );
});

describe('what the disk has lost', () => {
  it('S0-33 a turn whose message of 40,000 characters is gone from the disk is not run with another one: a person is asked', async () => {
    site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
    const host = await site.start();
    const turnId = await site.send('x'.repeat(40_000));
    await site.fp.waitForRequests(1);
    await site.kill(host);
    fs.rmSync(path.join(site.dataDir, 'blobs'), { recursive: true });
    site.fp.setScript(() => ({ text: 'answered what nobody asked' }));
    await site.start();
    await site.turnIn(turnId, 'parked');
    expect((await site.show(turnId)).turn.reason).toContain('prompt of this turn is missing');
    expect(site.fp.calls()).toHaveLength(1);
    const { decisions } = await site.json<RecoveryList>('recovery', 'list');
    expect(decisions.map((one) => one.turnId)).toEqual([turnId]);
  });

  it.skipIf(isLeftOut('a row of recovery', NOT_LINUX))(
    'S4-+05 S0-06 a result of 60,000 characters that the disk does not give at the restart is not called missing: nothing is asked or done in its place, a person is told where it is, and after its return the turn goes on with the whole of it',
    async () => {
      const command = `echo 1 >> effects.log; printf 'x%.0s' $(seq 60000)`;
      site.fp.setScript((request) =>
        resultsIn(request) === 0
          ? { toolCalls: [{ name: 'shell', args: { command } }] }
          : { fault: 'stall_first_byte' },
      );
      const host = await site.start();
      const turnId = await site.send('work');
      await site.fp.waitForRequests(2);
      await site.kill(host);
      const folder = path.join(site.dataDir, 'blobs', `t${String(turnId)}`);
      const [name = ''] = fs.readdirSync(folder);
      fs.renameSync(path.join(folder, name), path.join(folder, 'aside'));
      // Reading it ends with EIO.
      fs.symlinkSync('/proc/self/mem', path.join(folder, name));
      site.fp.setScript(() => ({ text: 'finished' }));
      await site.start();
      await site.turnIn(turnId, 'parked');
      const told = `${path.join(folder, name)} cannot be read: the disk reports an error (EIO). Its contents are not lost.`;
      const shown = await site.show(turnId);
      expect(shown.turn.reason).toContain(told);
      expect(shown.turn.reason).toContain('Make the file readable');
      expect(await site.json('turns', 'step', String(turnId), '2')).toMatchObject({
        result: expect.stringMatching(/^x{100}[^]*cannot be read/) as string,
      });
      fs.renameSync(path.join(folder, 'aside'), path.join(folder, name));
      expect((await site.hf('recovery', 'resume', String(turnId))).code).toBe(0);
      await site.turnIn(turnId, 'completed');
      const hashes = site.fp.calls().map((request) => request.bodySha256);
      expect([hashes.length, hashes[2] === hashes[1], site.effects().length]).toEqual([3, true, 1]);
    },
  );

  it('S0-33 S4-+05 an earlier message of 40,000 characters and an earlier answer of 40,000 that are gone: the model is told that they are missing, never sent an empty message', async () => {
    site.fp.setScript(() => ({ text: 'y'.repeat(40_000) }));
    await site.start();
    await site.turnIn(await site.send('x'.repeat(40_000)), 'completed');
    fs.rmSync(path.join(site.dataDir, 'blobs'), { recursive: true });
    site.fp.setScript(() => ({ text: 'short' }));
    await site.turnIn(await site.send('and now?'), 'completed');
    const { messages } = site.fp.calls()[1]?.json as {
      messages: { role: string; content: unknown }[];
    };
    const missing = '(the stored text is missing)';
    expect(messages.slice(1).map((one) => [one.role, one.content])).toEqual([
      ['user', missing],
      ['assistant', missing],
      ['user', 'and now?'],
    ]);
  });
});

const duplicates = (): Readonly<Record<string, unknown>>[] =>
  site
    .audit()
    .map(({ facts }) => facts)
    .filter((facts) => facts['possibleDuplicate'] === true);

describe('what may go on by itself', () => {
  it('S0-12 S0-13 S0-37 a tool listed while Holdfast is stopped holds the turn; both the plain and the qualified name do', async () => {
    site.fp.setScript(callsThenDone(stalledEffect('mail')));
    for (const name of ['shell', 'shell.shell']) {
      mode({});
      fs.rmSync(path.join(site.workspace, 'effects.log'), { force: true });
      const host = await site.start();
      const turnId = await site.send(`with ${name}`);
      await until('the effect happened', () => site.effects().length === 1);
      await site.kill(host);
      const set = await site.hf(
        'config',
        'set',
        'resilience.recovery.side_effect_tools',
        JSON.stringify([name]),
      );
      expect(set.code).toBe(0);
      const again = await site.start();
      expect((await site.show(turnId)).turn.state).toBe('held');
      const shown = await site.hf('recovery', 'list');
      expect(shown.out).toContain('shell (started, outcome unknown)');
      expect(shown.out).toContain(`with ${name}`);
      expect(site.effects()).toHaveLength(1);
      expect((await site.hf('recovery', 'discard', String(turnId))).code).toBe(0);
      await site.stop(again);
    }
  });

  it.each([
    ['retry', { skill_resume: { default: 'retry' } }, 'completed', 2],
    ['prompt (legacy)', { skill_resume: { default: 'prompt' } }, 'completed', 2],
    ['skip', { skill_resume: { default: 'skip' } }, 'completed', 1],
    ['discard_skill', { skill_resume: { default: 'discard_skill' } }, 'discarded', 1],
  ] as const)(
    'S4-21 S4-23 S4-24 S4-25 S4-26 S4-27 policy %s: an effect with an unknown result; what it left at work is ended where the turn goes on, and told of where it does not',
    async (name, config, state, effects) => {
      site.configure(config);
      site.fp.setScript(callsThenDone(stalledEffect('x')));
      const host = await site.start();
      const turnId = await site.send('work');
      await until('the effect happened', () => site.effects().length === 1);
      await site.kill(host);
      const began = Date.now();
      await site.start();
      expect(Date.now() - began).toBeLessThan(5_000 * SLACK);
      const orphan = state === 'discarded' ? 'orphan_found' : 'orphan_ended';
      await until('what was left is seen to', () =>
        site.audit().some(({ event, facts }) => event === orphan && facts['turnId'] === turnId),
      );
      const { items } = await site.json<{ items: { title: string }[] }>('inbox', 'list');
      expect(items.some(({ title }) => title.includes('is still running'))).toBe(
        state === 'discarded',
      );
      fs.writeFileSync(path.join(site.workspace, 'go'), '');
      await site.turnIn(turnId, state);
      expect(site.effects()).toHaveLength(effects);
      // The same key is offered again, whatever the policy.
      expect(new Set(site.effects()).size).toBe(1);
      const shown = await site.show(turnId);
      const shells = shown.steps.filter((step) => step.tool === 'shell.shell');
      if (state === 'discarded') {
        expect(shown.turn.reason).toBe(
          'The step policy is discard_skill and an outcome is unknown.',
        );
        return;
      }
      if (name === 'skip') {
        expect(shells.map((step) => step.state)).toEqual(['skipped']);
        expect(shells[0]?.result).toContain('skipped');
        return;
      }
      expect(shells.map((step) => [step.state, step.duplicateRisk])).toEqual([
        ['ambiguous', false],
        ['completed', true],
      ]);
      expect(shells[1]?.againOf).toBe(shells[0]?.index);
      // S4-24: the audit says it beside the step, and of no other.
      await until('the audit has the step', () => duplicates().length === 1);
      expect(duplicates()).toMatchObject([{ turnId, step: shells[1]?.index }]);
    },
  );

  it('S4-27 prompt is accepted by config set, works as retry and is called legacy', async () => {
    await site.stop(await site.start());
    const set = await site.hf('config', 'set', 'skill_resume.default', 'prompt');
    expect(set.code).toBe(0);
    const doctor = await site.hf('doctor');
    const list = await site.hf('config', 'list');
    expect(`${set.out}${set.err}${doctor.out}${doctor.err}${list.out}${list.err}`).toMatch(
      /skill_resume\.default.*(legacy|retry)/i,
    );
  });

  it('S0-09 a listed command that ran into its time limit after much output is held, listed and decided', async () => {
    site.configure({
      resilience: { recovery: { side_effect_tools: ['shell'] } },
      shell: { timeout: '3s' },
    });
    const noisy = `printf 'x%.0s' $(seq 1 3000); echo; echo "x" >> effects.log; ${waitUntil('[ -e go ] || [ ! -e effects.log ]')}`;
    site.fp.setScript(callsThenDone({ name: 'shell', args: { command: noisy } }));
    await site.start();
    const turnId = await site.send('noise');
    await site.turnIn(turnId, 'held');
    const list = await site.json<RecoveryList>('recovery', 'list');
    expect(list.decisions.map((one) => one.turnId)).toEqual([turnId]);
    expect((await site.hf('turns', 'list')).out).toContain('noise');
    fs.writeFileSync(path.join(site.workspace, 'go'), '');
    expect((await site.hf('recovery', 'skip-step', String(turnId), '2')).code).toBe(0);
    await site.turnIn(turnId, 'completed');
    expect(site.effects()).toHaveLength(1);
  });

  it('S0-10 S0-36 mode always: a finished listed effect before SIGKILL is not fired again; the turn completes', async () => {
    mode({ mode: 'always', side_effect_tools: ['shell'] });
    let isStalled = true;
    site.fp.setScript((request) =>
      resultsIn(request) === 1 && isStalled
        ? { fault: 'stall_first_byte' }
        : callsThenDone(effect('mail'))(request),
    );
    const host = await site.start();
    const turnId = await site.send('mail it');
    await site.fp.waitForRequests(2);
    await site.kill(host);
    isStalled = false;
    await site.start();
    await site.turnIn(turnId, 'completed');
    expect(site.effects()).toHaveLength(1);
    expect(site.fp.calls()).toHaveLength(3);
  });
});

describe('a turn that ends its host', () => {
  it.each([
    { attempts: undefined, ends: 3 },
    { attempts: 2, ends: 2 },
  ])(
    'S0-+04 a command that kills Holdfast, with max_attempts $attempts (3 where not set): parked after $ends ends, under 1 key, and Holdfast stays up and works',
    async ({ attempts, ends }) => {
      site.configure({
        approvals: { mode: 'off' },
        resilience: {
          recovery: { resume_delay: '10ms', ...(attempts && { max_attempts: attempts }) },
        },
      });
      const poison = {
        name: 'shell',
        args: {
          command: `echo "x $HOLDFAST_IDEMPOTENCY_KEY" >> effects.log; kill -9 $PPID; ${waitUntil('[ -e go ] || [ ! -e effects.log ]')}`,
        },
      };
      site.fp.setScript((request) =>
        promptIn(request) === 'poison' ? callsThenDone(poison)(request) : { text: 'fine' },
      );
      const first = await site.start();
      await site.send('poison');
      await first.ended;
      for (let n = 1; n < ends; n += 1) {
        const next = site.launch(['start', '--headless']);
        await next.ended;
        expect(next.child.signalCode).toBe('SIGKILL');
      }
      await site.start();
      await site.turnIn(1, 'parked');
      const { decisions } = await site.json<RecoveryList>('recovery', 'list');
      expect(decisions).toMatchObject([{ turnId: 1, kind: 'parked' }]);
      await site.turnIn(await site.send('other', '--session', 'other'), 'completed');
      expect(site.effects()).toHaveLength(ends);
      expect(new Set(site.effects()).size).toBe(1);
    },
  );
});

describe('what nobody answered', () => {
  it.each([300, 40_000])(
    'S0-+05 a session whose last message of %i characters lost its journal row is shown once, with at most 120 characters, and stays away when dismissed',
    async (length) => {
      site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
      const host = await site.start();
      const turnId = await site.send(`where is ${'m'.repeat(length)}`, '--session', 'lost');
      await site.fp.waitForRequests(1);
      await site.kill(host);
      site.edit('DELETE FROM steps WHERE turn_id = ?', turnId);
      site.edit('DELETE FROM turns WHERE id = ?', turnId);
      const second = await site.start();
      const items = async (): Promise<
        { id: number; kind: string; detail: string; title: string }[]
      > =>
        (
          await site.json<{
            items: { id: number; kind: string; detail: string; title: string }[];
          }>('inbox', 'list')
        ).items.filter((item) => item.kind === 'unanswered');
      expect(await items()).toEqual([
        expect.objectContaining({
          title: 'A message in lost has no answer',
          detail: `where is ${'m'.repeat(111)}`,
        }),
      ]);
      await site.stop(second);
      const third = await site.start();
      const [item, ...others] = await items();
      expect(others).toEqual([]);
      await (await site.client()).call('inbox.dismiss', { inboxId: item?.id ?? 0 });
      await site.stop(third);
      await site.start();
      expect(await items()).toEqual([]);
    },
  );
});
