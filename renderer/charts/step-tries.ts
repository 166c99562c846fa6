/**
 * The tries of one call, from its step's record of failed ones: when each started, its error, and
 * the wait before the next. Pure. S2-02, S2-25.
 */
import { t } from '../../shared/messages';
import type { StepView } from '../../shared/types';
import type { Call } from './step-timeline-plan';

type FailedTry = NonNullable<StepView['tries']>[number];

/** One try that failed and was repeated. */
interface Try {
  /** 1-based. */
  readonly number: number;
  readonly fromMs: number;
  /** When the failure was recorded. */
  readonly toMs: number;
  readonly failure: string;
  readonly status: number | undefined;
  readonly error: string;
  /** From its failure to the next try, including any stop in between. */
  readonly waitMs: number;
  /** False while the wait continues, or if the step ended during it. */
  readonly wasRepeated: boolean;
}

/** A cut in the bar of a call: where a try failed, or where the next one started. */
export interface Notch {
  readonly kind: 'failed' | 'attempt';
  readonly x: number;
}

/** Failed tries of a call, oldest first; empty if the first try was the last. */
export function triesOf({ step, toMs }: Call): readonly Try[] {
  const failed: readonly FailedTry[] = step.tries ?? [];
  return failed.map((one, at) => ({
    number: at + 1,
    fromMs: failed[at - 1]?.nextAtMs ?? step.startedAtMs,
    toMs: one.atMs,
    failure: one.failure,
    status: one.status,
    error: one.error,
    waitMs: Math.max(0, one.nextAtMs - one.atMs),
    // The next failure proves that this try ran, even if the stop was recorded as earlier.
    wasRepeated: failed[at + 1] !== undefined || one.nextAtMs <= toMs,
  }));
}

/** "tried 3 times", including the current or last try; empty for a single try. */
export function triedText(call: Call): string {
  const tries = triesOf(call);
  const last = tries.at(-1);
  if (last === undefined) return '';
  return t('step.tried', { count: tries.length + (last.wasRepeated ? 1 : 0) });
}

const KNOWN = [
  'network',
  'timeout',
  'server',
  'rate_limited',
  'quota',
  'config',
  'cut',
  'malformed',
  'aborted',
] as const;

/** Error of a try: "server error (503)". */
export function metText({ failure, status }: Pick<Try, 'failure' | 'status'>): string {
  const what = t(`try.${KNOWN.find((known) => known === failure) ?? 'other'}`);
  return status === undefined ? what : t('try.withStatus', { what, count: String(status) });
}

/** Two cuts closer than this look like one. */
const APART_PX = 4;
const EDGE_PX = 2.5;

/**
 * Cuts of one bar, for each part it is drawn in. A failed try always gets a cut, even in a bar too
 * short to show its position, unless another cut is there.
 */
export function notchesOf(
  call: Call,
  pieces: readonly { readonly x: number; readonly widthPx: number }[],
  xOf: (atMs: number) => number,
): readonly (readonly Notch[])[] {
  const drawn: Notch[][] = pieces.map(() => []);
  const isFree = (x: number): boolean =>
    !drawn.some((some) => some.some((notch) => Math.abs(notch.x - x) < APART_PX));
  const cut = (kind: Notch['kind'], atMs: number): void => {
    const wanted = xOf(atMs);
    const at = Math.max(
      0,
      pieces.findLastIndex((piece) => piece.x <= wanted),
    );
    const piece = pieces[at];
    if (!piece) return;
    const x = Math.min(Math.max(wanted, piece.x + EDGE_PX), piece.x + piece.widthPx - EDGE_PX);
    // The start of the next try is drawn only if it is far enough from the failure.
    if ((kind === 'attempt' && x !== wanted) || !isFree(x)) return;
    drawn[at]?.push({ kind, x });
  };
  const tries = triesOf(call);
  for (const one of tries) cut('failed', one.toMs);
  for (const one of tries) if (one.wasRepeated) cut('attempt', one.toMs + one.waitMs);
  return drawn.map((some) => some.toSorted((a, b) => a.x - b.x));
}
