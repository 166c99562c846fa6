/** Seals what a link or button of a channel carries: nobody else can make one. */
export interface AnswerSeal {
  /** In characters that an address can hold. */
  seal(text: string): string;
  /** In the same time whatever both are. */
  isSealOf(seal: string, text: string): boolean;
}
