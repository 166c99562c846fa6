/** Signs the content of a channel's links and buttons, so that only Holdfast can create them. */
export interface AnswerSeal {
  /** In characters that an address can hold. */
  seal(text: string): string;
  /** In the same time whatever both are. */
  isSealOf(seal: string, text: string): boolean;
}
