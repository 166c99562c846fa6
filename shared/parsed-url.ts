/** The address; undefined if the text is none. */
export const parsedUrl = (text: string, base?: string | URL): URL | undefined =>
  URL.canParse(text, base) ? new URL(text, base) : undefined;
