import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ComposeOptions, Composition } from '../../../electron/compose/options';
import type { ApprovalView } from '../../../shared/types';
import { composeIn, QUIET, turnIn, writeConfig } from '../../helpers/compose-world';
import {
  createFakeProvider,
  createFakeTools,
  linesOf,
  promptOf,
  resultsSoFar,
} from '../../helpers/fake-world';
import { createVirtualClock } from '../../helpers/virtual-clock';
import { useWorld } from '../../helpers/use-world';

const { world, running } = useWorld({ approvals: { tools: { send_email: 'ask' } } });

const mail = { to: 'x', text: 'hello' };
const calls: Record<string, { readonly tool: string; readonly args?: unknown }[]> = {
  mail: [{ tool: 'send_email', args: mail }],
  twice: [
    { tool: 'send_email', args: mail },
    { tool: 'send_email', args: mail },
  ],
  push: [{ tool: 'shell', args: { command: 'git push origin main' } }],
  ls: [{ tool: 'shell', args: { command: 'ls' } }],
  pick: [{ tool: 'pick_colour', args: { of: ['red', 'blue'] } }],
};

async function start(
  extra: Partial<ComposeOptions> = {},
): Promise<Composition & { readonly effects: () => string[] }> {
  const tools = createFakeTools({ dir: world.outside });
  const provider = createFakeProvider({
    dir: world.outside,
    script: (request) => {
      const call = calls[promptOf(request)]?.[resultsSoFar(request)];
      const last = request.messages.at(-1);
      return call === undefined
        ? { text: `end: ${last?.role === 'tool' ? last.content : ''}` }
        : { calls: [call] };
    },
  });
  const composition = composeIn(world, { toolHosts: [tools], providers: [provider], ...extra });
  running.push(composition);
  await composition.lifecycle.start();
  return { ...composition, effects: () => linesOf(tools.log) };
}

type App = Awaited<ReturnType<typeof start>>;

async function asked(app: App, text: string, session = 's'): Promise<ApprovalView> {
  const { turnId } = await app.holdfast.call('send', { text, session, agent: 'fake' }, 'test');
  await turnIn(app, turnId, ['requires_action']);
  const { requests } = await app.holdfast.call('approvals.list', {}, 'test');
  const mine = requests.find((one) => one.turnId === turnId);
  if (mine === undefined) throw new Error('no request');
  return mine;
}

const answer = async (app: App, turnId: number): Promise<string | undefined> => {
  await turnIn(app, turnId, [...QUIET]);
  return (await app.holdfast.call('turns.show', { turnId }, 'test')).answer;
};

