import type { Breaker } from '../../ports/breakers';
import type { HeldRow, NotedLimit, ProviderRecord } from '../../ports/journal/outage';
import { breakerNames, isAgentName } from '../breaker/names';
import { causeOf, isUnderLimit } from './waiting-turns';
import type { OutagesDeps } from './outage-deps';
import { newRecord, type OutageFacts } from './plan-outage';

const PREFIX = breakerNames.provider('');
const breakerNameOf = (provider: string): string =>
  isAgentName(provider) ? provider : breakerNames.provider(provider);
/** Undefined for a breaker that no turn waits for. */
export function providerOfBreaker(name: string): string | undefined {
  if (isAgentName(name)) return name;
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;
}

/** A turn that waits, or that runs again after waiting. */
type Held = Pick<HeldRow, 'provider' | 'cause' | 'untilMs' | 'sinceMs' | 'rank' | 'windows'>;

/** Waiting and running turns, with their providers. */
interface TurnStates {
  readonly held: Map<number, Held>;
  readonly running: Map<number, string>;
  readonly canaries: Map<string, number>;
  /** Turns that the user resumed although they do not wait automatically. */
  readonly passes: Set<number>;
  /** Turns that need review instead of waiting: `soon` until that is on disk. */
  readonly leaving: Map<number, 'soon' | 'gone'>;
  /**
   * Number of windows that the turn will have used up if it reaches the limit again. A run that
   * started before the reset does not count another window.
   */
  readonly windowsAgain: (turnId: number) => number;
  /** The turn needs review now, or the user has resumed it since. */
  readonly hasLeft: (turnId: number) => boolean;
  /** Number of turns that wait for the provider. */
  readonly waitingOf: (provider: string) => number;
  /** Number of running turns that waited for it. */
  readonly outOf: (provider: string) => number;
  /** Since when the oldest turn with a bounded wait has been waiting. */
  readonly oldestSinceMs: (isBounded: (one: Held) => boolean) => number | undefined;
  readonly providerOfTurn: (turnId: number) => string | undefined;
  /** The provider that the turn needs is determined again. */
  readonly dropProvider: (turnId: number) => void;
  /** The turn ended or belongs to another worker. True if it was waiting. */
  readonly forget: (turnId: number) => boolean;
}

/** The providers, and their breakers. */
interface ProviderStates {
  readonly records: ReadonlyMap<string, ProviderRecord>;
  /** Providers whose breaker is not closed. */
  readonly openBreakers: Set<string>;
  readonly keep: (record: ProviderRecord) => void;
  readonly recordOf: (provider: string) => ProviderRecord;
  readonly breakerOf: (provider: string) => Breaker;
  /** A provider that was never called has no breaker, and reading this creates none. */
  readonly viewOf: (provider: string) => ReturnType<Breaker['view']> | undefined;
  readonly factsOf: (provider: string) => OutageFacts;
  readonly known: () => readonly string[];
  readonly blockedBy: (provider: string) => ReturnType<typeof causeOf>;
  /**
   * The provider whose record holds the usage limit that applies to this one: itself, another of
   * its account, or undefined. LM-05
   */
  readonly limitHolderOf: (provider: string) => string | undefined;
  /** Its own record, or else the limit of its account. */
  readonly shownRecordOf: (provider: string) => ProviderRecord;
  /** Providers and agents that share its limit. */
  readonly accountOf: (provider: string) => readonly string[];
  /** Number of turns that wait for its limit, over the whole account. */
  readonly waitingInAccount: (provider: string) => number;
}

/**
 * What this module knows about providers and turns, in memory; everything important is in the
 * journal.
 */
export interface OutageState {
  readonly turns: TurnStates;
  readonly providers: ProviderStates;
  /** How much of a window of each limit is used, as last reported. */
  readonly windows: Map<string, NotedLimit>;
  /** Loads on first use, because a start may have to rebuild the tables first. */
  readonly load: () => void;
  readonly isQuiet: () => boolean;
}

export function createOutageState(deps: OutagesDeps): OutageState {
  const { reads, breakers } = deps;
  const turns = turnStates(deps);
  const { held } = turns;
  const records = new Map<string, ProviderRecord>();
  const openBreakers = new Set<string>();
  const windows = new Map<string, NotedLimit>();
  let isLoaded = false;
  return {
    turns,
    windows,
    providers: providerStates(deps, { records, openBreakers, turns }),
    load() {
      if (isLoaded) return;
      isLoaded = true;
      for (const one of reads.providerRecords()) {
        records.set(one.provider, one);
        if (one.warned !== undefined && !windows.has(one.provider))
          windows.set(one.provider, one.warned);
      }
      for (const row of reads.heldTurns({})) {
        held.set(row.turnId, row);
        if (row.goesNow === true) turns.passes.add(row.turnId);
      }
      for (const { name, state } of breakers.list()) {
        if (state !== 'closed') {
          const provider = providerOfBreaker(name);
          if (provider !== undefined) openBreakers.add(provider);
        }
      }
    },
    isQuiet: () =>
      held.size === 0 &&
      turns.leaving.size === 0 &&
      openBreakers.size === 0 &&
      [...records.values()].every((record) => record.standing.kind === 'answering'),
  };
}

