/** Session of the practice: found again after the app was killed. */
export const PRACTICE_SESSION = 'first-start-practice';
