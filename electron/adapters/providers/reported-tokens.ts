/** Usage of an answer, as any of the dialects reports it during the answer. Pure. */
import type { Json } from '../../engine/kernel/json-object';

/** Tokens of one answer, as far as the provider reported them. */
export interface Tokens {
  readonly input: number | undefined;
  readonly output: number | undefined;
  /** Input tokens read from the provider's cache, and those written to it. */
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

export const NO_TOKENS: Tokens = { input: undefined, output: undefined };

export const objectIn = (value: unknown, name: string): Json | undefined => {
  const member = typeof value === 'object' && value !== null ? (value as Json)[name] : undefined;
  return typeof member === 'object' && member !== null ? (member as Json) : undefined;
};
const numberIn = (value: Json | undefined, name: string): number | undefined => {
  const member = value?.[name];
  return typeof member === 'number' && Number.isFinite(member) && member >= 0 ? member : undefined;
};

/** Tokens as any dialect reports them; cached tokens count as input too. */
export function tokensOf(usage: Json): Tokens {
  const plain =
    numberIn(usage, 'prompt_tokens') ??
    numberIn(usage, 'input_tokens') ??
    numberIn(usage, 'promptTokenCount');
  const written = numberIn(usage, 'cache_creation_input_tokens');
  const read = numberIn(usage, 'cache_read_input_tokens');
  // Anthropic counts cached tokens in addition to the input; the others include them.
  const among = objectIn(usage, 'prompt_tokens_details') ?? objectIn(usage, 'input_tokens_details');
  const thought = numberIn(usage, 'thoughtsTokenCount');
  const said =
    numberIn(usage, 'completion_tokens') ??
    numberIn(usage, 'output_tokens') ??
    numberIn(usage, 'candidatesTokenCount') ??
    (thought === undefined ? undefined : 0);
  return {
    input: plain === undefined ? undefined : plain + (written ?? 0) + (read ?? 0),
    output: said === undefined ? undefined : said + (thought ?? 0),
    cacheRead:
      read ?? numberIn(among, 'cached_tokens') ?? numberIn(usage, 'cachedContentTokenCount'),
    cacheWrite: written,
  };
}

/** Adds the report of one more event; a later number replaces an earlier one. */
export function withReported(known: Tokens, event: unknown): Tokens {
  return [
    objectIn(event, 'usage'),
    objectIn(objectIn(event, 'message'), 'usage'),
    objectIn(objectIn(event, 'response'), 'usage'),
    objectIn(event, 'usageMetadata'),
  ].reduce<Tokens>((tokens, usage) => {
    if (usage === undefined) return tokens;
    const next = tokensOf(usage);
    return {
      input: next.input ?? tokens.input,
      output: next.output ?? tokens.output,
      cacheRead: next.cacheRead ?? tokens.cacheRead,
      cacheWrite: next.cacheWrite ?? tokens.cacheWrite,
    };
  }, known);
}

/**
 * If one of the two was reported, the other is zero so far; if neither was, the price is unknown.
 */
export const leastOf = (told: Tokens): Tokens =>
  told.input === undefined && told.output === undefined
    ? told
    : { ...told, input: told.input ?? 0, output: told.output ?? 0 };
