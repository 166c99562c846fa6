import type { Verb, VerbInput, VerbOutput, VERBS } from '../../shared/contract';
import type { StatusSnapshot } from '../../shared/model';
import type { Blobs } from '../ports/blobs';
import type { Journal, JournalEntry, JournalReads, TurnRow } from '../ports/journal';
import type { WorkReads } from '../ports/journal-work';
import type { Audit } from '../ports/log';
import type { SettingsPort } from '../ports/settings';
import type { Clock } from '../ports/clock';
import type { ToolRegistry } from './agents/tool-registry';
import type { TurnScheduler } from './agents/turn-scheduler';
import { answerText, textOf } from './journal/stored-text';
import type { CallOrigin } from './facade';
import type { CrashPoints } from './kernel/crash-points';
import { HoldfastError } from './kernel/errors';
import { idempotencyKey } from './journal/memo-keys';
import { unknownTurn, type Decisions } from './recovery/decisions';
import { planResume, type RecoveryPolicy } from './recovery/plan-resume';
import { showText } from './journal/show-text';
import type { SessionsRoom } from './sessions/intake';
import type { Wakes } from './work/wakes';
import type { Approvals } from './work/approvals';
import { activationView } from './status/activation-view';
import { sessionStatus, type SessionStatusDeps } from './status/session-status';
import {
  inboxItem,
  sessionEvent,
  sessionView,
  stepViews,
  stepViewsWithTexts,
  turnSummary as summaryOf,
  type StepViewDeps,
} from './status/views';

/** Verbs whose answer is outside the engine: the desktop, the secrets, the disk's health. */
export type OuterVerb =
  | 'drafts.list'
  | 'drafts.diff'
  | 'drafts.promote'
  | 'drafts.restore'
  | 'drafts.discard'
  | 'session.adopt'
  | 'session.handBack'
  | 'watch.list'
  | 'agents.list'
  | 'agents.add'
  | 'agents.edit'
  | 'agents.remove'
  | 'agents.hook'
  | 'agents.detect'
  | 'agents.test'
  | 'ext.list'
  | 'ext.restart'
  | 'provider.list'
  | 'provider.set'
  | 'provider.setKey'
  | 'provider.test'
  | 'gateway.status'
  | 'usage.list'
  | 'channels.list'
  | 'channels.test'
  | 'breakers.list'
  | 'breakers.show'
  | 'breakers.trip'
  | 'breakers.reset'
  | 'provider.status'
  | 'provider.ping'
  | 'outage.queue'
  | 'outage.move'
  | 'outage.probe'
  | 'outage.list'
  | 'outage.plot'
  | 'queue.status'
  | 'dlq.list'
  | 'dlq.replay'
  | 'dlq.purge'
  | 'events.publish'
  | 'tasks.list'
  | 'tasks.add'
  | 'tasks.show'
  | 'tasks.due'
  | 'tasks.next'
  | 'tasks.run'
  | 'tasks.pause'
  | 'tasks.resume'
  | 'tasks.update'
  | 'tasks.cancel'
  | 'tasks.history'
  | 'timers.list'
  | 'timers.set'
  | 'timers.cancel'
  | 'heartbeat.status'
  | 'heartbeat.start'
  | 'heartbeat.stop'
  | 'schedule.lines'
  | 'schedule.parse'
  | 'guard.check'
  | 'doctor.run'
  | 'logs.tail'
  | 'day.line'
  | 'events.list'
  | 'skills.list'
  | 'skills.show'
  | 'runs.list'
  | 'runs.show'
  | 'runs.plan'
  | 'runs.discard'
  | 'practice.kill'
  | 'practice.providerDown'
  | 'app.info'
  | 'app.remind'
  | 'app.openFolder'
  | 'app.openSettings'
  | 'app.testNotification'
  | 'instance.focus'
  | 'instance.stop';

/** A handler per verb; input is validated before it is called. */
export type Handlers<V extends Verb = Verb> = {
  readonly [K in V]: (input: VerbInput<K>, origin: CallOrigin) => Promise<VerbOutput<K>>;
};

