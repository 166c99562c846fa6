import os from 'node:os';
import path from 'node:path';

/** The place with the home folder of the account for a `~` at its start; any other text as it is. */
export const fromHome = (place: string): string =>
  place === '~' || place.startsWith('~/') ? path.join(os.homedir(), place.slice(2)) : place;
