/** The names of breakers that are made of the name of what they stand in front of. */
export const breakerNames = {
  provider: (name: string): string => `provider.${name}`,
  mcp: (name: string): string => `mcp.${name}`,
  agent: (name: string): string => `agent.${name}`,
  channel: (name: string): string => `channel.${name}`,
  http: (host: string): string => `http.${host}`,
} as const;

/**
 * An agent of another program waits under the name of its breaker: whom it asks is its own affair,
 * and nobody can ask for it. No provider of the settings may be called so.
 */
export const isAgentName = (name: string): boolean => name.startsWith('agent.');
