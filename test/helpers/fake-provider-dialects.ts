/** The bytes of the three dialects, as the real services send them. Pure. */
import type { FakeReply, FakeToolCall } from './fake-provider-types';

export type FakeDialect = 'openai-compatible' | 'anthropic' | 'google';

/** Events before and events of the finish, each a complete SSE block. */
interface FakeEvents {
  readonly content: readonly string[];
  readonly finish: readonly string[];
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string }): string => `event: ${value.type}\n${data(value)}`;

const textPieces = (reply: FakeReply): readonly string[] => {
  const text = reply.text ?? (reply.toolCalls === undefined ? 'ok' : []);
  return typeof text === 'string' ? (text.match(/\S+\s*|\s+/g) ?? []) : text;
};

const finishOf = (reply: FakeReply): NonNullable<FakeReply['finish']> =>
  reply.finish ?? ((reply.toolCalls?.length ?? 0) > 0 ? 'tool_calls' : 'stop');

const usageOf = (reply: FakeReply): { inputTokens: number; outputTokens: number } =>
  reply.usage ?? { inputTokens: 10, outputTokens: 5 };

/** The arguments in two pieces, as they are streamed. */
function argumentPieces(call: FakeToolCall): readonly string[] {
  const json = call.rawArgs ?? JSON.stringify(call.args ?? {});
  const middle = Math.ceil(json.length / 2);
  return [json.slice(0, middle), json.slice(middle)].filter((piece) => piece !== '');
}

const idOf = (call: FakeToolCall, index: number): string | undefined =>
  call.id === null ? undefined : (call.id ?? `call_fake_${String(index)}`);

function openaiEvents(reply: FakeReply): FakeEvents {
  const chunk = (delta: object, finishReason: string | null = null): string =>
    data({
      id: 'chatcmpl-fake',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'fake-model',
      choices: [{ index: 0, delta, finish_reason: finishReason }],
    });
  const content = [chunk({ role: 'assistant', content: '' })];
  if (reply.reasoning !== undefined) content.push(chunk({ reasoning_content: reply.reasoning }));
  for (const piece of textPieces(reply)) content.push(chunk({ content: piece }));
  reply.toolCalls?.forEach((call, index) => {
    const id = idOf(call, index);
    const extra =
      call.signature === undefined
        ? {}
        : { extra_content: { google: { thought_signature: call.signature } } };
    content.push(
      chunk({
        tool_calls: [
          {
            index,
            ...(id === undefined ? {} : { id }),
            type: 'function',
            function: { name: call.name, arguments: '' },
            ...extra,
          },
        ],
      }),
    );
    for (const piece of argumentPieces(call)) {
      content.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  });
  const finish = finishOf(reply);
  if (finish === 'none') return { content, finish: [] };
  const raw = finish === 'other' ? 'insufficient_system_resource' : finish;
  const { inputTokens, outputTokens } = usageOf(reply);
  const usage = {
    id: 'chatcmpl-fake',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'fake-model',
    choices: [],
    usage: {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    },
  };
  const tail = reply.usage === null ? [] : [data(usage)];
  return { content, finish: [chunk({}, raw), ...tail, 'data: [DONE]\n\n'] };
}

const ANTHROPIC_STOP = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
  other: 'compaction',
} as const;

function anthropicEvents(reply: FakeReply): FakeEvents {
  const { inputTokens, outputTokens } = usageOf(reply);
  const content = [
    named({
      type: 'message_start',
      message: {
        id: 'msg_fake',
        type: 'message',
        role: 'assistant',
        model: 'fake-model',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: inputTokens, output_tokens: 1 },
      },
    } as { type: string }),
  ];
  let index = 0;
  const block = (start: object, deltas: readonly object[]): void => {
    content.push(
      named({ type: 'content_block_start', index, content_block: start } as { type: string }),
    );
    for (const delta of deltas) {
      content.push(named({ type: 'content_block_delta', index, delta } as { type: string }));
    }
    content.push(named({ type: 'content_block_stop', index } as { type: string }));
    index += 1;
  };
  if (reply.reasoning !== undefined) {
    block({ type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: reply.reasoning },
      { type: 'signature_delta', signature: reply.signature ?? 'c2lnbmF0dXJl' },
    ]);
  }
  const pieces = textPieces(reply);
  if (pieces.length > 0) {
    block(
      { type: 'text', text: '' },
      pieces.map((text) => ({ type: 'text_delta', text })),
    );
  }
  reply.toolCalls?.forEach((call, callIndex) => {
    block(
      { type: 'tool_use', id: idOf(call, callIndex) ?? '', name: call.name, input: {} },
      argumentPieces(call).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    );
  });
  const finish = finishOf(reply);
  if (finish === 'none') return { content, finish: [] };
  const delta = {
    type: 'message_delta',
    delta: { stop_reason: ANTHROPIC_STOP[finish], stop_sequence: null },
    usage: { output_tokens: outputTokens },
  };
  return { content, finish: [named(delta), named({ type: 'message_stop' })] };
}

