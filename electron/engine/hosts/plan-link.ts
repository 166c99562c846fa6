import type { FarEnd } from '../../ports/far-hosts';

/** Lasted this long, a connection was one; the pauses begin anew. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 120_000;
/** Another version stays until somebody installs this one. */
const OTHER_VERSION_PAUSE_MS = 600_000;

/**
 * How long to wait before a host is tried again, and how many tries that makes. The pause doubles with each try
 * and also after a connection that was dropped soon: only one that lasted begins anew. Pure. HO-02
 */
export function planPause({
  tries,
  connectedMs,
  isOtherVersion,
}: {
  /** Since the last connection that lasted. */
  readonly tries: number;
  /** How long the one that ended now was connected; 0: it never was. */
  readonly connectedMs: number;
  readonly isOtherVersion: boolean;
}): { readonly tries: number; readonly pauseMs: number } {
  const before = connectedMs >= STEADY_MS ? 0 : tries;
  const pauseMs = isOtherVersion
    ? OTHER_VERSION_PAUSE_MS
    : Math.min(FIRST_PAUSE_MS * 2 ** Math.min(before, 20), MAX_PAUSE_MS);
  return { tries: before + 1, pauseMs };
}

/** How `ssh` ends when it was `ssh` that failed, and a shell that has no such program. */
const SSH_FAILED = 255;
const NO_PROGRAM = 127;

/** What the end of a connection says of its host. */
type LinkVerdict =
  | { readonly kind: 'unreachable'; readonly why: string }
  /** Something answered and was no greeting: its version has to be asked for. */
  | { readonly kind: 'ask'; readonly why: string };

/** Foreign text on one line: bounded, and nothing in it steers what shows it. */
export const plainLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ')
    .trim()
    .slice(0, 240);

/** The last line of what a program complained about. */
const complaint = (text: string): string => plainLine(text.trim().split('\n').at(-1) ?? '');

const withReason = (what: string, text: string): string => {
  const reason = complaint(text);
  return reason === '' ? `${what}.` : `${what}: ${reason}`;
};

/**
 * Judges the end of a connection. `had`: whether it greeted, and whether it was ended from here because nothing
 * came any more. Only an end without a greeting that is neither `ssh`'s nor a missing program's may be another
 * version, and an exit code alone does not tell. Pure. HO-02
 */
export function judgeLinkEnd(
  { code, lastWords, fault }: FarEnd,
  had: { readonly hello: boolean; readonly silence: boolean },
): LinkVerdict {
  const unreachable = (why: string): LinkVerdict => ({ kind: 'unreachable', why });
  if (fault === 'no_ssh') return unreachable('There is no ssh on this computer.');
  if (fault === 'too_much') return unreachable('It sent more than is read.');
  if (had.silence)
    return unreachable(had.hello ? 'It stopped responding.' : 'It did not answer in time.');
  if (code === SSH_FAILED) return unreachable(withReason('The connection failed', lastWords));
  if (code === NO_PROGRAM) return unreachable('It has no Holdfast on its PATH.');
  const why = withReason(`It ended the connection with ${String(code ?? 'a signal')}`, lastWords);
  return had.hello ? unreachable(why) : { kind: 'ask', why };
}

/**
 * What is said of a host that answered without a greeting, once it was asked for its version: it has another one
 * only if it says another one. Pure. HO-02
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
