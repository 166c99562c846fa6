/** Clients of the gateway as agents have them, and what the scripted provider says to them. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import type { FakeProvider } from '../../helpers/fake-provider';
import type { FakeReply } from '../../helpers/fake-provider-types';
import type { GatewayWorld } from './gateway-world';

export type Dialect = 'openai-compatible' | 'anthropic';
export const DIALECTS: readonly Dialect[] = ['openai-compatible', 'anthropic'];

export const prompt = (text: string) => [
  { role: 'user' as const, content: [{ type: 'text' as const, text }] },
];
interface Said {
  readonly text: string;
  readonly finish: string | undefined;
  readonly errors: unknown[];
}
export const good = (text: string): FakeReply => ({
  text,
  usage: { inputTokens: 10, outputTokens: 5 },
});
/** What a provider sends where nobody asked for a stream. */
export const wholeAnswer = (dialect: Dialect, text: string): FakeReply => ({
  body:
    dialect === 'anthropic'
      ? {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'm-1',
          content: [{ type: 'text', text }],
          stop_reason: 'end_turn',
          stop_sequence: null,
          usage: { input_tokens: 7, output_tokens: 3 },
        }
      : {
          id: 'm',
          choices: [
            { index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' },
          ],
          usage: { prompt_tokens: 7, completion_tokens: 3 },
        },
});
export const pause = (): Promise<undefined> =>
  new Promise((resolve) => setTimeout(resolve, 30, undefined));

/** What a client without a library has read, and whether its connection broke then. */
export async function heardOf(answer: Response): Promise<{ text: string; isBroken: boolean }> {
  let text = '';
  try {
    for await (const piece of answer.body ?? [])
      text += Buffer.from(piece as Uint8Array).toString();
    return { text, isBroken: false };
  } catch {
    return { text, isBroken: true };
  }
}

/** Of the world of the test that runs. */
export function clientsOf(world: () => GatewayWorld) {
  /** The client library as an agent has it: a base address and a key, and nothing else of ours. */
  const modelOf = (dialect: Dialect): LanguageModelV3 =>
    dialect === 'anthropic'
      ? createAnthropic({ baseURL: world().baseUrl('claude'), apiKey: world().token }).messages(
          'm-1',
        )
      : createOpenAICompatible({
          name: 'x',
          baseURL: world().baseUrl('open'),
          apiKey: world().token,
        }).chatModel('m-1');
  return {
    modelOf,
    async ask(
      dialect: Dialect,
      text = 'hi',
      signal?: AbortSignal,
      more: { readonly maxOutputTokens?: number } = {},
    ): Promise<Said> {
      const { stream } = await modelOf(dialect).doStream({
        prompt: prompt(text),
        temperature: 0,
        ...more,
        ...(signal === undefined ? {} : { abortSignal: signal }),
      });
      const reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart> = stream.getReader();
      let said = '';
      let finish: string | undefined;
      const errors: unknown[] = [];
      for (;;) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          errors.push(error);
          return { done: true as const, value: undefined };
        });
        if (done) return { text: said, finish, errors };
        if (value.type === 'text-delta') said += value.delta;
        if (value.type === 'finish') finish = value.finishReason.unified;
        if (value.type === 'error') errors.push(value.error);
      }
    },
    /** One reply a call; the last of them from then on. */
    script(...replies: readonly FakeReply[]): void {
      let next = 0;
      world().provider.setScript(() => replies[Math.min(next++, replies.length - 1)] ?? {});
    },
    calls: (): ReturnType<FakeProvider['calls']> => world().provider.calls(),
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${String(world().port)}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world().token}`, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}