export interface VerbsDeps {
  readonly journal: Journal;
  readonly reads: JournalReads;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
  readonly audit: Audit;
  readonly settings: SettingsPort;
  readonly tools: ToolRegistry;
  readonly scheduler: TurnScheduler;
  readonly sessions: SessionsRoom;
  readonly decisions: Decisions;
  readonly approvals: Approvals;
  readonly wakes: Wakes;
  readonly work: WorkReads;
  readonly drafts: SessionStatusDeps['drafts'];
  readonly policy: () => RecoveryPolicy;
  readonly status: () => StatusSnapshot;
  readonly outer: Handlers<OuterVerb>;
}

/** A turn with what its row cannot say: whether anybody runs it right now. */
function summary(deps: Pick<VerbsDeps, 'scheduler'>, turn: TurnRow): VerbOutput<'turns.cancel'> {
  return summaryOf(turn, deps.scheduler.running().includes(turn.id));
}

/** The verbs of the contract over the engine's rooms. */
export function createVerbs(deps: VerbsDeps): Handlers {
  return {
    'status.get': () => Promise.resolve(deps.status()),
    ...turnVerbs(deps),
    ...recoveryVerbs(deps),
    ...approvalVerbs(deps),
    ...sessionVerbs(deps),
    ...workVerbs(deps),
    ...settingVerbs(deps),
    ...deps.outer,
  };
}

/**
 * Validates a call against the contract, in and out. The contract is handed in, because making every
 * schema takes a good part of a cold start: it waits for the first call.
 * @throws VERB_UNKNOWN, INPUT_INVALID
 */
