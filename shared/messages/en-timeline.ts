/** English: the turn page, its timeline, sessions. */
export const EN_TIMELINE = {} as const;
