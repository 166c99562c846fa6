/** `desktop` is an alias of the window: an answer there is shown as a notification. */
export const channelNamed = (name: string): string => (name === 'desktop' ? 'window' : name);
