import type { AnswerPart, ModelAnswer } from '../../ports/provider';

type CallPart = Extract<AnswerPart, { kind: 'tool_call' }>;

/** A tool call as stored; as an object, most of it would be member names. */
type StoredCall = readonly [callId: string, tool: string, args: CallPart['args']];

/** Serialized form of a model answer in `StoredText`. */
export function encodeAnswer(answer: Omit<ModelAnswer, 'usage'> & Partial<ModelAnswer>): string {
  const parts = answer.parts.map((part): AnswerPart | StoredCall =>
    part.kind === 'tool_call' ? [part.callId, part.tool, part.args] : part,
  );
  return JSON.stringify({ f: answer.finish, p: parts });
}

const partOf = (stored: AnswerPart | StoredCall): AnswerPart =>
  'kind' in stored
    ? stored
    : { kind: 'tool_call', callId: stored[0], tool: stored[1], args: stored[2] };

/** Reads what {@link encodeAnswer} wrote; undefined for anything else. */
export function decodeAnswer(
  text: string,
): { readonly finish: ModelAnswer['finish']; readonly parts: readonly AnswerPart[] } | undefined {
  try {
    const raw = JSON.parse(text) as { f?: ModelAnswer['finish']; p?: (AnswerPart | StoredCall)[] };
    return raw.f !== undefined && Array.isArray(raw.p)
      ? { finish: raw.f, parts: raw.p.map(partOf) }
      : undefined;
  } catch {
    return undefined; // Not an answer: a damaged or foreign row counts as not recorded.
  }
}
