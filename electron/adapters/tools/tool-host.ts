import { UNSEEN } from '../../../shared/unseen';
import { z } from 'zod';
import { once } from '../../../shared/once';
import { isOfProgramFiles } from '../../engine/kernel/errors';
import type { StagedWrite } from '../../ports/staged-write';
import type { JsonValue } from '../../ports/provider';
import type { ToolHost, ToolSpec } from '../../ports/tools';
import type { CallRisk, CallTarget } from '../../ports/tool-call';
import type { ToolCall, ToolOutcome } from '../../ports/tool-call';
import type { Purity } from '../../../shared/types';

/** One built-in tool: the model sees its schema, and every call is checked against it. */
export interface ToolDefinition {
  readonly spec: ToolSpec;
  /** Undefined if this tool cannot report the outcome of an earlier call. */
  readonly status: ((call: ToolCall) => Promise<'done' | 'not_done' | 'unknown'>) | undefined;
  stage(call: ToolCall): Promise<StagedWrite | undefined>;
  call(call: ToolCall): Promise<ToolOutcome>;
}

/** Definition of a built-in tool, with its arguments typed by its schema. */
interface ToolSource<S extends z.ZodObject> {
  readonly name: string;
  /** As `ToolSpec.offeredAs`. */
  readonly offeredAs?: string;
  readonly description: string;
  readonly purity: Purity;
  readonly isWorkspaceRead?: boolean;
  readonly isIdempotent?: boolean;
  /** As `ToolSpec.carriesKey`. */
  readonly carriesKey?: 'environment';
  readonly isProposedForGate?: boolean;
  /** Created for the first call or the first model request: a start does not need it. */
  readonly args: () => S;
  readonly hint: (args: z.infer<S>) => string;
  readonly question?: (args: z.infer<S>) => string;
  readonly hasEffects?: (args: z.infer<S>) => boolean;
  readonly risk?: (args: z.infer<S>) => CallRisk;
  /** As `ToolSpec.goesTo`. */
  readonly goesTo?: (args: z.infer<S>, workspace: string) => Promise<CallTarget | undefined>;
  /** As `ToolSpec.whyNotTold`. */
  readonly whyNotTold?: (args: z.infer<S>, workspace: string) => Promise<string | undefined>;
  readonly timeoutMs?: () => number;
  readonly run: (args: z.infer<S>, call: ToolCall) => Promise<ToolOutcome>;
  readonly status?: (args: z.infer<S>, call: ToolCall) => Promise<'done' | 'not_done' | 'unknown'>;
  /** As `ToolHost.stage`. */
  readonly stage?: (args: z.infer<S>, call: ToolCall) => Promise<StagedWrite | undefined>;
}

const NO_RISK: CallRisk = { isRisky: false, reason: '', covers: '' };

/** A successful call. */
export const done = (content: string): ToolOutcome => ({ kind: 'result', content, isError: false });

/** A finished call that tells the model what was wrong or missing. */
export const refused = (content: string): ToolOutcome => ({
  kind: 'result',
  content,
  isError: true,
});

/** A value within a question: one line, in quotes, truncated if it is long. */
export function quoted(text: string): string {
  const line = inertLine(text).trim();
  return `"${line.length > 80 ? `${line.slice(0, 79)}…` : line}"`;
}

