/** Which answer of the story comes next in a conversation. Shared by both providers of it. */
import type { ModelRequest } from '../../../electron/ports/provider';
import type { PlotAnswer, PlotTurn } from './plot';

/** A conversation, reduced to what the story looks at. */
export interface Conversation {
  readonly prompt: string;
  /** Answers since the prompt. */
  readonly answered: number;
}

export function conversationOf(request: Pick<ModelRequest, 'messages'>): Conversation {
  const from = request.messages.findLastIndex((message) => message.role === 'user');
  const last = request.messages[from];
  return {
    prompt: last?.role === 'user' ? last.text : '',
    answered: request.messages.slice(from).filter((message) => message.role === 'assistant').length,
  };
}

/** The turn of the story with this prompt; several routines share theirs, and are the same. */
export function answerFor(
  turns: readonly PlotTurn[],
  { prompt, answered }: Conversation,
): { readonly turn: PlotTurn; readonly answer: PlotAnswer | undefined } | undefined {
  const same = turns.filter((one) => one.prompt === prompt);
  const turn = same.find((one) => one.answers.length > answered) ?? same[0];
  return turn === undefined ? undefined : { turn, answer: turn.answers[answered] };
}

/** Tokens of an answer: they grow with the conversation. */
export function tokensOf(answered: number): {
  readonly inputTokens: number;
  readonly outputTokens: number;
} {
  return { inputTokens: 1_900 + answered * 740, outputTokens: 160 + ((answered * 97) % 300) };
}

/** US dollars per million tokens of the story's provider. */
export const PRICES = { input: 3, output: 15 } as const;

export function costOf(answered: number): number {
  const { inputTokens, outputTokens } = tokensOf(answered);
  return (inputTokens * PRICES.input + outputTokens * PRICES.output) / 1_000_000;
}
