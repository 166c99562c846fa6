/** Texts about a provider. Pure; times arrive formatted. */
import { because, type Reason } from '../../../shared/reason';
import { spanText } from '../../../shared/durations';
import type { HeldCause, ProviderState } from '../../../shared/types/outage';
import { providerTitle } from '../../../shared/provider-title';
import type { ProviderRecord } from '../../ports/journal/outage';

/** Formats an instant for display. */
export type TimeText = (atMs: number) => string;

interface SentenceFacts {
  readonly record: ProviderRecord;
  readonly state: ProviderState;
  readonly waiting: number;
  readonly threshold: number;
  /** Consecutive, as its breaker counts them. */
  readonly failedCalls: number;
  readonly nextTryAtMs: number | undefined;
  readonly nowMs: number;
  readonly time: TimeText;
}

const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const turns = (n: number): string => `${String(n)} ${n === 1 ? 'turn waits' : 'turns wait'}`;
const withWaiting = (text: string, n: number): string =>
  n === 0 ? `${text}.` : `${text}, ${turns(n)}.`;

/** One plain sentence: since when the provider is down, the next probe, the waiting turns. */
export function providerSentence(facts: SentenceFacts): string {
  const { record, waiting, time, nextTryAtMs } = facts;
  const name = providerTitle(record.provider);
  const next = nextTryAtMs === undefined ? '' : `, next check ${time(nextTryAtMs)}`;
  const { standing } = record;
  const down =
    'sinceMs' in standing && standing.sinceMs !== undefined ? time(standing.sinceMs) : '';
  switch (facts.state) {
    case 'answering':
      return withWaiting(`${name} answers`, waiting);
    case 'failing':
      return withWaiting(
        `${name} failed ${String(record.failedTurns)} ${record.failedTurns === 1 ? 'time' : 'times in a row'}; ${String(facts.threshold)} mark it down`,
        waiting,
      );
    case 'down':
      return withWaiting(
        standing.kind === 'down'
          ? `${name} down since ${down}${next}`
          : `${name} is not called ${failuresText(facts)}${next}`,
        waiting,
      );
    case 'trying':
      return withWaiting(
        standing.kind === 'down'
          ? `${name} down since ${down}, being checked now`
          : `${name}is being checked now`,
        waiting,
      );
    case 'recovering':
      return withWaiting(recoveringText(facts, name, down), waiting);
    case 'quota': {
      const until = standing.kind === 'quota' ? time(standing.untilMs) : '';
      const from = standing.kind === 'quota' ? standing.from : undefined;
      const told = from === undefined ? '' : `, as ${from} reported`;
      if (standing.kind === 'quota' && standing.isUnnamed === true)
        return withWaiting(
          `The usage limit of ${name} is reached; no reset time was given, so it is retried at ${until}`,
          waiting,
        );
      if (standing.kind === 'quota' && standing.cause === 'quota' && waiting > 0)
        return `${name}: ${String(waiting)} ${waiting === 1 ? 'turn continues' : 'turns continue'} at ${until} (in ${spanText(standing.untilMs - facts.nowMs)}).`;
      return withWaiting(
        standing.kind === 'quota' && standing.cause === 'retry_after'
          ? `${name} is rate limited until ${until}${told}`
          : `The usage limit of ${name} resets at ${until}${told}`,
        waiting,
      );
    }
    case 'key':
      return `${name} rejected the API key. This is not an outage. ${waiting === 0 ? 'New turns wait' : upper(turns(waiting))} until the key is changed.`;
  }
}

function recoveringText({ record, waiting }: SentenceFacts, name: string, down: string): string {
  const { standing } = record;
  if (standing.kind === 'draining')
    return `${name} is back: queued turns resume in order, ${String(standing.ramp)} at a time`;
  if (standing.kind === 'recovering' && standing.isTrial === true)
    return `${name} down since ${down}, ${waiting === 0 ? 'the next turn checks it' : 'one turn checks it first'}`;
  return `${name} is back: one turn checks it first`;
}

function failuresText({ record, failedCalls }: SentenceFacts): string {
  const count = Math.max(record.failedTurns, failedCalls);
  if (count === 0) return 'now';
  return `after ${count === 1 ? '1 failure' : `${String(count)} failures in a row`}`;
}

/**
 * Why a turn waits, for lists of turns. It is written once, so it does not name the time of the
 * next try.
 */
