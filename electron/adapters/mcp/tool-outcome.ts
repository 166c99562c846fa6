import { isTooDeep } from '../../engine/kernel/json-depth';
import type { Purity } from '../../../shared/types';
import type { ToolOutcome } from '../../ports/tool-call';
import { textIn } from '../../engine/kernel/json-object';

/** How a request to a server ended, seen from the wire. */
export type CallEnd =
  /** The server has answered, with a result or an error: the call is over. */
  | { readonly kind: 'answered'; readonly content: string; readonly isError: boolean }
  /**
   * The request certainly did not reach the server's tool. `isNeutral`: the server is up, access to
   * it is not set up, and a retry changes nothing. `isSessionGone`: the server is up but no longer
   * knows our session; a new session can take the call.
   */
  | {
      readonly kind: 'not_sent';
      readonly message: string;
      readonly isNeutral?: true;
      readonly isSessionGone?: true;
    }
  /** Sent, without an answer: connection closed, timeout, stopped. */
  | { readonly kind: 'no_answer'; readonly message: string };

/**
 * What the end of a call means for the step. No answer to a read is a temporary failure; no answer
 * to anything else has an unknown outcome, and this adapter never sends it again. Rows S2-19,
 * S4-09.
 */
export function outcomeOf(end: CallEnd, purity: Purity | undefined): ToolOutcome {
  switch (end.kind) {
    case 'answered':
      return { kind: 'result', content: end.content, isError: end.isError };
    case 'not_sent':
      return { kind: 'failed', message: end.message, isRetryable: end.isNeutral !== true };
    case 'no_answer':
      return purity === 'world' || purity === 'pure'
        ? { kind: 'failed', message: end.message, isRetryable: true }
        : { kind: 'unknown', message: end.message };
  }
}

/** Parts of a result as the protocol has them; unknown kinds are named, not dropped. */
interface ResultPart {
  readonly type: string;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly resource?: unknown;
}

/** The text for the model. Images and audio are named with their size. */
export function contentText(parts: readonly ResultPart[], structured: unknown): string {
  const texts = parts.map(partText).filter((text) => text !== '');
  if (texts.length === 0 && structured !== undefined)
    return isTooDeep(structured) ? '[nested too deeply to be read]' : JSON.stringify(structured);
  return texts.join('\n');
}

function partText(part: ResultPart): string {
  switch (part.type) {
    case 'text':
      return textIn(part.text);
    case 'image':
    case 'audio':
      return `[${part.type} ${textIn(part.mimeType)}, ${String(byteCount(part.data))} bytes, not shown]`;
    case 'resource_link':
      return `[link ${textIn(part.name)} ${textIn(part.uri)}]`;
    case 'resource': {
      const resource = (part.resource ?? {}) as ResultPart & { readonly blob?: unknown };
      if (typeof resource.text === 'string') return resource.text;
      return `[resource ${textIn(resource.uri)}, ${String(byteCount(resource.blob))} bytes, not shown]`;
    }
    default:
      return `[${part.type.slice(0, 40)}, not shown]`;
  }
}

const byteCount = (base64: unknown): number => Math.floor((textIn(base64).length * 3) / 4);
