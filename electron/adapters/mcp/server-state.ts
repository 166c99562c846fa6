import type { McpServerSettings } from '../../../shared/settings/mcp';
import { durationMs } from '../../../shared/settings';

/**
 * The life of one server.
 *
 *   off -> starting -> running -> (ended) -> restarting -> starting -> …  -> failed
 *    |                                                                          |
 *    +-> skipped, disabled                        a person restarts it <--------+
 */
export type McpState =
  /** Holdfast has not started it yet, or is stopping. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'disabled' }
  /** Something it needs is missing; not an error (S2-52). */
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'starting' }
  | {
      readonly kind: 'running';
      readonly pid: number | undefined;
      readonly tools: number;
      /** Set if some of its tools are left out. */
      readonly reason?: string;
    }
  | { readonly kind: 'restarting'; readonly reason: string; readonly nextAtMs: number }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'stopping' };

/** True if nothing more will happen automatically soon: a turn no longer needs to wait. */
export function isSettled(state: McpState): boolean {
  return state.kind !== 'starting' && state.kind !== 'restarting' && state.kind !== 'stopping';
}

/** What a server needs to start, resolved on this system. */
interface LaunchEnvironment {
  /** The source of a declared variable: our own environment, then the login shell's. */
  readonly variable: (name: string) => string | undefined;
  readonly hasProgram: (name: string) => boolean;
}

/** Names of variables that the settings pass to a server. */
export function declaredNames(spec: McpServerSettings): readonly string[] {
  const passed = Object.entries(spec.env ?? {})
    .filter(([, value]) => value === true)
    .map(([name]) => name);
  return [...new Set([...passed, ...(spec.requires?.env ?? [])])];
}

/** Literal values that the settings give a server. */
export function literalValues(spec: McpServerSettings): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(spec.env ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

/** Whether a server can be started at all. An empty variable counts as unset. */
export function planStart(
  spec: McpServerSettings,
  environment: LaunchEnvironment,
): Extract<McpState, { kind: 'disabled' | 'skipped' | 'starting' }> {
  if (spec.enabled === false) return { kind: 'disabled' };
  const needed = [...(spec.requires?.env ?? []), ...Object.values(spec.headers_env ?? {})];
  const own = literalValues(spec);
  const unset = [...new Set(needed)].filter(
    (name) => (own[name] ?? environment.variable(name) ?? '') === '',
  );
  const bins = [
    ...(spec.command === undefined ? [] : [spec.command]),
    ...(spec.requires?.bins ?? []),
  ];
  const missing = [...new Set(bins)].filter((name) => !environment.hasProgram(name));
  const reasons = [
    ...unset.map((name) => `${name} is not set.`),
    ...missing.map((name) => `The program ${name} was not found.`),
  ];
  return reasons.length === 0
    ? { kind: 'starting' }
    : { kind: 'skipped', reason: reasons.join(' ').slice(0, 500) };
}

/** Timeouts of one server; by default the documented ones. Row S2-19. */
export interface Waits {
  readonly handshakeMs: number;
  /** Of a call that reports no progress. */
  readonly callMs: number;
  readonly totalMs: number;
  readonly stopMs: number;
}

const WAITS = { handshakeMs: 10_000, callMs: 30_000, stopMs: 3_000 };
/** Progress extends a call to at most this many timeouts: an hour by default. */
const MAX_EXTENDED = 120;

export function waitsOf(spec: McpServerSettings): Waits {
  const callMs = spec.call_timeout === undefined ? WAITS.callMs : durationMs(spec.call_timeout);
  return {
    handshakeMs:
      spec.handshake_timeout === undefined ? WAITS.handshakeMs : durationMs(spec.handshake_timeout),
    callMs,
    totalMs: MAX_EXTENDED * callMs,
    stopMs: WAITS.stopMs,
  };
}
