/** What the status says of other computers, worst first. Pure. HO-02 */
import type { HostView } from './types/hosts';

/** One fact about a host. A host without problems or pending items has none. */
export type HostFact =
  | { readonly kind: 'needs'; readonly name: string; readonly count: number }
  | { readonly kind: 'away'; readonly name: string; readonly sinceMs: number; readonly why: string }
  | { readonly kind: 'other'; readonly name: string; readonly version: string }
  | { readonly kind: 'stopped'; readonly name: string }
  /** It answers, and what it says may be old, or is a state that this version does not know. */
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

/** What is told of all hosts, the worst first; a host may be told of twice. */
export const hostFacts = (hosts: readonly HostView[] = []): readonly HostFact[] =>
  hosts
    .flatMap(factsOf)
    .toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));

/** How many things need a person, on this computer and on its hosts, as far as these have told. */
export const needsOfAll = (
  counts: { readonly needsYou: number },
  hosts?: readonly HostView[],
): number =>
  hostFacts(hosts).reduce(
    (sum, fact) => sum + (fact.kind === 'needs' ? fact.count : 0),
    counts.needsYou,
  );

/** Whether a host hides what is there: all that was said of it may be wrong now. */
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
