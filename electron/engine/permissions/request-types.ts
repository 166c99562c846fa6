import type { TurnRow } from '../../ports/journal/rows';
import type { RequestFacts, RequestScope } from '../../ports/journal/approvals';

/** A call that has to wait, with everything that the user must see. */
export interface NewRequest extends Omit<
  RequestFacts,
  'requestId' | 'turnId' | 'sessionId' | 'input'
> {
  readonly turn: Pick<TurnRow, 'id' | 'sessionId' | 'promptStart'>;
  /** JSON. */
  readonly input: string;
}

/** An answer from the user or an external client; `requestHash` identifies what was shown. */
export type RequestReply =
  | { readonly kind: 'allow'; readonly scope: RequestScope }
  | { readonly kind: 'deny'; readonly note?: string }
  | { readonly kind: 'result'; readonly output: string };
