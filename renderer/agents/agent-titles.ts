/** Display names of agents. Verbs and settings use the name; users read the title. */
import { useEffect, useState } from 'react';
import { useVerb } from '../bridge';

let titles: ReadonlyMap<string, string> = new Map();

/** Display name of an agent; without one, its name. */
export const agentTitle = (name: string): string => titles.get(name) ?? name;

/** Call once at the root of a window: everything below is drawn again with the titles. */
export function useAgentTitles(): void {
  const agents = useVerb('agents.list', {}).data?.agents;
  const [, draw] = useState(0);
  useEffect(() => {
    if (agents === undefined) return;
    const next = new Map(
      agents.flatMap(({ name, title }) => (title === undefined ? [] : [[name, title] as const])),
    );
    const isSame =
      next.size === titles.size && [...next].every(([name, title]) => titles.get(name) === title);
    if (isSame) return;
    titles = next;
    draw((count) => count + 1);
  }, [agents]);
}
