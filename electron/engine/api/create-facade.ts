import type { Answer, Verb, VerbInput, VerbOutput, VERBS } from '../../../shared/contract';
import type { StatusSnapshot } from '../../../shared/types';
import { EVENT_NAMES } from '../../../shared/verbs';
import { HoldfastError, startingError, stoppingError, toHoldfastError } from '../kernel/errors';
import type { CallOrigin, Holdfast } from './facade';
import type { Handlers } from './handlers';
import { inputProblem } from './input-problem';

type Contract = typeof VERBS;

interface FacadeDeps {
  readonly phase: () => StatusSnapshot['phase'];
  /**
   * Undefined while it starts, and once it has stopped. The file of its family in this folder
   * answers a verb: turns.ts answers `send`.
   */
  readonly rooms: () =>
    { readonly verbs: Handlers; readonly status: () => StatusSnapshot } | undefined;
  /** The status before the rooms exist. */
  readonly starting: () => StatusSnapshot;
  /** Implemented by engine/api/events.ts. */
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
      // Only the first call waits for the schemas; later ones act before this returns.
      contract ??= await deps.loadContract();
      const parsed = checkCall(contract, verb, input, origin);
      const rooms = deps.rooms();
      if (rooms === undefined && verb === 'status.get') return deps.starting() as VerbOutput<V>;
      const refusal = phaseRefusal(deps.phase(), verb, origin, rooms !== undefined);
      if (rooms === undefined || refusal !== undefined) throw refusal ?? notUpYet();
      return answerCall(contract, rooms.verbs, verb, parsed, origin).catch((error: unknown) => {
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
 * One call of handlers that have no phase, with input and output checked against the contract. The
 * contract is passed in, because building every schema takes a large part of a cold start: it waits
 * for the first call. @throws as checkCall
 */
export const callVerb = async <V extends Verb>(
  contract: Contract,
  handlers: Handlers,
  verb: V,
  input: unknown,
  origin: CallOrigin,
): Promise<VerbOutput<V>> =>
  answerCall(contract, handlers, verb, checkCall(contract, verb, input, origin), origin);

/**
 * The one check of verb and input, for windows, socket, command line and tray. Its errors name the
 * field and never its content. @throws VERB_UNKNOWN, SENDER_REFUSED, INPUT_INVALID
 */
function checkCall<V extends Verb>(
  contract: Contract,
  verb: V,
  input: unknown,
  origin: CallOrigin,
): VerbInput<V> {
  if (!Object.hasOwn(contract, verb)) {
    const name = (verb as string).slice(0, 60);
    throw new HoldfastError('VERB_UNKNOWN', `There is no request "${name}".`, {
      hint: 'Nothing was changed. Use a window and a command line of the same version: holdfast --version',
    });
  }
  const spec = contract[verb];
  if (origin === 'control' && spec.surface === 'window') {
    throw new HoldfastError('SENDER_REFUSED', `${verb} belongs to the windows of the app.`, {
      hint: 'Use it in the window.',
    });
  }
  const parsed = spec.input().safeParse(input);
  if (parsed.success) return parsed.data as VerbInput<V>;
  throw new HoldfastError('INPUT_INVALID', inputProblem(verb, parsed.error.issues[0]), {
    hint: 'Nothing was changed. See the options of each command: holdfast help',
  });
}

/** Verbs that work in every phase: a second start and `status` need to see the current state. */
const ANY_PHASE: ReadonlySet<Verb> = new Set([
  'status.get',
  'instance.focus',
  'instance.stop',
] satisfies Verb[]);

const notUpYet = (): HoldfastError =>
  startingError(
    'Nothing was changed. Try again in a moment: holdfast status shows when it is ready.',
  );

/**
 * Why a call cannot be accepted now. The windows and the tray wait for the start themselves and
 * stay until the shutdown is done; a socket client gets an error.
 */
function phaseRefusal(
  phase: StatusSnapshot['phase'],
  verb: Verb,
  origin: CallOrigin,
  isUp: boolean,
): HoldfastError | undefined {
  if (isUp && (origin !== 'control' || ANY_PHASE.has(verb))) return undefined;
  switch (phase) {
    case 'running':
    // No process can respond for another one: a facade over data on disk has no socket.
    case 'silent':
      return undefined;
    case 'starting':
      return notUpYet();
    case 'stopping':
      // The call's run still exists and decides: if rejected here, the agent would continue without
      // its call and end as if complete.
      if (isUp && verb === 'agents.hook') return undefined;
      return stoppedError();
    case 'stopped':
      return stoppedError();
    default:
      return phase satisfies never;
  }
}

const stoppedError = (): HoldfastError =>
  stoppingError(
    'Nothing was changed by this request, and unfinished turns resume at the next start: holdfast start',
  );

async function answerCall<V extends Verb>(
  contract: Contract,
  handlers: Handlers,
  verb: V,
  input: VerbInput<V>,
  origin: CallOrigin,
): Promise<VerbOutput<V>> {
  const output = contract[verb].output().safeParse(await handlers[verb](input, origin));
  if (output.success) return output.data as VerbOutput<V>;
  throw new HoldfastError(
    'INTERNAL',
    `The answer to ${verb} does not match its contract and is not shown.`,
    { hint: 'The request may have been executed. See the log.', cause: output.error },
  );
}

/** A failed call as its answer. */
export function refusalFor(thrown: unknown): Extract<Answer<never>, { ok: false }> {
  const { code, message, hint } = toHoldfastError(thrown);
  return { ok: false, code, message, ...(hint === undefined ? {} : { hint }) };
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
