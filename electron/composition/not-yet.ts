import { HoldfastError } from '../engine/kernel/errors';
import type { Handlers, OuterVerb } from '../engine/holdfast';

/** Verbs whose rooms are being built. */
export function notYet<V extends OuterVerb>(...verbs: readonly V[]): Handlers<V> {
  const refuse = (): Promise<never> =>
    Promise.reject(new HoldfastError('VERB_UNKNOWN', 'This is not built yet.'));
  return Object.fromEntries(verbs.map((verb) => [verb, refuse])) as unknown as Handlers<V>;
}
