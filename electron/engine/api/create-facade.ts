import type { Verb, VerbInput, VerbOutput, VERBS } from '../../../shared/contract';
import type { StatusSnapshot } from '../../../shared/types';
import { EVENT_NAMES } from '../../../shared/verbs';
import { HoldfastError, stoppingError } from '../kernel/errors';
import type { CallOrigin, Holdfast } from './facade';
import type { Handlers } from './handlers';

type Contract = typeof VERBS;

interface FacadeDeps {
  readonly phase: () => StatusSnapshot['phase'];
  /** Undefined while it starts, and once it has stopped. */
  readonly rooms: () =>
    { readonly verbs: Handlers; readonly status: () => StatusSnapshot } | undefined;
  /** The status before the rooms exist. */
  readonly starting: () => StatusSnapshot;
  readonly on: Holdfast['on'];
  /** The schemas of every verb, loaded with the first call. */
  readonly loadContract: () => Promise<Contract>;
  /** The public error for an internal one; a rejected disk read gets its code. */
  readonly named: (error: unknown) => unknown;
}

export function createFacade(deps: FacadeDeps): Holdfast {
  let contract: Contract | undefined;
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
      contract ??= await deps.loadContract();
      return callVerb(contract, rooms.verbs, verb, input, origin).catch((error: unknown) => {
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

/**
 * Validates a call against the contract, in and out. The contract is handed in, because making
 * every schema takes a good part of a cold start: it waits for the first call. @throws
 * VERB_UNKNOWN, INPUT_INVALID
 */
export async function callVerb<V extends Verb>(
  contract: Contract,
  handlers: Handlers,
  verb: V,
  input: unknown,
  origin: CallOrigin,
): Promise<VerbOutput<V>> {
  if (!Object.hasOwn(contract, verb)) {
    throw new HoldfastError(
      'VERB_UNKNOWN',
      `There is no request "${(verb as string).slice(0, 60)}".`,
      {
        hint: 'Nothing was done. Use a window and a command line of the same version.',
      },
    );
  }
  const spec = contract[verb];
  const parsed = spec.input().safeParse(input);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where =
      issue === undefined || issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `;
    throw new HoldfastError(
      'INPUT_INVALID',
      `${verb}: ${where}${issue?.message ?? 'wrong input'}`,
      {
        hint: 'Nothing was done.',
      },
    );
  }
  const output = await handlers[verb](parsed.data as VerbInput<V>, origin);
  return spec.output().parse(output) as VerbOutput<V>;
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
