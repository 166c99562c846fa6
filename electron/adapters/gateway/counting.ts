import type { GatewayBegin, GatewayBegun, RequestQueue } from '../../ports/gateway';
import { pricesOf } from '../../../shared/prices/prices';
import { costOf } from '../providers/price';
import { leastOf, NO_TOKENS, type Tokens } from '../providers/reported-tokens';
import type { Target } from './target';
import type { UpstreamRequest } from './upstream';

/** The payer of the usage. */
export interface Payer {
  /** The client whose token it was. */
  readonly client: string;
  readonly target: Target;
  /** The requested model. */
  readonly upstream: { readonly facts: Pick<UpstreamRequest['facts'], 'model'> };
  /** The provider that the client requested, if another one answers. */
  readonly insteadOf?: string;
}

/** Counts one try: from the first report of its answer to its end. */
export interface Counting {
  /** A whole answer is requested, about which nothing is reported before its end. */
  ask(): Promise<void>;
  begin(told: Tokens): Promise<void>;
  whole(tokens: Tokens): Promise<void>;
  /** An interrupted answer was billed too: the reported usage is a lower bound. */
  cut(told: Tokens): Promise<void>;
  /** There was no answer; `mayBePaid` if it is unknown whether one was produced. */
  none(mayBePaid: boolean): Promise<void>;
}

export function createCounting(queue: RequestQueue, payer: Payer): Counting {
  let begun: GatewayBegun | undefined;
  const end = (
    use: GatewayBegin,
    how: { readonly isCut?: true; readonly isRefused?: true } = {},
  ): Promise<void> =>
    queue.count({
      ...use,
      isRemembered: false,
      ...how,
      ...(payer.insteadOf === undefined ? {} : { insteadOf: payer.insteadOf }),
      ...(begun === undefined ? {} : { begun }),
    });
  return {
    async ask() {
      begun = await queue.begin({ ...useOf(payer, NO_TOKENS), isAsked: true });
    },
    async begin(told) {
      begun ??= await queue.begin(useOf(payer, leastOf(told)));
    },
    whole: (tokens) => end(useOf(payer, tokens)),
    cut: (told) => end(useOf(payer, leastOf(told)), { isCut: true }),
    async none(mayBePaid) {
      if (begun === undefined) return;
      await end(useOf(payer, NO_TOKENS), mayBePaid ? { isCut: true } : { isRefused: true });
    },
  };
}

/** Answered from the cache, or by a call that another client pays for. */
export const countUnpaid = (
  queue: RequestQueue,
  { client, target }: Pick<Payer, 'client' | 'target'>,
): Promise<void> =>
  queue.count({
    provider: target.name,
    client,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
    isRemembered: true,
  });

const useOf = ({ client, target, upstream }: Payer, tokens: Tokens): GatewayBegin => ({
  provider: target.name,
  client,
  inputTokens: tokens.input ?? 0,
  outputTokens: tokens.output ?? 0,
  ...costOf(tokens, pricesOf(target.settings, upstream.facts.model)),
});
