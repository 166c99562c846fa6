import type { JsonValue } from '../../../ports/provider';
import { toolKey } from '../../journal/step-keys';
import { judgeCall } from '../../permissions/judge-call';
import { isEffect } from '../../recovery/ledger';
import { claudeCall } from './call';
import type { CommandCalls } from './calls';
import type { CommandRunDeps } from './deps';
import { notToldOf, planPermission } from '../program/permission';
import type { Questions } from '../program/permission';
import type { TurnRun } from '../../turns/run-record';

/** `none`: the program's own rules decide. */
export interface HookVerdict {
  readonly decision: 'allow' | 'deny' | 'none';
  readonly reason: string;
}

/** A call that the program wants to make, as its hook reports it. */
export interface HookCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: JsonValue;
}

const NO_OPINION: HookVerdict = { decision: 'none', reason: '' };
const deny = (reason: string): HookVerdict => ({ decision: 'deny', reason });

/**
 * Answers a hook that requests permission for a call. An allowed call is in the journal, committed
 * and synced, before this resolves. @throws what ends the run meanwhile
 */
export function createCommandPermission(
  deps: CommandRunDeps,
  init: {
    readonly run: TurnRun;
    readonly calls: CommandCalls;
    readonly questions: Questions;
    /** Steps whose unknown result counts as an empty one. */
    readonly skipped: ReadonlySet<number>;
    readonly signal: AbortSignal;
  },
): (asked: HookCall) => Promise<HookVerdict> {
  const { run, calls, questions, signal } = init;
  const { turn } = run;

  return async ({ callId, tool: name, input }) => {
    const call = claudeCall(name, input, {
      workspace: run.frame.workspace,
      shell: deps.shell,
      agentHosts: deps.agentHosts(),
    });
    if (call === undefined) return NO_OPINION;
    const identity = toolKey(deps.store.hasher, call.tool, input);
    const line = isEffect(call) ? run.cursor.take(identity) : undefined;
    const isLeftOut = line !== undefined && init.skipped.has(line.root);
    const isRepeat = line?.outcome === 'finished';
    const plan = planPermission({
      call,
      identity,
      verdict: judgeCall(call, deps.tools.rules(), (what) =>
        deps.store.reads.isGranted(turn.sessionId, what),
      ),
      stored: questions.stored({ tool: call.tool, inputKey: identity }),
      // The policy, or the answer that resumed the turn, repeats an open one.
      repeat: isLeftOut ? 'left_out' : isRepeat ? 'done' : undefined,
      ask: 'policy',
      isEffect: isEffect(call),
    });
    if (plan.kind === 'deny') {
      deps.store.audit.record('tool_denied', { turnId: turn.id, tool: call.tool });
      return deny(`${plan.reason} The tool call was not run.`);
    }
    const person =
      plan.kind === 'allow'
        ? undefined
        : plan.kind === 'stored'
          ? plan.answer
          : await questions.ask({
              tool: call.tool,
              inputKey: identity,
              input: JSON.stringify(input, null, 1),
              hint: call.hint,
              reason: plan.reason,
              grant: plan.grant,
              ...(call.risk.leaves === true ? { leaves: true } : {}),
              ...notToldOf(call.risk),
            });
    // A denial is not used up: the same call is denied again without another question.
    if (person !== undefined && !person.isAllowed) {
      const words = person.note === '' ? '' : ` The user says: ${person.note}`;
      return deny(`The user denied this tool call. It was not run.${words}`);
    }
    if (person !== undefined) questions.use(person.requestId);
    signal.throwIfAborted();
    await calls.begin(callId, call, input, {
      ...(line === undefined || isRepeat ? {} : { againOf: line.root }),
      ...(person === undefined ? {} : { requestId: person.requestId }),
    });
    signal.throwIfAborted();
    const isPlainRead = call.kind === 'read' || call.kind === 'search';
    return isPlainRead ? NO_OPINION : { decision: 'allow', reason: 'Allowed by Holdfast.' };
  };
}
