/** Texts about a provider. Pure; times arrive formatted. */
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
  /** In a row, as its breaker counts them. */
  readonly failedCalls: number;
  readonly nextTryAtMs: number | undefined;
  readonly time: TimeText;
}

const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const turns = (n: number): string => `${String(n)} ${n === 1 ? 'turn waits' : 'turns wait'}`;
const withWaiting = (text: string, n: number): string =>
  n === 0 ? `${text}.` : `${text}, ${turns(n)}.`;

/** One plain sentence: since when, the next probe, the waiting turns. */
export function providerSentence(facts: SentenceFacts): string {
  const { record, waiting, time, nextTryAtMs } = facts;
  const name = providerTitle(record.provider);
  const next = nextTryAtMs === undefined ? '' : `, next try ${time(nextTryAtMs)}`;
  const { standing } = record;
  const down =
    'sinceMs' in standing && standing.sinceMs !== undefined ? time(standing.sinceMs) : '';
  switch (facts.state) {
    case 'answering':
      return withWaiting(`${name} answers`, waiting);
    case 'failing':
      return withWaiting(
        `${name} failed ${String(record.failedTurns)} ${record.failedTurns === 1 ? 'time' : 'times in a row'}; ${String(facts.threshold)} declare an outage`,
        waiting,
      );
    case 'down':
      return withWaiting(
        standing.kind === 'down'
          ? `${name} down since ${down}${next}`
          : `${name} is not asked ${failuresText(facts)}${next}`,
        waiting,
      );
    case 'trying':
      return withWaiting(
        standing.kind === 'down'
          ? `${name} down since ${down}, asked right now`
          : `${name} is asked right now whether it is there`,
        waiting,
      );
    case 'recovering':
      return withWaiting(recoveringText(facts, name, down), waiting);
    case 'quota': {
      const until = standing.kind === 'quota' ? time(standing.untilMs) : '';
      if (standing.kind === 'quota' && standing.isUnnamed === true)
        return withWaiting(
          `The quota of ${name} is used up; no time was given, so it is asked again at ${until}`,
          waiting,
        );
      return withWaiting(
        standing.kind === 'quota' && standing.cause === 'retry_after'
          ? `${name} asks for quiet until ${until}`
          : `The quota of ${name} is used up until ${until}`,
        waiting,
      );
    }
    case 'key':
      return `${name} refused the key. This is not an outage. ${waiting === 0 ? 'New turns wait' : upper(turns(waiting))} until the key is changed.`;
  }
}

function recoveringText({ record, waiting }: SentenceFacts, name: string, down: string): string {
  const { standing } = record;
  if (standing.kind === 'draining')
    return `${name} answers again: what waited goes on in order, ${String(standing.ramp)} at a time`;
  if (standing.kind === 'recovering' && standing.isTrial === true)
    return `${name} down since ${down}, ${waiting === 0 ? 'the next turn tries it' : 'one turn tries it first'}`;
  return `${name} answers again: one turn tries it first`;
}

function failuresText({ record, failedCalls }: SentenceFacts): string {
  const count = Math.max(record.failedTurns, failedCalls);
  if (count === 0) return 'now';
  return `after ${count === 1 ? '1 failure' : `${String(count)} failures in a row`}`;
}

/** Why a turn waits, for lists of turns. Written once, so it names no time of a next try. */
export function waitReason(facts: {
  readonly cause: HeldCause;
  readonly record: ProviderRecord;
  readonly untilMs: number | undefined;
  readonly time: TimeText;
}): string {
  const { cause, record, untilMs, time } = facts;
  const name = providerTitle(record.provider);
  const { standing } = record;
  const safe = 'It waits on disk and goes on by itself.';
  const until = untilMs === undefined ? '' : ` until ${time(untilMs)}`;
  switch (cause) {
    case 'outage':
      return standing.kind === 'down' || standing.kind === 'recovering'
        ? `Queued: ${name} is down since ${time(standing.sinceMs)}. ${safe}`
        : `Queued: ${name} answers again, in order. ${safe}`;
    case 'breaker':
      return `Queued: ${name} failed several times in a row and is not asked now. ${safe}`;
    case 'quota':
      return standing.kind === 'quota' && standing.isUnnamed === true
        ? `Queued: ${record.lastError ?? `The quota of ${name} is used up.`} No time was given: it is asked again at ${time(standing.untilMs)}. ${safe}`
        : `Queued: the quota of ${name} is used up${until}. ${safe}`;
    case 'retry_after':
      return `Queued: ${name} asks for quiet${until}. ${safe}`;
    case 'key':
      return `Queued: ${record.lastError ?? `${name} refused the key.`} This is not an outage: it waits until providers.${record.provider} has another key, then goes on by itself.`;
  }
}

/** Why a turn does not wait automatically, and what the user can do. */
export function parkReason(why: 'off' | 'too_long', reason: string, maxWait: string): string {
  const cause = reason
    .replace(/^Queued: /, '')
    .replace(' It waits on disk and goes on by itself.', '');
  return why === 'off'
    ? `${upper(cause)} Waiting by itself is switched off, so it is put to you: go on asks the provider again.`
    : `${upper(cause)} It would wait longer than resilience.max_wait allows (${maxWait}), so it is put to you: Try now under Outages asks the provider before that; then go on.`;
}

/** The notice of an outage. */
export function declaredNotice(facts: {
  readonly record: ProviderRecord;
  readonly waiting: number;
  readonly nextTryAtMs: number | undefined;
  readonly time: TimeText;
}): { readonly title: string; readonly detail: string } {
  const { record, time, nextTryAtMs } = facts;
  const next = nextTryAtMs === undefined ? '' : ` Next try ${time(nextTryAtMs)}.`;
  return {
    title: `${providerTitle(record.provider)} does not answer`,
    detail: `${record.failedTurns === 1 ? '1 turn' : `${String(record.failedTurns)} turns in a row`} failed by it: ${record.lastError ?? 'no answer'} New turns wait on disk, in order; nothing is lost and nobody is asked.${next}`,
  };
}

/** The notice of its end, with counts. */
export function resolvedNotice(facts: {
  readonly provider: string;
  readonly downMs: number;
  readonly drained: number;
}): { readonly title: string; readonly detail: string } {
  const { drained } = facts;
  return {
    title: `${providerTitle(facts.provider)} answers again`,
    detail: `It was down for ${spanText(facts.downMs)}. ${
      drained === 0
        ? 'Nothing had to wait.'
        : `${String(drained)} ${drained === 1 ? 'turn' : 'turns'} waited; ${drained === 1 ? 'it went' : 'all went'} on in order.`
    }`,
  };
}

/** The notice of a rejected key: the user must act. */
export function keyNotice(record: ProviderRecord): {
  readonly title: string;
  readonly detail: string;
} {
  return {
    title: `${providerTitle(record.provider)} refused the key`,
    detail:
      `${record.lastError ?? ''} This is not an outage. Turns wait until the key of providers.${record.provider} is changed; then they go on by themselves.`.trim(),
  };
}

function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${String(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${String(minutes)} min`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}
