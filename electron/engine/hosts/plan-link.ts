import { flatLine } from '../../../shared/unseen';
import type { FarEnd } from '../../ports/far-hosts';

/** A connection that lasted this long resets the backoff. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 120_000;
/** A different version stays that way until a person updates it. */
const OTHER_VERSION_PAUSE_MS = 600_000;

/**
 * How long to wait before the next connection attempt, and which attempt it is. The delay doubles
 * with each attempt, even after a short connection; only a steady one resets it. Pure. HO-02
 */
export function planPause({
  tries,
  connectedMs,
  isOtherVersion,
}: {
  /** Attempts since the last steady connection. */
  readonly tries: number;
  /** How long the last connection lasted; 0 if it never connected. */
  readonly connectedMs: number;
  readonly isOtherVersion: boolean;
}): { readonly tries: number; readonly pauseMs: number } {
  const before = connectedMs >= STEADY_MS ? 0 : tries;
  const pauseMs = isOtherVersion
    ? OTHER_VERSION_PAUSE_MS
    : Math.min(FIRST_PAUSE_MS * 2 ** Math.min(before, 20), MAX_PAUSE_MS);
  return { tries: before + 1, pauseMs };
}

/** Exit code of `ssh` when `ssh` itself failed, and that of a shell without the program. */
const SSH_FAILED = 255;
const NO_PROGRAM = 127;

/** What the end of a connection tells about its host. */
type LinkVerdict =
  | { readonly kind: 'unreachable'; readonly why: string }
  /** It answered, but not with a greeting: ask for its version. */
  | { readonly kind: 'ask'; readonly why: string };

/** Foreign text on one line, bounded and without characters that could affect the display. */
export const plainLine = (text: string): string => flatLine(text).slice(0, 240);

/** The last line of a program's error output. */
const complaint = (text: string): string => plainLine(text.trim().split('\n').at(-1) ?? '');

const withReason = (what: string, text: string): string => {
  const reason = complaint(text);
  return reason === '' ? `${what}.` : `${what}: ${reason}`;
};

/**
 * Judges the end of a connection. `had`: whether the host greeted, and whether we ended the
 * connection because of silence. Only an end without a greeting, and not caused by `ssh` or a
 * missing program, may be another version; the exit code alone does not tell. Pure. HO-02
 */
export function judgeLinkEnd(
  { code, lastWords, fault }: FarEnd,
  had: { readonly hello: boolean; readonly silence: boolean },
): LinkVerdict {
  const unreachable = (why: string): LinkVerdict => ({ kind: 'unreachable', why });
  if (fault === 'no_ssh') return unreachable('There is no ssh on this computer.');
  if (fault === 'too_much') return unreachable('It sent too much data.');
  if (had.silence)
    return unreachable(had.hello ? 'It stopped responding.' : 'It did not answer in time.');
  if (code === SSH_FAILED) return unreachable(withReason('The connection failed', lastWords));
  if (code === NO_PROGRAM) return unreachable('It has no Holdfast on its PATH.');
  const why = withReason(`It ended the connection with ${String(code ?? 'a signal')}`, lastWords);
  return had.hello ? unreachable(why) : { kind: 'ask', why };
}

/**
 * Judges a host that answered without a greeting by its reported version: only a different version
 * makes it another version. Pure. HO-02
 */
export function judgeVersion(
  why: string,
  versions: { readonly theirs: string | undefined; readonly ours: string },
): { readonly kind: 'other_version'; readonly theirs: string } | LinkVerdict {
  const { theirs, ours } = versions;
  return theirs === undefined || theirs === ours
    ? { kind: 'unreachable', why }
    : { kind: 'other_version', theirs };
}
