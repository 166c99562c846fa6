import { describe, expect, it } from 'vitest';
import {
  changedFields,
  refuseEdit,
  refuseRemoval,
  type AgentWork,
} from '../../../electron/engine/executors/decide-agent-change';
import type { AcpAgentSettings, AgentSettings } from '../../../shared/settings';

const none: AgentWork = {
  openTurns: [],
  openTasks: [],
  timers: 0,
  hasSettingsHeartbeat: false,
  wakes: 0,
};
const acp: AcpAgentSettings = {
  executor: 'acp',
  command: 'a',
  workspace: '/w',
  env: ['KEY'],
};
const llm: AgentSettings = { provider: 'p', model: 'm', workspace: '/w' };

describe('removing an agent', () => {
  it('S3-30 is allowed where nothing needs it any more', () => {
    expect(refuseRemoval('a', none)).toBeUndefined();
  });

  it.each([
    [{ openTurns: [7] }, '1 unfinished turn (7)', 'turns cancel'],
    [{ openTasks: [1, 2] }, '2 tasks (1, 2)', 'tasks cancel'],
    [{ openTurns: [1, 2, 3, 4, 5, 6] }, '6 unfinished turns (1, 2, 3, 4, 5, …)', 'turns cancel'],
    [{ timers: 1 }, '1 timer', 'timers cancel'],
    [{ wakes: 2 }, '2 queued wake-ups', 'sessions interrupt'],
    [{ hasSettingsHeartbeat: true }, 'the default heartbeat', 'heartbeat.enabled'],
    [
      { openTurns: [7], timers: 2, wakes: 1 },
      '1 unfinished turn (7), 2 timers and 1 queued wake-up',
      '',
    ],
  ] as const)('S3-30 is refused with %j, which is named with the way out', (work, said, way) => {
    const refusal = refuseRemoval('a', { ...none, ...work });
    expect(refusal?.sentence).toBe(`The agent "a" still has ${said}.`);
    expect(refusal?.hint).toContain(way);
    expect(refusal?.hint).toMatch(/^Nothing was changed\. [A-Z].*, then remove it\.$/);
  });
});

describe('changing an agent', () => {
  it.each<[string, AgentSettings, number[], boolean]>([
    ['the command', { ...acp, command: 'b' }, [7], false],
    ['the folder', { ...acp, workspace: '/x' }, [7], false],
    ['the executor with an unfinished turn', llm, [7], true],
    ['the executor with none', llm, [], false],
  ])('S3-30 %s: refused %s', (_what, next, open, isRefused) => {
    expect(refuseEdit('a', acp, next, open) !== undefined).toBe(isRefused);
  });

  it('S3-30 the written and the unwritten llm are one executor', () => {
    expect(refuseEdit('a', llm, { ...llm, executor: 'llm' }, [1])).toBeUndefined();
  });

  it('S3-30 names the fields that differ and never a value', () => {
    const next: AcpAgentSettings = { ...acp, env: ['OTHER'], ask: 'always' };
    expect(changedFields(acp, next)).toEqual(['ask', 'env']);
    expect(changedFields(acp, { ...acp, env: ['KEY'] })).toEqual([]);
  });
});
