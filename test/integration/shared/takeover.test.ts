import { afterEach, describe, expect, it } from 'vitest';
import { charging, type createComputers, type Computer } from '../../helpers/shared-computers';
import { NO_POSTGRES, type Postgres } from '../../helpers/postgres';
import { eachOnAnEmptyStore } from '../../helpers/shared-store-hooks';
import { queueProblems } from '../../helpers/queue-evidence';
import { resultsSoFar, type Script } from '../../helpers/fake-world';
import type { ToolCall } from '../../../electron/ports/tool-call';
import type { HoldfastError } from '../../../electron/engine/kernel/errors';
import { isLeftOut } from '../../helpers/skips';

let postgres: Postgres;
let computers: ReturnType<typeof createComputers>;
let letGo: () => void = () => undefined;

/** `npm run chaos -- --cut 10` cuts for that many minutes. */
const CUT_SECONDS = Number(process.env['HOLDFAST_TEST_CUT_SECONDS'] ?? 12);

const LIMIT = { timeout: 120_000, interval: 30 };
const stateOf = (computer: Computer, turnId: number) => () =>
  computer.turn(turnId).then(({ state }) => state);

/** Stands still at the n-th charge until the test lets go; resolves when it is there. */
function stallAt(n: number, at: 'before' | 'after') {
  const held = new Promise<void>((resolve) => (letGo = resolve));
  let there = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (there = resolve));
  return {
    arrived,
    gate: async (where: 'before' | 'after', { args, signal }: ToolCall): Promise<void> => {
      if (where !== at || (args as { n: number }).n !== n) return;
      there();
      // As a program would that is ended.
      await Promise.race([
        held,
        new Promise((resolve) => signal.addEventListener('abort', resolve)),
      ]);
      if (signal.aborted) throw new Error('ended');
    },
  };
}

