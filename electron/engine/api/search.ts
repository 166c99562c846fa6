import type { VerbInput, VerbOutput } from '../../../shared/contract';
import type { SEARCH_VERBS } from '../../../shared/contract/search';
import type { Handlers } from './handlers';

/** Search for the windows and the command line. Its code is loaded with the first search. */
export function searchHandlers(deps: {
  readonly find: (input: VerbInput<'search.find'>) => Promise<VerbOutput<'search.find'>>;
}): Handlers<keyof typeof SEARCH_VERBS> {
  return {
    'search.find': deps.find,
  };
}
