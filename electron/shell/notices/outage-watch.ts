/**
 * Which external changes become a notice: a declared outage, its end, a rejected key, undelivered
 * events. Pure, given what it has seen. Each is notified once, with at most one pair of start and
 * end per provider in half an hour. S0-17.
 */
import { flatLine } from '../../../shared/unseen';
import type { StatusSnapshot } from '../../../shared/types';
import { providerTitle } from '../../../shared/provider-title';
import { outageRoute } from '../windows/links';
import type { Notice } from './notification-policy';
import { say } from '../say';

/** At most one pair of notices per provider in this time. */
const PAIR_MS = 30 * 60_000;

type Facts = Pick<StatusSnapshot, 'outside' | 'delivery' | 'nowMs'>;

export interface OutageWatch {
  /** New notices. The first call only records the current state, which is not news. */
  look(facts: Facts): readonly Notice[];
}

interface Known {
  /** Since when it is down; absent while it answers. */
  readonly downSinceMs?: number;
  /** When its outage was last notified, and whether the end still has to be. */
  readonly toldAtMs?: number;
  readonly owesEnd: boolean;
  readonly isKeyTold: boolean;
}
const NOTHING: Known = { owesEnd: false, isKeyTold: false };

const MINUTE_MS = 60_000;

/** Down, checking, or recovering: in any of these states the outage continues. */
const isOut = (state: string): boolean =>
  state === 'down' || state === 'trying' || state === 'recovering';

/** The display name of an agent. */
type AgentTitle = (agent: string) => string;

/** A provider's name without anything that could reorder the text of a notification. */
const plainName = (provider: string, agentTitle: AgentTitle): string =>
  flatLine(providerTitle(provider, agentTitle)).slice(0, 64);

const backText = (ms: number): string => {
  const all = Math.max(1, Math.round(ms / MINUTE_MS));
  if (all < 60) return say('notice.back.minutes', { minutes: all });
  const hours = Math.floor(all / 60);
  const minutes = all % 60;
  return minutes === 0
    ? say('notice.back.hours', { hours })
    : say('notice.back.hoursMinutes', { hours, minutes });
};

const declared = (provider: string, name: string): Notice => ({
  key: `outage:${provider}`,
  kind: 'outage',
  title: say('notice.outage', { name }),
  body: say('notice.outage.about'),
  route: outageRoute(provider),
});

/** Replaces the notice that declared the outage. */
const over = (provider: string, name: string, lastedMs: number): Notice => ({
  key: `outage:${provider}`,
  kind: 'outage',
  title: say('notice.back', { name }),
  body: backText(lastedMs),
  route: '/outages',
});

const keyRefused = (provider: string, name: string): Notice => ({
  key: `outage:${provider}`,
  kind: 'outage',
  title: say('notice.key', { name }),
  body: say('notice.key.about'),
  route: outageRoute(provider),
});

const undelivered = (total: number, fresh: number): Notice => ({
  key: 'undelivered',
  kind: 'delivery',
  title: say('notice.undelivered', { count: fresh }),
  body: say('notice.undelivered.about', { count: total }),
  route: '/events/delivery',
});

const shedding = (): Notice => ({
  key: 'shed',
  kind: 'delivery',
  title: say('notice.shed'),
  body: say('notice.shed.about'),
  route: '/events/delivery',
});

export function createOutageWatch(
  agentTitle: AgentTitle = (agent) => agent,
  /** Whether the settings still contain it: a removed provider is neither down nor back. */
  isThere: (provider: string) => boolean = () => true,
): OutageWatch {
  const nameOf = (provider: string): string => plainName(provider, agentTitle);
  const known = new Map<string, Known>();
  let isFirst = true;
  let deadLetters = 0;
  let shed = 0;

  const lookAt = (
    one: NonNullable<Facts['outside']>['providers'][number],
    nowMs: number,
  ): readonly Notice[] => {
    const { provider, state } = one;
    const before = known.get(provider) ?? NOTHING;
    if (state === 'key') {
      known.set(provider, { ...before, isKeyTold: true });
      return isFirst || before.isKeyTold ? [] : [keyRefused(provider, nameOf(provider))];
    }
    if (!isOut(state)) return [];
    if (before.downSinceMs !== undefined) return [];
    const downSinceMs = one.downSinceMs ?? nowMs;
    const isSoon = before.toldAtMs !== undefined && nowMs - before.toldAtMs < PAIR_MS;
    const isTold = !isFirst && !isSoon;
    known.set(provider, {
      ...before,
      downSinceMs,
      ...(isTold ? { toldAtMs: nowMs } : {}),
      // An outage that existed at the start is not news, but its end is.
      owesEnd: isTold || isFirst,
    });
    return isTold ? [declared(provider, nameOf(provider))] : [];
  };

  const ended = (outside: Facts['outside'], nowMs: number): readonly Notice[] => {
    const states = new Map(outside?.providers.map(({ provider, state }) => [provider, state]));
    const notices: Notice[] = [];
    for (const [provider, before] of known) {
      const state = states.get(provider);
      const isKeyTold = before.isKeyTold && state === 'key';
      const { downSinceMs, toldAtMs } = before;
      const isOver = downSinceMs !== undefined && (state === undefined || !isOut(state));
      known.set(provider, {
        ...(toldAtMs === undefined ? {} : { toldAtMs }),
        ...(isOver || downSinceMs === undefined ? {} : { downSinceMs }),
        owesEnd: before.owesEnd && !isOver,
        isKeyTold,
      });
      if (isOver && before.owesEnd && isThere(provider))
        notices.push(over(provider, nameOf(provider), nowMs - downSinceMs));
    }
    return notices;
  };

  const lookAtDelivery = (delivery: Facts['delivery']): readonly Notice[] => {
    const dead = delivery?.deadLetters ?? 0;
    const lost = delivery?.shed ?? 0;
    const isShedding = !isFirst && shed === 0 && lost > 0;
    const fresh = isFirst ? 0 : dead - deadLetters;
    deadLetters = dead;
    shed = lost;
    if (isShedding) return [shedding()];
    // While events are dropped, the one notice about the full queue covers it.
    return fresh > 0 && lost === 0 ? [undelivered(dead, fresh)] : [];
  };

  return {
    look(facts) {
      const notices = [
        ...(facts.outside?.providers ?? []).flatMap((one) => lookAt(one, facts.nowMs)),
        ...ended(facts.outside, facts.nowMs),
        ...lookAtDelivery(facts.delivery),
      ];
      isFirst = false;
      return notices;
    },
  };
}
