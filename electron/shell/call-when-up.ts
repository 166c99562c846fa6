import type { Holdfast } from '../engine/api/facade';

/** A promise that is resolved from outside. */
export function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/**
 * Calls of a page that loads faster than the engine starts wait for it, except queries of its
 * state.
 */
export function callWhenUp(holdfast: Holdfast, up: Promise<void>): Pick<Holdfast, 'call'> {
  return {
    async call(verb, input, origin) {
      if (verb !== 'status.get') await up;
      return holdfast.call(verb, input, origin);
    },
  };
}
