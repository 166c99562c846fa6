import { answeredBy, INSTEAD_OF } from './answered-by';
import type { ClientAnswer } from './client-answer';
import type { Recording } from './response-cache';
import { LARGEST_BYTES } from './cache-rules';
import type { WireError } from './wire-errors';

/**
 * The clients that sent the same request at the same time: one call, with its answer for all of
 * them.
 */
export interface SharedResponse extends ClientAnswer {
  /** Ends when the last of them has left. */
  readonly signal: AbortSignal;
  /** True if part of the answer has been sent. */
  hasBegun(): boolean;
  /**
   * False if joining is no longer possible: the call is over, or more of its answer has been sent
   * than is buffered.
   */
  join(client: ClientAnswer, left: AbortSignal): boolean;
  /** The answer sent so far; undefined if that was too much to record. */
  recorded(): Recording | undefined;
}

export const createSharedResponse = (): SharedResponse => new SharedAnswer();

class SharedAnswer implements SharedResponse {
  readonly #here = new Set<ClientAnswer>();
  readonly #empty = new AbortController();
  #begun: { readonly status: number; readonly headers: Headers } | undefined;
  #pieces: Buffer[] | undefined = [];
  #bytes = 0;
  #isWaiting = false;
  #isOver = false;

  get signal(): AbortSignal {
    return this.#empty.signal;
  }
  hasBegun(): boolean {
    return this.#begun !== undefined;
  }
  recorded(): Recording | undefined {
    if (this.#pieces === undefined) return undefined;
    const contentType = this.#begun?.headers.get('content-type') ?? 'application/json';
    const by = answeredBy(this.#begun?.headers ?? new Headers());
    return {
      contentType,
      pieces: this.#pieces,
      ...(Object.hasOwn(by, INSTEAD_OF) ? { by } : {}),
    };
  }
  join(client: ClientAnswer, left: AbortSignal): boolean {
    const pieces = this.#pieces;
    if (this.#isOver || pieces === undefined || this.signal.aborted || left.aborted) return false;
    this.#here.add(client);
    left.addEventListener(
      'abort',
      () => {
        this.#leave(client);
      },
      { once: true },
    );
    if (this.#begun !== undefined) client.head(this.#begun.status, this.#begun.headers);
    else if (this.#isWaiting) client.waits();
    for (const piece of pieces) void client.piece(piece);
    return true;
  }

  waits(): void {
    this.#isWaiting = true;
    for (const client of this.#here) client.waits();
  }
  head(status: number, headers: Headers): void {
    this.#begun = { status, headers };
    for (const client of this.#here) client.head(status, headers);
  }
  async piece(piece: Buffer): Promise<void> {
    this.#bytes += piece.length;
    if (this.#bytes > LARGEST_BYTES) this.#pieces = undefined;
    this.#pieces?.push(piece);
    // As fast as the fastest client reads: a stalled one delays no other.
    if (this.#here.size > 0)
      await Promise.race([...this.#here].map((client) => client.piece(piece)));
  }
  refuse(...answer: Parameters<ClientAnswer['refuse']>): void {
    for (const client of this.#end()) client.refuse(...answer);
  }
  fail(error: WireError): void {
    for (const client of this.#end()) client.fail(error);
  }
  end(): void {
    for (const client of this.#end()) client.end();
  }
  cut(error: WireError): void {
    for (const client of this.#end()) client.cut(error);
  }

  #end(): readonly ClientAnswer[] {
    this.#isOver = true;
    return [...this.#here];
  }
  #leave(client: ClientAnswer): void {
    this.#here.delete(client);
    if (this.#here.size === 0 && !this.#isOver) this.#empty.abort(new Error('the client has left'));
  }
}
