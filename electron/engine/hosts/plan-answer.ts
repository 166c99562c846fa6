import { z } from 'zod';
import { parsedJson } from '../../../shared/parsed-json';
import type { FarDecision, FarOutcome, HostInbox } from '../../../shared/types';
import type { FarEnd } from '../../ports/far-hosts';
import { refusalOf, whyNoWord } from './plan-ask';

/** Rejections before anything is written: an answer that got one of these did not count. */
const NOT_COUNTED: ReadonlySet<string> = new Set([
  'INPUT_INVALID',
  'REQUEST_STALE',
  'REQUEST_ANSWERED',
  'REQUEST_UNKNOWN',
  'TURN_UNKNOWN',
  'TURN_STATE',
  'STEP_STATE',
  'STEP_UNKNOWN',
]);

const counted = z.object({ counted: z.literal(true), isRunning: z.boolean() });

const notCounted = (why: string): FarOutcome => ({ outcome: 'not_counted', why });
const unknown = (why: string): FarOutcome => ({ outcome: 'unknown', why });

/** Why an answer is not sent at all. Undefined if it matches the pending question. Pure. HO-02 */
export function judgeBefore(
  name: string,
  { waiting }: Pick<HostInbox, 'waiting'>,
  { requestHash, answer }: FarDecision,
): FarOutcome | undefined {
  if (waiting === undefined)
    return notCounted(`Nothing was sent: the open requests on ${name} cannot be listed now.`);
  const isThere = waiting.asks.some((ask) => {
    if (ask.requestHash !== requestHash) return false;
    if (ask.kind === 'call') return 'requestId' in answer && answer.requestId === ask.requestId;
    if (!('turnId' in answer) || answer.turnId !== ask.turnId) return false;
    return !('step' in answer) || ask.unknown.some(({ index }) => index === answer.step);
  });
  return isThere
    ? undefined
    : notCounted(`Nothing was sent: this request on ${name} was answered or has changed.`);
}

/**
 * Judges the end of an answer. It counted only if the host confirms it. It did not count if the
 * host gives a reason, or has no program to take it. Anything else, such as a lost connection,
 * leaves it unknown. Pure. HO-02
 */
export function judgeAnswered(
  name: string,
  end: FarEnd & { readonly isLate: boolean },
  told: string,
): FarOutcome {
  const value = parsedJson(told);
  const yes = counted.safeParse(value);
  if (yes.success) {
    const why = yes.data.isRunning
      ? ''
      : `Holdfast is not running on ${name}: it takes effect when it starts.`;
    return { outcome: 'counted', why };
  }
  const refusal = refusalOf(value);
  if (refusal !== undefined)
    return NOT_COUNTED.has(refusal.code) ? notCounted(refusal.message) : unknown(refusal.message);
  const { why, isSure } = whyNoWord(name, end);
  return isSure ? notCounted(why) : unknown(why);
}
