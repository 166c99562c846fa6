import { because } from '../../../shared/reason';
import { durationMs } from '../../../shared/settings';
import type { JournalEntry } from '../../ports/journal/entries';
import type { InboxRow } from '../../ports/journal/inbox';
import type { Basics } from '../kernel/basics';
import type { InboxReads, TurnReads } from '../../ports/journal/reads';
import type { OutageReads } from '../../ports/journal/outage';
import type { TurnRow } from '../../ports/journal/rows';
import { settle } from '../inbox/entries';
import { waitUntil } from '../kernel/wait-until';
import { createWallAlarm } from '../kernel/wall-alarm';
import { HoldfastError } from '../kernel/errors';
import { createKeyedMutex } from '../kernel/keyed-mutex';
import type { Outages } from '../outage/outages';
import {
  answererName,
  candidatesOf,
  currentOf,
  type CandidateFacts,
  type NamedAnswerer,
} from './candidates';
import { decideFallback, declaredSinceMs, nextOpen } from './plan-fallback';
import { answerOf, isSameOffer, offerItem, OFFER_OUTCOMES, offerOf, type Offer } from './questions';

interface FallbackDeps extends Pick<
  Basics,
  'journal' | 'settings' | 'clock' | 'crashPoints' | 'audit' | 'log'
> {
  readonly reads: InboxReads & OutageReads & TurnReads;
  readonly outages: Pick<Outages, 'healthState' | 'isOpen' | 'fallBack'>;
  readonly identify: CandidateFacts['identify'];
  /** It exists and has its key: a waiting turn must not move to one that cannot answer. */
  readonly isUsable: (candidate: NamedAnswerer) => Promise<boolean>;
  /** Aborted when the shutdown starts. */
  readonly draining: AbortSignal;
  readonly onChange: () => void;
}

/** Turns that wait for an outage or a usage limit, and who may answer them instead. FB-01..FB-04 */
export interface FallbackRoom {
  /** Checks all waiting turns; the due changes are on disk when it resolves. */
  look(): Promise<void>;
  /**
   * The user agrees: all waiting turns of the agent continue with its next fallback that answers. On
   * disk when it resolves. @throws TURN_STATE
   */
  use(agent: string, by: string): Promise<{ readonly turnIds: readonly number[]; to: string }>;
}

/** Waiting turns of one agent that could continue with the same fallback. */
interface Group {
  readonly offer: Offer;
  readonly from: NamedAnswerer;
  readonly to: NamedAnswerer;
  readonly turns: TurnRow[];
}

const MAX_ITEMS = 1_000;

