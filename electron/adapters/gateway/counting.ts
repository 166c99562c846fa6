import type { GatewayBegin, GatewayBegun, GatewayDesk } from '../../ports/gateway';
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
interface Counting {
  begin(told: Tokens): Promise<void>;
  whole(tokens: Tokens): Promise<void>;
  /** An answer that broke off was paid for, too: what was told of it, which is the least. */
  cut(told: Tokens): Promise<void>;
}

export function createCounting(desk: GatewayDesk, payer: Payer): Counting {
  let begun: GatewayBegun | undefined;
  const end = (use: GatewayBegin, cut: { readonly isCut?: true } = {}): Promise<void> =>
    desk.count({
      ...use,
      isRemembered: false,
      ...cut,
      ...(begun === undefined ? {} : { begun }),
    });
  return {
    async begin(told) {
      begun = await desk.begin(useOf(payer, least(told)));
    },
    whole: (tokens) => end(useOf(payer, tokens)),
    cut: (told) => end(useOf(payer, least(told)), { isCut: true }),
  };
}

/** Answered from the memo, or by a call that another client pays for. */
export const countUnpaid = (desk: GatewayDesk, { client, target }: Payer): Promise<void> =>
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