describe('a tool that is marked to be asked about', () => {
  it('S3-05 S3-06 stops its turn with requires_action, is not called, and other sessions go on', async () => {
    const app = await start();
    const request = await asked(app, 'mail');
    expect(request).toMatchObject({ kind: 'approval', tool: 'fake.send_email', sessionKey: 's' });
    expect(JSON.parse(request.args)).toEqual(mail);
    const { session } = await app.holdfast.call('session.status', { session: 's' }, 'test');
    expect(session.status).toBe('requires_action');
    // Nothing of it runs by itself.
    const stood = await app.holdfast.call('session.status', { session: 's' }, 'test');
    expect(stood).toMatchObject({ pendingEvents: 1, runnablePendingEvent: null });
    expect(stood.latestOutcome).toMatchObject({
      kind: 'blocked',
      blockedReason: 'requires_action',
    });
    expect(app.holdfast.status().counts.needsYou).toBe(1);
    const other = await app.holdfast.call(
      'send',
      { text: 'ls', session: 'other', agent: 'fake' },
      'test',
    );
    expect((await turnIn(app, other.turnId, [...QUIET])).state).toBe('completed');
    expect(app.effects()).toEqual([]);
  });

  it('S3-08 runs exactly the stored input once when it is allowed, in the same session', async () => {
    const app = await start();
    const { requestId, requestHash, turnId } = await asked(app, 'mail');
    await app.holdfast.call('approvals.allow', { requestId, requestHash }, 'test');
    expect(await answer(app, turnId)).toBe('end: send_email: ok');
    expect(app.effects().map((line) => (JSON.parse(line) as { args: unknown }).args)).toEqual([
      mail,
    ]);
    const shown = await app.holdfast.call('turns.show', { turnId }, 'test');
    expect(shown.turn).toMatchObject({ sessionKey: 's', state: 'completed' });
  });

  it('S3-08 feeds a refusal back with the words of the person, and nothing runs', async () => {
    const app = await start();
    const { requestId, requestHash, turnId } = await asked(app, 'mail');
    await app.holdfast.call(
      'approvals.deny',
      { requestId, requestHash, note: 'not on a Sunday' },
      'test',
    );
    expect(await answer(app, turnId)).toMatch(/denied this tool call.*not on a Sunday/);
    const { events } = await app.holdfast.call('session.events', { session: 's' }, 'test');
    expect(events.find(({ type }) => type === 'user.tool_confirmation')?.text).toMatch(/^refused/);
    expect(app.effects()).toEqual([]);
  });

  it('S3-08 refuses a second, a stale, a wrong and an unknown answer, each with its reason', async () => {
    const app = await start();
    const { requestId, requestHash, turnId } = await asked(app, 'mail');
    const call = app.holdfast.call;
    const wrong = 'ab'.repeat(32);
    await expect(
      call('approvals.allow', { requestId, requestHash: wrong }, 'test'),
    ).rejects.toMatchObject({ code: 'REQUEST_STALE' });
    await expect(
      call('approvals.allow', { requestId: requestId + 1, requestHash }, 'test'),
    ).rejects.toMatchObject({ code: 'REQUEST_UNKNOWN' });
    await expect(
      call(
        'session.customToolResult',
        { session: 's', requestId, requestHash, output: 'x' },
        'test',
      ),
    ).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(app.effects()).toEqual([]);
    const [first, second] = await Promise.allSettled([
      call('approvals.allow', { requestId, requestHash }, 'test'),
      call('approvals.deny', { requestId, requestHash }, 'test'),
    ]);
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected']);
    await turnIn(app, turnId, ['completed']);
    await expect(call('approvals.deny', { requestId, requestHash }, 'test')).rejects.toMatchObject({
      code: 'REQUEST_ANSWERED',
      message: expect.stringMatching(/was already answered: (allowed|refused)\.$/) as string,
    });
    expect(app.effects().length).toBeLessThanOrEqual(1);
  });

  it('S3-06 asks again for the same call a second time, unless it was allowed for the session', async () => {
    const app = await start();
    const first = await asked(app, 'twice');
    await app.holdfast.call('approvals.allow', first && pick(first), 'test');
    await turnIn(app, first.turnId, ['requires_action', 'completed']);
    await expect.poll(() => app.effects().length).toBe(1);
    await expect
      .poll(async () => (await app.holdfast.call('approvals.list', {}, 'test')).requests.length)
      .toBe(1);
    const { requests } = await app.holdfast.call('approvals.list', {}, 'test');
    const second = requests[0];
    if (second === undefined) throw new Error('not asked');
    await app.holdfast.call('approvals.allow', { ...pick(second), scope: 'session' }, 'test');
    expect(await answer(app, first.turnId)).toBe('end: send_email: ok');
    const third = await app.holdfast.call(
      'send',
      { text: 'twice', session: 's', agent: 'fake' },
      'test',
    );
    expect((await turnIn(app, third.turnId, [...QUIET])).state).toBe('completed');
    expect(app.effects()).toHaveLength(4);
    const other = await app.holdfast.call(
      'send',
      { text: 'mail', session: 'another', agent: 'fake' },
      'test',
    );
    expect((await turnIn(app, other.turnId, [...QUIET])).state).toBe('requires_action');
  });

  it('S3-06 "always" becomes a setting, and holds in every session', async () => {
    const app = await start();
    const first = await asked(app, 'mail');
    await app.holdfast.call('approvals.allow', { ...pick(first), scope: 'always' }, 'test');
    await turnIn(app, first.turnId, ['completed']);
    const entry = await app.holdfast.call('config.get', { key: 'approvals.tools' }, 'test');
    expect(entry.value).toEqual({ send_email: 'ask', 'fake.send_email': 'allow' });
    const other = await app.holdfast.call(
      'send',
      { text: 'mail', session: 'another', agent: 'fake' },
      'test',
    );
    expect((await turnIn(app, other.turnId, [...QUIET])).state).toBe('completed');
  });

  it('S3-06 two "always" at the same moment are two rules', async () => {
    const app = await start();
    const one = await asked(app, 'mail', 'one');
    const two = await asked(app, 'push', 'two');
    await Promise.all(
      [one, two].map((request) =>
        app.holdfast.call('approvals.allow', { ...pick(request), scope: 'always' }, 'test'),
      ),
    );
    const entry = await app.holdfast.call('config.get', { key: 'approvals.tools' }, 'test');
    expect(entry.value).toEqual({
      send_email: 'ask',
      'fake.send_email': 'allow',
      'shell.shell git push': 'allow',
    });
  });

  it('S3-06 "always" whose rule cannot be saved says that the call is allowed this once, and it is', async () => {
    const app = await start();
    const request = await asked(app, 'mail');
    fs.writeFileSync(path.join(world.dataDir, 'config.json'), '{ "approvals": ');
    await expect(
      app.holdfast.call('approvals.allow', { ...pick(request), scope: 'always' }, 'test'),
    ).rejects.toMatchObject({
      message: expect.stringMatching(
        /^The tool call is allowed and the turn continues; the rule for later tool calls was not saved/,
      ) as string,
    });
    expect(await answer(app, request.turnId)).toBe('end: send_email: ok');
    expect(app.effects()).toHaveLength(1);
  });

  it('S3-06 a rule that denies tells the agent and asks nobody', async () => {
    writeConfig(world, { approvals: { tools: { send_email: 'deny' } } });
    const app = await start();
    const { turnId } = await app.holdfast.call('send', { text: 'mail', agent: 'fake' }, 'test');
    expect(await answer(app, turnId)).toMatch(/does not allow it/);
    expect(app.effects()).toEqual([]);
  });

  it('S3-06 by default a push is asked about and a listing is not', async () => {
    const app = await start();
    const request = await asked(app, 'push');
    expect(request).toMatchObject({
      tool: 'shell.shell',
      reason: 'It publishes: others will see it.',
      covers: 'shell.shell git push',
      notTold: 'origin is not set here',
    });
    const { turnId } = await app.holdfast.call(
      'send',
      { text: 'ls', session: 'l', agent: 'fake' },
      'test',
    );
    expect((await turnIn(app, turnId, [...QUIET])).state).toBe('completed');
  });

  it('S3-06 S3-08 leave for a push is for the remote as it was: pointed elsewhere, it is asked again', async () => {
    const remote = (url: string): void => {
      fs.mkdirSync(path.join(world.workspace, '.git', 'refs'), { recursive: true });
      fs.mkdirSync(path.join(world.workspace, '.git', 'objects'), { recursive: true });
      fs.writeFileSync(path.join(world.workspace, '.git', 'HEAD'), 'ref: refs/heads/main\n');
      fs.writeFileSync(
        path.join(world.workspace, '.git', 'config'),
        `[remote "origin"]\n\turl = ${url}\n`,
      );
    };
    remote(path.join(world.outside, 'nowhere.git'));
    const app = await start();
    const first = await asked(app, 'push');
    expect(first).toMatchObject({
      leaves: true,
      goesTo: { address: path.join(world.outside, 'nowhere.git'), name: 'origin' },
    });
    remote(path.join(world.outside, 'elsewhere.git'));
    await app.holdfast.call('approvals.allow', pick(first), 'test');
    const again = async (): Promise<ApprovalView | undefined> =>
      (await app.holdfast.call('approvals.list', {}, 'test')).requests[0];
    await expect.poll(async () => (await again())?.requestId).not.toBe(first.requestId);
    await turnIn(app, first.turnId, ['requires_action']);
    const second = await again();
    expect(second).toMatchObject({
      reason: 'Its destination has changed since you allowed it. It has not run.',
      goesTo: { address: path.join(world.outside, 'elsewhere.git') },
    });
    if (second === undefined) throw new Error('it was not asked again');
    await app.holdfast.call('approvals.allow', pick(second), 'test');
    // Git itself says that nothing is there: the call was made, once, where it was allowed to.
    expect(await answer(app, first.turnId)).toMatch(/elsewhere\.git/);
  });

  it('S3-06 F3 leave for each push of a session is for the remote as it was, and for no other', async () => {
    const remote = (url: string): void => {
      for (const one of ['refs', 'objects'])
        fs.mkdirSync(path.join(world.workspace, '.git', one), { recursive: true });
      fs.writeFileSync(path.join(world.workspace, '.git', 'HEAD'), 'ref: refs/heads/main\n');
      fs.writeFileSync(
        path.join(world.workspace, '.git', 'config'),
        `[remote "origin"]\n\turl = ${url}\n`,
      );
    };
    const [good, evil] = ['good.git', 'evil.git'].map((one) => path.join(world.outside, one));
    remote(good ?? '');
    const app = await start();
    const first = await asked(app, 'push');
    expect(first.covers).toBe(`shell.shell git push to ${String(good)}`.slice(0, 200));
    await app.holdfast.call('approvals.allow', { ...pick(first), scope: 'session' }, 'test');
    expect(await answer(app, first.turnId)).toMatch(/good\.git/);
    const again = () =>
      app.holdfast.call('send', { text: 'push', session: first.sessionKey, agent: 'fake' }, 'test');
    // Git says itself that nothing is there: it was tried, without a question.
    expect(await answer(app, (await again()).turnId)).toMatch(/good\.git/);
    remote(evil ?? '');
    const { turnId } = await again();
    await turnIn(app, turnId, ['requires_action']);
    const [second] = (await app.holdfast.call('approvals.list', {}, 'test')).requests;
    expect(second).toMatchObject({ turnId, goesTo: { address: evil } });
  });

  it('S3-07 S3-08 the question outlives restarts, is answered after one, and the effect happens once', async () => {
    const first = await start();
    const request = await asked(first, 'mail');
    await first.lifecycle.stop('stop');
    const second = await start();
    const { requests } = await second.holdfast.call('approvals.list', {}, 'test');
    expect(requests).toEqual([request]);
    await second.holdfast.call('approvals.allow', pick(request), 'test');
    expect(await answer(second, request.turnId)).toBe('end: send_email: ok');
    expect(second.effects()).toHaveLength(1);
    // The model was asked once for each state: the answer before the question was not paid again.
    expect(linesOf(`${world.outside}/requests.log`)).toHaveLength(2);
  });

  it('S3-05 a question that waits for 30 days has no timer and writes nothing, and its answer counts', async () => {
    const clock = createVirtualClock(Date.parse('2026-03-01T12:00:00Z'));
    const app = await start({ clock, ticker: clock.ticker });
    const request = await asked(app, 'mail');
    // What was timed for its run has gone with it, at the latest with the last look at its lease.
    await clock.advance(61_000);
    expect(clock.pending).toEqual({ sleeps: 0, ticks: 0 });
    const written = () => app.holdfast.call('session.events', { session: 's' }, 'test');
    const before = await written();
    await clock.advance(30 * 24 * 3_600_000);
    expect(await written()).toEqual(before);
    expect((await app.holdfast.call('approvals.list', {}, 'test')).requests).toEqual([request]);
    await app.holdfast.call('approvals.allow', pick(request), 'test');
    expect(await answer(app, request.turnId)).toBe('end: send_email: ok');
    expect(app.effects()).toHaveLength(1);
  });

  it('S3-+01 an interrupt ends the question and goes on with the note', async () => {
    const app = await start();
    const { requestId, requestHash, turnId } = await asked(app, 'mail');
    await app.holdfast.call('session.interrupt', { session: 's', note: 'ls' }, 'test');
    expect((await turnIn(app, turnId, ['cancelled'])).state).toBe('cancelled');
    await expect(
      app.holdfast.call('approvals.allow', { requestId, requestHash }, 'test'),
    ).rejects.toMatchObject({ code: 'REQUEST_ANSWERED' });
    const { items } = await app.holdfast.call('inbox.list', {}, 'test');
    expect(items).toEqual([]);
    await expect
      .poll(async () => {
        const { turns } = await app.holdfast.call('turns.list', { session: 's' }, 'test');
        return turns.map((turn) => [turn.promptStart, turn.state]);
      })
      .toEqual([
        ['ls', 'completed'],
        ['mail', 'cancelled'],
      ]);
    expect(app.effects()).toEqual([]);
  });
});

