/** Breaker names, derived from the dependency's name. */
export const breakerNames = {
  provider: (name: string): string => `provider.${name}`,
  mcp: (name: string): string => `mcp.${name}`,
  agent: (name: string): string => `agent.${name}`,
  channel: (name: string): string => `channel.${name}`,
  http: (host: string): string => `http.${host}`,
} as const;

/**
 * An external agent waits under its breaker's name: Holdfast does not know or probe its provider.
 * No configured provider may use such a name.
 */
export const isAgentName = (name: string): boolean => name.startsWith('agent.');
