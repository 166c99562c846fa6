/** Agents that are command lines, killed at each of their own crash points, with real hooks. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { rowsOf } from './evidence';
import { configure, createRealm, endRealms, inEveryMode, type Mode, startLife } from './lives';
import type { Life, Realm } from './realm';
import { COMMAND_POINTS, CONVERSATION_POINTS, SEAL_POINTS } from './own-workloads';

afterEach(endRealms);

function realmWithProgram(mode: Mode, more: Record<string, unknown> = {}): Realm {
  const realm = createRealm(mode);
  const program = path.join(realm.root, 'claude');
  fs.copyFileSync(path.resolve('test/helpers/claude-agent.mjs'), program);
  fs.chmodSync(program, 0o755);
  fs.writeFileSync(
    path.join(realm.workspace, 'plan.json'),
    JSON.stringify({
      calls: ['one', 'two'].map((tag) => ({
        tool: 'Bash',
        input: { command: `echo ${tag} >> effects.log` },
      })),
      text: 'All done.',
    }),
  );
  configure(realm, {
    'resilience.recovery.mode': mode,
    'resilience.recovery.resume_delay': '20ms',
    'channels.default': 'chanA',
    agents: {
      fake: { provider: 'fake', model: 'fake-1', workspace: realm.workspace },
      c: { executor: 'command', command: program, workspace: realm.workspace },
    },
    ...more,
  });
  return realm;
}

describe('S4-19 a run of a program that is cut off at', () => {
  it.each(COMMAND_POINTS)(
    '%s loses no turn, and fires no effect that has no leave on disk, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = realmWithProgram(mode);
        const life = startLife(realm, { crash: { point, hit: 1 } });
        await life.ready();
        void life.ask({
          kind: 'call',
          verb: 'send',
          input: { text: 'do it', agent: 'c', session: 's' },
        });
        expect(await life.ended).toBe('SIGKILL');
        const effects = path.join(realm.workspace, 'effects.log');
        // Cut off before the first leave was given, so nothing may have happened.
        expect(fs.existsSync(effects)).toBe(false);
        const again = startLife(realm);
        await again.ready();
        // Killed before its first step it had not begun, and there is nothing to decide about it.
        const { decisions } = await again.call('recovery.list', {});
        expect(decisions.length > 0).toBe(mode === 'never' && point !== 'command.hooks.after');
        for (const { turnId, requestHash } of decisions)
          await again.call('recovery.resume', { turnId, requestHash });
        await again.ask({ kind: 'quiet' });
        const { turns } = await again.call('turns.list', {});
        const held = turns.filter((turn) => turn.state === 'held');
        for (const { id } of held) {
          // The process had begun and no hook had reported yet: a question, never a second run.
          const { decision } = await again.call('turns.show', { turnId: id });
          expect(decision?.ambiguous.map((one) => one.tool)).toEqual(['command.claude']);
          await again.call('recovery.resume', {
            turnId: id,
            requestHash: decision?.requestHash ?? '',
          });
        }
        await again.ask({ kind: 'quiet' });
        const after = await again.call('turns.list', {});
        expect(after.turns.map((turn) => turn.state)).toEqual(['completed']);
        expect(fs.readFileSync(effects, 'utf8')).toBe('one\ntwo\n');
        await again.stop();
      });
    },
  );
});

describe('S4-20 what a program reports because Holdfast ends it', () => {
  /** The second command runs until it is told to go, and the program reports it as over when it is ended. */
  function planSlowSecond(realm: Realm): void {
    const command = 'echo two >> effects.log; while [ ! -e go ]; do sleep 0.05; done';
    fs.writeFileSync(
      path.join(realm.workspace, 'plan.json'),
      JSON.stringify({
        calls: ['echo one >> effects.log', command].map((one) => ({
          tool: 'Bash',
          input: { command: one },
        })),
        text: 'All done.',
        reportsEnd: true,
      }),
    );
  }

  /** Ends whatever is left, as the person says of each; in the mode `always` the start has done it. */
  async function endLeft(life: Life): Promise<void> {
    const { processes } = await life.call('recovery.list', {});
    for (const { inboxId, requestHash } of processes)
      await life.ask({
        kind: 'call',
        verb: 'recovery.endProcess',
        input: { inboxId, requestHash },
      });
  }

  it.each(SEAL_POINTS)(
    'is no result of the call, killed at %s: its outcome is unknown, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = realmWithProgram(mode);
        planSlowSecond(realm);
        const effects = path.join(realm.workspace, 'effects.log');
        const first = startLife(realm);
        await first.ready();
        const { turnId } = await first.call('send', { text: 'do it', agent: 'c', session: 's' });
        await vi.waitFor(() => expect(fs.readFileSync(effects, 'utf8')).toBe('one\ntwo\n'), {
          timeout: 120_000,
        });
        await first.kill();
        const second = startLife(realm, { crash: { point, hit: 1 } });
        void second.ready().then(
          () => endLeft(second),
          () => undefined,
        );
        expect(await second.ended).toBe('SIGKILL');
        expect(realm.killedAt).toEqual([point]);
        const third = startLife(realm);
        await third.ready();
        await endLeft(third);
        fs.writeFileSync(path.join(realm.workspace, 'go'), '');
        await vi.waitFor(
          async () => {
            const { decisions } = await third.call('recovery.list', {});
            for (const { requestHash } of decisions)
              await third.call('recovery.resume', { turnId, requestHash });
            const { turn } = await third.call('turns.show', { turnId });
            expect(turn.state).toBe('completed');
          },
          { timeout: 120_000, interval: 50 },
        );
        const calls = rowsOf(
          realm,
          "SELECT state FROM turn_steps WHERE tool = 'claude.shell' ORDER BY step LIMIT 2",
        );
        expect(calls).toEqual([{ state: 'completed' }, { state: 'ambiguous' }]);
        // Whether the program came to report within its grace is a matter of the computer: the tests of
        // integration/command wait for it.
        await third.stop();
      });
    },
  );
});

