/** The words in which servers say that a conversation is too long, as their documents and sources have them. */
import { describe, expect, it } from 'vitest';
import { classifyProviderError } from '../../../electron/adapters/providers/classify-provider-error';
import { failureOf } from '../../../electron/adapters/providers/failure-words';
import { SLACK } from '../../helpers/slack';

const verdictOf = (status: number, body: unknown, isInStream = false) =>
  classifyProviderError(
    isInStream
      ? body
      : Object.assign(new Error('x'), {
          name: 'AI_APICallError',
          responseBody: typeof body === 'string' ? body : JSON.stringify(body),
        }),
    {
      wire: {
        status,
        headers: {},
        isSent: true,
        timedOut: undefined,
        redirectedTo: undefined,
        document: undefined,
      },
      isAborted: false,
      nowMs: 0,
    },
  );
const openai = (message: string, more: object = {}) => ({ error: { message, ...more } });
const anthropic = (message: string) => ({
  type: 'error',
  error: { type: 'invalid_request_error', message },
});
const plain = (message: string) => ({ object: 'error', message, code: 400 });

describe('T6 an error that is made to be slow', () => {
  it.each([
    ['a word of too much', openai('overflow'.repeat(16_000))],
    ['brackets', openai('prompt ('.repeat(16_000))],
    [
      'counts',
      openai(
        `prompt is too long. maximum context length is 1 tokens x1 tokens (${'1'.repeat(128_000)}`,
      ),
    ],
    ['a code', openai('x', { code: 'overflow'.repeat(16_000) })],
    ['plain text', 'overflow'.repeat(16_000)],
    [
      'a list as its code',
      openai('x', { code: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) }),
    ],
  ])('S2-29 is judged at once: %s', (_what, body) => {
    const startMs = performance.now();
    for (const isInStream of [false, true]) verdictOf(400, body, isInStream);
    expect(performance.now() - startMs).toBeLessThan(1_000 * SLACK);
  });

  it('S2-29 of details that are nested too deeply to be read is judged without them', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    const error = {
      error: { message: 'x', status: 'RESOURCE_EXHAUSTED', details: deep, code: 429 },
    };
    expect(verdictOf(200, error, true)).toMatchObject({ reason: 'rate_limited' });
  });
});

