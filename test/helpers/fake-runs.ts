/** Skills and runs of the fake engine: a run that waits for you, its child, one that has ended. */
import type { SeedRuns } from './fake-seed-type';
import type { Answer, WindowVerb } from '../../shared/contract';
import type { RunPlan, RunView, SkillView } from '../../shared/types';
import type { ActivationEvent } from '../../shared/types/work';
import type { Seed } from './fake-seed-type';

const MINUTE = 60_000;

const HASH = 'c0ffee'.repeat(11).slice(0, 64);

function run(nowMs: number, id: number, over: Partial<RunView>): RunView {
  return {
    id,
    turnId: 7,
    turnState: 'held',
    agent: 'Researcher',
    sessionKey: 'suppliers',
    attempt: 2,
    depth: 0,
    isOrphan: false,
    skill: 'compare-offers',
    version: HASH,
    state: 'running',
    reason: '',
    phase: 'send',
    visit: 1,
    visits: { gather: 1, compare: 1, send: 1 },
    history: [
      { phase: 'gather', visit: 1, next: 'compare', leftAtMs: nowMs - 28 * MINUTE },
      { phase: 'compare', visit: 1, next: 'send', leftAtMs: nowMs - 25 * MINUTE },
    ],
    input: 'the three cable suppliers',
    artifact: 'Northcable: 4.10 per metre.\nHellmann: 4.35 per metre.',
    isTruncated: false,
    awaiting: { inboxId: 4, kind: 'replay_decision', title: 'Was the mail to t.okafor sent?' },
    startedAtMs: nowMs - 31 * MINUTE,
    ageMs: 31 * MINUTE,
    ...over,
  };
}

export function seedRuns(nowMs: number): SeedRuns {
  const skill = (name: string, over: Partial<SkillView>): SkillView => ({
    name,
    source: 'data',
    folder: `/home/mara/.holdfast/skills/${name}`,
    state: 'ready',
    reason: '',
    description: '',
    phases: [],
    ...over,
  });
  const { awaiting: _awaiting, artifact: _artifact, ...plain } = run(nowMs, 0, {});
  return {
    skills: [
      skill('compare-offers', {
        description: 'Compares offers of suppliers and mails what came of it',
        version: HASH,
        phases: [
          { name: 'gather', next: ['compare'], maxVisits: 1 },
          { name: 'compare', next: ['send'], maxVisits: 1 },
          { name: 'send', next: ['compare'], maxVisits: 3 },
        ],
      }),
      skill('invoice', { state: 'skipped', reason: 'LEDGER_TOKEN is not set' }),
      skill('tidy', {
        state: 'broken',
        reason: 'max_visits is not a whole number',
        line: 6,
        source: 'folder',
      }),
    ],
    hints: ['skill_resume.per_skill names "digest": this skill was not found.'],
    runs: [
      run(nowMs, 4, {}),
      {
        ...plain,
        id: 5,
        parentRunId: 4,
        depth: 1,
        skill: 'look-up-rates',
        phase: 'main',
        visits: { main: 1 },
        history: [],
        input: 'EUR to GBP',
        startedAtMs: nowMs - 24 * MINUTE,
        ageMs: 24 * MINUTE,
      },
      {
        ...plain,
        id: 2,
        turnId: 9,
        turnState: 'completed',
        state: 'completed',
        startedAtMs: nowMs - 90 * MINUTE,
        endedAtMs: nowMs - 80 * MINUTE,
        ageMs: 90 * MINUTE,
      },
    ],
    plans: { 4: planOf(4) },
    activations: history(nowMs),
  };
}

function planOf(runId: number): RunPlan {
  const step = (
    index: number,
    over: Partial<RunPlan['steps'][number]>,
  ): RunPlan['steps'][number] => ({
    index,
    tool: 'model',
    purity: 'llm',
    hint: '',
    action: 'reuse',
    reason: 'finished',
    isListed: false,
    ...over,
  });
  return {
    runId,
    turnId: 7,
    skill: 'compare-offers',
    phase: 'send',
    visit: 1,
    version: HASH,
    currentVersion: HASH,
    isVersionChanged: false,
    doesPlanMatch: true,
    action: 'retry',
    reason: 'skill_resume.default is retry',
    turnAction: 'hold',
    turnReason: 'send_email had started and is on your list',
    phases: [
      { phase: 'gather', visit: 1, state: 'done' },
      { phase: 'compare', visit: 1, state: 'done' },
      { phase: 'send', visit: 1, state: 'in_flight' },
    ],
    steps: [
      step(1, { hint: 'choose criteria' }),
      step(2, { tool: 'web.fetch', purity: 'world', action: 'reissue', reason: 'requested again' }),
      step(3, {
        tool: 'mail.send_email',
        purity: 'external',
        hint: 't.okafor',
        action: 'ask',
        reason: 'its result is unknown',
        isListed: true,
      }),
    ],
    reused: 1,
    ambiguous: [3],
    toRun: 1,
  };
}

