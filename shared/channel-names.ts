/** `desktop` is another word for the window: what is answered there is told in a notification. */
export const channelNamed = (name: string): string => (name === 'desktop' ? 'window' : name);
