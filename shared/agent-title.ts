/** The display name of an agent. Verbs, settings and JSON know the name; people read the title. */
import { EN_WORDS } from './messages/en-words';
import { sayFrom } from './messages/say';
import { PRACTICE_AGENT } from './practice';

const say = sayFrom(EN_WORDS);

/** Display name of an agent; without one in the settings, its name. Pure. */
export function agentTitleIn(
  agents: Readonly<Record<string, { readonly title?: string | undefined }>>,
  name: string,
): string {
  if (Object.hasOwn(agents, name)) return agents[name]?.title ?? name;
  return name === PRACTICE_AGENT ? say('agent.demo') : name;
}