const pick = (view: ApprovalView): { requestId: number; requestHash: string } => ({
  requestId: view.requestId,
  requestHash: view.requestHash,
});

describe('a session that is cut into', () => {
  it('S3-+01 before its first wake begins with the note', async () => {
    const app = await start();
    await app.holdfast.call('session.create', { key: 'new', agent: 'fake' }, 'test');
    await app.holdfast.call('session.interrupt', { session: 'new', note: 'ls' }, 'test');
    const turns = async () =>
      (await app.holdfast.call('turns.list', { session: 'new' }, 'test')).turns;
    await expect
      .poll(async () => (await turns()).map((turn) => [turn.promptStart, turn.state]))
      .toEqual([['ls', 'completed']]);
  });
});

describe('a session that is cut into before its turn has begun on disk', () => {
  it('S3-+01 ends a turn that still waits for its servers, too', async () => {
    const mute = { command: 'tail', args: ['-f', '/dev/null'] };
    writeConfig(world, { mcp: { servers: { mute } } });
    const app = await start();
    const { turnId } = await app.holdfast.call(
      'send',
      { text: 'mail', session: 's', agent: 'fake' },
      'test',
    );
    await expect.poll(() => app.holdfast.status().counts.running).toBe(1);
    const { turn } = await app.holdfast.call('turns.show', { turnId }, 'test');
    expect(turn.state).toBe('queued');
    const cut = await app.holdfast.call('session.interrupt', { session: 's' }, 'test');
    expect(cut.cancelled).toEqual([turnId]);
    expect((await turnIn(app, turnId, ['cancelled'])).state).toBe('cancelled');
    expect(app.effects()).toEqual([]);
  });
});

