/** Turns of agents of other programs on several computers. DW-19 */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApprovalView } from '../../../shared/types';
import { ACP_AGENT } from '../../helpers/acp-agent-program';
import { createWorld } from '../../helpers/compose-world';
import { NO_POSTGRES } from '../../helpers/postgres';
import { eachOnAnEmptyStore } from '../../helpers/shared-store-hooks';
import { type createComputers, type Computer } from '../../helpers/shared-computers';
import { isLeftOut } from '../../helpers/skips';
import { wholeLines } from '../../helpers/whole-lines';

let computers: ReturnType<typeof createComputers>;

const LIMIT = { timeout: 60_000, interval: 30 };

/** A computer with a scripted agent of its own, that asks about every command. */
function startOne(name: string): Promise<Computer> {
  const world = createWorld();
  const { workspace } = world;
  const args = [ACP_AGENT, 'plain'];
  const own = { executor: 'acp', command: process.execPath, args, workspace };
  const line = { executor: 'command', command: 'true', args: [], workspace };
  return computers.start(
    { name, config: { agents: { own, line }, approvals: { tools: { shell: 'ask' } } } },
    world,
  );
}
const linesIn = (file: string): readonly string[] => wholeLines(file);
const effects = ({ world }: Computer) => linesIn(path.join(world.workspace, 'effects.log'));
const prompts = ({ world }: Computer): readonly string[] =>
  linesIn(path.join(world.outside, 'agent.log'))
    .filter((line) => line.startsWith('prompt '))
    .map((line) => JSON.parse(line.slice('prompt '.length)) as string);

/** What this computer asks about its own run; a computer that only knows the turn asks as well. */
async function question({ app }: Computer): Promise<ApprovalView> {
  const look = async () => (await app.holdfast.call('approvals.list', {}, 'test')).requests[0];
  await expect.poll(look, LIMIT).toBeDefined();
  return (await look())!;
}
const say = ({ app }: Computer, verb: 'allow' | 'deny', asked: ApprovalView) =>
  app.holdfast.call(
    `approvals.${verb}`,
    { requestId: asked.requestId, requestHash: asked.requestHash },
    'test',
  );
const stateOf = (computer: Computer, session: string) => async () =>
  (await computer.turnOf(session))?.state;

describe.skipIf(isLeftOut('shared work of external agents', NO_POSTGRES))(
  'an agent of another program, shared',
  () => {
    eachOnAnEmptyStore((_, fresh) => {
      computers = fresh;
    });

    it('DW-07 DW-19 its computer is cut off in a call of 8 s: the agent is gone with the lease; another continues with the facts, asks before each repeat, and the next turn here is told what it missed', async () => {
      const a = await startOne('desk-1');
      const turnId = await a.send('do: run one\ndo: long job\ndo: say done', {
        agent: 'own',
        session: 'work',
      });
      for (const hint of ['one', 'job']) {
        const asked = await question(a);
        expect(asked.hint).toBe(hint);
        await say(a, 'allow', asked);
        await expect.poll(() => effects(a).length, LIMIT).toBe(hint === 'one' ? 1 : 2);
      }
      const b = await startOne('desk-2');
      a.proxy.cut();
      const first = await question(b);
      // By now nothing of the agent of desk-1 runs: the command that was a process of its own neither.
      expect(effects(a)).toEqual(['one', 'begin job']);
      expect((await a.turn(turnId)).state).toBe('waiting');
      expect([first.hint, first.reason]).toEqual([
        'one',
        expect.stringContaining('was completed before the restart') as unknown,
      ]);
      await say(b, 'deny', first);
      await expect.poll(async () => (await question(b)).hint, LIMIT).toBe('job');
      const second = await question(b);
      expect(second.reason).toContain('may have happened');
      await say(b, 'deny', second);
      await expect.poll(stateOf(b, 'work'), LIMIT).toBe('completed');
      expect(effects(b)).toEqual([]);
      const [told] = prompts(b);
      expect(told).toMatch(/by another computer[^]*Already done[^]*one[^]*Outcome unknown[^]*job/);
      a.proxy.heal();
      await expect.poll(stateOf(a, 'work'), LIMIT).toBe('completed');
      const next = await a.send('do: say more', {
        agent: 'own',
        session: 'work',
        needs: ['label:desk-1'],
      });
      // What it was told begins with the conversation that it has missed a part of.
      await expect
        .poll(() => prompts(a).at(-1), LIMIT)
        .toMatch(/Earlier messages[^]*done[^]*do: say more/);
      await a.app.holdfast.call('turns.cancel', { turnId: next }, 'test');
    });

    it('DW-22 DW-27 a later turn of its session goes only to a computer that sent, ran or may run each of the earlier ones, and no other one is told anything of them', async () => {
      const [a, b, c] = [
        await startOne('desk-1'),
        await startOne('desk-2'),
        await startOne('desk-3'),
      ];
      const own = { agent: 'own', session: 'work' };
      await a.send('do: say first', { ...own, needs: ['label:desk-2'] });
      await expect.poll(stateOf(a, 'work'), LIMIT).toBe('completed');
      expect(prompts(b)).toHaveLength(1);
      // desk-3 offers what this one needs, and not what the first one did.
      const later = await a.send('do: say later', { ...own, needs: ['label:desk-3'] });
      await a.send('do: say other', { ...own, session: 'other', needs: ['label:desk-3'] });
      // By then desk-3 has looked at both.
      await expect.poll(stateOf(c, 'other'), LIMIT).toBe('completed');
      const { waiting } = await a.app.holdfast.call('machines.list', {}, 'test');
      expect(waiting).toMatchObject([{ turnId: later, session: 'work', strangers: ['desk-3'] }]);
      expect(prompts(c).join()).not.toMatch(/first|later/);
      expect(await c.turnOf('work')).toBeUndefined();
      await a.app.holdfast.call('turns.cancel', { turnId: later }, 'test');
      // desk-1 has sent all of them; desk-2 neither sent nor ran the one for desk-3.
      const last = await a.send('do: say last', own);
      await expect.poll(async () => (await a.turn(last)).state, LIMIT).toBe('completed');
      expect(prompts(a)).toEqual([
        expect.stringMatching(/Earlier messages[^]*say first[^]*say last/) as unknown,
      ]);
      expect([prompts(b).length, prompts(c).length]).toEqual([1, 1]);
    });

    it('DW-19 DW-22 waits for a computer with that agent: one without it, or with another kind of its name, never takes it; an agent that is a command line says why it cannot be shared', async () => {
      const a = await startOne('desk-1');
      await computers.start({ name: 'desk-2' });
      const turnId = await a.send('do: say done', {
        agent: 'own',
        session: 'work',
        needs: ['label:desk-2'],
      });
      const list = () => a.app.holdfast.call('machines.list', {}, 'test');
      await expect
        .poll(async () => (await list()).waiting[0]?.why, LIMIT)
        .toBe('It waits for a computer with external agent own, label desk-2.');
      const offers = new Map((await list()).machines.map((one) => [one.name, one.offers]));
      expect(offers.get('desk-1')).toContain('acp:own');
      expect(offers.get('desk-1')).not.toContain('agent:own');
      expect(offers.get('desk-2')).not.toContain('acp:own');
      await a.app.holdfast.call('turns.cancel', { turnId }, 'test');
      await expect(a.send('x', { agent: 'line' })).rejects.toThrow(
        /command-line agent.*cannot be shared.*can/,
      );
    });
  },
);
