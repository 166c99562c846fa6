import type { JournalEntry, StepEnd } from '../../../ports/journal/entries';
import type { ExternalAsking } from '../../../ports/journal/external';
import type { ExternalToolReport } from '../../../ports/external-agent';
import type { CallFacts } from '../../permissions/judge-call';
import {
  asAsked,
  askedText,
  hasEffects,
  hintOfCall,
  identityText,
  mergeReport,
  mayBeTools,
  purityOfKind,
  riskOfCall,
  toolOf,
  type CallState,
} from './facts';
import { endOfTold } from './plan';
import type { AcpRunDeps } from './deps';
import { callEntry, endOfOpen } from '../program/calls';
import { isInside } from '../program/edit-risk';
import type { CallRisk } from '../../../ports/tool-call';
import { isEffect } from '../../recovery/ledger';
import { ownAgentOf } from '../../turns/acting-agent';
import type { TurnRun } from '../../turns/run-record';

/** The agent ended its turn without reporting this call's end. */
const NOT_REPORTED =
  '(The agent ended its turn without reporting how this tool call ended. It may have happened.)';

/** A call of this run. */
export interface AcpCall {
  state: CallState;
  /** Undefined until its intent is on disk. */
  step: number | undefined;
  identity: string;
  asking: ExternalAsking | undefined;
  isEnded: boolean;
}

/** The calls of one prompt, each a step of the journal as soon as it is known of. */
export interface AcpCalls {
  /** A call is on disk as soon as it is known of, with what is known of it (S4-19). */
  take(report: ExternalToolReport): Promise<AcpCall>;
  /** The same for a permission request: the answer applies to the call as requested now. */
  takeAsked(report: ExternalToolReport): Promise<AcpCall>;
  /** The agent's report about a call; if the call ended, this is on disk when it resolves. */
  told(report: ExternalToolReport, isEnding: boolean): Promise<void>;
  factsOf(call: AcpCall): CallFacts;
  /**
   * What an answer to this call is for. Starts with the call's identity, by which lists find the
   * question; keys of older versions are only the identity and match no call.
   */
  askedKeyOf(call: AcpCall): string;
  entryOf(call: AcpCall): JournalEntry;
  /** Ends open calls after the prompt. @returns effects with an unknown outcome */
  endOpen(hasEndedByItself: boolean): readonly AcpCall[];
  hasOpen(): boolean;
  /**
   * Marks the call as waiting for permission: the agent is idle. Call the result to end the wait.
   */
  rest(callId: string): () => void;
  /** A call may be doing something at this moment. */
  isBusy(): boolean;
  hasRefused(): boolean;
}

