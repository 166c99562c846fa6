/** A JSON object whose content is not known yet. */
export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Empty for anything that is not a text. */
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
