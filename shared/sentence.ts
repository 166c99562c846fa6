/** The text with a full stop where it has no end of its own: words of other programs often have none. */
export const sentence = (text: string): string =>
  text === '' || /[.!?…]$/.test(text) ? text : `${text}.`;