export function createAcpCalls(
  deps: AcpRunDeps,
  init: { readonly run: TurnRun; readonly onBegin: () => void },
): AcpCalls {
  const { run } = init;
  const { turn } = run;
  const calls = new Map<string, AcpCall>();
  /** Announced calls that wait for a permission request that was not handled yet. */
  const resting = new Set<string>();
  /** Set for a call whose ID the agent reused for another one. */
  let hasRefused = false;

  // A shared turn's folders differ on each computer, but the call is the same. DW-19
  const sameOf = (text: string): string => run.portable?.key(text) ?? text;
  const identify = (state: CallState): string =>
    deps.store.hasher.sha256Hex(`outside\n${ownAgentOf(turn)}\n${sameOf(identityText(state))}`);

  const { workspace } = run.frame;
  const roots = deps.spellingsOf(workspace);
  const rootOf = ({ input }: CallState): string =>
    roots.find((root) => isInside('.', root, input)) ?? workspace;
  /** A file's path may be spelled differently from the folder's. */
  const riskOf = (state: CallState): CallRisk =>
    [rootOf(state), ...(state.kind === 'execute' ? [] : roots)]
      .map((root) => riskOfCall(state, deps.shell.riskOf, root))
      .reduce((found, one) => (one.isRisky ? found : one));
  const askedKeyOf = ({ identity, state }: AcpCall): string => {
    const asked = sameOf(askedText(turn.agent, state, rootOf(state)));
    return `${identity}.${deps.store.hasher.sha256Hex(`asked\n${ownAgentOf(turn)}\n${asked}`)}`;
  };

  const entryAt = (call: AcpCall, step: number): JournalEntry =>
    callEntry({
      turnId: turn.id,
      step,
      callId: call.state.callId,
      kind: call.state.kind,
      title: hintOfCall(call.state),
      input: JSON.stringify(call.state.input ?? {}),
      identity: call.identity,
    });

  const learn = (call: AcpCall, report: ExternalToolReport): AcpCall => {
    call.state = mergeReport(call.state, report);
    const identity = identify(call.state);
    if (identity !== call.identity && call.asking === undefined && call.step !== undefined) {
      call.identity = identity;
      run.note(entryAt(call, call.step));
    }
    return call;
  };

  const begin = async (report: ExternalToolReport, isTold: boolean): Promise<AcpCall> => {
    const state = mergeReport(undefined, report);
    const identity = identify(state);
    const call: AcpCall = { state, step: undefined, identity, asking: undefined, isEnded: false };
    calls.set(report.callId, call);
    init.onBegin();
    run.note(entryAt(call, run.step() + 1));
    const start = {
      tool: toolOf(turn.agent, state),
      purity: purityOfKind(state.kind),
      key: identity,
      hint: hintOfCall(state),
      hasEffects: hasEffects(state, deps.shell.hasEffects),
      isWorkspaceRead: state.kind === 'read' || state.kind === 'search',
      isIdempotent: false,
    };
    call.step = await run.begin(start, { isTold }).catch((error: unknown) => {
      // The agent did not ask first, so the call ends with the others whether or not it is on disk.
      if (isTold) call.step = run.step();
      throw error;
    });
    return call;
  };

  /** An agent may reuse the ID of an ended call: an effect under it still counts as one. */
  const take = async (
    report: ExternalToolReport,
    { isAnother = false, isTold = true } = {},
  ): Promise<AcpCall> => {
    const known = calls.get(report.callId);
    if (known === undefined) return begin(report, isTold);
    if (!known.isEnded || !isAnother) return learn(known, report);
    hasRefused ||= known.asking === 'refused';
    return begin(report, isTold);
  };

  const open = (): readonly AcpCall[] => [...calls.values()].filter((call) => !call.isEnded);

  return {
    take,
    async takeAsked(report) {
      const call = await take(report, { isAnother: true, isTold: false });
      call.identity = identify(asAsked(call.state, report));
      return call;
    },
    async told(report, isEnding) {
      const call = await take(report, { isAnother: report.isNew === true });
      const { step, state } = call;
      if (step === undefined || call.isEnded) return;
      const told = endOfTold({ state, asking: call.asking, isEnding });
      if (told === undefined) return;
      call.isEnded = true;
      deps.store.crashPoints.hit('step.effect.after');
      const end: StepEnd =
        told.state === 'completed'
          ? {
              state: 'completed',
              content: await run.store(told.text, 'result'),
              isError: told.isError,
            }
          : told;
      run.end(step, end);
      // The agent may think for a long time before its next call; the outcome must not wait for
      // that.
      await run.flush();
    },
    factsOf: ({ state }) => ({
      tool: toolOf(turn.agent, state),
      mayBe: mayBeTools(turn.agent, state),
      isOfAgent: true,
      purity: purityOfKind(state.kind),
      hasEffects: hasEffects(state, deps.shell.hasEffects),
      risk: riskOf(state),
    }),
    askedKeyOf,
    entryOf: (call) => entryAt(call, call.step ?? 0),
    endOpen(hasEndedByItself) {
      const unknown: AcpCall[] = [];
      for (const call of open()) {
        if (call.step === undefined) continue;
        call.isEnded = true;
        const purity = purityOfKind(call.state.kind);
        const end = endOfOpen(
          { purity, asking: call.asking },
          { unknown: 'The agent did not report how it ended.', cut: 'Its end was not reported.' },
        );
        if (end.state !== 'ambiguous') run.end(call.step, end);
        else {
          unknown.push(call);
          const content = { kind: 'inline' as const, text: NOT_REPORTED };
          run.end(call.step, hasEndedByItself ? { ...end, content } : end);
        }
      }
      return unknown;
    },
    hasOpen: () => open().length > 0,
    rest(callId) {
      resting.add(callId);
      return () => void resting.delete(callId);
    },
    isBusy: () =>
      [...calls].some(
        ([callId, { isEnded, asking, state }]) =>
          !isEnded &&
          !resting.has(callId) &&
          asking !== 'asked' &&
          isEffect({ purity: purityOfKind(state.kind) }),
      ),
    hasRefused: () => hasRefused || [...calls.values()].some((call) => call.asking === 'refused'),
  };
}
