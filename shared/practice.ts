/** The agent and the provider that are there without any key: a script, not an AI. */
export const PRACTICE_AGENT = 'practice';
export const PRACTICE_PROVIDER = 'practice';

/** Session of the practice: found again after the app was killed. */
export const PRACTICE_SESSION = 'first-start-practice';
