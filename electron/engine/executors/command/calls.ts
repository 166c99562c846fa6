import type { JsonValue } from '../../../ports/provider';
import { canonicalJson } from '../../kernel/canonical';
import { toolKey } from '../../journal/step-keys';
import type { CommandCall } from './call';
import { resultOf } from './plan';
import type { CommandRunDeps } from './deps';
import { callEntry, callsToHold, endOfOpen } from '../program/calls';
import type { TurnRun } from '../../turns/run-record';

/** The calls of one process, each a step of the journal. */
export interface CommandCalls {
  has(callId: string): boolean;
  hasOpen(): boolean;
  hasBegun(): boolean;
  /** Records a call's intent and the program's ID for it. Both are on disk when this resolves. */
  begin(
    callId: string,
    call: CommandCall,
    input: JsonValue,
    more: { readonly againOf?: number; readonly requestId?: number },
  ): Promise<void>;
  /** Its result, on disk when this resolves. */
  end(callId: string, content: string, isError: boolean): Promise<void>;
  /**
   * Ends the open calls: by the hooks' reports, otherwise as `why` states. @returns effects with an
   * unknown outcome that need review
   */
  endOpen(why: string): Promise<readonly CommandCall[]>;
}

export function createCommandCalls(deps: CommandRunDeps, run: TurnRun): CommandCalls {
  const { turn } = run;
  const open = new Map<string, { readonly step: number; readonly call: CommandCall }>();
  let hasBegun = false;

  return {
    has: (callId) => open.has(callId),
    hasOpen: () => open.size > 0,
    hasBegun: () => hasBegun,
    async begin(callId, call, input, more) {
      hasBegun = true;
      const key = toolKey(deps.store.hasher, call.tool, input);
      const step = await run.begin({
        tool: call.tool,
        purity: call.purity,
        key,
        hint: call.hint,
        ...more,
        hasEffects: call.hasEffects,
        isWorkspaceRead: call.isWorkspaceRead,
        isIdempotent: false,
      });
      open.set(callId, { step, call });
      await deps.store.journal.commit([
        callEntry({
          turnId: turn.id,
          step,
          callId,
          kind: call.kind,
          title: call.tool,
          input: canonicalJson(input),
          identity: key,
        }),
      ]);
      deps.store.crashPoints.hit('command.call.after');
    },
    async end(callId, text, isError) {
      const known = open.get(callId);
      if (known === undefined) return;
      const content = await run.store(text, 'result');
      if (!open.delete(callId)) return;
      run.end(known.step, { state: 'completed', content, isError });
      await run.flush();
    },
    async endOpen(why) {
      const records = (await deps.commands.records(turn.id).catch(() => undefined)) ?? [];
      const unknown: CommandCall[] = [];
      for (const [callId, { step, call }] of open) {
        const after = resultOf(records, { attempt: run.attempt, callId });
        if (after !== undefined) {
          const content = { kind: 'inline' as const, text: after.output };
          run.end(step, { state: 'completed', content, isError: after.isError });
        } else {
          unknown.push(call);
          run.end(step, endOfOpen(call, { unknown: why, cut: why }));
        }
      }
      open.clear();
      return callsToHold(unknown, deps.limits.policy());
    },
  };
}
