/** Forms of agents: under which name they are stored, and their initial values. */
import { useMemo } from 'react';

/** The name under which the text of a form is stored. */
export const agentField = (name: string | undefined): string =>
  name === undefined ? 'agent/new' : `agent/of-${name}`;

/** The same object as long as its content is equal. */
export function useStable<T>(value: T): T {
  const said = JSON.stringify(value);
  return useMemo(() => JSON.parse(said) as T, [said]);
}
