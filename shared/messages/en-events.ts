/** English: the events page and the day line. */
export const EN_EVENTS = {} as const;
