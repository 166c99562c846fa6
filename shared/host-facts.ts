/** Status facts about other computers, worst first. Pure. HO-02 */
import type { HostView } from './types/hosts';

/** One fact about a host. A host without problems or pending items has none. */
export type HostFact =
  | { readonly kind: 'needs'; readonly name: string; readonly count: number }
  | { readonly kind: 'away'; readonly name: string; readonly sinceMs: number; readonly why: string }
  | { readonly kind: 'other'; readonly name: string; readonly version: string }
  | { readonly kind: 'stopped'; readonly name: string }
  /** It responds, but its state may be old, or is one that this version does not know. */
  | { readonly kind: 'unsure'; readonly name: string; readonly why: string }
  | { readonly kind: 'connecting'; readonly name: string };

const ORDER = [
  'needs',
  'away',
  'other',
  'stopped',
  'unsure',
  'connecting',
] as const satisfies readonly HostFact['kind'][];

/** Facts about all hosts, the worst first; a host may occur twice. */
export const hostFacts = (hosts: readonly HostView[] = []): readonly HostFact[] =>
  hosts
    .flatMap(factsOf)
    .toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));

/**
 * How many items need the user, on this computer and on its hosts, as far as these have reported.
 */
export const needsOfAll = (
  counts: { readonly needsYou: number },
  hosts?: readonly HostView[],
): number =>
  hostFacts(hosts).reduce(
    (sum, fact) => sum + (fact.kind === 'needs' ? fact.count : 0),
    counts.needsYou,
  );

/** Whether a host's state is hidden: everything it reported may be outdated. */
export const isHidden = ({ kind }: HostFact): boolean => kind !== 'needs' && kind !== 'connecting';

function factsOf(host: HostView): readonly HostFact[] {
  const { name } = host;
  switch (host.kind) {
    case 'connecting':
      return [
        host.failed === undefined
          ? { kind: 'connecting', name }
          : { kind: 'away', name, ...host.failed },
      ];
    case 'unreachable':
      return [{ kind: 'away', name, sinceMs: host.sinceMs, why: host.why }];
    case 'other_version':
      return [{ kind: 'other', name, version: host.theirs }];
    case 'connected':
      return [
        ...(host.needsYou > 0 ? [{ kind: 'needs' as const, name, count: host.needsYou }] : []),
        ...stateFacts(host),
      ];
  }
}

function stateFacts({
  name,
  phase,
  problem,
}: Extract<HostView, { kind: 'connected' }>): readonly HostFact[] {
  if (problem !== undefined) return [{ kind: 'unsure', name, why: problem }];
  switch (phase) {
    case 'running':
      return [];
    case 'starting':
      return [{ kind: 'connecting', name }];
    case 'stopping':
    case 'stopped':
      return [{ kind: 'stopped', name }];
    case 'silent':
    case 'unknown':
      return [{ kind: 'unsure', name, why: '' }];
  }
}
