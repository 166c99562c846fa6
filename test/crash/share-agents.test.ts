/**
 * A computer that is killed while an agent of another program works on a shared turn: another computer goes on
 * from the record, and nothing is done twice without a question. DW-19
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import { ACP_AGENT } from '../helpers/acp-agent-program';
import { startFakeProvider, type FakeProvider } from '../helpers/fake-provider';
import { commandOfPrompt, configureOpencode, findOpencode } from '../helpers/opencode';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../helpers/postgres';
import { isLeftOut } from '../helpers/skips';
import { databaseProblems } from './evidence';
import { configure, createRealm, endRealms, inEveryMode, startLife, type Mode } from './lives';
import type { Life, Realm } from './realm';

// A real agent takes 5 s to start where nothing else runs, and ten times that on a busy computer.
const LIMIT = { timeout: 120_000, interval: 50 };

function computer(
  mode: Mode,
  name: string,
  agent: { readonly command: string; readonly args: readonly string[] },
  more: Record<string, unknown> = {},
): Realm {
  const realm = createRealm(mode);
  configure(realm, {
    'resilience.recovery.mode': mode,
    'resilience.recovery.side_effect_tools': mode === 'safe_only' ? ['shell'] : [],
    'resilience.recovery.resume_delay': '20ms',
    'agents.own': { executor: 'acp', ...agent, workspace: realm.workspace },
    // Shorter, a busy computer would miss its own.
    'share.lease': '8s',
    'share.name': name,
    ...more,
  });
  return realm;
}

async function born(realm: Realm): Promise<Life> {
  const life = startLife(realm);
  await life.ready();
  await expect
    .poll(async () => (await life.call('share.status', {})).state, LIMIT)
    .toMatch(/off|connected/);
  return life;
}

/** Both know the store; the second one is off. */
async function joined(one: Realm, two: Realm, store: string): Promise<Life> {
  const [host, other] = await Promise.all([born(one), born(two)]);
  await host.call('share.host', { address: store });
  const { invitation } = await host.call('share.invite', { name: 'desk-2' });
  await other.call('share.join', { invitation });
  await host.call('share.admit', { name: 'desk-2' });
  await other.stop();
  return host;
}

const effectsOf = ({ workspace }: Realm): readonly string[] => {
  const file = path.join(workspace, 'effects.log');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : [];
};
const promptsOf = ({ outside }: Realm): string =>
  fs.existsSync(path.join(outside, 'agent.log'))
    ? fs.readFileSync(path.join(outside, 'agent.log'), 'utf8')
    : '';

/** Ends the turn on the computer that has it: resumes what is held, refuses what would happen again. */
async function ending(life: Life, session: string) {
  const denied: string[] = [];
  let isHeld = false;
  await expect
    .poll(async () => {
      for (const { turnId, requestHash } of (await life.call('recovery.list', {})).decisions) {
        isHeld = true;
        await life.call('recovery.resume', { turnId, requestHash });
      }
      for (const { requestId, requestHash, hint, reason } of (await life.call('approvals.list', {}))
        .requests) {
        // No rule asks here: only what may have happened is asked about.
        expect(reason).toContain('before the restart');
        denied.push(hint);
        await life.call('approvals.deny', { requestId, requestHash });
      }
      const { turns } = await life.call('turns.list', {});
      return turns.find(({ sessionKey }) => sessionKey === session)?.state;
    }, LIMIT)
    .toBe('completed');
  return { denied, isHeld };
}

/**
 * Where the first computer is killed, in the course of two commands and an answer. The intent of the first is
 * in the store with its announcement; the agent hears its leave after the second append of it.
 */
const KILLS: readonly { readonly point: CrashPointName; readonly hit: number }[] = [
  { point: 'share.append.before', hit: 1 },
  { point: 'share.append.after', hit: 4 },
  { point: 'step.effect.before', hit: 1 },
  { point: 'step.effect.after', hit: 1 },
];
/** Each waits for a lease to end and an agent to start, side by side in three modes. */
const KILLS_MS = 600_000;

const real = await findOpencode();

