import type { HeldCause } from '../../../shared/types/outage';
import type { Breaker } from '../../ports/breakers';
import type { ProviderRecord } from '../../ports/journal/outage';
import { breakerNames, isAgentName } from '../breaker/names';
import { causeOf } from './waiting-turns';
import type { OutagesDeps } from './outage-deps';
import { newRecord, type OutageFacts } from './plan-outage';

const PREFIX = breakerNames.provider('');
const breakerNameOf = (provider: string): string =>
  isAgentName(provider) ? provider : breakerNames.provider(provider);
/** Undefined for the breaker of anything that no turn waits for. */
export function providerOfBreaker(name: string): string | undefined {
  if (isAgentName(name)) return name;
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;
}

/** A turn that waits, or is out again and not yet over. */
interface Held {
  readonly provider: string;
  readonly cause: HeldCause;
  readonly untilMs: number | undefined;
  readonly sinceMs: number;
  readonly rank: number;
}

/** What the room knows of providers and turns, in memory; the journal has all that matters of it. */
export interface Book {
  readonly records: ReadonlyMap<string, ProviderRecord>;
  readonly held: Map<number, Held>;
  /** Providers whose breaker is not closed. */
  readonly openBreakers: Set<string>;
  /** Turns that run, with the provider that they ask. */
  readonly running: Map<number, string>;
  readonly canaries: Map<string, number>;
  /** Turns that a person let go although they do not wait by themselves. */
  readonly passes: Set<number>;
  /** With the first need: a start may have to make the tables anew before. */
  readonly load: () => void;
  readonly keep: (record: ProviderRecord) => void;
  readonly recordOf: (provider: string) => ProviderRecord;
  readonly breakerOf: (provider: string) => Breaker;
  /** A provider that was never asked has no breaker, and none is made by looking. */
  readonly viewOf: (provider: string) => ReturnType<Breaker['view']> | undefined;
  readonly factsOf: (provider: string) => OutageFacts;
  /** Turns that wait for it. */
  readonly waitingOf: (provider: string) => number;
  /** Turns that waited for it and run now. */
  readonly outOf: (provider: string) => number;
  /** Turns began to wait in the order in which they stand here. */
  readonly oldestSinceMs: () => number | undefined;
  readonly known: () => readonly string[];
  readonly blockedBy: (provider: string) => ReturnType<typeof causeOf>;
  readonly providerOfTurn: (turnId: number) => string | undefined;
  /** It is asked anew whose answers the turn needs. */
  readonly dropProvider: (turnId: number) => void;
  /** The turn is over or somebody else's. True where it waited. */
  readonly forget: (turnId: number) => boolean;
  readonly isQuiet: () => boolean;
}

export function createOutageState(deps: OutagesDeps): Book {
  const { clock, journal, reads, breakers } = deps;
  const records = new Map<string, ProviderRecord>();
  const held = new Map<number, Held>();
  const openBreakers = new Set<string>();
  const running = new Map<number, string>();
  const canaries = new Map<string, number>();
  const providers = new Map<number, string | undefined>();
  const passes = new Set<number>();
  let isLoaded = false;
  const load = (): void => {
    if (isLoaded) return;
    isLoaded = true;
    for (const one of reads.providerRecords()) records.set(one.provider, one);
    for (const row of reads.heldTurns({})) held.set(row.turnId, row);
    for (const { name, state } of breakers.list()) {
      if (state !== 'closed') {
        const provider = providerOfBreaker(name);
        if (provider !== undefined) openBreakers.add(provider);
      }
    }
  };

  const recordOf = (provider: string): ProviderRecord =>
    records.get(provider) ?? newRecord(provider);
  const breakerOf = (provider: string) =>
    breakers.of(breakerNameOf(provider), isAgentName(provider) ? 'agent' : 'provider');
  const viewOf = (provider: string) => breakers.find(breakerNameOf(provider))?.view();
  const waitingOf = (provider: string): number => {
    let count = 0;
    for (const [turnId, one] of held)
      if (one.provider === provider && !running.has(turnId)) count += 1;
    return count;
  };
  const outOf = (provider: string): number => {
    let count = 0;
    for (const [turnId, name] of running) if (name === provider && held.has(turnId)) count += 1;
    return count;
  };
  const factsOf = (provider: string): OutageFacts => ({
    nowMs: clock.nowMs(),
    threshold: deps.policy().threshold,
    waiting: waitingOf(provider),
    isBreakerClosed: (viewOf(provider)?.state ?? 'closed') === 'closed',
    newOutageId: () => journal.allocate('outage'),
  });

  const oldestSinceMs = (): number | undefined => {
    for (const [turnId, one] of held) if (!running.has(turnId)) return one.sinceMs;
    return undefined;
  };

  const known = (): readonly string[] => [
    ...new Set([
      ...records.keys(),
      ...[...held.values()].map((one) => one.provider),
      ...[...openBreakers],
    ]),
  ];
  const blockedBy = (provider: string) => causeOf(recordOf(provider), viewOf(provider));
  const providerOfTurn = (turnId: number): string | undefined => {
    if (providers.has(turnId)) return providers.get(turnId);
    const row = reads.turn(turnId);
    const provider = row === undefined ? undefined : deps.providerOf(row);
    providers.set(turnId, provider);
    return provider;
  };
  const isQuiet = (): boolean =>
    held.size === 0 &&
    openBreakers.size === 0 &&
    [...records.values()].every((record) => record.standing.kind === 'answering');

  return {
    records,
    held,
    openBreakers,
    running,
    canaries,
    passes,
    load,
    keep: (record) => {
      records.set(record.provider, record);
    },
    recordOf,
    breakerOf,
    viewOf,
    factsOf,
    waitingOf,
    outOf,
    oldestSinceMs,
    known,
    blockedBy,
    providerOfTurn,
    dropProvider: (turnId) => {
      providers.delete(turnId);
    },
    forget(turnId) {
      providers.delete(turnId);
      passes.delete(turnId);
      return held.delete(turnId);
    },
    isQuiet,
  };
}
