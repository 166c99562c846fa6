/** A model as its provider lists it. */
export interface ListedModel {
  readonly id: string;
  /** US dollars per million tokens, if the provider publishes it. */
  readonly inputUsd?: number;
  readonly outputUsd?: number;
}

/** What became of the question which models a provider has. */
export type ModelList =
  | { readonly kind: 'listed'; readonly models: readonly ListedModel[] }
  | { readonly kind: 'failed'; readonly message: string };

/** Asks a provider for its models: one request, no model call, so it costs nothing. */
export interface ModelLists {
  /** Never throws: what is wrong with the provider's settings is a failure, too. */
  ask(provider: string): Promise<ModelList>;
}
