/** A request that has passed the guard of a loopback server. */
interface LoopbackRequest {
  /** Path without its query. */
  readonly path: string;
  /** The value after `Authorization: Bearer`; undefined without one. */
  readonly bearer: string | undefined;
}

export interface LoopbackAnswer {
  readonly status: number;
  readonly body: string;
  /** Default `text/plain; charset=utf-8`. */
  readonly contentType?: string;
}

/**
 * A listening server on 127.0.0.1.
 * Implemented by adapters/loopback/guarded-server.ts.
 */
export interface LoopbackServer {
  /** The actual port: the requested one, or the next free one (R25). */
  readonly port: number;
  /** Ends every connection. Idempotent, bounded. */
  stop(): Promise<void>;
}

/**
 * Listens for read-only requests on 127.0.0.1; the caller is checked first (H1..H6). A port in use
 * is not an error: the next free one is used. Rejects only if no port is available.
 */
export type OpenLoopback = (options: {
  /** 0: any free one. */
  readonly port: number;
  readonly answer: (request: LoopbackRequest) => LoopbackAnswer | Promise<LoopbackAnswer>;
}) => Promise<LoopbackServer>;
