/** Texts about other computers, in the tray and in the windows. Pure. HO-02 */
import type { HostFact } from './host-facts';
import { EN_HOSTS } from './messages/en-hosts';
import { sayFrom } from './messages/say';

const english = sayFrom(EN_HOSTS);

/**
 * One fact about a host, for a list of facts: lower case and without a period. `say`: in a window's
 * language.
 */
export function hostFactText(fact: HostFact, say: typeof english = english): string {
  const { name } = fact;
  switch (fact.kind) {
    case 'needs':
      return say('host.needs', { count: fact.count, name });
    case 'away':
      return say('host.away', { name });
    case 'other':
      return say('host.other', { name, version: fact.version });
    case 'stopped':
      return say('host.stopped', { name });
    case 'unsure':
      return say('host.unsure', { name });
    case 'connecting':
      return say('host.connecting', { name });
  }
}

/** The same as a headline, without a period. */
export function hostHeadline(fact: HostFact, say: typeof english = english): string {
  const { kind, name } = fact;
  switch (kind) {
    case 'needs':
      return say('host.needs', { count: fact.count, name });
    case 'other':
      return say('host.head.other', { name, version: fact.version });
    default:
      return say(`host.head.${kind}`, { name });
  }
}

/** How many items on other computers need the user, and where. Undefined: none. */
export function hostNeedsText(
  facts: readonly HostFact[],
  say: typeof english = english,
): string | undefined {
  const needs = facts.flatMap((fact) => (fact.kind === 'needs' ? [fact] : []));
  const [first] = needs;
  if (first === undefined || needs.length === 1) return first && hostFactText(first, say);
  const count = needs.reduce((sum, one) => sum + one.count, 0);
  return say('host.needs.many', { count, number: needs.length });
}