describe.skipIf(isLeftOut('kills of computers with external agents', NO_POSTGRES))(
  'a computer that is killed while its agent works on a shared turn',
  () => {
    let postgres: Postgres;
    let provider: FakeProvider | undefined;
    beforeAll(async () => {
      postgres = await createPostgres();
    }, 60_000);
    afterAll(async () => {
      await provider?.stop();
      await postgres?.remove();
      endPostgres();
    });
    afterEach(endRealms);

    async function storeOf(name: string): Promise<string> {
      await postgres.sql(`CREATE DATABASE ${name}`);
      return `postgres://owner@127.0.0.1:${String(postgres.port)}/${name}`;
    }

    const scripted = { command: process.execPath, args: [ACP_AGENT, 'plain'] };

    it(
      `DW-08 DW-10 DW-19 in each recovery mode, at ${KILLS.map(({ point, hit }) => `${point} ${String(hit)}`).join(', ')}: another computer ends the turn, each command happens once at most, and one that did not happen was asked about`,
      { timeout: KILLS_MS },
      async () => {
        await inEveryMode(async (mode) => {
          const open = { 'approvals.tools': { shell: 'allow' } };
          const one = computer(mode, 'desk-1', scripted, open);
          const two = computer(mode, 'desk-2', scripted, open);
          let first = await joined(one, two, await storeOf(`scripted_${mode}`));
          for (const [at, { point, hit }] of KILLS.entries()) {
            const session = `s${String(at)}`;
            const [left, right] = [`left-${session}`, `right-${session}`];
            await first.ask({ kind: 'arm', point, later: hit - 1 });
            void first.ask({
              kind: 'call',
              verb: 'share.send',
              input: {
                text: `do: run ${left}\ndo: run ${right}\ndo: say done`,
                agent: 'own',
                session,
              },
            });
            expect(await first.ended).toBe('SIGKILL');
            const toldBefore = promptsOf(two).length;
            const second = await born(two);
            const { denied, isHeld } = await ending(second, session);
            await second.stop();
            const all = [...effectsOf(one), ...effectsOf(two)];
            for (const command of [left, right]) {
              const count = all.filter((line) => line === command).length;
              expect([
                mode,
                point,
                hit,
                command,
                count,
                count === 0 && !denied.includes(command),
              ]).toEqual([mode, point, hit, command, count, false]);
              expect(count).toBeLessThanOrEqual(1);
            }
            // What has not begun is nobody's to tell or to hold. (Where a busy computer misses its own lease
            // and takes the turn up again, mode never holds that.)
            const hasBegun = effectsOf(one).some((line) => line.endsWith(session));
            if (at === 0)
              expect([mode, denied, isHeld && mode !== 'never']).toEqual([mode, [], false]);
            if (hasBegun) {
              expect(isHeld || mode !== 'never').toBe(true);
              expect(promptsOf(two).slice(toldBefore)).toContain('on another computer');
            }
            first = await born(one);
          }
          await first.stop();
          for (const realm of [one, two]) expect(databaseProblems(realm)).toEqual([]);
        });
      },
    );

    it.skipIf(isLeftOut('opencode itself, shared', 'missing' in real && real.missing))(
      'DW-19 opencode itself: killed in the call on one computer, it goes on at the other; what was done is not done again, and what may have happened is asked about',
      { timeout: 480_000 },
      async () => {
        provider = await startFakeProvider({ script: commandOfPrompt });
        const opencode = { command: 'path' in real ? real.path : '', args: ['acp'] };
        const ask = { 'approvals.tools': { shell: 'ask' } };
        const one = computer('always', 'desk-1', opencode, ask);
        const two = computer('always', 'desk-2', opencode, ask);
        for (const { outside } of [one, two])
          configureOpencode(path.join(outside, '.config'), provider);
        const first = await joined(one, two, await storeOf('opencode'));
        await first.call('share.send', {
          text: 'run: echo one >> effects.log; sleep 4; echo two >> effects.log',
          agent: 'own',
          session: 'work',
        });
        const question = async (life: Life) => (await life.call('approvals.list', {})).requests[0];
        await expect.poll(() => question(first), LIMIT).toBeDefined();
        const asked = (await question(first))!;
        await first.call('approvals.allow', {
          requestId: asked.requestId,
          requestHash: asked.requestHash,
        });
        await expect.poll(() => effectsOf(one), LIMIT).toEqual(['one']);
        await first.kill();
        const second = await born(two);
        const { denied } = await ending(second, 'work');
        expect(denied).toEqual([asked.hint]);
        expect(effectsOf(two)).toEqual([]);
        expect(effectsOf(one).filter((line) => line === 'one')).toHaveLength(1);
        const told = JSON.stringify(provider.requests.at(-1)?.json);
        expect(told).toMatch(/on another computer.*Outcome unknown.*echo one/);
        const { moves } = await second.call('turns.show', {
          turnId: (await second.call('turns.list', {})).turns[0]!.id,
        });
        expect(moves).toMatchObject([{ to: 'here', computer: 'desk-1' }]);
        await second.stop();
      },
    );
  },
);
