import type { Hasher } from '../../ports/blobs';
import type { StepRow, TurnRow } from '../../ports/journal/rows';

/** A value in OTLP JSON. */
type AnyValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean };
interface Attribute {
  readonly key: string;
  readonly value: AnyValue;
}

/** A span in OTLP JSON. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1: internal, 3: a call to an external service. */
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code: 0 | 1 | 2; readonly message?: string };
}

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

const valueOf = (value: string | number | boolean): AnyValue => {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
};

/** Attributes that have a value. */
export const attributesOf = (values: Values): readonly Attribute[] =>
  Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueOf(value) }],
  );

const nano = (ms: number): string => `${String(Math.max(0, Math.round(ms)))}000000`;

/** IDs that a later process computes identically, from the data, the turn and the step. */
export interface TraceIds {
  trace(turnId: number): string;
  turn(turnId: number): string;
  step(turnId: number, step: number): string;
  reuse(turnId: number, step: number, time: number): string;
}

export function traceIds(hasher: Hasher, databaseId: string): TraceIds {
  const made = (chars: number, ...parts: readonly (string | number)[]): string =>
    hasher.sha256Hex([databaseId, ...parts].join('/')).slice(0, chars);
  return {
    trace: (turnId) => made(32, 'trace', turnId),
    turn: (turnId) => made(16, 'turn', turnId),
    step: (turnId, step) => made(16, 'step', turnId, step),
    reuse: (turnId, step, time) => made(16, 'reuse', turnId, step, time),
  };
}

/** The model of the turn's frame. */
export interface ModelNames {
  readonly provider?: string;
  readonly model?: string;
}

/** Texts of a step; only set if a setting permits sending them. */
export interface StepTexts {
  readonly input?: string;
  readonly output?: string;
}

const isOver = (turn: TurnRow): boolean => turn.endedAtMs !== undefined;

/** The span of a whole turn. Undefined while it is open. */
export function turnSpan(ids: TraceIds, turn: TurnRow, texts: StepTexts): Span | undefined {
  if (!isOver(turn)) return undefined;
  const { id, agent, usage } = turn;
  return {
    traceId: ids.trace(id),
    spanId: ids.turn(id),
    name: `invoke_agent ${agent}`,
    kind: 1,
    startTimeUnixNano: nano(turn.acceptedAtMs),
    endTimeUnixNano: nano(turn.endedAtMs ?? turn.acceptedAtMs),
    attributes: attributesOf({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'gen_ai.conversation.id': turn.sessionKey,
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      'gen_ai.input.messages': texts.input,
      'gen_ai.output.messages': texts.output,
      'holdfast.turn.id': id,
      'holdfast.turn.state': turn.state,
      'holdfast.turn.attempts': turn.attempt,
      'holdfast.turn.reused_steps': turn.reusedCount,
      'holdfast.cost_usd': usage.costUsd,
    }),
    status: statusOf(turn.state === 'failed' ? 'failed' : undefined),
  };
}

const statusOf = (problem: string | undefined): Span['status'] =>
  problem === undefined ? { code: 0 } : { code: 2, message: problem };

/** The problem of a step in one word: its text may contain data that must not be sent. */
const PROBLEMS: Readonly<Partial<Record<StepRow['state'], string>>> = {
  failed: 'failed',
  ambiguous: 'ambiguous',
};

const nameOf = (step: StepRow, names: ModelNames): string =>
  step.purity === 'llm' ? `chat ${names.model ?? ''}`.trim() : `execute_tool ${step.tool}`;

const ofStep = (step: StepRow, names: ModelNames): Values => {
  const usage = step.end !== undefined && 'usage' in step.end ? step.end.usage : undefined;
  const isModel = step.purity === 'llm';
  return {
    'gen_ai.operation.name': isModel ? 'chat' : 'execute_tool',
    'gen_ai.provider.name': isModel ? names.provider : undefined,
    'gen_ai.request.model': isModel ? names.model : undefined,
    'gen_ai.tool.name': isModel ? undefined : step.tool,
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'holdfast.cost_usd': usage?.costUsd,
    'holdfast.step.id': step.step,
    'holdfast.step.state': step.state,
    'holdfast.step.attempt': step.attempt,
    'error.type': PROBLEMS[step.state],
  };
};

/** The span of an ended step. Undefined while it runs. */
export function stepSpan(
  ids: TraceIds,
  step: StepRow,
  names: ModelNames,
  texts: StepTexts,
): Span | undefined {
  if (step.endedAtMs === undefined) return undefined;
  const [inputKey, outputKey] =
    step.purity === 'llm'
      ? ['gen_ai.input.messages', 'gen_ai.output.messages']
      : ['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result'];
  return {
    traceId: ids.trace(step.turnId),
    spanId: ids.step(step.turnId, step.step),
    parentSpanId: ids.turn(step.turnId),
    name: nameOf(step, names),
    kind: step.purity === 'llm' ? 3 : 1,
    startTimeUnixNano: nano(step.startedAtMs),
    endTimeUnixNano: nano(step.endedAtMs),
    attributes: attributesOf({
      ...ofStep(step, names),
      [inputKey]: texts.input,
      [outputKey]: texts.output,
    }),
    status: statusOf(PROBLEMS[step.state]),
  };
}

/** A stored result that a resumed run used instead of calling again. */
export function reuseSpan(ids: TraceIds, step: StepRow, names: ModelNames, atMs: number): Span {
  const { turnId } = step;
  return {
    traceId: ids.trace(turnId),
    spanId: ids.reuse(turnId, step.step, atMs),
    parentSpanId: ids.turn(turnId),
    name: `reuse ${nameOf(step, names)}`,
    kind: 1,
    startTimeUnixNano: nano(atMs),
    endTimeUnixNano: nano(atMs),
    attributes: attributesOf({
      'gen_ai.operation.name': step.purity === 'llm' ? 'chat' : 'execute_tool',
      'holdfast.step.id': step.step,
      'holdfast.step.reused': true,
    }),
    links: [{ traceId: ids.trace(turnId), spanId: ids.step(turnId, step.step) }],
    status: { code: 0 },
  };
}

/** The body of one export request. */
export const exportOf = (spans: readonly Span[], self: Values, version: string): object => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf({ 'service.name': 'holdfast', ...self }) },
      scopeSpans: [{ scope: { name: 'holdfast', version }, spans }],
    },
  ],
});