describe.skipIf(isLeftOut('shared work on several computers', NO_POSTGRES))(
  'several computers',
  () => {
    eachOnAnEmptyStore((store, fresh) => {
      postgres = store;
      computers = fresh;
    });
    afterEach(() => letGo());

    it('DW-01 DW-22 a turn that needs another computer runs there once, and its answer comes back', async () => {
      const [a, b] = [
        await computers.start({ name: 'desk-1' }),
        await computers.start({ name: 'desk-2' }),
      ];
      const turnId = await a.send('charge', { needs: ['label:desk-2'], session: 'cards' });
      await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
      const shown = await a.app.holdfast.call('turns.show', { turnId }, 'test');
      expect(shown.answer).toBe('charged 3');
      // Each list says where it was.
      expect(shown.turn.computer).toBe('desk-2');
      const { sessions } = await a.app.holdfast.call('sessions.list', {}, 'test');
      expect(sessions.map(({ key, computer }) => [key, computer])).toEqual([['cards', 'desk-2']]);
      expect([a.effects().length, b.effects().length, a.requests()]).toEqual([0, 3, 0]);
      // Its session goes on with what was said there, here as well.
      const next = await a.send('again', { needs: ['label:desk-1'], session: 'cards' });
      await expect.poll(stateOf(a, next), LIMIT).toBe('completed');
      const rows = () => postgres.sql('SELECT state, epoch FROM holdfast.turn ORDER BY n');
      await expect.poll(rows, LIMIT).toEqual([
        { state: 'done', epoch: 1 },
        { state: 'done', epoch: 1 },
      ]);
    });

    it('DW-20 DW-22 turns of an agent that runs on a label go to the computer that has it, unless they say otherwise', async () => {
      const [a, b] = [
        await computers.start({ name: 'desk-1' }),
        await computers.start({ name: 'desk-2' }),
      ];
      const { value } = await a.app.holdfast.call('config.get', { key: 'agents' }, 'test');
      const { fake } = value as Readonly<Record<string, object>>;
      const agent = { ...fake, runs_on: 'label:desk-2' } as never;
      await a.app.holdfast.call('agents.edit', { name: 'fake', agent }, 'test');
      const there = await a.send('charge', { session: 'there' });
      const here = await a.send('charge', { session: 'here', here: true });
      for (const turnId of [there, here])
        await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
      expect([a.effects().length, b.effects().length]).toEqual([3, 3]);
      expect((await a.turn(there)).computer).toBe('desk-2');
    });

    it('DW-28 a shared turn that names no session has one that both computers call by its message', async () => {
      const [a, b] = [
        await computers.start({ name: 'desk-1' }),
        await computers.start({ name: 'desk-2' }),
      ];
      const turnId = await a.send('Charge the cards of May. Then stop.', {
        needs: ['label:desk-2'],
      });
      await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
      for (const one of [a, b]) {
        const { sessions } = await one.app.holdfast.call('sessions.list', {}, 'test');
        expect(sessions.map(({ title }) => title)).toEqual(['Charge the cards of May']);
      }
    });

    it('DW-24 the same message id is one turn, whichever computer sends it', async () => {
      const [a, b] = [
        await computers.start({ name: 'desk-1' }),
        await computers.start({ name: 'desk-2' }),
      ];
      const sent = await Promise.all(
        [a, b, a].map((one) => one.send('charge', { messageId: 'task:7:09:00', session: 'daily' })),
      );
      await expect.poll(stateOf(a, sent[0]!), LIMIT).toBe('completed');
      await expect.poll(stateOf(b, sent[1]!), LIMIT).toBe('completed');
      expect(sent[2]).toBe(sent[0]);
      expect(a.effects().length + b.effects().length).toBe(3);
    });

    it('DW-09 DW-18 another computer, whose agent works in another folder, reuses the answers and calls that name the folder, and continues in its own', async () => {
      const stall = stallAt(3, 'before');
      const script: Script = (request) => {
        const [, folder = ''] = /in the folder (\S+)\./.exec(request.system) ?? [];
        const n = resultsSoFar(request) + 1;
        return n > 3
          ? { text: `charged in ${folder}` }
          : { calls: [{ tool: 'charge', args: { n, [`${folder}/a`]: `${folder}/b` } }] };
      };
      const a = await computers.start({ name: 'desk-1', gate: stall.gate, script });
      const prompt = `charge what is in ${a.world.workspace}/a, not ${a.world.dataDir}`;
      await a.send(prompt, { session: 'cards' });
      await stall.arrived;
      const b = await computers.start({ name: 'desk-2', script });
      a.proxy.cut();
      await expect.poll(async () => (await b.turnOf('cards'))?.state, LIMIT).toBe('completed');
      const { id } = (await b.turnOf('cards'))!;
      const shown = await b.app.holdfast.call('turns.show', { turnId: id }, 'test');
      expect(shown.answer).toBe(`charged in ${b.world.workspace}`);
      expect(shown.prompt).toBe(`charge what is in ${b.world.workspace}/a, not ${b.world.dataDir}`);
      // The call that was under way is made again with what the answer of desk-1 asks for.
      const at = (n: number) => ({ n, [`${b.world.workspace}/a`]: `${b.world.workspace}/b` });
      expect(a.effects().map(({ args }) => args.n)).toEqual([1, 2]);
      expect(b.effects().map(({ args }) => args)).toEqual([at(3)]);
      // The three answers that desk-1 got are not paid for again.
      expect([a.requests(), b.requests()]).toEqual([3, 1]);
    });

    it('DW-06 DW-07 DW-09 a computer that is cut off ends its run with its lease; another continues, reuses what is finished and asks about the call that was under way', async () => {
      const stall = stallAt(2, 'after');
      const config = { resilience: { recovery: { side_effect_tools: ['charge'] } } };
      const a = await computers.start({ name: 'desk-1', gate: stall.gate, config });
      const turnId = await a.send('charge', { session: 'cards' });
      await stall.arrived;
      const b = await computers.start({ name: 'desk-2', config });
      a.proxy.cut();
      const taken = async () => (await b.turnOf('cards'))?.state;
      await expect.poll(taken, LIMIT).toBe('held');
      // By then desk-1 has let go: its lease ended there before it ended in the store.
      expect(await a.turn(turnId)).toMatchObject({
        state: 'waiting',
        reason: expect.stringContaining('could not be reached') as unknown,
      });
      const here = await b.turnOf('cards');
      const shown = await b.app.holdfast.call('turns.show', { turnId: here!.id }, 'test');
      expect(shown.steps.map(({ tool, state }) => [tool, state])).toEqual([
        ['model', 'completed'],
        ['fake.charge', 'completed'],
        ['model', 'completed'],
        ['fake.charge', 'ambiguous'],
      ]);
      expect(shown.moves).toMatchObject([{ to: 'here', computer: 'desk-1', atStep: 5 }]);
      const { decisions } = await b.app.holdfast.call('recovery.list', {}, 'test');
      const requestHash = decisions.find(({ turnId: of }) => of === here!.id)?.requestHash ?? '';
      await b.app.holdfast.call(
        'recovery.confirmStep',
        { turnId: here!.id, step: 4, requestHash },
        'test',
      );
      await expect.poll(taken, LIMIT).toBe('completed');
      letGo();
      a.proxy.heal();
      await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
      expect(await a.turn(turnId)).toMatchObject({ computer: 'desk-2' });
      expect(a.effects().map(({ args }) => args.n)).toEqual([1, 2]);
      expect(b.effects().map(({ args }) => args.n)).toEqual([3]);
      // The two answers that desk-1 got are not paid for again.
      expect([a.requests(), b.requests()]).toEqual([2, 2]);
      // The key of a call is the same on each computer.
      expect(
        new Set([...a.effects(), ...b.effects()].map(({ key }) => key.replace(/-\d+$/, ''))).size,
      ).toBe(1);
      const answers = await postgres.sql<{ n: string }>(
        'SELECT count(*) AS n FROM holdfast.entry WHERE body LIKE \'%"close"%\'',
      );
      expect(answers).toEqual([{ n: '1' }]);
    });

    it('DW-01 a message whose way to the store is cut is said to be saved here, with its turn, and runs once when the store is back; the status says since when there is no answer', async () => {
      const a = await computers.start({ name: 'desk-1' });
      a.proxy.cut();
      const failed = await a
        .send('charge', { messageId: 'm-1', session: 'cards' })
        .catch((error: unknown) => error as HoldfastError);
      if (typeof failed === 'number') throw new Error('it was accepted');
      expect(failed.code).toBe('SHARE_UNREACHABLE');
      expect(failed.message).toMatch(
        /is saved on this computer as turn 1, and is sent to the shared/,
      );
      expect(failed.hint).toBe(
        'Do not send it again: it would run twice. To cancel it: holdfast turns cancel 1',
      );
      // Whatever the state is called until the next look fails: its time says of when it is.
      const answeredAtMs = async () =>
        (await a.app.holdfast.call('share.status', {}, 'test')).answeredAtMs ?? 0;
      const lastMs = await answeredAtMs();
      expect(lastMs).toBeGreaterThan(0);
      expect(await answeredAtMs()).toBe(lastMs);
      a.proxy.heal();
      await expect.poll(answeredAtMs, LIMIT).toBeGreaterThan(lastMs);
      await expect.poll(stateOf(a, 1), LIMIT).toBe('completed');
      // Under its own id it can be sent again all the same.
      expect(await a.send('charge', { messageId: 'm-1', session: 'cards' })).toBe(1);
      expect(a.effects()).toHaveLength(3);
      // Its end is on disk here before the store hears of it.
      const rows = () => postgres.sql('SELECT state FROM holdfast.turn');
      await expect.poll(rows, LIMIT).toEqual([{ state: 'done' }]);
    });

    it('DW-12 a short cut costs nothing: the run waits for the store and continues under the same epoch; local turns go on', async () => {
      const stall = stallAt(1, 'before');
      const a = await computers.start({
        name: 'desk-1',
        gate: stall.gate,
        config: { share: { name: 'desk-1', lease: '20s' } },
      });
      const turnId = await a.send('charge');
      await stall.arrived;
      a.proxy.cut();
      letGo();
      const local = await a.app.holdfast.call('send', { text: 'charge', agent: 'fake' }, 'test');
      await expect.poll(stateOf(a, local.turnId), LIMIT).toBe('completed');
      expect(await a.turn(turnId)).toMatchObject({ state: 'running' });
      // The first charge of both, and of the local turn the rest: no intent of the shared one got out.
      expect(a.effects()).toHaveLength(4);
      a.proxy.heal();
      await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
      expect(a.effects()).toHaveLength(6);
      await expect
        .poll(() => postgres.sql('SELECT epoch, state FROM holdfast.turn'), LIMIT)
        .toEqual([{ epoch: 1, state: 'done' }]);
    });

    it(
      `DW-12 ${String(CUT_SECONDS)} s without the store on each computer: the running step ends in the local journal, then the turn waits and says so, local turns go on, and once it is back all journals together have each effect once`,
      async () => {
        const stall = stallAt(2, 'before');
        const a = await computers.start({ name: 'desk-1', gate: stall.gate });
        const b = await computers.start({ name: 'desk-2' });
        const both = [a, b] as const;
        const turnId = await a.send('charge', { session: 'cards', needs: ['label:desk-1'] });
        await stall.arrived;
        for (const { proxy } of both) proxy.cut();
        const until = performance.now() + CUT_SECONDS * 1_000;
        letGo();
        const chargesOf = async (of: number) =>
          (await a.app.holdfast.call('turns.show', { turnId: of }, 'test')).steps
            .filter(({ tool }) => tool === 'fake.charge')
            .map(({ state }) => state);
        const waits = {
          state: 'waiting',
          reason: expect.stringContaining('could not be reached') as unknown,
        };
        await expect.poll(() => a.turn(turnId), LIMIT).toMatchObject(waits);
        expect((await chargesOf(turnId)).slice(0, 2)).toEqual(['completed', 'completed']);
        let local = 0;
        while (local === 0 || performance.now() < until) {
          local += 1;
          for (const one of both) {
            const sent = await one.app.holdfast.call('send', { text: 'hi', agent: 'fake' }, 'test');
            await expect.poll(stateOf(one, sent.turnId), LIMIT).toBe('completed');
          }
          expect(await a.turn(turnId)).toMatchObject(waits);
          await new Promise((resolve) => setTimeout(resolve, CUT_SECONDS * 50));
        }
        for (const { proxy } of both) proxy.heal();
        await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
        expect(await a.app.holdfast.call('recovery.list', {}, 'test')).toMatchObject({
          decisions: [],
        });
        // Three of the shared turn, and three of each local one.
        expect(a.effects()).toHaveLength(3 + 3 * local);
        expect(b.effects()).toHaveLength(3 * local);
        for (const one of both) {
          const keys = one.effects().map(({ key }) => key);
          expect(new Set(keys).size).toBe(keys.length);
        }
        const made = a.effects().map((line) => JSON.stringify(line));
        await expect
          .poll(() => queueProblems(postgres, new Set(['cards']), made), LIMIT)
          .toEqual([]);
      },
      CUT_SECONDS * 1_000 + 240_000,
    );

    it('DW-21 a turn that waits for others says so once its computer has left, and runs here after it is canceled and sent again', async () => {
      const a = await computers.start({ name: 'desk-1' });
      const turnId = await a.send('charge', { needs: ['label:gpu'] });
      await expect
        .poll(() => a.turn(turnId).then(({ reason }) => reason), LIMIT)
        .toBe('Waits in the shared queue.');
      const needed = async () => [
        (await a.app.holdfast.call('status.get', {}, 'test')).counts.needsYou,
        (await a.app.holdfast.call('sessions.list', {}, 'test')).sessions[0]?.status,
      ];
      // Nobody here can do anything about it.
      expect(await needed()).toEqual([0, 'rescheduling']);
      await a.app.holdfast.call('share.leave', {}, 'test');
      expect(await a.turn(turnId)).toMatchObject({
        state: 'waiting',
        reason: expect.stringMatching(
          /^This computer left the shared store .*another computer may/,
        ) as unknown,
      });
      expect(await needed()).toEqual([1, 'requires_action']);
      await a.app.holdfast.call('turns.cancel', { turnId }, 'test');
      const again = await a.app.holdfast.call('send', { text: 'charge', agent: 'fake' }, 'test');
      await expect.poll(stateOf(a, again.turnId), LIMIT).toBe('completed');
      expect(await a.turn(turnId)).toMatchObject({ state: 'cancelled' });
      expect(a.effects()).toHaveLength(3);
    });

    it('DW-21 DW-28 a turn behind one that is for a computer that is gone names it and what to do, and both run once it is released', async () => {
      const a = await computers.start({ name: 'desk-1' });
      const stall = stallAt(2, 'before');
      const b = await computers.start({ name: 'desk-2', gate: stall.gate });
      await b.send('charge', { session: 'cards', here: true });
      await stall.arrived;
      const stopped = b.stop();
      letGo();
      await stopped;
      const later = await a.send('charge', { session: 'cards' });
      const whys = async () => {
        const { waiting } = await a.app.holdfast.call('machines.list', {}, 'test');
        return waiting.map(({ why }) => why);
      };
      expect(await whys()).toEqual([
        'Only desk-2 may run it.',
        'Only desk-2 may run an earlier turn of its session.',
      ]);
      await postgres.sql(
        "UPDATE holdfast.machine SET contact_at = contact_at - interval '10 min' WHERE name = 'desk-2'",
      );
      const [first] = await postgres.sql<{ id: string }>('SELECT id FROM holdfast.turn ORDER BY n');
      const gone =
        /desk-2 has had no contact for 10 min.*: start Holdfast there, or let any computer run /;
      const release = `with "holdfast share release ${first!.id}".`;
      for (const why of await whys()) {
        expect(why).toMatch(gone);
        expect(why.endsWith(release)).toBe(true);
      }
      await a.app.holdfast.call('share.release', { id: first!.id }, 'test');
      await expect.poll(stateOf(a, later), LIMIT).toBe('completed');
    });

    it('DW-16 an orderly stop gives the turn back at a step boundary, and another computer continues without a question', async () => {
      const stall = stallAt(2, 'before');
      const a = await computers.start({ name: 'desk-1', gate: stall.gate });
      await a.send('charge', { session: 'cards' });
      await stall.arrived;
      const b = await computers.start({ name: 'desk-2' });
      const stopped = a.stop();
      letGo();
      await stopped;
      await expect.poll(async () => (await b.turnOf('cards'))?.state, LIMIT).toBe('completed');
      expect(a.effects().map(({ args }) => args.n)).toEqual([1, 2]);
      expect(b.effects().map(({ args }) => args.n)).toEqual([3]);
      expect(await postgres.sql('SELECT lives FROM holdfast.turn')).toEqual([{ lives: 0 }]);
    });

    it('DW-06 DW-08 DW-31 a step whose intent never got out gives its number to one of the next computer; back again, each call is made once, and none is taken for another one', async () => {
      const config = { resilience: { recovery: { mode: 'always', resume_delay: '10ms' } } };
      let cutAtNext = (): void => undefined;
      const a = await computers.start({
        name: 'desk-1',
        config,
        gate: (at, { args }) => {
          if (at !== 'after' || (args as { n: number }).n !== 1) return;
          cutAtNext = () => a.proxy.cut();
        },
        crash: (point) => {
          if (point === 'share.append.before') cutAtNext();
        },
      });
      const stall = stallAt(2, 'before');
      const b = await computers.start({ name: 'desk-2', config, gate: stall.gate });
      b.proxy.cut();
      const turnId = await a.send('charge', { session: 'cards' });
      await expect.poll(() => a.effects().length, LIMIT).toBe(1);
      b.proxy.heal();
      await stall.arrived;
      cutAtNext = () => undefined;
      b.proxy.cut();
      a.proxy.heal();
      await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
      // The first of desk-1 is unknown to the store: the mode of this test repeats it.
      expect(b.effects().map(({ args }) => args.n)).toEqual([1]);
      expect(a.effects().map(({ args }) => args.n)).toEqual([1, 2, 3]);
      const { steps } = await a.app.holdfast.call('turns.show', { turnId }, 'test');
      const calls = steps.filter(({ tool }) => tool === 'fake.charge');
      expect(calls.map(({ state }) => state)).not.toContain('failed');
      const made = [a, b].flatMap((one) => one.effects().map((line) => JSON.stringify(line)));
      await expect.poll(() => queueProblems(postgres, new Set(['cards']), made), LIMIT).toEqual([]);
    });

    it('DW-09 DW-12 a computer that is cut off at its first step goes on with what the next one began: no answer is paid twice', async () => {
      const config = { resilience: { recovery: { mode: 'always', resume_delay: '10ms' } } };
      let cutAtFirst = (): void => undefined;
      const a = await computers.start({
        ...{ name: 'desk-1', config },
        crash: (point) => {
          if (point === 'share.append.before') cutAtFirst();
        },
      });
      const stall = stallAt(2, 'before');
      const b = await computers.start({ name: 'desk-2', config, gate: stall.gate });
      cutAtFirst = () => a.proxy.cut();
      b.proxy.cut();
      const turnId = await a.send('charge', { session: 'cards' });
      await expect.poll(stateOf(a, turnId), LIMIT).toBe('running');
      b.proxy.heal();
      await stall.arrived;
      cutAtFirst = () => undefined;
      b.proxy.cut();
      a.proxy.heal();
      await expect.poll(stateOf(a, turnId), LIMIT).toBe('completed');
      expect([a, b].map((one) => one.effects().map(({ args }) => args.n))).toEqual([[2, 3], [1]]);
      // Two answers of desk-2 count here, the other two are ours.
      expect([a.requests(), b.requests()]).toEqual([2, 2]);
    });

    it('DW-06 a turn that a person cancels on the computer that sent it ends on the one that runs it', async () => {
      const stall = stallAt(1, 'before');
      const a = await computers.start({ name: 'desk-1' });
      const b = await computers.start({ name: 'desk-2', gate: stall.gate, script: charging(3) });
      const turnId = await a.send('charge', { needs: ['label:desk-2'], session: 'cards' });
      await stall.arrived;
      await a.app.holdfast.call('turns.cancel', { turnId }, 'test');
      await expect
        .poll(
          async () => (await postgres.sql('SELECT state FROM holdfast.turn'))[0]?.['state'],
          LIMIT,
        )
        .toBe('done');
      letGo();
      await expect.poll(async () => (await b.turnOf('cards'))?.state, LIMIT).toBe('cancelled');
      expect(b.effects().length).toBeLessThanOrEqual(1);
    });
  },
);
