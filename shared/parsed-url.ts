/** The text as an address; undefined if it is not a valid one. */
export const parsedUrl = (text: string, base?: string | URL): URL | undefined =>
  URL.canParse(text, base) ? new URL(text, base) : undefined;
