const ANYWHERE =
  /a1\.[0-9a-z]{1,9}\.[\w~*!'()-]{1,400}\.[a-zA-Z]\.[0-9a-z]{1,10}\.[0-9a-f]{16}\.[\w-]{43}/;

/** The first token in a text, such as an email subject or a message on a topic. */
export const tokenIn = (text: string): string | undefined => ANYWHERE.exec(text)?.[0];