const GOOGLE_FINISH = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
  other: 'OTHER',
} as const;

function googleEvents(reply: FakeReply): FakeEvents {
  const chunk = (part: object): string =>
    data({
      candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }],
      modelVersion: 'fake-model',
      responseId: 'resp_fake',
    });
  const content: string[] = [];
  if (reply.reasoning !== undefined) content.push(chunk({ text: reply.reasoning, thought: true }));
  const pieces = textPieces(reply);
  pieces.forEach((text, index) => {
    const isLast = index === pieces.length - 1;
    const signed = isLast && reply.signature !== undefined;
    content.push(chunk({ text, ...(signed ? { thoughtSignature: reply.signature } : {}) }));
  });
  reply.toolCalls?.forEach((call) => {
    // Google sends arguments as one object; text instead of an object is what a broken proxy does.
    const args = call.rawArgs ?? call.args ?? {};
    content.push(
      chunk({
        functionCall: { name: call.name, args, ...(call.id ? { id: call.id } : {}) },
        ...(call.signature === undefined ? {} : { thoughtSignature: call.signature }),
      }),
    );
  });
  const finish = finishOf(reply);
  if (finish === 'none') return { content, finish: [] };
  const { inputTokens, outputTokens } = usageOf(reply);
  const usage = {
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens,
      totalTokenCount: inputTokens + outputTokens,
    },
  };
  return {
    content,
    finish: [
      data({
        candidates: [
          {
            content: { role: 'model', parts: [] },
            finishReason: GOOGLE_FINISH[finish],
            index: 0,
          },
        ],
        ...(reply.usage === null ? {} : usage),
        modelVersion: 'fake-model',
        responseId: 'resp_fake',
      }),
    ],
  };
}

/** A whole answer in a dialect. */
export function answerEvents(dialect: FakeDialect, reply: FakeReply): FakeEvents {
  switch (dialect) {
    case 'openai-compatible':
      return openaiEvents(reply);
    case 'anthropic':
      return anthropicEvents(reply);
    case 'google':
      return googleEvents(reply);
  }
}

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const GOOGLE_STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

/** The body of an error answer. */
export function errorBody(dialect: FakeDialect, status: number, error: FakeReply['error']): object {
  const message = error?.message ?? `fake error ${String(status)}`;
  switch (dialect) {
    case 'openai-compatible':
      return {
        error: {
          message,
          type: error?.type ?? 'fake_error',
          param: null,
          code: error?.code ?? null,
        },
      };
    case 'anthropic':
      return {
        type: 'error',
        error: { type: error?.type ?? ANTHROPIC_TYPES[status] ?? 'api_error', message },
      };
    case 'google':
      return {
        error: {
          code: status,
          message,
          status: error?.type ?? GOOGLE_STATUS[status] ?? 'INTERNAL',
        },
      };
  }
}

/** An error reported in the stream. */
export function errorEvent(dialect: FakeDialect, error: FakeReply['error']): string {
  const message = error?.message ?? 'Overloaded';
  switch (dialect) {
    case 'openai-compatible':
      return data({
        error: { message, type: error?.type ?? 'server_error', code: error?.code ?? null },
      });
    case 'anthropic':
      return named({
        type: 'error',
        error: { type: error?.type ?? 'overloaded_error', message },
      } as { type: string });
    case 'google':
      return data({ error: { code: 503, message, status: error?.type ?? 'UNAVAILABLE' } });
  }
}
