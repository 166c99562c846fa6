import type { SentQuestion } from '../../ports/journal/questions';

/** The steps of one pass over a channel's questions, in this order. */
export type QuestionStep =
  /** It is decided: its message says what happened. */
  | { readonly kind: 'close'; readonly row: SentQuestion }
  /** It is still open, but its message is outdated. */
  | { readonly kind: 'edit'; readonly inboxId: number; readonly row: SentQuestion }
  /** It was not sent, or whether it was is unknown. */
  | { readonly kind: 'ask'; readonly inboxId: number; readonly isRepeat: boolean };

/** Messages with open questions on one channel; more wait until some are decided. */
export const MAX_OPEN = 20;

/**
 * Compares the open questions with the state of a channel. Decided ones are closed first, because
 * an outdated button must not stay longer than needed. A question that the channel has is never
 * sent again; one decided before it was sent is never sent. Pure. PH-02, PH-06
 */
export function planQuestions(
  /** Oldest first; `said`: hash of its message's current content. */
  open: readonly {
    readonly inboxId: number;
    readonly said: string;
    /** Held back during quiet hours. Changes of its message make no sound and are not held back. */
    readonly isWithheld?: boolean;
  }[],
  rows: readonly SentQuestion[],
): readonly QuestionStep[] {
  const byId = new Map(rows.map((row) => [row.inboxId, row]));
  const openIds = new Set(open.map(({ inboxId }) => inboxId));
  const decided = rows.filter(({ inboxId }) => !openIds.has(inboxId));
  const changed = open.flatMap(({ inboxId, said }): readonly QuestionStep[] => {
    const row = byId.get(inboxId);
    return row?.sent?.ref === undefined || row.sent.said === said
      ? []
      : [{ kind: 'edit', inboxId, row }];
  });
  const there = open.filter(({ inboxId }) => byId.get(inboxId)?.sent !== undefined).length;
  const fresh = open
    .filter(
      ({ inboxId, isWithheld }) => isWithheld !== true && byId.get(inboxId)?.sent === undefined,
    )
    .slice(0, Math.max(0, MAX_OPEN - there));
  return [
    ...decided.map((row): QuestionStep => ({ kind: 'close', row })),
    ...changed,
    ...fresh.map(({ inboxId }): QuestionStep => ({
      kind: 'ask',
      inboxId,
      isRepeat: byId.get(inboxId)?.isUnknown === true,
    })),
  ];
}
