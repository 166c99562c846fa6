import { spanText } from '../../../shared/durations';
import type { DigestCounts, DigestRow } from '../../ports/journal/questions';

/** Content of a digest, and the period it covers. */
interface DigestFacts {
  readonly fromMs: number;
  readonly toMs: number;
  readonly counts: DigestCounts;
  /** First lines of the open questions. */
  readonly questions: readonly string[];
  /** One sentence per provider that is not simply up, such as "Claude: 3 turns continue at 20:01." */
  readonly outside: readonly string[];
}

type DigestPlan =
  | { readonly kind: 'due'; readonly day: string; readonly fromMs: number; readonly toMs: number }
  | { readonly kind: 'later'; readonly atMs: number };

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** The first digest after a long time is not about all of it. */
const MAX_DAYS = 7;
/** Later than this it is a message like any other, and keeps the quiet hours. */
const ON_TIME_MS = 15 * 60_000;
const LOOK_AGAIN_MS = 60_000;

/** `2026-03-24`, local. */
const dayOf = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');

/**
 * Whether today's digest is due. It is sent once per local day, whatever the clock does: a day that
 * has a row had its digest. One with unknown outcome after a kill counts as sent; its content is
 * also in the next one. Pure. CH-03
 */
export function planDigest(
  /** `08:00` */
  at: string,
  rows: readonly DigestRow[],
  {
    nowMs,
    isQuiet,
    beganMs,
  }: {
    readonly nowMs: number;
    readonly isQuiet: boolean;
    /** The first start of this data directory. */
    readonly beganMs: number;
  },
): DigestPlan {
  const [hour = 0, minute = 0] = at.split(':').map(Number);
  const due = new Date(nowMs);
  due.setHours(hour, minute, 0, 0);
  const day = dayOf(new Date(nowMs));
  // Data that was created after today's digest time has nothing to report from before it.
  const isTooNew =
    rows.length === 0 && beganMs >= due.getTime() + MINUTE_MS && dayOf(new Date(beganMs)) === day;
  if (isTooNew || rows.some((row) => row.day === day)) {
    due.setDate(due.getDate() + 1);
    return { kind: 'later', atMs: due.getTime() };
  }
  const lateMs = nowMs - due.getTime();
  if (lateMs < 0) return { kind: 'later', atMs: due.getTime() };
  if (isQuiet && lateMs > ON_TIME_MS) return { kind: 'later', atMs: nowMs + LOOK_AGAIN_MS };
  const last = rows.find((row) => row.isSent && row.toMs <= nowMs);
  return {
    kind: 'due',
    day,
    fromMs: Math.max(last?.toMs ?? nowMs - DAY_MS, nowMs - MAX_DAYS * DAY_MS),
    toMs: nowMs,
  };
}

/** Questions that are named. */
const MAX_QUESTIONS = 10;

const count = (n: number, one: string, many: string): string =>
  `${String(n)} ${n === 1 ? one : many}`;
const dollars = (usd: number): string => `$${usd.toFixed(2)}`;

/** The text of a digest. Pure. */
export function digestText(facts: DigestFacts): string {
  const { counts, questions, outside } = facts;
  const rest = questions.length - MAX_QUESTIONS;
  return [
    `Daily digest: the last ${spanText(facts.toMs - facts.fromMs)}`,
    turnsLine(counts),
    ...restartsLine(counts),
    ...(counts.outages === 0 ? [] : [`${count(counts.outages, 'outage', 'outages')}.`]),
    ...moneyLine(counts),
    ...outside,
    ...(questions.length === 0
      ? ['Nothing needs your decision.']
      : [
          `${count(questions.length, 'question needs', 'questions need')} your decision:`,
          ...questions.slice(0, MAX_QUESTIONS).map((line) => `• ${line}`),
          ...(rest > 0 ? [`and ${String(rest)} more`] : []),
        ]),
  ].join('\n');
}

function turnsLine({ completed, failed, cancelled }: DigestCounts): string {
  if (completed + failed + cancelled === 0) return 'No turn ended.';
  const others = [
    failed === 0 ? '' : `${String(failed)} failed`,
    cancelled === 0 ? '' : `${String(cancelled)} canceled`,
  ].filter((part) => part !== '');
  return `${[count(completed, 'turn completed', 'turns completed'), ...others].join(', ')}.`;
}

function restartsLine({ restarts, recovered }: DigestCounts): readonly string[] {
  if (restarts === 0) return [];
  const ended =
    recovered === 0
      ? ''
      : `; ${count(recovered, 'interrupted turn', 'interrupted turns')} ended after one`;
  return [`${count(restarts, 'restart', 'restarts')}${ended}.`];
}

function moneyLine({ usd, savedUsd }: DigestCounts): readonly string[] {
  const saved = savedUsd >= 0.005 ? `, ${dollars(savedUsd)} saved` : '';
  return usd === undefined ? [] : [`${dollars(usd)} spent${saved}.`];
}
