/**
 * Whether a provider rejected a request because the conversation does not fit into its model's
 * context. There is no common code for it, so this matches each server's message, according to its
 * documentation or source.
 */
import type { ReportedError } from './error-shape';

const CODES =
  /^(context_length_exceeded|exceed_context_size_error|context_window_exceeded|model_context_window_exceeded|model_max_prompt_tokens_exceeded|tokens_limit_reached|request_too_large|1261)$/i;

const WORDS: readonly RegExp[] = [
  /\bContextWindowExceeded/, // LiteLLM, whatever it wraps
  /context[_ ]length[_ ]exceeded/i,
  // The context and what happened to it, in either order and close together.
  /(exceed\w*|too (long|large|big)|(longer|larger|greater|bigger) than|over(flow\w*)?)\b.{0,60}\bcontext[ -]?(length|window|size|limit)/i,
  /context[ -]?(length|window|size|limit)\b.{0,40}\b(exceed\w*|overflow\w*|too (long|large|big))/i,
  /maximum context length|maximum prompt length is \d/i,
  /loaded with context length of only/i, // LM Studio
  /\b(prompt|input|conversation|context|request)( \([^)]*\))? (is |are )?too long\b/i,
  /\b(prompt|input)\b.{0,40}\b(longer|larger|greater|more) than (the |its )?(model'?s? |the )*(max\w*)/i,
  /\b(prompt|input)\b.{0,30}\bexceeds? (the )?max(imum)?\b/i,
  /\bprompt\b.{0,60}\btoo large for model\b/i, // Mistral
  /reduce the length of (the messages|your prompt|either one)/i, // OpenAI, Groq, OpenRouter
  /\btokens?\b.{0,20}\bexceeds? (the )?(configured )?(limit|max\w*)\b/i,
  /input token count\b.{0,40}\b(exceeds|only supports)/i, // Google
  /too many (input |prompt )?tokens|max message tokens/i,
  /exceeded model token limit|token limit exceeded/i, // Moonshot
  /range of input length should be/i, // DashScope
  /`?inputs`? tokens \+ `?max_new_tokens`? must be|`?inputs`? must have less than \d+ tokens/i, // TGI, Together
  /body too large for \S+ model/i, // GitHub Models
];

/** Limits per time, and sizes unrelated to the conversation. */
const NOT_THAT =
  /tokens? per (min|minute|hour|day)\b|\b[TR]P[MD]\b|rate limit|please wait before|image (exceeds|dimensions)|file (size|is too)|pixels/i;

/** True if the error requires a shorter conversation. Pure. S2-29 */
export function isTooLong({ code = '', type = '', message = '' }: ReportedError): boolean {
  if (NOT_THAT.test(message)) return false;
  return CODES.test(code) || CODES.test(type) || WORDS.some((words) => words.test(message));
}

/** True if a rate limit was reached, whatever the status is. Pure. */
export const isLimitForTime = ({ message = '' }: ReportedError): boolean =>
  /tokens? per (min|minute|hour|day)\b|\b[TR]P[MD]\b/i.test(message) &&
  !asksForMoreThanLimit(message);

/** One request above a per-minute limit is always rejected: only a shorter one can pass. */
function asksForMoreThanLimit(message: string): boolean {
  const [, limit, requested] = /limit (\d+), requested (\d+)/i.exec(message) ?? [];
  return limit !== undefined && Number(requested) > Number(limit);
}

/** Fewer tokens are hardly an answer: then the conversation is shortened. */
const LEAST_ROOM = 512;

/** The size of the context, and the part of it that the conversation takes. */
const COUNTS: readonly {
  readonly words: RegExp;
  readonly roomOf: (counts: readonly number[]) => number;
}[] = [
  {
    // Anthropic: input + max_tokens > context
    words: /exceed context limit: (\d+) \+ \d+ > (\d+)/i,
    roomOf: ([input = 0, context = 0]) => context - input,
  },
  {
    // vLLM: max_tokens > context - input
    words: /\(\d+ > (\d+) - (\d+)\)/,
    roomOf: ([context = 0, input = 0]) => context - input,
  },
  {
    // OpenAI, vLLM, DeepSeek, OpenRouter: the total requested, with the answer last
    words:
      /maximum context length is (\d+) tokens\D+(\d+) tokens \(.*?(\d+) (?:in|for) the (?:completion|output)\)/i,
    roomOf: ([context = 0, all = 0, answer = 0]) => context - (all - answer),
  },
  {
    words: /maximum context length of (\d+) tokens.*?(\d+) tokens from the input/i, // SGLang
    roomOf: ([context = 0, input = 0]) => context - input,
  },
  {
    words: /max_new_tokens`? must be <= (\d+)\. Given: (\d+) `?inputs/i, // TGI
    roomOf: ([context = 0, input = 0]) => context - input,
  },
];

/**
 * Tokens left for an answer to this conversation, if the server reports them and they suffice: then
 * nothing of the conversation has to be dropped. Pure.
 */
export function roomForAnswer(message: string): number | undefined {
  for (const { words, roomOf } of COUNTS) {
    const found = words.exec(message);
    if (found === null) continue;
    const room = roomOf(found.slice(1).map(Number));
    return room >= LEAST_ROOM ? room : undefined;
  }
  return undefined;
}