export function createFallback(deps: FallbackDeps): FallbackRoom {
  const { reads, outages, clock, journal } = deps;
  const mutex = createKeyedMutex<'fallback'>();
  /** One check or answer at a time: the next one reads from disk what this one decided. */
  const oneByOne = <T>(work: () => Promise<T>): Promise<T> => mutex('fallback', work);
  const alarm = createWallAlarm(clock, () => void room.look());

  const offers = (): readonly (InboxRow & { readonly offer: Offer })[] =>
    [false, true]
      .flatMap((includeSettled) => reads.inbox({ includeSettled, limit: MAX_ITEMS }))
      .flatMap((item) => {
        const offer = offerOf(item.facts);
        return offer === undefined ? [] : [{ ...item, offer }];
      });

  const waitingTurns = (): readonly TurnRow[] =>
    reads.heldTurns({}).flatMap(({ turnId, isOut }) => {
      const turn = isOut ? undefined : reads.turn(turnId);
      return turn === undefined || turn.endedAtMs !== undefined ? [] : [turn];
    });

  /** The turn's position in its agent's list, and the next usable candidates. */
  const optionsOf = async (turn: TurnRow) => {
    const all = candidatesOf(turn.agent, {
      agents: deps.settings.get('agents'),
      providers: deps.settings.get('providers'),
      identify: deps.identify,
    });
    const current = currentOf(all, turn.fallbacks);
    const from = all[current];
    if (from === undefined) return undefined;
    const candidates = await Promise.all(
      all.map(async (one, at) => ({
        ...one,
        isOpen: at > current && outages.isOpen(one.place) && (await deps.isUsable(one)),
      })),
    );
    return { from, current, candidates };
  };

  const offerFor = (turn: TurnRow, from: NamedAnswerer, to: NamedAnswerer): Offer => {
    const healthState = outages.healthState(from.place);
    return {
      agent: turn.agent,
      from: answererName(from),
      to: answererName(to),
      cause: healthState.kind === 'quota' ? 'limit' : 'outage',
      sinceMs: declaredSinceMs(healthState) ?? clock.nowMs(),
    };
  };

  const addTo = (groups: Group[], turn: TurnRow, from: NamedAnswerer, to: NamedAnswerer): void => {
    const offer = offerFor(turn, from, to);
    const known = groups.find((one) => isSameOffer(one.offer, offer));
    if (known === undefined) groups.push({ offer, from, to, turns: [turn] });
    else known.turns.push(turn);
  };

  /** Moves all turns of a group in one commit, together with the end of their question. */
  const goOn = async (
    { offer, from, to, turns }: Group,
    by: string,
  ): Promise<readonly number[]> => {
    const open = offers().filter(
      (item) => item.settledAtMs === undefined && isSameOffer(item.offer, offer),
    );
    const gone = await outages.fallBack(
      turns.map(({ id }) => id),
      (ids) => [
        ...turns
          .filter(({ id }) => ids.includes(id))
          .flatMap((turn) => switched(turn, { offer, from, to }, by)),
        ...open.map(({ id }) => settle(id, OFFER_OUTCOMES.used)),
      ],
    );
    for (const turnId of gone)
      deps.audit.record('turn_fell_back', {
        turnId,
        to: offer.to,
        instead: offer.from,
        cause: offer.cause,
        by,
      });
    return gone;
  };

  /** Opens questions that are due, and closes those that no turn waits for. */
  const ask = async (wanted: readonly Group[]): Promise<void> => {
    const known = offers();
    const entries = [
      ...known
        .filter((item) => item.settledAtMs === undefined)
        .filter((item) => !wanted.some(({ offer }) => isSameOffer(offer, item.offer)))
        .map(({ id }) => settle(id, OFFER_OUTCOMES.over)),
      ...wanted
        .filter(({ offer }) => !known.some((item) => isSameOffer(item.offer, offer)))
        .map(({ offer }) => offerItem(journal.allocate('inbox'), offer)),
    ];
    if (entries.length === 0) return;
    deps.crashPoints.hit('fallback.ask.before');
    await journal.commit(entries);
    deps.crashPoints.hit('fallback.ask.after');
    deps.onChange();
  };

  const lookNow = async (): Promise<void> => {
    if (deps.draining.aborted) return;
    const policy = {
      mode: deps.settings.get('fallback.mode'),
      afterMs: durationMs(deps.settings.get('fallback.after')),
    };
    const going: Group[] = [];
    const asking: Group[] = [];
    let nextMs: number | undefined;
    const asked = offers();
    for (const turn of waitingTurns()) {
      const options = await optionsOf(turn);
      if (options === undefined) continue;
      const { from, current, candidates } = options;
      const next = candidates[nextOpen(candidates, current) ?? -1];
      const offer = next === undefined ? undefined : offerFor(turn, from, next);
      const before = offer && asked.find((item) => isSameOffer(item.offer, offer));
      const decision = decideFallback({
        ...policy,
        candidates,
        current,
        healthState: outages.healthState(from.place),
        nowMs: clock.nowMs(),
        answer: before === undefined ? undefined : answerOf(before),
      });
      if (decision.kind === 'later') nextMs = Math.min(nextMs ?? Infinity, decision.atMs);
      else if (decision.kind !== 'stay' && next !== undefined)
        addTo(decision.kind === 'go' ? going : asking, turn, from, next);
    }
    for (const group of going) await goOn(group, 'auto');
    await ask(asking);
    if (nextMs === undefined || deps.draining.aborted) alarm.clear();
    else alarm.set([waitUntil(clock, nextMs)]);
  };

  const room: FallbackRoom = {
    look: () =>
      oneByOne(lookNow).catch((error: unknown) => deps.log.warn('fallback.not_looked', { error })),
    use: (agent, by) =>
      oneByOne(async () => {
        const groups: Group[] = [];
        for (const turn of waitingTurns().filter((one) => one.agent === agent)) {
          const options = await optionsOf(turn);
          const next = options?.candidates[nextOpen(options.candidates, options.current) ?? -1];
          if (options === undefined || next === undefined) continue;
          if (declaredSinceMs(outages.healthState(options.from.place)) === undefined) continue;
          addTo(groups, turn, options.from, next);
        }
        const turnIds: number[] = [];
        for (const group of groups) turnIds.push(...(await goOn(group, by)));
        if (turnIds.length === 0)
          throw groups.length === 0 ? nothingWaits(agent) : stillEnds(agent);
        return { turnIds, to: groups[0]?.offer.to ?? '' };
      }),
  };
  return room;
}

function switched(
  turn: TurnRow,
  { offer, from, to }: Pick<Group, 'offer' | 'from' | 'to'>,
  by: string,
): readonly JournalEntry[] {
  const { cause, sinceMs } = offer;
  return [
    {
      kind: 'turn.fell_back',
      turnId: turn.id,
      ...answererOf(to),
      instead: answererOf(from),
      cause,
      sinceMs,
      afterStep: turn.stepCount,
      by,
    },
    {
      kind: 'turn.state',
      turnId: turn.id,
      state: 'queued',
      reason:
        cause === 'limit'
          ? because('reason.fellBackLimit', { name: offer.to, first: offer.from })
          : because('reason.fellBackOutage', { name: offer.to, first: offer.from }),
    },
  ];
}

const answererOf = ({ provider, model, agent }: NamedAnswerer) => ({
  provider,
  model,
  ...(agent === undefined ? {} : { agent }),
});

const stillEnds = (agent: string): HoldfastError =>
  new HoldfastError(
    'TURN_STATE',
    `The waiting turns of "${agent.slice(0, 60)}" are still ending their last requests.`,
    { hint: 'Nothing was changed. Try again in a moment.', retryable: true },
  );

const nothingWaits = (agent: string): HoldfastError =>
  new HoldfastError(
    'TURN_STATE',
    `No turn of "${agent.slice(0, 60)}" waits for an outage or a usage limit that one of its fallbacks could answer now.`,
    {
      hint: 'Nothing was changed. List waiting turns: holdfast outages queue. Set fallbacks: holdfast agents edit NAME --fallback LIST',
    },
  );
