/** What the tray shows of other computers: facts for its line, rows for its menu. Pure. HO-02 */
import { hostFacts, isHidden, type HostFact } from '../../../shared/host-facts';
import { hostFactText, hostHeadline, hostNeedsText } from '../../../shared/host-words';
import { EN_HOSTS } from '../../../shared/messages/en-hosts';
import { sayFrom } from '../../../shared/messages/say';
import type { StatusSnapshot } from '../../../shared/types';
import type { TrayFact } from './tray-external';
import type { TrayRow } from './tray-row';

const say = sayFrom(EN_HOSTS);

/** If there are more hosts than this, `holdfast hosts list` shows the others. */
const MAX_ROWS = 5;

const ofKind = <K extends HostFact['kind']>(
  facts: readonly HostFact[],
  kind: K,
): readonly Extract<HostFact, { kind: K }>[] =>
  facts.filter((fact): fact is Extract<HostFact, { kind: K }> => fact.kind === kind);

/** How many items on other computers need the user, and where. */
export function hostNeedsFact({ hosts }: StatusSnapshot): TrayFact | undefined {
  const text = hostNeedsText(hostFacts(hosts));
  return text === undefined ? undefined : { text };
}

/**
 * Hosts whose state is not known now. They are never left out, so that silence is not mistaken for
 * "nothing to do".
 */
export function hiddenHostsFacts({ hosts }: StatusSnapshot): readonly TrayFact[] {
  const facts = hostFacts(hosts);
  const away = ofKind(facts, 'away');
  return [
    ...(away.length > 1 ? [{ text: say('host.away.many', { count: away.length }) }] : []),
    ...facts
      .filter((fact) => isHidden(fact) && (fact.kind !== 'away' || away.length === 1))
      .map((fact) => ({ text: hostFactText(fact) })),
  ];
}

/** Hosts that have not reported yet. */
export const connectingHostsFacts = ({ hosts }: StatusSnapshot): readonly TrayFact[] =>
  ofKind(hostFacts(hosts), 'connecting').map((fact) => ({ text: hostFactText(fact) }));

/** One row for each fact about a host; `label` makes the text fit. */
export function hostRows(
  { hosts }: StatusSnapshot,
  time: (atMs: number) => string,
  label: (text: string) => string,
): readonly TrayRow[] {
  return hostFacts(hosts)
    .slice(0, MAX_ROWS)
    .map((fact): TrayRow => {
      if (fact.kind === 'needs')
        return {
          kind: 'action',
          label: `${label(hostHeadline(fact))}…`,
          // The inbox also lists the items of the hosts.
          action: { kind: 'open', route: '/decisions' },
          isEnabled: true,
        };
      const text =
        fact.kind === 'away'
          ? say('host.awaySince', { name: fact.name, time: time(fact.sinceMs) })
          : hostHeadline(fact);
      return { kind: 'label', label: label(text) };
    });
}
