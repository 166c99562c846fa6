/**
 * Display name of a circuit breaker: what it guards, not the name used in commands and settings.
 * Pure.
 */
import { EN_WORDS } from './messages/en-words';
import { sayFrom } from './messages/say';
import { providerTitle } from './provider-title';

const say = sayFrom(EN_WORDS);

const KINDS = ['mcp', 'channel', 'browser'] as const;

/** `Anthropic` for `provider.anthropic`, `Channel team` for `channel.team`. Still untrusted text. */
export function breakerTitle(name: string): string {
  if (name === 'nats') return say('breaker.of.broker');
  if (name === 'channel.window') return say('breaker.of.window');
  // An agent waits under its breaker's name, so its provider's title is its own.
  if (name.startsWith('agent.')) return providerTitle(name);
  const own = name.slice(name.indexOf('.') + 1);
  if (name.startsWith('provider.')) return providerTitle(own);
  if (name.startsWith('http.')) return own;
  const kind = KINDS.find((one) => name.startsWith(`${one}.`));
  return kind === undefined ? name : say(`breaker.of.${kind}`, { name: own });
}