export function waitReason(facts: {
  readonly cause: HeldCause;
  readonly record: ProviderRecord;
  readonly untilMs: number | undefined;
  readonly time: TimeText;
}): Reason {
  const { cause, record, untilMs, time } = facts;
  const name = providerTitle(record.provider);
  const { standing } = record;
  switch (cause) {
    case 'outage':
      return standing.kind === 'down' || standing.kind === 'recovering'
        ? because('reason.down', { name, time: time(standing.sinceMs) })
        : because('reason.back', { name });
    case 'breaker':
      return because('reason.breaker', { name });
    case 'quota':
      if (standing.kind === 'draining') return because('reason.limitReset', { name });
      if (standing.kind !== 'quota' || standing.isUnnamed !== true)
        return untilMs === undefined
          ? because('reason.limit', { name })
          : because('reason.limitUntil', { name, time: time(untilMs) });
      return because('reason.limitUnnamed', {
        what: record.lastError ?? because('reason.limit', { name }),
        time: time(standing.untilMs),
      });
    case 'retry_after':
      return untilMs === undefined
        ? because('reason.rate', { name })
        : because('reason.rateUntil', { name, time: time(untilMs) });
    case 'key':
      return because('reason.key', {
        what: record.lastError ?? because('reason.keyRejected', { name }),
        file: `providers.${record.provider}`,
      });
  }
}

/** The reason shown for a waiting turn. Most causes alone do not say that nothing is lost. */
export const savedReason = (cause: Reason): Reason =>
  cause.key === 'reason.key' || cause.key === 'reason.limitUnnamed'
    ? cause
    : because('reason.waits', { what: cause });

/** Why a turn does not wait automatically, and what the user can do. */
export function parkReason(
  why: 'off' | 'too_long' | 'far' | 'windows',
  cause: Reason,
  policy: {
    readonly maxWaitText: string;
    readonly limitNamedMostText: string;
    readonly limitWindows: number;
  },
): Reason {
  switch (why) {
    case 'off':
      return because('reason.waitOff', { what: cause });
    case 'too_long':
      return because('reason.waitTooLong', { what: cause, duration: policy.maxWaitText });
    case 'far':
      return because('reason.waitFar', { what: cause, duration: policy.limitNamedMostText });
    case 'windows':
      return because('reason.waitWindows', { what: cause, count: policy.limitWindows });
  }
}

/** The notice of an outage. */
export function declaredNotice(facts: {
  readonly record: ProviderRecord;
  readonly waiting: number;
  readonly nextTryAtMs: number | undefined;
  readonly time: TimeText;
  readonly agentTitle?: (agent: string) => string;
}): { readonly title: string; readonly detail: string } {
  const { record, time, nextTryAtMs } = facts;
  const next = nextTryAtMs === undefined ? '' : ` Next check ${time(nextTryAtMs)}.`;
  const { standing } = record;
  const title = `${providerTitle(record.provider, facts.agentTitle)} is down`;
  if (standing.kind === 'down' && standing.from !== undefined)
    return {
      title,
      detail: `${standing.from} reported it, and a check from this computer failed: ${record.lastError ?? 'no answer'} New turns are queued in order; nothing is lost.${next}`,
    };
  return {
    title,
    detail: `${record.failedTurns === 1 ? '1 turn' : `${String(record.failedTurns)} turns in a row`} failed: ${record.lastError ?? 'no answer'} New turns are queued in order; nothing is lost.${next}`,
  };
}

/** The notice of the end of an outage, with counts. */
export function resolvedNotice(facts: {
  readonly provider: string;
  readonly downMs: number;
  readonly drained: number;
  readonly agentTitle?: (agent: string) => string;
}): { readonly title: string; readonly detail: string } {
  const { drained } = facts;
  return {
    title: `${providerTitle(facts.provider, facts.agentTitle)} is back`,
    detail: `It was down for ${downText(facts.downMs)}. ${
      drained === 0
        ? 'No turn had to wait.'
        : `${String(drained)} ${drained === 1 ? 'turn' : 'turns'} waited; ${drained === 1 ? 'it resumed' : 'all resumed'} in order.`
    }`,
  };
}

/** The notice of a rejected key: the user must act. */
export function keyNotice(record: ProviderRecord): {
  readonly title: string;
  readonly detail: string;
} {
  return {
    title: `${providerTitle(record.provider)} rejected the API key`,
    detail:
      `${record.lastError ?? ''} This is not an outage. Turns wait until the API key of providers.${record.provider} is changed; then they resume automatically.`.trim(),
  };
}

function downText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${String(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${String(minutes)} min`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}
