/** An agent of another program that does what its prompt says, run by the whole engine: real child, real database. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { ApprovalView, TurnSummary } from '../../../shared/types';
import {
  composeIn,
  createWorld,
  turnIn,
  writeConfig,
  type World,
} from '../../helpers/compose-world';
import { ACP_AGENT } from '../../helpers/acp-agent-program';
import { wholeLines } from '../../helpers/whole-lines';

export const ENDED = [
  'completed',
  'failed',
  'cancelled',
  'discarded',
  'held',
  'parked',
  'waiting',
] as const;

export let world: World;
let composition: Composition | undefined;
export function app(): Composition {
  if (composition === undefined) throw new Error('nothing runs');
  return composition;
}

/** A new world for each test of the file that calls this. */
export function useAcpWorld(): void {
  beforeEach(() => {
    world = createWorld();
  });
  afterEach(async () => {
    await composition?.lifecycle.stop('stop');
    composition = undefined;
    world.remove();
  });
}

export function configure(mode: string, extra: Record<string, unknown> = {}, agent = {}): void {
  writeConfig(world, {
    ...extra,
    agents: {
      own: {
        executor: 'acp',
        command: process.execPath,
        args: [ACP_AGENT, mode],
        workspace: world.workspace,
        ...agent,
      },
    },
  });
}

export async function begin(): Promise<Composition> {
  composition = composeIn(world);
  await composition.lifecycle.start();
  return composition;
}

export async function again(): Promise<Composition> {
  await composition?.lifecycle.stop('stop');
  return begin();
}

export async function send(text: string, session = 'work'): Promise<number> {
  const sent = await app().holdfast.call('send', { text, session, agent: 'own' }, 'test');
  return sent.turnId;
}

export const ended = (turnId: number): Promise<TurnSummary> => turnIn(app(), turnId, ENDED);
export const effects = (): readonly string[] => {
  const file = path.join(world.workspace, 'effects.log');
  return wholeLines(file);
};
export const prompts = (): readonly string[] =>
  fs
    .readFileSync(path.join(world.outside, 'agent.log'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('prompt '))
    .map((line) => JSON.parse(line.slice('prompt '.length)) as string);
export const steps = async (turnId: number) =>
  (await app().holdfast.call('turns.show', { turnId }, 'test')).steps;
export const answerOf = async (session = 'work'): Promise<string> => {
  const { events } = await app().holdfast.call('session.events', { session, limit: 50 }, 'test');
  return events.findLast((event) => event.type === 'agent.message')?.text ?? '';
};
export async function question(): Promise<ApprovalView> {
  const look = async (): Promise<ApprovalView | undefined> =>
    (await app().holdfast.call('approvals.list', {}, 'test')).requests[0];
  await expect.poll(look).toBeDefined();
  return (await look())!;
}
export const allow = async (asked: ApprovalView): Promise<void> => {
  await app().holdfast.call(
    'approvals.allow',
    { requestId: asked.requestId, requestHash: asked.requestHash },
    'test',
  );
};

/** Ends the agent that was started last, which then leaves its turn with a person. */
export async function killAgent(turnId: number): Promise<void> {
  const log = fs.readFileSync(path.join(world.outside, 'agent.log'), 'utf8');
  process.kill(Number(/^pid (\d+)$/m.exec(log.slice(log.lastIndexOf('\npid ')))?.[1]), 'SIGKILL');
  expect((await ended(turnId)).state).toBe('parked');
}
export async function goOn(turnId: number): Promise<void> {
  const { decisions } = await app().holdfast.call('recovery.list', {}, 'test');
  const { requestHash = '' } = decisions.find((one) => one.turnId === turnId) ?? {};
  await app().holdfast.call('recovery.resume', { turnId, requestHash }, 'test');
}
export const questions = async (includeAnswered = false): Promise<readonly ApprovalView[]> =>
  (await app().holdfast.call('approvals.list', { includeAnswered }, 'test')).requests;

const ASK = { 'approvals.tools': { shell: 'ask' } };
export const nested = (): Record<string, unknown> => ({
  approvals: { tools: ASK['approvals.tools'] },
});
