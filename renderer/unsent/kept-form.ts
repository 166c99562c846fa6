/** Forms of agents: what they are kept as, and what they begin with. */
import { useMemo } from 'react';

/** The name that the text of a form is kept under. */
export const agentField = (name: string | undefined): string =>
  name === undefined ? 'agent/new' : `agent/of-${name}`;

/** The same object as long as it says the same. */
export function useStable<T>(value: T): T {
  const said = JSON.stringify(value);
  return useMemo(() => JSON.parse(said) as T, [said]);
}
