import type { StatusSnapshot } from '../../shared/types';
import type { LoopbackAnswer } from '../ports/loopback';
import { table } from '../../shared/table';

/** The facts that decide readiness. */
export interface HealthFacts {
  readonly status: StatusSnapshot;
  /** Agents that can take a turn now; 0 until the engine runs. */
  readonly agents: number;
}

/** Readiness for new work: accepted, accepted with a part degraded, or rejected. */
type Readiness =
  | { readonly kind: 'ready'; readonly degraded: readonly string[] }
  | { readonly kind: 'not_ready'; readonly reasons: Readonly<Record<string, string>> };

const PHASES = table<string>({
  starting: 'It is starting.',
  stopping: 'It is stopping.',
  stopped: 'It has stopped.',
});

/**
 * Ready as long as new work is accepted. A provider outage leaves it ready and degraded, because
 * turns queue (R16). It is not ready while starting or stopping, without an agent, and while the
 * disk rejects writes and no broker is connected. Pure. S2-54.
 */
export function readiness({ status, agents }: HealthFacts): Readiness {
  const reasons: Record<string, string> = {};
  const phase = PHASES[status.phase];
  if (phase !== undefined) reasons['engine'] = phase;
  else if (agents === 0) reasons['agents'] = 'No agent is set up to run a turn.';
  const { refusal } = status.journal;
  if (refusal !== undefined && refusal.of !== 'reads' && status.delivery?.broker !== 'connected') {
    reasons['queue'] = 'The disk cannot be written and no event broker is connected.';
  }
  if (Object.keys(reasons).length > 0) return { kind: 'not_ready', reasons };
  return { kind: 'ready', degraded: degraded(status) };
}

/** Problems while work is accepted: `provider.x: down`, `broker: down`, `disk: DISK_FULL`. */
function degraded(status: StatusSnapshot): string[] {
  const { outside, delivery, journal } = status;
  const providers = (outside?.providers ?? []).map(
    // An external agent is listed under the name of its breaker.
    ({ provider, state }) =>
      `${provider.startsWith('agent.') ? '' : 'provider.'}${provider}: ${state}`,
  );
  const named = new Set(providers.map((text) => text.split(':', 1)[0]));
  const breakers = (outside?.openBreakers ?? [])
    .filter((name) => !named.has(name))
    .map((name) => `${name}: circuit open`);
  return [
    ...(journal.refusal === undefined ? [] : [`disk: ${journal.refusal.code}`]),
    ...(status.programChanged ? ['program files: changed, restart Holdfast'] : []),
    ...providers,
    ...breakers,
    ...(delivery?.broker === 'down' || delivery?.broker === 'connecting'
      ? [`broker: ${delivery.broker}`]
      : []),
    ...((delivery?.shed ?? 0) > 0 ? ['events: some were dropped'] : []),
    ...(status.paused === undefined ? [] : ['turns: paused']),
  ];
}

/** The answer on the health port; undefined for an unknown path. Pure. S2-54, S2-55. */
export function healthAnswer(path: string, facts: () => HealthFacts): LoopbackAnswer | undefined {
  switch (path) {
    case '/live':
    case '/health':
      return { status: 200, body: json({ status: 'live' }) };
    case '/ready': {
      const now = facts();
      const found = readiness(now);
      return found.kind === 'not_ready'
        ? { status: 503, body: json({ status: 'not_ready', reasons: found.reasons }) }
        : {
            status: 200,
            body: json({
              status: 'ready',
              degraded: found.degraded,
              agents_running: now.agents,
            }),
          };
    }
    default:
      return undefined;
  }
}

const json = (value: unknown): string => `${JSON.stringify(value)}\n`;
