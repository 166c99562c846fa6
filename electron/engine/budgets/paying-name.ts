import { breakerNames } from '../breaker/names';

/** Values used instead of a provider in a turn of an external agent. */
const OUTSIDE: ReadonlySet<string> = new Set(['acp', 'command']);

/**
 * The payer of a turn. An external agent pays under its own name, because its turns have the agent
 * type in the provider field. `isProvider`: a configured provider may also have that name.
 */
export const payingName = (
  provider: string,
  agent: string,
  isProvider: (name: string) => boolean,
): string =>
  OUTSIDE.has(provider) && !isProvider(provider) ? breakerNames.agent(agent) : provider;
