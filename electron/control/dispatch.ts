/** One call of a control client: contract first, then the facade. */
import type { Answer, Verb } from '../../shared/contract';
import type { StatusSnapshot } from '../../shared/types';
import type { Holdfast } from '../engine/api/facade';
import type { ErrorCode } from '../engine/kernel/errors';
import { toHoldfastError } from '../engine/kernel/errors';

/** Verbs that work in every phase: a second start and `status` need to see the current state. */
const ANY_PHASE: ReadonlySet<string> = new Set<Verb>([
  'status.get',
  'instance.focus',
  'instance.stop',
]);

const OF_A_RUN: Verb = 'agents.hook';

function refuse(code: ErrorCode, message: string, hint: string): Answer<never> {
  return { ok: false, code, message, hint };
}

const stoppingRefusal = refuse(
  'STOPPING',
  'Holdfast is stopping; nothing was changed by this request. Unfinished turns resume at the next start.',
  'Start it again with: holdfast start --headless',
);

function phaseRefusal(verb: string, phase: StatusSnapshot['phase']): Answer<never> | undefined {
  if (ANY_PHASE.has(verb)) return undefined;
  switch (phase) {
    case 'running':
    // No process responds for another one: a facade over data on disk has no socket.
    case 'silent':
      return undefined;
    case 'starting':
      return refuse(
        'STARTING',
        'Holdfast is starting; nothing was changed by this request.',
        'Try again in a moment: holdfast status shows when it is ready.',
      );
    case 'stopping':
      // The call's run still exists and decides: if rejected here, the agent would continue without
      // its call and end as if complete.
      if (verb === OF_A_RUN) return undefined;
      return stoppingRefusal;
    case 'stopped':
      return stoppingRefusal;
    default:
      return phase satisfies never;
  }
}
/** Never throws; every refusal and failure is an answer with a code (I3). */
export async function dispatchCall(
  holdfast: Holdfast,
  verb: string,
  input: unknown,
): Promise<Answer<unknown>> {
  const { VERBS } = await import('../../shared/contract');
  if (!Object.hasOwn(VERBS, verb)) {
    return refuse(
      'VERB_UNKNOWN',
      'There is no such request.',
      'The app and this command may be of different versions: holdfast --version',
    );
  }
  const known = verb as Verb;
  const spec = VERBS[known];
  if (spec.surface === 'window') {
    return refuse(
      'SENDER_REFUSED',
      `${known} belongs to the windows of the app.`,
      'Use it in the window.',
    );
  }
  const parsed = spec.input().safeParse(input ?? {});
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue && issue.path.length > 0 ? ` at ${issue.path.map(String).join('.')}` : '';
    return refuse(
      'INPUT_INVALID',
      `${known} was not understood${where}: ${(issue?.message ?? 'wrong input').slice(0, 300)}`,
      'Nothing was changed. See the options of each command: holdfast help',
    );
  }
  try {
    const refusal = phaseRefusal(known, holdfast.status().phase);
    if (refusal) return refusal;
    return {
      ok: true,
      value: await holdfast.call(known, parsed.data, 'control'),
    };
  } catch (thrown) {
    const error = toHoldfastError(thrown);
    return {
      ok: false,
      code: error.code,
      message: error.message,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    };
  }
}
