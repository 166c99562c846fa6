import { isOfProgram } from '../engine/executors/program/agent-breaker';
import {
  createBreakerProbes,
  type BreakerProbe,
  type BreakerProbes,
} from '../engine/breaker/probes';
import type { CallVerdict } from '../engine/breaker/guard-call';
import type { AcpAgentSettings } from '../../shared/settings';
import type { Breaker, Breakers } from '../ports/breakers';
import type { Clock } from '../ports/clock';
import type { ExternalFailure } from '../ports/external-agent';

interface TrialsPartDeps {
  readonly breakers: Breakers;
  readonly clock: Clock;
  /** Each undefined where that one cannot be asked now. */
  readonly mcp: (server: string) => Check | undefined;
  readonly browser: (sessionId: number) => Check | undefined;
  readonly host: (host: string) => Check | undefined;
  /** Undefined, too, where an answer waits: that is its trial. */
  readonly channel: (channel: string) => Check | undefined;
  readonly command: (agent: string) => Check | undefined;
  readonly acpOf: (agent: string) => AcpAgentSettings | undefined;
  /** Undefined where its program answered. */
  readonly greet: (agent: string, spec: AcpAgentSettings) => Promise<ExternalFailure | undefined>;
}

/** Resolves where it answered; `neither`: it could not be asked. @throws where it did not answer */
export type Check = (signal: AbortSignal) => Promise<'ok' | 'neither'>;

/** The trials of everything outside that can be asked without harm, each kind in its own way. */
export function createTrialsPart(deps: TrialsPartDeps): BreakerProbes & {
  /** Nothing asks it by itself: the next call is its trial. */
  isPassive(name: string): boolean;
} {
  const trialOf = (breaker: Pick<Breaker, 'name' | 'dependency'>): BreakerProbe | undefined => {
    const name = breaker.name.slice(breaker.name.indexOf('.') + 1);
    switch (breaker.dependency) {
      case 'mcp':
        return checked(deps.mcp(name));
      case 'browser':
        return checked(deps.browser(Number(name)));
      case 'http':
        return checked(deps.host(name));
      case 'agent': {
        // A command would do its work: it is only looked for. One that speaks can be greeted.
        const spec = deps.acpOf(name);
        return spec === undefined ? checked(deps.command(name)) : () => greet(deps, name, spec);
      }
      case 'channel':
      case 'webhook':
        return checked(deps.channel(name));
      // Providers are probed by the room of outages, the broker by its connection.
      case 'provider':
      case 'broker':
        return undefined;
    }
  };
  const trials = createBreakerProbes({ breakers: deps.breakers, clock: deps.clock, trialOf });
  return {
    ...trials,
    isPassive(name) {
      const breaker = deps.breakers.find(name);
      const asksItself = breaker?.dependency === 'provider' || breaker?.dependency === 'broker';
      return breaker !== undefined && !asksItself && trialOf(breaker) === undefined;
    },
  };
}

function checked(check: Check | undefined): BreakerProbe | undefined {
  return check === undefined ? undefined : async (signal) => ({ kind: await check(signal) });
}

async function greet(
  deps: TrialsPartDeps,
  agent: string,
  spec: AcpAgentSettings,
): Promise<CallVerdict> {
  const failure = await deps.greet(agent, spec);
  // That its login or its provider refuses is nothing about the program.
  return failure !== undefined && isOfProgram(failure)
    ? { kind: 'failed', error: failure.message }
    : { kind: 'ok' };
}
