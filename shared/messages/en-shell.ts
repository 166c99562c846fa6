/** English: palette, keys and first start. */
export const EN_SHELL = {} as const;