/** A turn that was leased, cut off, tried again and brought to its end; newest last. */
function history(nowMs: number): ActivationEvent[] {
  const event = (
    seq: number,
    agoMinutes: number,
    kind: ActivationEvent['kind'],
    over: Partial<ActivationEvent> = {},
  ): ActivationEvent => ({
    seq,
    createdAt: new Date(nowMs - agoMinutes * MINUTE).toISOString(),
    kind,
    agentId: 'Researcher',
    sessionId: 7,
    session: 'suppliers',
    turnId: 7,
    attempt: 1,
    activationKind: 'pending_events',
    priority: 'normal',
    dueAt: new Date(nowMs - agoMinutes * MINUTE).toISOString(),
    reason: '',
    note: '',
    dueWakeIds: [],
    ...over,
  });
  const first = { claimId: '01923f4e-claim-1', leaseOwner: 'mara-laptop:4711' };
  const second = { claimId: '01923f4e-claim-2', leaseOwner: 'mara-laptop:5822', attempt: 2 };
  return [
    event(100, 31, 'ready'),
    event(101, 31, 'leased', first),
    event(140, 29, 'abandoned', {
      ...first,
      abandonReason: 'wake_failed',
      errorMessage: 'Holdfast ended while it ran.',
    }),
    event(150, 25, 'leased', second),
    event(170, 24, 'requeued', {
      ...second,
      immediateRetryAt: new Date(nowMs + 40_000).toISOString(),
      errorMessage: 'The model server answered 529.',
    }),
    event(180, 23, 'leased', { ...second, claimId: '01923f4e-claim-3', attempt: 3 }),
    event(190, 20, 'acked', {
      ...second,
      claimId: '01923f4e-claim-3',
      attempt: 3,
      stopReason: 'completed',
    }),
  ];
}

type RunVerb =
  | 'skills.list'
  | 'skills.show'
  | 'runs.list'
  | 'runs.show'
  | 'runs.plan'
  | 'runs.discard'
  | 'activations.events';

/** The verbs about skills and runs over the seed. */
export function fakeRunVerbs(
  seed: Seed,
  refusal: (code: string, message: string) => Answer<never>,
  changed: (turnId: number) => void,
): Record<RunVerb & WindowVerb, (input: never) => unknown> {
  const of = (runId: number): RunView | undefined => seed.work.runs.find((one) => one.id === runId);
  const unknown = (runId: number): Answer<never> =>
    refusal('RUN_UNKNOWN', `There is no run ${String(runId)}.`);
  return {
    'skills.list': () => ({ skills: seed.work.skills, hints: seed.work.hints }),
    'skills.show': ({ name }: { name: string }) => {
      const skill = seed.work.skills.find((one) => one.name === name);
      return skill === undefined
        ? refusal('SKILL_UNKNOWN', `There is no skill "${name}".`)
        : { skill, instructions: `# ${name}\nCompare what is offered.`, policy: 'retry' };
    },
    'runs.list': ({ includeEnded }: { includeEnded?: boolean }) => ({
      runs: seed.work.runs.filter((one) => includeEnded === true || one.state === 'running'),
    }),
    'runs.show': ({ runId }: { runId: number }) => of(runId) ?? unknown(runId),
    'runs.plan': ({ runId }: { runId: number }) =>
      of(runId) === undefined ? unknown(runId) : (seed.work.plans[runId] ?? planOf(runId)),
    'runs.discard': ({ runId, requestHash }: { runId: number; requestHash?: string }) => {
      const found = of(runId);
      if (found === undefined) return unknown(runId);
      if (found.state !== 'running')
        return refusal('RUN_ENDED', `Run ${String(runId)} has ended already.`);
      const ended = seed.work.runs.filter(
        (one) => one.state === 'running' && (one.id === runId || one.parentRunId === runId),
      );
      const preview = {
        runId,
        turnId: found.turnId,
        skill: found.skill,
        endsTurn: found.depth === 0,
        runs: ended.map((one) => ({ runId: one.id, skill: one.skill, phase: one.phase })),
        openSteps: [3],
        requestHash: `${String(ended.length)}a`.repeat(32).slice(0, 64),
      };
      if (requestHash === undefined) return { isDone: false, preview };
      if (requestHash !== preview.requestHash)
        return refusal('REQUEST_STALE', 'What it would end has changed since you saw it.');
      seed.work.runs = seed.work.runs.map((one) =>
        ended.includes(one)
          ? { ...one, state: 'discarded', reason: 'Discarded by you.', endedAtMs: seed.nowMs }
          : one,
      );
      changed(found.turnId);
      return { isDone: true, preview, run: of(runId) };
    },
    'activations.events': ({ session, limit = 100 }: { session?: string; limit?: number }) => ({
      events: seed.work.activations
        .filter((one) => session === undefined || one.session === session)
        .slice(-limit),
    }),
  };
}
