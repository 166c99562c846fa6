import os from 'node:os';
import path from 'node:path';

/** Replaces a leading `~` with the account's home folder; any other text stays unchanged. */
export const fromHome = (place: string): string =>
  place === '~' || place.startsWith('~/') ? path.join(os.homedir(), place.slice(2)) : place;
