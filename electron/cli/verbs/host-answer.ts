/**
 * `holdfast hosts answer`: carries out here what was answered on another computer, over the `ssh` that its Holdfast
 * started: with the rights of this account, and only to exactly the question that was shown there. HO-02, HO-03
 */
import type { Command } from 'commander';
import { parsedJson } from '../../../shared/parsed-json';
import { farDecision, type FarDecision } from '../../../shared/types/far-asks';
import { invalidInput } from '../../engine/kernel/errors';
import type { Program } from '../command';
import { asks, groupOf } from '../command';
import type { Reach } from '../reach';

/** Added to `holdfast hosts`. */
export function addHostAnswer(root: Command, program: Program): void {
  const hosts = groupOf(root, 'hosts');
  asks(
    program,
    hosts
      .command('answer', { hidden: true })
      .description('Answer a decision of this computer, for Holdfast on another one')
      .argument('<decision>', 'Answer and the hash of its question, as JSON'),
    'decide',
    async (engine, _run, text = '') => {
      await carryOut(engine, read(text));
      return { value: { counted: true, isRunning: engine.isRunning }, text: 'Recorded.' };
    },
  );
}

function read(text: string): FarDecision {
  const decision = farDecision().safeParse(parsedJson(text));
  if (decision.success) return decision.data;
  throw invalidInput('This version does not understand the answer.');
}

async function carryOut(engine: Reach, { requestHash, answer }: FarDecision): Promise<void> {
  switch (answer.kind) {
    case 'allow': {
      const { requestId, scope } = answer;
      await engine.call('approvals.allow', { requestId, requestHash, scope });
      return;
    }
    case 'deny': {
      const { kind: _, ...about } = answer;
      await engine.call('approvals.deny', { ...about, requestHash });
      return;
    }
    case 'resume':
      await engine.call('recovery.resume', { turnId: answer.turnId, requestHash });
      return;
    case 'discard':
      await engine.call('recovery.discard', { turnId: answer.turnId, requestHash });
      return;
    case 'confirm':
    case 'skip': {
      const { turnId, step } = answer;
      const verb = answer.kind === 'skip' ? 'recovery.skipStep' : 'recovery.confirmStep';
      await engine.call(verb, { turnId, step, requestHash });
    }
  }
}