const TOO_LONG: readonly (readonly [string, number, unknown])[] = [
  ['OpenAI', 400, openai('x', { code: 'context_length_exceeded' })],
  [
    'OpenAI, chat',
    400,
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 140012 tokens. Please reduce the length of the messages.",
      { code: 'context_length_exceeded' },
    ),
  ],
  [
    'OpenAI, Responses',
    400,
    openai('Your input exceeds the context window of this model. Please adjust your input.'),
  ],
  ['Azure', 400, openai('Input tokens exceed the configured limit of 272000 tokens.')],
  ['Anthropic', 400, anthropic('prompt is too long: 213462 tokens > 200000 maximum')],
  [
    'Anthropic with the answer',
    400,
    anthropic(
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    ),
  ],
  [
    'Anthropic, bytes',
    413,
    { error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
  ],
  [
    'Google',
    400,
    openai(
      'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
      { status: 'INVALID_ARGUMENT' },
    ),
  ],
  [
    'Google, older',
    400,
    openai('The input token count is 40000 but the model only supports up to 32768.'),
  ],
  [
    'llama.cpp',
    400,
    openai('the request exceeds the available context size, try increasing it', {
      code: 400,
      type: 'exceed_context_size_error',
      n_prompt_tokens: 5000,
      n_ctx: 4096,
    }),
  ],
  [
    'llama.cpp with counts',
    400,
    openai(
      'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it',
    ),
  ],
  [
    'llama.cpp, older',
    500,
    openai('Context size has been exceeded.', { code: 500, type: 'server_error' }),
  ],
  ['llama.cpp, oldest', 500, openai('context size exceeded')],
  [
    'llama.cpp, slot',
    400,
    openai('input is larger than the max context size. skipping', { type: 'server_error' }),
  ],
  [
    'vLLM',
    400,
    plain(
      "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
    ),
  ],
  [
    'vLLM, old',
    400,
    plain('The decoder prompt (length 5000) is longer than the maximum model length of 4096.'),
  ],
  [
    'vLLM, older',
    400,
    plain(
      'The prompt (total length 5000) is too long to fit into the model (context length 4096).',
    ),
  ],
  ['vLLM, oldest', 400, plain('Input prompt (5000 tokens) is too long and exceeds limit of 4096')],
  [
    'vLLM, max_tokens',
    400,
    plain(
      "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
    ),
  ],
  [
    'SGLang',
    400,
    plain("The input (9000 tokens) is longer than the model's context length (8192 tokens)."),
  ],
  [
    'SGLang, total',
    400,
    plain(
      "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9000 tokens: 8000 tokens from the input messages and 1000 tokens for the completion.",
    ),
  ],
  [
    'TGI',
    422,
    {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 1000 `max_new_tokens`',
      error_type: 'validation',
    },
  ],
  [
    'TGI, input',
    422,
    { error: 'Input validation error: `inputs` must have less than 4096 tokens. Given: 5000' },
  ],
  [
    'Together',
    400,
    openai('Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097'),
  ],
  [
    'xAI',
    400,
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
  ],
  [
    'Moonshot',
    400,
    openai('Invalid request: Your request exceeded model token limit: 8192', {
      type: 'invalid_request_error',
    }),
  ],
  ['Z.ai', 400, openai('Prompt exceeds max length', { code: '1261' })],
  ['Z.ai by its code', 400, openai('Prompt \u8d85\u957f', { code: '1261' })],
  [
    'DashScope',
    400,
    openai(
      '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]',
      {
        code: 'invalid_parameter_error',
      },
    ),
  ],
  [
    'DashScope, native',
    400,
    { code: 'InvalidParameter', message: 'Range of input length should be [1, 6000]' },
  ],
  ['Bedrock', 400, { message: 'Input is too long for requested model.' }],
  [
    'Bedrock, Titan',
    400,
    { message: '400 Bad Request: Too many input tokens. Max input tokens: 8192' },
  ],
  [
    'LiteLLM over Bedrock',
    400,
    openai(
      'litellm.ContextWindowExceededError: litellm.BadRequestError: BedrockException: Context Window Error - {"message":"Input is too long for requested model."}. Received Model Group=claude',
      { type: null, code: '400' },
    ),
  ],
  [
    'LiteLLM, reworded',
    500,
    openai('litellm.ContextWindowExceededError: AnthropicException', { code: '500' }),
  ],
  ['Ollama', 400, { error: 'prompt too long; exceeded max context length by 1200 tokens' }],
  ['Ollama, input', 400, { error: 'the input length exceeds the context length' }],
  [
    'LM Studio',
    400,
    {
      error:
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    },
  ],
  [
    'LM Studio, initial prompt',
    400,
    {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length.',
    },
  ],
  [
    'Groq',
    400,
    openai('Please reduce the length of the messages or completion.', {
      code: 'context_length_exceeded',
    }),
  ],
  [
    'Groq, words only',
    400,
    openai('Please reduce the length of the messages or completion. Current length is 9000.'),
  ],
  [
    'Mistral',
    400,
    plain(
      'Prompt contains 33000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    ),
  ],
  [
    'Cohere',
    400,
    {
      message:
        'too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs.',
    },
  ],
  [
    'Cohere, total',
    400,
    {
      message:
        'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.',
    },
  ],
  [
    'OpenRouter',
    400,
    openai(
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (140000 of text input, 10000 in the output). Please reduce the length of either one",
      { code: 400 },
    ),
  ],
  [
    'DeepSeek',
    400,
    openai(
      "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (62000 in the messages, 8000 in the completion).",
    ),
  ],
  [
    'Fireworks',
    400,
    openai('The prompt is too long: 140000, model maximum context length: 131071'),
  ],
  [
    'GitHub Copilot',
    400,
    openai('prompt token count of 130000 exceeds the limit of 128000', {
      code: 'model_max_prompt_tokens_exceeded',
    }),
  ],
  [
    'GitHub Models',
    413,
    openai('Request body too large for gpt-4o model. Max size: 8000 tokens.', {
      code: 'tokens_limit_reached',
    }),
  ],
  ['MiniMax', 400, openai('invalid params, context window exceeds limit (2013)')],
  ['Volcengine', 400, openai('Total tokens of image and text exceed max message tokens.')],
  ['TabbyAPI', 400, { detail: 'Prompt length 9000 is greater than max_seq_len 8192' }],
  ['TensorRT-LLM', 400, plain('Prompt length (9000) exceeds maximum input length (8192).')],
  ['FastAPI', 422, { detail: [{ loc: ['body'], msg: 'prompt is too long: 9000 > 8192' }] }],
  ['a proxy in plain text', 413, 'Payload Too Large'],
];

describe('S2-29 a conversation that is too long', () => {
  it.each(TOO_LONG)('is recognized from %s (%i)', (_server, status, body) => {
    const verdict = verdictOf(status, body);
    expect(verdict.reason).toBe('too_long');
    const failure = failureOf(verdict, { provider: 'p', model: 'm', host: 'h', secrets: [] });
    expect(failure).toMatchObject({ kind: 'config', isRetryable: false, mend: 'too_long' });
  });

  it.each(TOO_LONG.filter(([, status, body]) => status !== 413 && typeof body !== 'string'))(
    'is recognized from %s inside an answer that began with 200 too',
    (_server, _status, body) => {
      expect(verdictOf(200, body, true).reason).toBe('too_long');
    },
  );

  it.each<[string, number, unknown, string]>([
    [
      'a limit per minute',
      429,
      openai(
        'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 28000, Requested 4000. Please try again in 4s.',
        { code: 'rate_limit_exceeded' },
      ),
      'rate_limited',
    ],
    [
      'one request above a limit per minute',
      429,
      openai(
        'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.',
        { type: 'tokens', code: 'rate_limit_exceeded' },
      ),
      'rate_limited',
    ],
    [
      'too many tokens for now',
      429,
      { message: 'Too many tokens, please wait before trying again.' },
      'rate_limited',
    ],
    [
      'a limit per minute with 413',
      413,
      openai(
        'Rate limit reached for model x on tokens per minute (TPM): Limit 6000, Used 5900, Requested 500.',
        { type: 'tokens', code: 'rate_limit_exceeded' },
      ),
      'rate_limited',
    ],
    [
      'an answer that no model gives',
      400,
      openai(
        'max_tokens is too large: 100000. This model supports at most 4096 completion tokens, whereas you provided 100000.',
      ),
      'request',
    ],
    [
      'an answer that no model gives, by Anthropic',
      400,
      anthropic(
        'max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude',
      ),
      'request',
    ],
    [
      'max_tokens out of its range',
      400,
      openai('Range of max_tokens should be [1, 8192]'),
      'request',
    ],
    [
      'a large image',
      400,
      anthropic(
        'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
      ),
      'request',
    ],
    [
      'a wide image',
      400,
      anthropic('At least one of the image dimensions exceed max allowed size: 8000 pixels'),
      'request',
    ],
    [
      'a long name',
      400,
      openai(
        "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.",
      ),
      'request',
    ],
    [
      'too many tools',
      400,
      openai("Invalid 'tools': array too long. Expected an array with maximum length 128."),
      'request',
    ],
    [
      'the context window named by the way',
      400,
      openai('Unknown parameter: context_window'),
      'request',
    ],
    ['trouble of its own', 500, openai('Internal error while the context was loaded'), 'server'],
    ['a wrong key', 401, openai('prompt is too long'), 'key'],
    ['no such model', 404, openai('model context-length-8k not found'), 'not_found'],
  ])('is not %s', (_what, status, body, reason) => {
    expect(verdictOf(status, body).reason).toBe(reason);
  });

  it.each<[string, unknown, number | undefined]>([
    [
      'Anthropic',
      anthropic(
        'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
      ),
      11_760,
    ],
    [
      'vLLM',
      plain(
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (3000 in the messages, 2000 in the completion).",
      ),
      1_096,
    ],
    [
      'vLLM, max_tokens',
      plain(
        "'max_tokens' or 'max_completion_tokens' is too large: 3000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (3000 > 4096 - 2104).",
      ),
      1_992,
    ],
    [
      'OpenRouter',
      openai(
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (100000 of text input, 20000 of tool input, 30000 in the output).",
      ),
      11_072,
    ],
    [
      'TGI',
      {
        error:
          '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3000 `inputs` tokens and 2000 `max_new_tokens`',
      },
      1_096,
    ],
    [
      'SGLang',
      plain(
        "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9000 tokens: 7000 tokens from the input messages and 2000 tokens for the completion.",
      ),
      1_192,
    ],
    [
      'an input that leaves next to nothing',
      anthropic('input length and `max_tokens` exceed context limit: 199900 + 8192 > 200000'),
      undefined,
    ],
    [
      'an input that is too long alone',
      anthropic('prompt is too long: 213462 tokens > 200000 maximum'),
      undefined,
    ],
    [
      'counts that cannot be',
      anthropic('input length and `max_tokens` exceed context limit: 300000 + 8192 > 200000'),
      undefined,
    ],
  ])('S2-29 room for a shorter answer is read from %s', (_server, body, room) => {
    const failure = failureOf(verdictOf(400, body), {
      provider: 'p',
      model: 'm',
      host: 'h',
      secrets: [],
    });
    expect(failure.roomTokens).toBe(room);
  });
});
