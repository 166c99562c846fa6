/**
 * A process that is killed around what a person says of a command that outlived an earlier crash; in
 * each recovery mode. The command is real, and carries the marks of the life that is gone.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { databaseProblems, readEvidence } from './evidence';
import { createRealm, endRealms, holdEdge, inEveryMode, startLife } from './lives';
import type { Life, Realm } from './realm';
import { PROCESS_POINTS } from './own-workloads';

const commands = new Set<ChildProcess>();
afterEach(() => {
  for (const command of commands) command.kill('SIGKILL');
  commands.clear();
  endRealms();
});

/** As a shell of an earlier life would be: its own group, its marks, nobody who reads its end. */
function leaveCommand(realm: Realm): ChildProcess {
  const command = spawn('sleep', ['600'], {
    detached: true,
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      HOLDFAST_INSTANCE: readEvidence(realm)?.databaseId,
      HOLDFAST_RUN: 'a life that is gone',
      HOLDFAST_TURN: '999',
      HOLDFAST_STEP: '2',
    },
  });
  commands.add(command);
  return command;
}

const isAlive = (command: ChildProcess): boolean =>
  command.exitCode === null && command.signalCode === null;

async function leftIn(life: Life) {
  await life.ready();
  return (await life.call('recovery.list', {})).processes;
}

/** What a person was shown, and asks to end; the process is killed at the point. */
async function endKilledAt(realm: Realm, point: (typeof PROCESS_POINTS)[number]): Promise<void> {
  const life = startLife(realm, { crash: { point, hit: 1 } });
  const [shown] = await leftIn(life);
  if (shown === undefined) throw new Error('no process was found');
  const { inboxId, requestHash } = shown;
  void life.ask({ kind: 'call', verb: 'recovery.endProcess', input: { inboxId, requestHash } });
  expect(await life.ended).toBe('SIGKILL');
}

/** A realm whose life was killed at work and whose command lives on. */
async function leftBehind(realm: Realm): Promise<ChildProcess> {
  holdEdge(realm, 'provider');
  const first = startLife(realm);
  await first.ready();
  await first.accept('one a');
  await first.stalled('provider');
  await first.kill();
  return leaveCommand(realm);
}

describe('F3 a process that is killed at', () => {
  it.each(PROCESS_POINTS)(
    '%s keeps what a person said of a command that outlived a crash, and signals nobody by itself, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = createRealm(mode);
        const command = await leftBehind(realm);
        await endKilledAt(realm, point);
        const life = startLife(realm);
        const after = await leftIn(life);
        if (point === 'process.end.after') {
          // It was ended before the kill: the start finds it gone, and its notice goes.
          expect(after).toEqual([]);
          expect(isAlive(command)).toBe(false);
        } else {
          const isSaid = point === 'process.decide.after';
          expect(after).toMatchObject([{ pid: command.pid, state: 'running' }]);
          expect(after[0]?.answer).toBe(isSaid ? 'end' : undefined);
          expect(isAlive(command)).toBe(true);
          const { inboxId = 0, requestHash = '' } = after[0] ?? {};
          const ended = await life.call('recovery.endProcess', { inboxId, requestHash });
          expect(ended).toMatchObject({ state: 'ended_by_you', answer: 'end' });
        }
        const { items } = await life.call('inbox.list', { includeSettled: true });
        const told = items.filter(({ title }) => title.includes('is still running'));
        expect(told).toHaveLength(1);
        expect(told[0]?.settledAtMs).toBeDefined();
        await life.kill();
        expect(databaseProblems(realm)).toEqual([]);
      });
    },
  );
});