describe('a tool that the outside carries out', () => {
  beforeEach(() => {
    writeConfig(world, {
      agents: {
        fake: {
          provider: 'fake',
          model: 'fake-1',
          workspace: world.workspace,
          custom_tools: [{ name: 'pick_colour', description: 'A person picks' }],
        },
      },
    });
  });

  it('S3-09 S3-10 S3-11 stops with requires_action, shows its input, and its result enters the context once, over a restart', async () => {
    const first = await start();
    const request = await asked(first, 'pick');
    expect(request).toMatchObject({ kind: 'custom_tool', tool: 'custom.pick_colour' });
    expect(JSON.parse(request.args)).toEqual({ of: ['red', 'blue'] });
    const give = (app: App, output: string) =>
      app.holdfast.call(
        'session.customToolResult',
        { session: 's', ...pick(request), output },
        'test',
      );
    await expect(give(first, '  ')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(
      first.holdfast.call('approvals.allow', pick(request), 'test'),
    ).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await first.lifecycle.stop('stop');
    const second = await start();
    await give(second, 'blue');
    expect(await answer(second, request.turnId)).toBe('end: blue');
    await expect(give(second, 'red')).rejects.toMatchObject({ code: 'REQUEST_ANSWERED' });
    const { steps } = await second.holdfast.call('turns.show', { turnId: request.turnId }, 'test');
    expect(steps.filter((step) => step.tool === 'custom.pick_colour')).toHaveLength(1);
  });

  it('S3-10 keeps an input of 1 MB whole and shows its beginning', async () => {
    const big = 'x'.repeat(1_000_000);
    calls['big'] = [{ tool: 'pick_colour', args: { of: big } }];
    const app = await start();
    const request = await asked(app, 'big');
    expect(request.isTruncated).toBe(true);
    expect(request.args).toHaveLength(4_000);
    await app.holdfast.call(
      'session.customToolResult',
      { session: 's', ...pick(request), output: 'small' },
      'test',
    );
    expect(await answer(app, request.turnId)).toBe('end: small');
  });
});
