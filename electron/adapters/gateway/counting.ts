import type { GatewayBegin, GatewayBegun, RequestQueue } from '../../ports/gateway';
import { costOf } from '../providers/price';
import type { Tokens } from './answer-reader';
import type { Target } from './target';

/** Who is counted for what was used, and where. */
export interface Payer {
  /** Whose token it was. */
  readonly client: string;
  readonly target: Target;
}

/** The count of one try: from the first that is told of its answer to the end of it. */
export interface Counting {
  /** It is asked for an answer that comes whole, of which nothing is told before its end. */
  ask(): Promise<void>;
  begin(told: Tokens): Promise<void>;
  whole(tokens: Tokens): Promise<void>;
  /** An answer that broke off was paid for, too: what was told of it, which is the least. */
  cut(told: Tokens): Promise<void>;
  /** There was none; `mayBePaid` where nobody knows whether it was made. */
  none(mayBePaid: boolean): Promise<void>;
}

export function createCounting(desk: RequestQueue, payer: Payer): Counting {
  let begun: GatewayBegun | undefined;
  const end = (
    use: GatewayBegin,
    how: { readonly isCut?: true; readonly isRefused?: true } = {},
  ): Promise<void> =>
    desk.count({
      ...use,
      isRemembered: false,
      ...how,
      ...(begun === undefined ? {} : { begun }),
    });
  return {
    async ask() {
      begun = await desk.begin({ ...useOf(payer, NOTHING), isAsked: true });
    },
    async begin(told) {
      begun ??= await desk.begin(useOf(payer, least(told)));
    },
    whole: (tokens) => end(useOf(payer, tokens)),
    cut: (told) => end(useOf(payer, least(told)), { isCut: true }),
    async none(mayBePaid) {
      if (begun === undefined) return;
      await end(useOf(payer, NOTHING), mayBePaid ? { isCut: true } : { isRefused: true });
    },
  };
}

const NOTHING: Tokens = { input: undefined, output: undefined };

/** Answered from the memo, or by a call that another client pays for. */
export const countUnpaid = (desk: RequestQueue, { client, target }: Payer): Promise<void> =>
  desk.count({
    provider: target.name,
    client,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
    isRemembered: true,
  });

/** Where one of the two was told, the other is none yet; where neither was, nobody knows a price. */
const least = ({ input, output }: Tokens): Tokens =>
  input === undefined && output === undefined
    ? { input, output }
    : { input: input ?? 0, output: output ?? 0 };

const useOf = ({ client, target }: Payer, tokens: Tokens): GatewayBegin => ({
  provider: target.name,
  client,
  inputTokens: tokens.input ?? 0,
  outputTokens: tokens.output ?? 0,
  ...costOf(tokens, target.settings),
});