/** Checks arguments before `run`; a wrong one is an answer to the model, never an exception. */
export function defineTool<S extends z.ZodObject>(source: ToolSource<S>): ToolDefinition {
  const schema = once(source.args);
  const jsonSchema = once(() => schemaOf(schema()));
  const parsed = (args: JsonValue): z.infer<S> | undefined => {
    const outcome = schema().safeParse(args);
    return outcome.success ? outcome.data : undefined;
  };
  /** Wrong arguments are never run: of them there is only `otherwise` to say. */
  const about =
    <Rest extends readonly unknown[], Result>(
      say: (args: z.infer<S>, ...rest: Rest) => Result,
      otherwise: Result,
    ) =>
    (args: JsonValue, ...rest: Rest): Result => {
      const known = parsed(args);
      return known === undefined ? otherwise : say(known, ...rest);
    };
  const { goesTo, hasEffects, question, risk, status, whyNotTold } = source;
  return {
    spec: {
      name: source.name,
      ...(source.offeredAs === undefined ? {} : { offeredAs: source.offeredAs }),
      description: source.description,
      get inputSchema() {
        return jsonSchema();
      },
      purity: source.purity,
      ...(source.isWorkspaceRead ? { isWorkspaceRead: true } : {}),
      ...(source.isIdempotent ? { isIdempotent: true } : {}),
      ...(source.carriesKey ? { carriesKey: source.carriesKey } : {}),
      ...(status ? { hasStatusCheck: true } : {}),
      ...(source.isProposedForGate ? { isProposedForGate: true } : {}),
      ...(source.timeoutMs ? { timeoutMs: source.timeoutMs } : {}),
      hint: about((args) => inertLine(source.hint(args)), ''),
      ...(question ? { question: about((args) => inertLine(question(args)), '') } : {}),
      // Nothing is known about wrong arguments: they count as having effects.
      ...(hasEffects ? { hasEffects: about(hasEffects, true) } : {}),
      ...(risk ? { risk: about(risk, NO_RISK) } : {}),
      ...(goesTo ? { goesTo: about(goesTo, Promise.resolve(undefined)) } : {}),
      ...(whyNotTold ? { whyNotTold: about(whyNotTold, Promise.resolve(undefined)) } : {}),
    },
    status: status
      ? (call) => about(status, Promise.resolve('not_done' as const))(call.args, call)
      : undefined,
    async stage(call) {
      return about((args) => source.stage?.(args, call), undefined)(call.args);
    },
    async call(call) {
      const outcome = schema().safeParse(call.args);
      if (!outcome.success) {
        const problems = outcome.error.issues
          .slice(0, 10)
          .map((issue) => `- ${issue.path.join('.') || 'arguments'}: ${issue.message}`);
        return refused(
          `TOOL_INPUT_INVALID: ${source.offeredAs ?? source.name} was not run, nothing changed. Correct this and call it again:\n${problems.join('\n')}`,
        );
      }
      if (call.signal.aborted) {
        return { kind: 'failed', message: 'Stopped before it started.', isRetryable: true };
      }
      try {
        return await source.run(outcome.data, call);
      } catch (thrown) {
        if (isOfProgramFiles(thrown)) throw thrown;
        const message = `${source.name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
        // A world tool changes nothing, so even an unexpected error has left nothing behind.
        return source.purity === 'world'
          ? { kind: 'failed', message, isRetryable: false }
          : { kind: 'unknown', message };
      }
    },
  };
}

/** Bundles definitions under one name. */
export function createToolHost(name: string, definitions: readonly ToolDefinition[]): ToolHost {
  const byName = new Map(
    definitions.map((definition) => [
      definition.spec.offeredAs ?? definition.spec.name,
      definition,
    ]),
  );
  const specs = definitions.map((definition) => definition.spec);
  return {
    name,
    tools: () => specs,
    call: async (call) =>
      (await byName.get(call.tool)?.call(call)) ??
      refused(
        `TOOL_UNKNOWN: there is no tool called ${inertLine(call.tool)} here. Use one of: ${[...byName.keys()].join(', ')}.`,
      ),
    stage: async (call) => byName.get(call.tool)?.stage(call),
    status: async (call) => (await byName.get(call.tool)?.status?.(call)) ?? 'unknown',
  };
}

function schemaOf(args: z.ZodObject): JsonValue {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(args, { io: 'input' });
  return schema as JsonValue;
}

/**
 * One line that cannot hide characters: control, bidi and zero-width characters are written as
 * `\u{…}`; at most 200 characters. Security T4.
 */
export function inertLine(text: string): string {
  const escaped = text
    .slice(0, 400)
    .replace(/\s*\n\s*/g, ' ⏎ ')
    .replace(UNSEEN, codePoint)
    .replace(/[\t\p{Cs}]/gu, codePoint);
  return escaped.length > 200
    ? `${escaped.slice(0, 199).replace(/[\ud800-\udbff]$/, '')}…`
    : escaped;
}

const codePoint = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;

/** Code of a system error, or `undefined`. */
export function errnoOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
