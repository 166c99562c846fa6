import type { Usage } from '../../shared/types';

/** One part of an assistant message. */
export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'tool_call';
      readonly callId: string;
      readonly tool: string;
      readonly args: JsonValue;
    }
  /** Provider-private reasoning that must be sent back unchanged; opaque to us. */
  | { readonly kind: 'reasoning'; readonly text: string; readonly opaque?: JsonValue };

/** JSON as it is journaled. */
export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The conversation so far, provider-neutral and journalable. */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly parts: readonly AnswerPart[] }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly tool: string;
      readonly content: string;
      readonly isError: boolean;
    };

/** A tool as described to the model. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments, an object schema. */
  readonly inputSchema: JsonValue;
}

/**
 * One request to a model. It is a pure value: the same value gives the same bytes on the wire, so
 * the replay hash is taken over its canonical JSON (S4-10).
 */
export interface ModelRequest {
  readonly provider: string;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolOffer[];
  readonly maxOutputTokens?: number;
}

/** A finished answer. `cut` and `other` never appear here: they are failures. */
export interface ModelAnswer {
  readonly parts: readonly AnswerPart[];
  readonly finish: 'stop' | 'tool_calls' | 'length' | 'content_filter';
  readonly usage: Usage;
}

/** Classes that retries, breakers and users need to distinguish (S0-14..16, S2-29, R4). */
export type ProviderFailureKind =
  | 'network'
  | 'timeout'
  | 'server'
  | 'rate_limited'
  | 'quota'
  | 'config'
  | 'cut'
  | 'malformed'
  | 'aborted';

/** A failed call: kind, the provider's message, and when to retry if the provider named a time. */
export interface ProviderFailure {
  readonly kind: ProviderFailureKind;
  /** One sentence for users; secrets masked. */
  readonly message: string;
  /** What to do next, one sentence. */
  readonly hint: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** True if the same request may succeed later. */
  readonly isRetryable: boolean;
  /** Rejections that one more request may fix: with the current key, or a shorter conversation. */
  readonly mend?: 'key' | 'too_long';
  /** Usage of the unusable answer, as far as the provider reported it: it is billed. BU-03 */
  readonly usage?: Usage;
  /** For `too_long`: the conversation fits if the answer has at most this many tokens. */
  readonly roomTokens?: number;
}

export type ProviderOutcome =
  | { readonly kind: 'answer'; readonly answer: ModelAnswer }
  | { readonly kind: 'failure'; readonly failure: ProviderFailure };

/** Outcome of a light request. */
export type ProviderProbe =
  /** It is up; a rejection of just this request counts too: the server is reachable. */
  | { readonly kind: 'ok' }
  /** It responds, and rejects the key. */
  | { readonly kind: 'key'; readonly failure: ProviderFailure }
  | { readonly kind: 'failed'; readonly failure: ProviderFailure };

/**
 * A model provider. One call is one HTTP request: no retries inside.
 * Implemented by adapters/providers/http-provider.ts and engine/executors/llm/practice.ts.
 */
export interface Provider {
  readonly name: string;
  /**
   * Streams one answer. `onText` gets provisional text; only the returned outcome counts. Never
   * throws: an abort is a failure of kind `aborted`, a clean end without a finish is `cut`.
   */
  stream(
    request: ModelRequest,
    options: {
      readonly signal: AbortSignal;
      readonly onText: (delta: string) => void;
      /** A heartbeat without content: a server on this computer is still connected. */
      readonly onAlive?: () => void;
    },
  ): Promise<ProviderOutcome>;
  /** Checks whether it is reachable, without a model call: costs nothing. Never throws. S0-19 */
  probe(signal: AbortSignal): Promise<ProviderProbe>;
}

/**
 * Finds providers by the name in the settings; loads the client library on first use.
 * Implemented by adapters/providers/providers.ts.
 */
export interface Providers {
  /** @throws HoldfastError PROVIDER_UNKNOWN, PROVIDER_KEY_MISSING, PROVIDER_URL_REFUSED, SECRET_UNREADABLE */
  get(name: string): Promise<Provider>;
  /**
   * The same provider with the current key of its source; undefined if that is the key with which
   * `used` was rejected, or if there is none. Never throws. S2-29
   */
  renewed(used: Provider): Promise<Provider | undefined>;
}
