/** A tool call as the fake model makes it. `id: null` leaves the id out where the dialect can. */
export interface FakeToolCall {
  readonly name: string;
  readonly args?: unknown;
  /** Sent instead of the JSON of `args`, in two deltas: to send what is not JSON. */
  readonly rawArgs?: string;
  readonly id?: string | null;
  /** Google's thought signature of the call. */
  readonly signature?: string;
}

/** One scripted answer. Empty: status 200, the text "ok", finish stop. */
export interface FakeReply {
  readonly text?: string | readonly string[];
  readonly reasoning?: string;
  /** Signature of the reasoning (Anthropic) or of the text (Google). */
  readonly signature?: string;
  readonly toolCalls?: readonly FakeToolCall[];
  /** Default: `tool_calls` where there are calls, else `stop`. `none`: no finish is sent. */
  readonly finish?: 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'other' | 'none';
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | null;
  /** Anything but 200 sends `body` (default: the dialect's error with `error`). */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
  readonly error?: { readonly message: string; readonly type?: string; readonly code?: string };
  /** Wait before the headers. */
  readonly delayMs?: number;
  /** Wait between two events. */
  readonly chunkDelayMs?: number;
  readonly fault?: FakeFault;
}

/** How the answer goes wrong. All but the first two happen after half of the content was sent. */
export type FakeFault =
  /** The connection is reset before the first byte of the answer. */
  | 'reset'
  /** Headers never come; the request hangs until the client leaves or the server stops. */
  | 'stall_first_byte'
  /** Headers and content come, then nothing. */
  | 'stall_mid_stream'
  /** The connection breaks in the middle of the answer. */
  | 'cut'
  /** A clean end of the response without a finish. */
  | 'eof'
  /** One event is not JSON; the rest of the answer and its finish follow. */
  | 'malformed_event'
  /** The provider reports `error` in the stream; the finish still follows. */
  | 'error_event';
