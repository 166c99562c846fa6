import { expect, it } from 'vitest';
import { breakerTitle } from '../../../shared/breaker-title';

it.each([
  ['provider.anthropic', 'Anthropic'],
  ['provider.office-proxy', 'Office proxy'],
  ['agent.codex', 'Agent codex'],
  ['mcp.files', 'MCP server files'],
  ['channel.team', 'Channel team'],
  ['channel.window', 'Holdfast window'],
  ['http.example.org', 'example.org'],
  ['browser.3', 'Browser of session 3'],
  ['nats', 'Event broker'],
  ['something else', 'something else'],
])('S2-11 the circuit breaker %s is called %s', (name, title) => {
  expect(breakerTitle(name)).toBe(title);
});
