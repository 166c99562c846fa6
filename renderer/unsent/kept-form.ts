/** Forms of agents: the key under which each is stored, and its initial values. */
import { useMemo } from 'react';

/** The key under which a form's text is stored. */
export const agentField = (name: string | undefined): string =>
  name === undefined ? 'agent/new' : `agent/of-${name}`;

/** The same object as long as its content is equal. */
export function useStable<T>(value: T): T {
  const said = JSON.stringify(value);
  return useMemo(() => JSON.parse(said) as T, [said]);
}
