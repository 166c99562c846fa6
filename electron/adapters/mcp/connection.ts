import type { JsonValue } from '../../ports/provider';
import type { CallEnd } from './tool-outcome';

/** One live connection to a server; it ends once and is never used again. */
export interface McpConnection {
  readonly pid: number | undefined;
  /** All tools as described, over all pages. @throws with the reason, one sentence */
  tools(): Promise<readonly unknown[]>;
  /** One call; never throws. The only place that sends a call to a server. */
  call(request: McpRequest): Promise<CallEnd>;
  /** Resolves with the reason, one sentence, when the connection ends for any cause. */
  readonly closed: Promise<string>;
  /** Resolves when the server has no process left; it has `graceMs` to exit on its own. */
  close(graceMs: number): Promise<void>;
}

export interface McpRequest {
  readonly tool: string;
  readonly args: JsonValue;
  readonly idempotencyKey: string;
  /** Extended by progress. */
  readonly timeoutMs: number;
  /** However much progress it reports. */
  readonly totalMs: number;
  readonly signal: AbortSignal;
}

/** What to connect to; the process or the address is already resolved. */
export type McpTarget =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

export interface ConnectOptions {
  readonly target: McpTarget;
  readonly version: string;
  readonly handshakeMs: number;
  readonly signal: AbortSignal;
  readonly onErrorLine: (line: string) => void;
  /** Removes secrets from its last output; default: unchanged. */
  readonly hide?: ((text: string) => string) | undefined;
  readonly onToolsChanged: () => void;
}

/** @throws with the reason, one sentence; no process of the server is left then. */
export type Connect = (options: ConnectOptions) => Promise<McpConnection>;