function turnStates({ reads, agents }: OutagesDeps): TurnStates {
  const held = new Map<number, Held>();
  const running = new Map<number, string>();
  const passes = new Set<number>();
  const leaving = new Map<number, 'soon' | 'gone'>();
  const providers = new Map<number, string | undefined>();
  return {
    held,
    running,
    canaries: new Map(),
    leaving,
    hasLeft: (turnId) =>
      leaving.get(turnId) === 'gone' &&
      leaving.delete(turnId) &&
      reads.turn(turnId)?.state === 'parked',
    windowsAgain: (turnId) => (held.get(turnId)?.windows ?? 0) + (passes.has(turnId) ? 0 : 1),
    passes,
    waitingOf(provider) {
      let count = 0;
      for (const [turnId, one] of held)
        if (one.provider === provider && !running.has(turnId)) count += 1;
      return count;
    },
    outOf(provider) {
      let count = 0;
      for (const [turnId, name] of running) if (name === provider && held.has(turnId)) count += 1;
      return count;
    },
    oldestSinceMs(isBounded) {
      for (const [turnId, one] of held)
        if (!running.has(turnId) && isBounded(one)) return one.sinceMs;
      return undefined;
    },
    providerOfTurn(turnId) {
      if (providers.has(turnId)) return providers.get(turnId);
      const row = reads.turn(turnId);
      const provider = row === undefined ? undefined : agents.providerOf(row);
      providers.set(turnId, provider);
      return provider;
    },
    dropProvider(turnId) {
      providers.delete(turnId);
    },
    forget(turnId) {
      providers.delete(turnId);
      passes.delete(turnId);
      return held.delete(turnId);
    },
  };
}

function providerStates(
  { agents, breakers, clock, journal, policy }: OutagesDeps,
  own: {
    readonly records: Map<string, ProviderRecord>;
    readonly openBreakers: Set<string>;
    readonly turns: TurnStates;
  },
): ProviderStates {
  const { records, openBreakers, turns } = own;
  const recordOf = (provider: string): ProviderRecord =>
    records.get(provider) ?? newRecord(provider);
  const accountOf = (provider: string): readonly string[] => agents.accountOf(provider);
  const limitHolderOf = (provider: string): string | undefined =>
    isUnderLimit(recordOf(provider))
      ? provider
      : accountOf(provider).find((one) => isUnderLimit(recordOf(one)));
  const shownRecordOf = (provider: string): ProviderRecord => {
    const record = recordOf(provider);
    const holder = limitHolderOf(provider);
    if (record.standing.kind !== 'answering' || holder === undefined) return record;
    const { standing, lastError } = recordOf(holder);
    return { ...record, standing, ...(lastError === undefined ? {} : { lastError }) };
  };
  const waitingInAccount = (provider: string): number =>
    accountOf(provider).reduce((sum, one) => sum + turns.waitingOf(one), 0);
  const viewOf = (provider: string) => breakers.find(breakerNameOf(provider))?.view();
  return {
    records,
    openBreakers,
    keep(record) {
      records.set(record.provider, record);
    },
    recordOf,
    breakerOf: (provider) =>
      breakers.of(breakerNameOf(provider), isAgentName(provider) ? 'agent' : 'provider'),
    viewOf,
    factsOf: (provider) => ({
      nowMs: clock.nowMs(),
      threshold: policy().threshold,
      waiting: isUnderLimit(recordOf(provider))
        ? waitingInAccount(provider)
        : turns.waitingOf(provider),
      isBreakerClosed: (viewOf(provider)?.state ?? 'closed') === 'closed',
      newOutageId: () => journal.allocate('outage'),
    }),
    known: () => [
      ...new Set([
        ...records.keys(),
        ...[...turns.held.values()].map((one) => one.provider),
        ...openBreakers,
      ]),
    ],
    blockedBy: (provider) => causeOf(shownRecordOf(provider), viewOf(provider)),
    limitHolderOf,
    shownRecordOf,
    accountOf,
    waitingInAccount,
  };
}
