import { breakerNames } from '../breaker/names';

/** What stands for the provider in a turn of an external agent. */
const OUTSIDE: ReadonlySet<string> = new Set(['acp', 'command']);

/**
 * Whom a turn is charged to. An external agent pays by its own name: where a provider would stand,
 * its turns say what runs them. `isProvider`: a configured provider may have that name, too.
 */
export const payingName = (
  provider: string,
  agent: string,
  isProvider: (name: string) => boolean,
): string =>
  OUTSIDE.has(provider) && !isProvider(provider) ? breakerNames.agent(agent) : provider;
