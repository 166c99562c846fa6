import type { StoredText } from './stored';
import type { CallTarget } from '../tool-call';

/** What waits: leave to make a call, or the result of a tool that the outside carries out. */
type RequestKind = 'approval' | 'custom_tool';

/** How far leave goes: this call, this session, or from now on (then it is a setting, too). */
export type RequestScope = 'once' | 'session' | 'always';

type RequestAnswer =
  | 'allowed'
  | 'denied'
  /** The result of a custom tool has come. */
  | 'result'
  /** Its turn was stopped or discarded: nobody waits for an answer any more. */
  | 'cleared';

/** A question that is on disk with everything it is about. Its number is that of its inbox item. */
export interface RequestFacts {
  readonly requestId: number;
  readonly turnId: number;
  readonly sessionId: number;
  readonly request: RequestKind;
  /** `host.tool`. */
  readonly tool: string;
  /** sha256 in hex over tool and canonical arguments: the answer is for exactly this. */
  readonly inputKey: string;
  /** Which call of the turn asks: step of the model answer and position of the call in it. */
  readonly call?: { readonly step: number; readonly part: number };
  readonly input: StoredText;
  /** One line that says what it is about. */
  readonly hint: string;
  /** Why it is asked, one sentence. */
  readonly reason: string;
  /** What leave for the session would cover. */
  readonly grant: string;
  /** It reaches beyond this computer. */
  readonly leaves?: boolean;
  /** Where it went when it was asked: leave once is for this place alone. */
  readonly goesTo?: CallTarget;
  /** Why it is not told where it goes: the end of a sentence. */
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
      /** What the person said with a refusal; told to the agent. */
      readonly note?: string;
      readonly result?: StoredText;
    };

/** A question as its table row and journal rows say. */
export interface RequestRow extends RequestFacts {
  readonly requestedAtMs: number;
  readonly answeredAtMs: number | undefined;
  readonly answer: RequestAnswer | undefined;
  readonly scope: RequestScope | undefined;
  readonly by: string | undefined;
  readonly note: string | undefined;
  readonly result: StoredText | undefined;
}

/** Reads of questions; each is indexed. */
export interface ApprovalReads {
  request(id: number): RequestRow | undefined;
  /** Oldest first; with `includeAnswered` the newest `limit` of all. */
  requests(filter: {
    readonly includeAnswered: boolean;
    readonly sessionId?: number;
    readonly limit: number;
  }): readonly RequestRow[];
  requestsOfTurn(turnId: number): readonly RequestRow[];
  /** True where leave for the session covers this. */
  isGranted(sessionId: number, what: string): boolean;
}