describe('one place at a time: a conversation that is taken over and handed back', () => {
  const REF = '5d0c3d1e-8a57-4a2e-9f0e-3f3c9a1b2c4d';
  const session = 'shop';
  const taken = { verb: 'session.adopt', input: { agent: 'c', ref: REF, key: session } } as const;
  const given = { verb: 'session.handBack', input: { session } } as const;

  /** What a terminal of the program has left an hour ago. */
  function leave(realm: Realm): void {
    const cwd = fs.realpathSync(realm.workspace);
    const dir = path.join(realm.outside, '.claude/projects', cwd.replace(/[^A-Za-z0-9]/g, '-'));
    fs.mkdirSync(dir, { recursive: true });
    const record = path.join(dir, `${REF}.jsonl`);
    const line = { type: 'user', cwd, message: { role: 'user', content: 'Move the shop' } };
    fs.writeFileSync(record, JSON.stringify(line));
    const at = new Date(Date.now() - 3_600_000);
    fs.utimesSync(record, at, at);
    fs.mkdirSync(path.join(realm.workspace, 'conversations'));
    fs.writeFileSync(path.join(realm.workspace, 'conversations', `${REF}.json`), '{}');
  }

  it('killed before and after each of both writes it is wholly here or wholly there, and the next start goes on with what is on disk, in 3 modes', async () => {
    await inEveryMode(async (mode) => {
      const realm = realmWithProgram(mode);
      leave(realm);
      /** Who has it when a life begins, and how that life ends. */
      for (const [point, holder] of [
        ['conversation.take.before', undefined],
        ['conversation.take.after', undefined],
        ['conversation.return.before', session],
        ['conversation.return.after', session],
      ] as const) {
        const life = startLife(realm, { crash: { point, hit: 1 } });
        await life.ready();
        const { conversations } = await life.call('session.adopt', { agent: 'c' });
        expect(conversations.map((one) => [one.ref, one.session])).toEqual([[REF, holder]]);
        void life.ask({ kind: 'call', ...(holder === undefined ? taken : given) });
        expect(await life.ended).toBe('SIGKILL');
      }
      expect(realm.killedAt).toEqual(CONVERSATION_POINTS);
      const last = startLife(realm);
      await last.ready();
      const { turnId } = await last.call('send', { text: 'go on', agent: 'c', session });
      await last.ask({ kind: 'quiet' });
      // It is the terminal's: nothing is asked of the program until it is taken over again.
      const told = path.join(realm.workspace, 'told.jsonl');
      const { turn, decision } = await last.call('turns.show', { turnId });
      expect([turn.state, fs.existsSync(told)]).toEqual(['parked', false]);
      expect((await last.call('session.adopt', taken.input)).session?.key).toBe(session);
      const { requestHash = '' } = decision ?? {};
      await last.call('recovery.resume', { turnId, requestHash });
      await last.ask({ kind: 'quiet' });
      expect((await last.call('turns.show', { turnId })).turn.state).toBe('completed');
      expect(JSON.parse(fs.readFileSync(told, 'utf8'))).toMatchObject({ resumed: REF });
      expect((await last.call('sessions.list', {})).sessions).toHaveLength(1);
      await last.stop();
    });
  });

  it.each([
    'conversation.take.before',
    'conversation.take.after',
    'turn.accept.before',
    'turn.accept.after',
  ] as const)(
    'LM-12 of an open terminal whose usage limit has reset is adopted and continued once, killed at %s, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = realmWithProgram(mode, {
          'limits.continue_terminals': true,
          'limits.margin': '0s',
        });
        leave(realm);
        const atMs = Date.now() - 3_600_000;
        const stat = fs.readFileSync('/proc/self/stat', 'utf8');
        const startTicks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
        const folder = path.join(realm.dataDir, 'watch');
        fs.mkdirSync(folder);
        fs.writeFileSync(
          path.join(folder, `${REF}.jsonl`),
          [
            { event: 'UserPromptSubmit', prompt: 'Move the shop', pid: process.pid, startTicks },
            { event: 'StopFailure', error: 'rate_limit', said: 'Limit reached. Resets in 1h' },
          ]
            .map((line) => `${JSON.stringify({ atMs, cwd: realm.workspace, ...line })}\n`)
            .join(''),
        );
        const life = startLife(realm, { crash: { point, hit: 1 } });
        await life.ready();
        expect(await life.ended).toBe('SIGKILL');
        expect(realm.killedAt).toEqual([point]);
        const told = path.join(realm.workspace, 'told.jsonl');
        expect(fs.existsSync(told)).toBe(false);
        // The third start finds it done.
        for (let start = 2; start <= 3; start += 1) {
          const next = startLife(realm);
          await next.ready();
          await vi.waitFor(
            async () => {
              const { decisions } = await next.call('recovery.list', {});
              for (const { turnId, requestHash } of decisions)
                await next.call('recovery.resume', { turnId, requestHash });
              const { turns } = await next.call('turns.list', {});
              expect(turns.map((turn) => turn.state)).toEqual(['completed']);
            },
            { timeout: 120_000, interval: 50 },
          );
          await next.ask({ kind: 'quiet' });
          const { sessions } = await next.call('sessions.list', {});
          expect(sessions.map((one) => [one.agent, one.turns])).toEqual([['c', 1]]);
          await next.stop();
        }
        const lines = fs.readFileSync(told, 'utf8').trim().split('\n');
        expect(lines.map((line) => (JSON.parse(line) as { resumed: string }).resumed)).toEqual([
          REF,
        ]);
        const effects = fs.readFileSync(path.join(realm.workspace, 'effects.log'), 'utf8');
        expect(effects).toBe('one\ntwo\n');
      });
    },
  );
});
