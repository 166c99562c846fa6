import { createJsonMeter, MAX_VALUES } from '../../engine/kernel/json-meter';

const NEWLINE = 0x0a;
const CARRIAGE = 0x0d;
/** Complete lines passed on at once: about 200 of the smallest events. */
const SLICE_BYTES = 2 * 1024;

interface BodyBounds {
  /** Event lines, each group ended by an empty line; otherwise the body is one document. */
  readonly isEvents: boolean;
  /** Maximum size of an event or document. */
  readonly messageBytes: number;
  /**
   * Called for each chunk with the length of the incomplete message, and the number of events that
   * ended in it. A returned text ends the body with that reason.
   */
  readonly took: (bytes: number, openBytes: number, events: number) => string | undefined;
  /** Called before the body is ended early. */
  readonly onRefused?: (reason: string) => void;
}

/**
 * An external body, passed on in complete lines of a few KB with a turn of the event loop after
 * each, and ended early if one message is too long or has too many values. A reader may search its
 * buffer again with each chunk; complete lines leave it nothing to buffer.
 */
export function boundedBody(
  body: ReadableStream<Uint8Array>,
  bounds: BodyBounds,
): ReadableStream<Uint8Array> {
  const meter = createJsonMeter(MAX_VALUES);
  let open: Uint8Array[] = [];
  let openBytes = 0;
  let messageBytes = 0;
  let events = 0;

  const refusal = (): string | undefined =>
    messageBytes > bounds.messageBytes
      ? `It sent a message of more than ${String(bounds.messageBytes / 1024 / 1024)} MB.`
      : undefined;
  const refuse = (reason: string): never => {
    open = [];
    bounds.onRefused?.(reason);
    throw new Error(reason);
  };
  /** Takes the next piece of a line. */
  const take = (piece: Uint8Array): void => {
    messageBytes += piece.length;
    const reason = meter.isAbove(piece)
      ? `It sent a message of more than ${String(MAX_VALUES)} values.`
      : refusal();
    if (reason !== undefined) refuse(reason);
    openBytes += piece.length;
    // Copied, because the sender reuses its buffers.
    open.push(Uint8Array.from(piece));
  };
  const isEmptyLine = (): boolean =>
    openBytes === 1 || (openBytes === 2 && open.some((piece) => piece[0] === CARRIAGE));
  const endLine = (): void => {
    if (bounds.isEvents && isEmptyLine()) {
      events += 1;
      messageBytes = 0;
      meter.reset();
    }
    ready.push(...open);
    readyBytes += openBytes;
    open = [];
    openBytes = 0;
  };
  let ready: Uint8Array[] = [];
  let readyBytes = 0;

  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        const handOn = async (): Promise<void> => {
          if (readyBytes === 0) return;
          controller.enqueue(Buffer.concat(ready));
          ready = [];
          readyBytes = 0;
          await new Promise((resolve) => setImmediate(resolve));
        };
        let from = 0;
        for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
          take(chunk.subarray(from, at + 1));
          from = at + 1;
          endLine();
          if (readyBytes >= SLICE_BYTES) await handOn();
        }
        if (from < chunk.length) take(chunk.subarray(from));
        await handOn();
        const reason = bounds.took(chunk.length, messageBytes, events);
        events = 0;
        if (reason !== undefined) refuse(reason);
      },
      flush(controller) {
        if (openBytes > 0) controller.enqueue(Buffer.concat(open));
      },
    }),
  );
}
