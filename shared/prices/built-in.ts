/**
 * Prices of the three large providers' models at their own addresses, from their published lists.
 *
 * Prices change without notice: the date is shown wherever one of them is used, and prices in the
 * settings
 * take precedence. A model that is not listed has no price; nothing is guessed from its name.
 */

/** The day on which the lists below were last compared with those of the providers. */
export const PRICES_AS_OF = '2026-10-07';

/** US dollars per million tokens. */
export interface BuiltInPrice {
  readonly input: number;
  readonly output: number;
  /** Input read from the provider's cache. */
  readonly cacheRead?: number;
  /** Input written to the provider's cache for some minutes. */
  readonly cacheWrite?: number;
  /** Longer requests are billed at other rates. */
  readonly mostInputTokens?: number;
}

/** Anthropic's cache writes cost 1.25 times the input price. */
const claude = (input: number, output: number, more: Partial<BuiltInPrice> = {}): BuiltInPrice => ({
  input,
  output,
  cacheRead: input / 10,
  cacheWrite: input * 1.25,
  ...more,
});

const cached = (
  input: number,
  cacheRead: number,
  output: number,
  more: Partial<BuiltInPrice> = {},
): BuiltInPrice => ({ input, output, cacheRead, ...more });

const plain = (input: number, output: number): BuiltInPrice => ({ input, output });

const CLAUDE_LONG = { mostInputTokens: 200_000 };
const GPT_LONG = { mostInputTokens: 272_000 };
const GEMINI_LONG = { mostInputTokens: 200_000 };

/** By the host of the provider's own address, then by the model without its date. */
export const BUILT_IN: Readonly<Record<string, Readonly<Record<string, BuiltInPrice>>>> = {
  'api.anthropic.com': {
    'claude-fable-5-1': claude(10, 50),
    'claude-opus-5-5': claude(4, 20, { cacheRead: 0.2 }),
    'claude-opus-5': claude(5, 25),
    'claude-opus-4-8': claude(5, 25),
    'claude-opus-4-7': claude(5, 25),
    'claude-opus-4-6': claude(5, 25),
    'claude-opus-4-5': claude(5, 25),
    'claude-opus-4-1': claude(15, 75),
    'claude-opus-4': claude(15, 75),
    'claude-sonnet-5-5': claude(2, 10, { cacheRead: 0.1 }),
    'claude-sonnet-5': claude(2, 10),
    'claude-sonnet-4-6': claude(3, 15),
    'claude-sonnet-4-5': claude(3, 15, CLAUDE_LONG),
    'claude-sonnet-4': claude(3, 15, CLAUDE_LONG),
    'claude-haiku-5-5': claude(0.1, 0.5, { mostInputTokens: 100_000 }),
    'claude-haiku-4-5': claude(1, 5),
  },
  'api.openai.com': {
    'gpt-6-astra': cached(10, 1, 50, GPT_LONG),
    'gpt-6-sol': cached(2, 0.2, 10, { ...GPT_LONG, cacheWrite: 2.5 }),
    'gpt-6-luna': cached(0.1, 0.01, 0.5, { ...GPT_LONG, cacheWrite: 0.125 }),
    'gpt-5.6-terra': cached(2, 0.2, 12, GPT_LONG),
    'gpt-5.6-luna': cached(0.2, 0.02, 1.2, GPT_LONG),
    'gpt-5.5-pro': plain(30, 180),
    'gpt-5.5': cached(5, 0.5, 30, GPT_LONG),
    'gpt-5.4-pro': plain(30, 180),
    'gpt-5.4': cached(2.5, 0.25, 15, GPT_LONG),
    'gpt-5.4-mini': cached(0.75, 0.075, 4.5),
    'gpt-5.4-nano': cached(0.2, 0.02, 1.25),
    'gpt-5.3-codex': cached(1.75, 0.175, 14),
    'gpt-5.2-codex': cached(1.75, 0.175, 14),
    'gpt-5.2': cached(1.75, 0.175, 14),
    'gpt-5.1-codex': cached(1.25, 0.125, 10),
    'gpt-5.1': cached(1.25, 0.125, 10),
    'gpt-5-codex': cached(1.25, 0.125, 10),
    'gpt-5': cached(1.25, 0.125, 10),
    'gpt-5-mini': cached(0.25, 0.025, 2),
    'gpt-5-nano': cached(0.05, 0.005, 0.4),
    'gpt-4.1': cached(2, 0.5, 8),
    'gpt-4.1-mini': cached(0.4, 0.1, 1.6),
    'gpt-4.1-nano': cached(0.1, 0.025, 0.4),
    'gpt-4o': cached(2.5, 1.25, 10),
    'gpt-4o-mini': cached(0.15, 0.075, 0.6),
    o3: cached(2, 0.5, 8),
    'o4-mini': cached(1.1, 0.275, 4.4),
  },
  'generativelanguage.googleapis.com': {
    'gemini-3.5-flash': cached(1.5, 0.15, 9),
    'gemini-3.5-flash-lite': cached(0.3, 0.03, 2.5),
    'gemini-3.1-pro-preview': cached(2, 0.2, 12, GEMINI_LONG),
    'gemini-2.5-pro': cached(1.25, 0.125, 10, GEMINI_LONG),
    'gemini-2.5-flash': cached(0.3, 0.03, 2.5),
    'gemini-2.5-flash-lite': cached(0.1, 0.01, 0.4),
  },
};
