import type { Verb, VerbInput, VerbOutput, VERBS } from '../../../shared/contract';
import { HoldfastError } from '../kernel/errors';
import type { CallOrigin } from './facade';
import type { Handlers } from './handlers';

/**
 * Validates a call against the contract, in and out. The contract is handed in, because making
 * every schema takes a good part of a cold start: it waits for the first call. @throws
 * VERB_UNKNOWN, INPUT_INVALID
 */
export async function callVerb<V extends Verb>(
  contract: typeof VERBS,
  handlers: Handlers,
  verb: V,
  input: unknown,
  origin: CallOrigin,
): Promise<VerbOutput<V>> {
  if (!Object.hasOwn(contract, verb)) {
    throw new HoldfastError(
      'VERB_UNKNOWN',
      `There is no command "${(verb as string).slice(0, 60)}".`,
      {
        hint: 'Nothing was done. Use the window and the command line of the same version.',
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
