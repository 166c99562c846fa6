import type { AcpAgentSettings } from '../../../../shared/settings';
import type { JournalEntry } from '../../../ports/journal/entries';
import type { ExternalAsking } from '../../../ports/journal/external';
import type { ExternalPermission, ExternalPermissionAnswer } from '../../../ports/external-agent';
import { judgeCall } from '../../permissions/judge-call';
import { isEffect } from '../../recovery/ledger';
import type { AcpCall, AcpCalls } from './calls';
import { chooseOption, hintOfCall } from './facts';
import type { Entered } from './open';
import type { AcpRunDeps } from './deps';
import { notToldOf, planPermission } from '../program/permission';
import type { Questions } from '../program/permission';
import type { TurnRun } from '../../turns/run-record';

/** The source of an answer, with the request if the user gave it. */
interface Answered {
  readonly by: 'policy' | 'stored' | 'person';
  readonly requestId?: number;
}

const REFUSED = 'You denied it.';
const NO_WAY = 'The agent requested permission but offered no "allow" option.';
const CANCELLED: ExternalPermissionAnswer = { kind: 'cancelled' };

/**
 * Answers the agent's permission request. This is the write-ahead point: the answer is on disk
 * before the agent receives it. @throws what ends the run while the request is open
 */
export function createAcpPermission(
  deps: AcpRunDeps,
  init: {
    readonly run: TurnRun;
    readonly spec: AcpAgentSettings;
    readonly entered: Entered;
    readonly calls: AcpCalls;
    readonly questions: Questions;
    readonly signal: AbortSignal;
  },
): (call: AcpCall, permission: ExternalPermission) => Promise<ExternalPermissionAnswer> {
  const { run, calls, questions } = init;
  const { turn } = run;

  const asking = (call: AcpCall, state: ExternalAsking, by: string, requestId?: number) =>
    ({
      kind: 'outside.asking',
      turnId: turn.id,
      step: call.step ?? 0,
      state,
      by,
      ...(requestId === undefined ? {} : { requestId }),
    }) satisfies JournalEntry;

  const allow = async (
    call: AcpCall,
    permission: ExternalPermission,
    { by, requestId }: Answered,
  ): Promise<ExternalPermissionAnswer> => {
    const optionId = chooseOption(permission.options, true);
    if (optionId === undefined) return CANCELLED;
    await run.flush([
      ...(call.asking === undefined ? [calls.entryOf(call)] : []),
      asking(call, 'allowed', by, requestId),
    ]);
    call.asking = 'allowed';
    // The user may have stopped the turn while this was being written.
    if (init.signal.aborted) return CANCELLED;
    deps.store.crashPoints.hit('step.effect.before');
    return { kind: 'selected', optionId };
  };

  const refuse = async (
    call: AcpCall,
    permission: ExternalPermission,
    { by, requestId }: Answered,
    reason: string,
  ): Promise<ExternalPermissionAnswer> => {
    call.asking = 'refused';
    call.isEnded = true;
    run.end(call.step ?? 0, {
      state: 'completed',
      content: { kind: 'inline', text: `Not done: ${reason}` },
      isError: true,
    });
    await run.flush([calls.entryOf(call), asking(call, 'refused', by, requestId)]);
    const optionId = chooseOption(permission.options, false);
    return optionId === undefined ? CANCELLED : { kind: 'selected', optionId };
  };

  const askPerson = async (
    call: AcpCall,
    permission: ExternalPermission,
    question: { readonly inputKey: string; readonly reason: string; readonly grant: string },
  ): Promise<ExternalPermissionAnswer> => {
    const { state } = call;
    call.asking = 'asked';
    const { tool, risk } = calls.factsOf(call);
    const said = await questions.ask(
      {
        tool,
        input: JSON.stringify(state.input ?? { title: state.title }, null, 1),
        hint: hintOfCall(state),
        ...question,
        ...(risk?.leaves === true ? { leaves: true } : {}),
        ...notToldOf(risk),
      },
      [calls.entryOf(call), asking(call, 'asked', '')],
    );
    questions.use(said.requestId);
    if (said.isCleared) return CANCELLED;
    const answered = { by: 'person', requestId: said.requestId } as const;
    if (said.isAllowed) return allow(call, permission, answered);
    return refuse(call, permission, answered, said.note === '' ? REFUSED : said.note);
  };

  return async (call, permission) => {
    // The agent cannot receive an "allow", so the user is not asked.
    if (chooseOption(permission.options, true) === undefined)
      return refuse(call, permission, { by: 'policy' }, NO_WAY);
    const facts = calls.factsOf(call);
    const inputKey = calls.askedKeyOf(call);
    const plan = planPermission({
      call: facts,
      identity: call.identity,
      verdict: judgeCall(facts, deps.tools.rules(), (what) =>
        deps.store.reads.isGranted(turn.sessionId, what),
      ),
      stored: questions.stored({ tool: facts.tool, inputKey }),
      repeat: init.entered.repeatOf(call.identity),
      ask: init.spec.ask ?? 'policy',
      isEffect: isEffect(facts),
    });
    switch (plan.kind) {
      case 'allow':
        return allow(call, permission, { by: 'policy' });
      case 'deny':
        return refuse(call, permission, { by: 'policy' }, plan.reason);
      case 'stored': {
        const { requestId, isAllowed } = plan.answer;
        questions.use(requestId);
        const answered = { by: 'stored', requestId } as const;
        return isAllowed
          ? allow(call, permission, answered)
          : refuse(call, permission, answered, REFUSED);
      }
      case 'ask':
        return askPerson(call, permission, { inputKey, reason: plan.reason, grant: plan.grant });
    }
  };
}
