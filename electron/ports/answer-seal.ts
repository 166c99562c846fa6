/**
 * Signs the content of a channel's links and buttons, so that only Holdfast can create them.
 * Implemented by adapters/channels/answer-seal.ts.
 */
export interface AnswerSeal {
  /** In characters that an address can contain. */
  seal(text: string): string;
  /** Takes the same time for any input. */
  isSealOf(seal: string, text: string): boolean;
}
