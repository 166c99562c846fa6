import type { Verb, VerbInput, VerbOutput, VERBS } from '../../../shared/contract';
import type { StatusSnapshot } from '../../../shared/types';
import { EVENT_NAMES } from '../../../shared/verbs';
import { HoldfastError, stoppingError } from '../kernel/errors';
import type { callVerb } from './call-verb';
import type { CallOrigin, Holdfast } from './facade';
import type { Handlers } from './handlers';

/** Checks calls against the contract; loaded with the first of them. */
interface Door {
  readonly callVerb: typeof callVerb;
  readonly VERBS: typeof VERBS;
}

interface FacadeDeps {
  readonly phase: () => StatusSnapshot['phase'];
  /** Undefined while it starts, and once it has stopped. */
  readonly rooms: () =>
    { readonly verbs: Handlers; readonly status: () => StatusSnapshot } | undefined;
  /** The status before the rooms exist. */
  readonly starting: () => StatusSnapshot;
  readonly on: Holdfast['on'];
  readonly loadDoor: () => Promise<Door>;
  /** The public error for an internal one; a rejected disk read gets its code. */
  readonly named: (error: unknown) => unknown;
}

export function createFacade(deps: FacadeDeps): Holdfast {
  let door: Door | undefined;
  return {
    async call<V extends Verb>(
      verb: V,
      input: VerbInput<V>,
      origin: CallOrigin,
    ): Promise<VerbOutput<V>> {
      const rooms = deps.rooms();
      if (rooms === undefined) {
        if (verb === 'status.get') return deps.starting() as VerbOutput<V>;
        const phase = deps.phase();
        if (phase === 'stopping' || phase === 'stopped')
          throw stoppingError('Nothing was done. Start Holdfast again and repeat it.');
        throw new HoldfastError('STARTING', 'Holdfast is still starting.', {
          hint: 'Nothing was done. Try again in a moment.',
          retryable: true,
        });
      }
      // Only the first call waits for the schemas; later ones act before this returns.
      door ??= await deps.loadDoor();
      return door.callVerb(door.VERBS, rooms.verbs, verb, input, origin).catch((error: unknown) => {
        throw deps.named(error);
      });
    },
    status: () => deps.rooms()?.status() ?? deps.starting(),
    on: (event, listener) => {
      if (!EVENT_NAMES.includes(event))
        throw new HoldfastError('VERB_UNKNOWN', `There is no event "${event as string}".`);
      return deps.on(event, listener);
    },
  };
}

/** What is known before the engine runs. */
export const startingSnapshot = (
  self: Pick<StatusSnapshot, 'phase' | 'version' | 'dataDir' | 'startedAtMs' | 'nowMs'> & {
    readonly pid: number;
  },
  restoreSkipped: boolean,
): StatusSnapshot => ({
  ...self,
  tray: 'stopped',
  counts: { needsYou: 0, running: 0, queued: 0, waiting: 0, parked: 0 },
  recovery: { mode: 'safe_only', sideEffectTools: [], restoreSkipped },
  journal: { seq: 0, appliedSeq: 0 },
  inbound: { accepted: 0, filtered: 0 },
  configProblems: [],
  kept: { stepsReusedToday: 0, savedUsdToday: 0 },
});
