/** A model as its provider lists it. */
export interface ListedModel {
  readonly id: string;
  /** US dollars per million tokens, if the provider publishes it. */
  readonly inputUsd?: number;
  readonly outputUsd?: number;
}

/** Outcome of a request for a provider's models. */
export type ModelList =
  | { readonly kind: 'listed'; readonly models: readonly ListedModel[] }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Requests a provider's models: one request without a model call, so it costs nothing.
 * Implemented by adapters/providers/model-list.ts.
 */
export interface ModelLists {
  /** Never throws: wrong settings of the provider count as a failure too. */
  ask(provider: string): Promise<ModelList>;
}