export async function callVerb<V extends Verb>(
  contract: typeof VERBS,
  handlers: Handlers,
  verb: V,
  input: unknown,
  origin: CallOrigin,
): Promise<VerbOutput<V>> {
  if (!Object.hasOwn(contract, verb)) {
    throw new HoldfastError(
      'VERB_UNKNOWN',
      `There is no command "${(verb as string).slice(0, 60)}".`,
      {
        hint: 'Nothing was done. Use the window and the command line of the same version.',
      },
    );
  }
  const spec = contract[verb];
  const parsed = spec.input.safeParse(input);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where =
      issue === undefined || issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `;
    throw new HoldfastError(
      'INPUT_INVALID',
      `${verb}: ${where}${issue?.message ?? 'wrong input'}`,
      {
        hint: 'Nothing was done.',
      },
    );
  }
  const output = await handlers[verb](parsed.data as VerbInput<V>, origin);
  return spec.output.parse(output) as VerbOutput<V>;
}

type Part<V extends Verb> = Handlers<V>;

function turnVerbs(
  deps: VerbsDeps,
): Part<
  | 'turns.list'
  | 'turns.show'
  | 'turns.step'
  | 'turns.plan'
  | 'turns.cancel'
  | 'turns.cancelAll'
  | 'intake.pause'
  | 'intake.resume'
> {
  const { reads } = deps;
  const need = (turnId: number): TurnRow => {
    const turn = reads.turn(turnId);
    if (turn === undefined) throw unknownTurn(turnId);
    return turn;
  };
  const stepDeps = (): StepViewDeps => ({
    blobs: deps.blobs,
    databaseId: reads.databaseId(),
    sideEffectTools: deps.policy().sideEffectTools,
    outsideCalls: (turnId) => reads.outsideCalls(turnId),
    callTries: (turnId, step) => reads.callTries(turnId, step),
    allowedBy(requestId) {
      const request = reads.request(requestId);
      return request?.answer === 'allowed' ? request.by : undefined;
    },
    skillOf: skillsOf(reads),
  });
  return {
    'turns.list': ({ states, session, limit = 50, beforeId }) => {
      const rows = reads.turns({
        ...(states === undefined ? {} : { states }),
        ...(session === undefined ? {} : { sessionId: deps.sessions.find(session).id }),
        ...(beforeId === undefined ? {} : { beforeId }),
        limit: limit + 1,
      });
      return Promise.resolve({
        turns: rows.slice(0, limit).map((turn) => summary(deps, turn)),
        hasMore: rows.length > limit,
      });
    },
    'turns.show': async ({ turnId, withTexts = false }) => {
      const turn = need(turnId);
      const steps = reads.steps(turnId);
      const prompt = showText(await textOf(deps.blobs, reads.prompt(turn)), 20_000);
      const end = steps.find((step) => step.step === turn.answerStep)?.end;
      const answer =
        end?.state === 'completed' ? answerText(await textOf(deps.blobs, end.content)) : undefined;
      const decision = await deps.decisions.of(turnId);
      return {
        turn: summary(deps, turn),
        prompt: prompt.text,
        isPromptTruncated: prompt.isTruncated,
        ...(answer === undefined ? {} : { answer: showText(answer, 100_000).text }),
        steps: [
          ...(withTexts
            ? await stepViewsWithTexts(stepDeps(), steps, steps)
            : stepViews(stepDeps(), steps)),
        ],
        stops: stopsOf(deps, turn),
        ...(decision === undefined ? {} : { decision }),
      };
    },
    'turns.step': async ({ turnId, step }) => {
      need(turnId);
      const steps = reads.steps(turnId);
      const wanted = steps.filter((one) => one.step === step);
      const [view] = await stepViewsWithTexts(stepDeps(), wanted, steps);
      if (view === undefined) throw unknownStep(turnId, step);
      return view;
    },
    'turns.plan': ({ turnId }) => {
      const turn = need(turnId);
      if (turn.endedAtMs !== undefined) return Promise.resolve(nothingToResume(deps, turn));
      return Promise.resolve(
        planResume({
          turn,
          steps: reads.steps(turnId),
          runs: reads.runsOfTurn(turnId),
          policy: deps.policy(),
          nowMs: deps.clock.nowMs(),
          isAnswered: turn.isAnswered,
          idempotencyKeyOf: (root) => idempotencyKey(reads.databaseId(), turnId, root),
        }),
      );
    },
    'turns.cancel': async ({ turnId }, origin) => {
      const turn = need(turnId);
      if (turn.endedAtMs !== undefined) {
        throw new HoldfastError('TURN_STATE', `Turn ${String(turnId)} is already ${turn.state}.`, {
          hint: 'Nothing was changed.',
          facts: { turnId, state: turn.state },
        });
      }
      await cancel(deps, [turn], origin);
      return summary(deps, need(turnId));
    },
    'turns.cancelAll': async (_input, origin) => {
      const open = reads
        .openTurns()
        .filter(
          (turn) => turn.state === 'running' || turn.state === 'queued' || turn.state === 'waiting',
        );
      await cancel(deps, open, origin);
      return { cancelled: open.map((turn) => turn.id) };
    },
    'intake.pause': ({ forMs }) => {
      deps.scheduler.pause(forMs === undefined ? undefined : deps.clock.nowMs() + forMs);
      return Promise.resolve(deps.status());
    },
    'intake.resume': () => {
      deps.scheduler.resume();
      return Promise.resolve(deps.status());
    },
  };
}

function unknownStep(turnId: number, step: number): HoldfastError {
  return new HoldfastError(
    'STEP_UNKNOWN',
    `Turn ${String(turnId)} has no step ${String(step)}: none with this number has started, or the turn is old and its steps were cleared away.`,
    {
      hint: 'Nothing was changed. "holdfast turns show" lists the steps.',
      facts: { turnId, step },
    },
  );
}

/** Each run is read once, however many steps it has. */
function skillsOf(reads: Pick<JournalReads, 'run'>): StepViewDeps['skillOf'] {
  const known = new Map<number, string | undefined>();
  return (runId) => {
    if (!known.has(runId)) known.set(runId, reads.run(runId)?.skill);
    return known.get(runId);
  };
}

/** A closed turn never runs again. */
function nothingToResume(deps: VerbsDeps, turn: TurnRow): VerbOutput<'turns.plan'> {
  return {
    turnId: turn.id,
    action: 'none',
    reason: `It is ${turn.state}: nothing of it runs again.`,
    mode: deps.policy().mode,
    attempt: turn.attempt,
    delayMs: 0,
    steps: [],
    reused: 0,
    reissued: 0,
    ambiguous: [],
    toRun: 0,
    savedUsage: { inputTokens: 0, outputTokens: 0 },
  };
}

/** On disk first, then the run is ended: a kill in between does not bring the turn back. S0-+03. */
async function cancel(
  deps: VerbsDeps,
  turns: readonly TurnRow[],
  origin: CallOrigin,
): Promise<void> {
  if (turns.length === 0) return;
  const entries = turns.flatMap((turn): readonly JournalEntry[] => {
    return [
      {
        kind: 'turn.closed',
        turnId: turn.id,
        sessionId: turn.sessionId,
        state: 'cancelled',
        reason: 'You stopped it.',
        hasReply: false,
      },
      ...deps.approvals.clearing(turn, origin),
      ...deps.reads
        .openInboxesOfTurn(turn.id)
        .map(({ id }) => ({ kind: 'inbox.settled' as const, inboxId: id, outcome: 'stopped' })),
    ];
  });
  await deps.journal.commit(entries);
  deps.crashPoints.hit('turn.cancel.after');
  for (const turn of turns) deps.audit.record('turn_cancelled', { turnId: turn.id, by: origin });
  await Promise.all(turns.map((turn) => deps.scheduler.cancel(turn.id)));
}

function stopsOf(deps: VerbsDeps, turn: TurnRow): VerbOutput<'turns.show'>['stops'] {
  if (turn.startedAtMs === undefined) return [];
  const until = turn.endedAtMs ?? deps.clock.nowMs();
  return deps.reads.startsBetween(turn.startedAtMs, until).map((start) => ({
    stoppedAtMs: start.downSinceMs ?? start.startedAtMs,
    backAtMs: start.startedAtMs,
    reason: start.reason,
  }));
}

function recoveryVerbs(
  deps: VerbsDeps,
): Part<
  | 'recovery.list'
  | 'recovery.resume'
  | 'recovery.confirmStep'
  | 'recovery.skipStep'
  | 'recovery.discard'
  | 'inbox.list'
  | 'inbox.dismiss'
> {
  const { reads, decisions } = deps;
  const after = (turnId: number): VerbOutput<'turns.cancel'> => {
    const turn = reads.turn(turnId);
    if (turn === undefined) throw unknownTurn(turnId);
    return summary(deps, turn);
  };
  return {
    'recovery.list': async () => {
      const start = reads.starts(1)[0];
      return {
        decisions: [...(await decisions.list())],
        lastStart: start === undefined ? [] : [...reads.recoveriesOfStart(start.id)],
      };
    },
    'recovery.resume': async ({ turnId, requestHash }, origin) => {
      await decisions.answer({ kind: 'resume', turnId, requestHash }, origin);
      return after(turnId);
    },
    'recovery.confirmStep': async ({ turnId, step, requestHash }, origin) => {
      await decisions.answer({ kind: 'confirm', turnId, step, requestHash }, origin);
      return after(turnId);
    },
    'recovery.skipStep': async ({ turnId, step, requestHash }, origin) => {
      await decisions.answer({ kind: 'skip', turnId, step, requestHash }, origin);
      return after(turnId);
    },
    'recovery.discard': async ({ turnId, requestHash }, origin) => {
      await decisions.answer({ kind: 'discard', turnId, requestHash }, origin);
      return after(turnId);
    },
    'inbox.list': ({ includeSettled = false, limit = 200 }) =>
      Promise.resolve({ items: reads.inbox({ includeSettled, limit }).map(inboxItem) }),
    'inbox.dismiss': async ({ inboxId }) => {
      const item = reads.inboxItem(inboxId);
      if (item === undefined) {
        throw new HoldfastError('INBOX_UNKNOWN', `There is no notice ${String(inboxId)}.`, {
          hint: 'Nothing was changed.',
        });
      }
      if (item.item === 'replay_decision' || item.item === 'limit' || item.item === 'approval') {
        throw new HoldfastError(
          'CONFIRMATION_NEEDED',
          'This waits for a decision and cannot be put away.',
          {
            hint: 'Nothing was changed. Decide it, or stop the turn.',
          },
        );
      }
      if (item.settledAtMs === undefined) {
        await deps.journal.commit([{ kind: 'inbox.settled', inboxId, outcome: 'dismissed' }]);
      }
      return { ok: true };
    },
  };
}

function approvalVerbs(
  deps: VerbsDeps,
): Part<'approvals.list' | 'approvals.allow' | 'approvals.deny' | 'session.customToolResult'> {
  const { approvals } = deps;
  return {
    'approvals.list': async ({ session, includeAnswered = false, limit = 200 }) => ({
      requests: [
        ...(await approvals.list({
          includeAnswered,
          limit,
          ...(session === undefined ? {} : { sessionId: deps.sessions.find(session).id }),
        })),
      ],
    }),
    'approvals.allow': ({ requestId, requestHash, scope = 'once' }, origin) =>
      approvals.answer(requestId, requestHash, { kind: 'allow', scope }, origin),
    'approvals.deny': ({ requestId, requestHash, note }, origin) =>
      approvals.answer(
        requestId,
        requestHash,
        { kind: 'deny', ...(note === undefined ? {} : { note }) },
        origin,
      ),
    'session.customToolResult': async ({ session, requestId, requestHash, output }, origin) => {
      const { sessionId } = await approvals.view(requestId);
      const row = deps.sessions.find(session);
      if (row.id !== sessionId) {
        throw new HoldfastError(
          'REQUEST_UNKNOWN',
          `Request ${String(requestId)} does not belong to the session "${row.key}".`,
          { hint: 'Nothing was changed. "holdfast approvals list" shows what waits.' },
        );
      }
      return approvals.answer(requestId, requestHash, { kind: 'result', output }, origin);
    },
  };
}

function sessionVerbs(
  deps: VerbsDeps,
): Part<
  | 'send'
  | 'sessions.list'
  | 'session.create'
  | 'session.status'
  | 'session.events'
  | 'session.interrupt'
> {
  const { reads, sessions } = deps;
  const openTurnsOf = (sessionId: number): readonly TurnRow[] =>
    reads.turns({ sessionId, states: OPEN_STATES, limit: 200 });
  return {
    send: async ({ text, session, agent }, origin) => {
      const accepted = await sessions.accept({
        text,
        channel: origin === 'window' || origin === 'tray' ? 'window' : 'cli',
        peer: '',
        ...(session === undefined ? {} : { session }),
        ...(agent === undefined ? {} : { agent }),
      });
      return {
        turnId: accepted.turn.id,
        sessionId: accepted.session.id,
        sessionKey: accepted.session.key,
      };
    },
    'sessions.list': ({ limit = 100, before }) => {
      const rows = reads.sessions(limit + 1, before);
      return Promise.resolve({
        sessions: rows
          .slice(0, limit)
          .map((row) => sessionView(row, row.openTurnCount === 0 ? [] : openTurnsOf(row.id))),
        hasMore: rows.length > limit,
      });
    },
    'session.create': async (input) => {
      const { key, title, agent } = input;
      const row = await sessions.create({
        agent,
        ...(key === undefined ? {} : { key }),
        ...(title === undefined ? {} : { title }),
      });
      return sessionView(row, []);
    },
    'session.status': ({ session }) => {
      const row = sessions.find(session);
      const open = openTurnsOf(row.id);
      return sessionStatus(
        {
          work: deps.work,
          settings: deps.settings,
          requests: (sessionId) =>
            reads.requests({ includeAnswered: false, sessionId, limit: 100 }),
          drafts: deps.drafts,
          leaseOf: (sessionId) => deps.scheduler.leaseOf(sessionId),
          monotonicMs: () => deps.clock.monotonicMs(),
        },
        {
          row,
          view: sessionView(row, open),
          open,
          openTurns: open.map((turn) => summary(deps, turn)),
        },
      );
    },
    'session.events': async ({ session, limit = 100, beforeSeq }) => {
      const row = sessions.find(session);
      const events = reads.events(row.id, {
        limit: limit + 1,
        ...(beforeSeq === undefined ? {} : { beforeSeq }),
      });
      const shown = events.slice(-limit);
      return {
        events: await Promise.all(shown.map((event) => sessionEvent(deps.blobs, row.id, event))),
        hasMore: events.length > limit,
      };
    },
    'session.interrupt': async ({ session, note }, origin) => {
      const row = sessions.find(session);
      const open = openTurnsOf(row.id).filter((turn) => turn.state !== 'queued');
      await deps.journal.commit([
        { kind: 'session.interrupted', sessionId: row.id, note: (note ?? '').slice(0, 200) },
        // What was to be looked at again is decided anew with the note (S3-+01).
        ...deps.wakes.dropping(row.id, 'A person cut in.'),
      ]);
      await cancel(deps, open, origin);
      if (note !== undefined)
        await sessions.accept({ text: note, channel: 'cli', peer: '', session: row.key });
      return { cancelled: open.map((turn) => turn.id) };
    },
  };
}

function workVerbs(deps: VerbsDeps): Part<'activations.events' | 'turns.retryNow'> {
  const { reads, work } = deps;
  return {
    'activations.events': ({ session, claimId, kinds, afterSeq, limit = 50 }) =>
      Promise.resolve({
        events: work
          .activations({
            ...(session === undefined ? {} : { sessionId: deps.sessions.find(session).id }),
            ...(claimId === undefined ? {} : { claimId }),
            ...(kinds === undefined ? {} : { events: kinds }),
            ...(afterSeq === undefined ? {} : { afterSeq }),
            limit,
          })
          .map((row) => activationView(row, (turnId) => work.wakesQueuedBy(turnId))),
      }),
    'turns.retryNow': ({ turnId }, origin) => {
      const turn = reads.turn(turnId);
      if (turn === undefined) throw unknownTurn(turnId);
      if (turn.retry?.dueAtMs === undefined) {
        throw new HoldfastError(
          'TURN_STATE',
          `Turn ${String(turnId)} does not wait for its next try: it is ${turn.state}.`,
          {
            hint: 'Nothing was changed. "holdfast recovery list" shows what waits for you.',
            facts: { turnId, state: turn.state },
          },
        );
      }
      // Not on disk: a restart in between only brings back the rest of the wait.
      if (!deps.scheduler.hasten(turnId)) {
        deps.scheduler.enqueue({
          turnId,
          sessionId: turn.sessionId,
          notBeforeMs: 0,
          hasBegun: turn.attempt > 0,
        });
      }
      deps.audit.record('retry_hastened', { turnId, by: origin });
      return Promise.resolve(summary(deps, reads.turn(turnId) ?? turn));
    },
  };
}

const OPEN_STATES = ['queued', 'running', 'requires_action', 'waiting', 'held', 'parked'] as const;

function settingVerbs(
  deps: VerbsDeps,
): Part<'config.list' | 'config.get' | 'config.set' | 'tools.list'> {
  const { settings } = deps;
  return {
    'config.list': () =>
      Promise.resolve({
        path: settings.path,
        entries: [...settings.entries()],
        problems: [...settings.problems()],
      }),
    'config.get': async ({ key }) => settings.entry(key),
    'config.set': async ({ key, value }, origin) => {
      const entry = await settings.set(key, value);
      deps.audit.record('setting_changed', { key, by: origin });
      return entry;
    },
    'tools.list': () =>
      Promise.resolve({
        tools: [...deps.tools.views(settings.get('resilience.recovery.side_effect_tools'))],
      }),
  };
}
