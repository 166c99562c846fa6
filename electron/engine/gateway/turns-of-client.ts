/**
 * Turns at work that a request of a client may belong to: those of the agent that the client is
 * named after; else all of them, because a client names none and its agent may be any. Outside of
 * turns none. In ascending order, so that the same turns are the same. Pure.
 */
export function turnsOfClient(
  client: string,
  running: readonly { readonly id: number; readonly agent: string }[],
  isAgent: (name: string) => boolean,
): readonly number[] {
  return running
    .filter(({ agent }) => !isAgent(client) || agent === client)
    .map(({ id }) => id)
    .toSorted((a, b) => a - b);
}
