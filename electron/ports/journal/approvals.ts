import type { StoredText } from './stored';
import type { CallTarget } from '../tool-call';

/** What is pending: permission for a call, or the result of an external tool. */
type RequestKind = 'approval' | 'custom_tool';

/** Scope of a permission: this call, this session, or always (then it is also a setting). */
export type RequestScope = 'once' | 'session' | 'always';

type RequestAnswer =
  | 'allowed'
  | 'denied'
  /** The result of a custom tool has arrived. */
  | 'result'
  /** Its turn was stopped or discarded: no answer is expected. */
  | 'cleared';

/** A question stored with everything it is about. Its ID is that of its inbox item. */
export interface RequestFacts {
  readonly requestId: number;
  readonly turnId: number;
  readonly sessionId: number;
  readonly request: RequestKind;
  /** `host.tool`. */
  readonly tool: string;
  /** sha256 in hex over tool and canonical arguments: the answer is for exactly this. */
  readonly inputKey: string;
  /** The call that needs permission: step of the model answer and position of the call in it. */
  readonly call?: { readonly step: number; readonly part: number };
  readonly input: StoredText;
  /** One-line description. */
  readonly hint: string;
  /** Why it needs permission, in one sentence. */
  readonly reason: string;
  /** What permission for the session would cover. */
  readonly grant: string;
  /** It reaches beyond this computer. */
  readonly leaves?: boolean;
  /** Destination when it was requested: permission for one call covers only this destination. */
  readonly goesTo?: CallTarget;
  /** Why the destination is unknown: the end of a sentence. */
  readonly notTold?: string;
}

export type ApprovalEntry =
  | ({ readonly kind: 'approval.requested' } & RequestFacts)
  | {
      readonly kind: 'approval.answered';
      readonly requestId: number;
      readonly turnId: number;
      readonly sessionId: number;
      readonly answer: RequestAnswer;
      readonly scope: RequestScope;
      readonly grant: string;
      readonly by: string;
      /** The user's note with a denial; passed to the agent. */
      readonly note?: string;
      readonly result?: StoredText;
    };

/** A permission request, read from its table row and journal rows. */
export interface RequestRow extends RequestFacts {
  readonly requestedAtMs: number;
  readonly answeredAtMs: number | undefined;
  readonly answer: RequestAnswer | undefined;
  readonly scope: RequestScope | undefined;
  readonly by: string | undefined;
  readonly note: string | undefined;
  readonly result: StoredText | undefined;
}

/**
 * Reads of questions; all indexed.
 * Implemented by adapters/sqlite/tables/approvals.ts.
 */
export interface ApprovalReads {
  request(id: number): RequestRow | undefined;
  /** Oldest first; with `includeAnswered` the newest `limit` of all. */
  requests(filter: {
    readonly includeAnswered: boolean;
    readonly sessionId?: number;
    readonly limit: number;
  }): readonly RequestRow[];
  requestsOfTurn(turnId: number): readonly RequestRow[];
  /** True if permission for the session covers this. */
  isGranted(sessionId: number, what: string): boolean;
}
