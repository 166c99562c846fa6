import { z } from 'zod';
import type { ToolHost } from '../../ports/tools';
import type { ToolOutcome } from '../../ports/tool-call';
import { isBinary } from '../files/read-file';
import { createToolHost, defineTool, inertLine, refused } from '../tools/tool-host';
import type { GetOutcome } from './http-get';

/** Limits of one fetch. */
const FETCH_LIMITS = {
  maxRedirects: 5,
  timeoutMs: 30_000,
  /** Maximum bytes read from the network. */
  downloadBytes: 1024 * 1024,
  /** Maximum characters passed to the model. */
  textChars: 256 * 1024,
} as const;

const TEXT_TYPE =
  /^(text\/|application\/(json|xml|javascript|ecmascript|x-yaml|yaml|x-ndjson|rss|atom)|[^;]*\+(json|xml))/i;

/**
 * The tool `web_fetch`: one GET on the public internet, a world operation that is repeated on
 * resume. Row S4-11.
 *
 * @param deps.allowLoopback lets it reach this computer.
 * @param deps.timeoutMs for the whole fetch with its redirects; default: 30 s.
 */
export function createFetchTools(deps: {
  readonly allowLoopback: boolean;
  readonly version: string;
  readonly timeoutMs?: number;
}): ToolHost {
  const fetchTool = defineTool({
    name: 'web_fetch',
    description:
      'Gets a web page (GET, https or http, public internet only) and returns its text. HTML is reduced to text with the targets of its links.',
    purity: 'world',
    args: () => z.strictObject({ url: z.string().min(1).max(4096) }),
    hint: (args) => args.url,
    async run(args, call) {
      // The system's HTTP code is a large part of a start's loading time; most turns fetch nothing.
      const { httpGet } = await import('./http-get');
      const outcome = await httpGet(args.url, {
        allowLoopback: deps.allowLoopback,
        maxRedirects: FETCH_LIMITS.maxRedirects,
        capBytes: FETCH_LIMITS.downloadBytes,
        timeoutMs: deps.timeoutMs ?? FETCH_LIMITS.timeoutMs,
        userAgent: `Holdfast/${deps.version}`,
        signal: call.signal,
      });
      return answerOf(outcome, args.url);
    },
  });
  return createToolHost('fetch', [fetchTool]);
}

async function answerOf(outcome: GetOutcome, asked: string): Promise<ToolOutcome> {
  switch (outcome.kind) {
    case 'refused':
      return refused(`${inertLine(asked)} was not fetched: ${inertLine(outcome.reason)}.`);
    case 'failed':
      return {
        kind: 'failed',
        message: `${inertLine(asked)} could not be fetched: ${inertLine(outcome.reason)}.`,
        isRetryable: outcome.isRetryable,
      };
    case 'answer': {
      const type = inertLine(outcome.contentType);
      if ((type !== '' && !TEXT_TYPE.test(type)) || isBinary(outcome.body)) {
        return refused(
          `${inertLine(asked)} is not text (${type || 'unknown type'}, ${outcome.body.length} bytes).`,
        );
      }
      const whole = decode(outcome.body, type);
      const isHtml = /html/i.test(type);
      const text = isHtml ? await (await import('./html-text')).htmlToText(whole) : whole;
      const cut: string[] = [];
      if (outcome.isCut)
        cut.push(`only the first ${FETCH_LIMITS.downloadBytes / 1024} KB were read`);
      if (text.length > FETCH_LIMITS.textChars)
        cut.push(`truncated at ${FETCH_LIMITS.textChars / 1024} K characters`);
      const content = [
        `URL: ${inertLine(outcome.url)}`,
        `Status: ${outcome.status}`,
        `Content-Type: ${type || 'not given'}`,
        '',
        text.slice(0, FETCH_LIMITS.textChars).replaceAll('\0', '\ufffd'),
        ...(cut.length > 0 ? [`[${cut.join('; ')}]`] : []),
      ].join('\n');
      const { status: httpStatus } = outcome;
      const isError = httpStatus < 200 || httpStatus >= 300;
      return { kind: 'result', content, isError, httpStatus };
    }
  }
}

function decode(body: Buffer, contentType: string): string {
  const charset = /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    // A name that no decoder knows.
    return new TextDecoder('utf-8').decode(body);
  }
}
