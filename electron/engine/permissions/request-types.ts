import type { TurnRow } from '../../ports/journal/rows';
import type { RequestFacts, RequestScope } from '../../ports/journal/approvals';
import type { CallTarget } from '../../ports/tool-call';

/** A call that has to wait, with everything that the user must see. */
export interface NewRequest {
  readonly turn: Pick<TurnRow, 'id' | 'sessionId' | 'promptStart'>;
  readonly request: RequestFacts['request'];
  readonly tool: string;
  readonly inputKey: string;
  readonly call?: RequestFacts['call'];
  /** JSON. */
  readonly input: string;
  readonly hint: string;
  readonly reason: string;
  readonly grant: string;
  readonly leaves?: boolean;
  readonly goesTo?: CallTarget;
  readonly notTold?: string;
}

/** An answer from the user or an external client; `requestHash` identifies what was shown. */
export type RequestReply =
  | { readonly kind: 'allow'; readonly scope: RequestScope }
  | { readonly kind: 'deny'; readonly note?: string }
  | { readonly kind: 'result'; readonly output: string };
