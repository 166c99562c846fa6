import { sentence, type SentenceValue } from '../../shared/messages';

/** What a journal row or a line of the audit holds, as it was read from the disk: nothing is sure. */
export type Facts = Readonly<Record<string, unknown>>;

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
/** A row that is damaged is told all the same. */
export const numberOf = (value: unknown, other = 0): number => {
  const number = Number(value ?? other);
  return Number.isFinite(number) ? number : other;
};
export const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
/** The value if it is one of these, else the first of them: a newer version may have written others. */
export const oneOf = <T extends string>(all: readonly [T, ...T[]], value: unknown): T =>
  all.find((one) => one === value) ?? all[0];

/** Tools that come with Holdfast are known by their plain names. */
export const plainTool = (tool: string): SentenceValue =>
  tool === 'model' || tool === ''
    ? sentence('event.step.model')
    : tool.replace(/^(files|shell|fetch)\./, '');

const RECOVERED = ['resume', 'hold', 'park', 'stale', 'discard', 'none'] as const;
/** What a start decided about a turn. */
export function recoveredText(action: unknown): SentenceValue {
  const known = RECOVERED.find((one) => one === action);
  return known === undefined ? textOf(action) : sentence(`event.recovered.${known}`);
}
