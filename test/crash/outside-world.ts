/** A realm whose agent is a program of somebody else, and what a person does with its turns. */
import path from 'node:path';
import { expect } from 'vitest';
import type { ApprovalView, TurnSummary } from '../../shared/types';
import { configure, startLife } from './lives';
import type { Life, Realm } from './realm';
import { wholeLines } from '../helpers/whole-lines';

// A real agent takes 5 s to start where nothing else runs, and ten times that on a busy computer.
export const WAIT = { timeout: 120_000, interval: 50 };
export const REAL_AGENT_MS = 480_000;

/** Its agent `own` is that program, and asks before it runs a command. */
export function configureOwn(
  realm: Realm,
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

export async function born(realm: Realm): Promise<Life> {
  const life = startLife(realm);
  await life.ready();
  return life;
}

export const effects = (realm: Realm): readonly string[] => {
  const file = path.join(realm.workspace, 'effects.log');
  return wholeLines(file);
};
export async function send(life: Life, text: string): Promise<number> {
  return (await life.call('send', { text, session: 'work', agent: 'own' })).turnId;
}
export async function question(life: Life): Promise<ApprovalView> {
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
export const answer = (
  life: Life,
  verb: 'approvals.allow' | 'approvals.deny',
  asked: ApprovalView,
) => life.call(verb, { requestId: asked.requestId, requestHash: asked.requestHash });
export async function ended(life: Life, turnId: number): Promise<TurnSummary> {
  const look = async () => (await life.call('turns.show', { turnId })).turn;
  await expect
    .poll(async () => (await look()).state, WAIT)
    .toMatch(/completed|failed|held|parked|waiting/);
  return look();
}
export const stepsOf = async (life: Life, turnId: number) =>
  (await life.call('turns.show', { turnId })).steps.map((step) => [step.tool, step.state]);
