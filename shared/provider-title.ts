/** Display name of a provider, the same everywhere. */
import { EN_WORDS } from './messages/en-words';
import { sayFrom } from './messages/say';
import { PRACTICE_PROVIDER } from './practice';

const say = sayFrom(EN_WORDS);

/** Names whose usual spelling differs from that in settings. */
const WRITTEN: ReadonlyMap<string, string> = new Map([
  ['anthropic', 'Anthropic'],
  ['openai', 'OpenAI'],
  ['google', 'Google'],
  ['gemini', 'Gemini'],
  ['ollama', 'Ollama'],
  ['openrouter', 'OpenRouter'],
  ['minimax', 'MiniMax'],
  ['lmstudio', 'LM Studio'],
  ['lm-studio', 'LM Studio'],
]);

/** The configured name in capitalized words, or as the vendor writes it. Still untrusted text. */
export function providerTitle(
  provider: string,
  /** The display name of an external agent, which waits under its own name. */
  agentTitle: (agent: string) => string = (agent) => agent,
): string {
  if (provider.startsWith('agent.'))
    return say('provider.agent', { name: agentTitle(provider.slice('agent.'.length)) });
  if (provider === PRACTICE_PROVIDER) return say('provider.demo');
  return (
    WRITTEN.get(provider) ??
    (provider.charAt(0).toUpperCase() + provider.slice(1)).replace(/[-_]/g, ' ')
  );
}
