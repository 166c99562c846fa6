/**
 * A data directory with the story of `test/story` in it, and a model provider that goes on with it
 * in the real app. Nothing of the app knows about it: folder, settings and provider are the
 * world's.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startFakeProvider } from './fake-provider';
import type { FakeProvider, FakeRequest } from './fake-provider';
import type { FakeReply } from './fake-provider-types';
import type { TestHome } from './electron-app';
import { answerFor, PRICES, tokensOf } from '../story/parts/follow-plot';
import type { Conversation } from '../story/parts/follow-plot';
import { PROVIDER_NAME } from '../story/parts/play';
import { AFTERNOON, AGENT_NAMES, FILES, livesOf, SIDE_EFFECT_TOOLS } from '../story/parts/plot';
import type { StoryVariant } from '../story/parts/plot';

interface Story {
  readonly provider: FakeProvider;
  stop(): Promise<void>;
}

interface StoryOptions {
  readonly variant: StoryVariant;
  /** The instant of the unexpected stop, ms since the epoch. */
  readonly stopAtMs: number;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Called before each answer with the story time that it takes. */
  readonly spend?: (tookMs: number) => Promise<void>;
}

const program = fileURLToPath(new URL('../../dist/story/day.js', import.meta.url));

/** Plays the story into the data directory of a home; the app can be started then. */
export async function tellStory(home: TestHome, options: StoryOptions): Promise<Story> {
  const office = join(home.dir, 'office');
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(office, path)), { recursive: true });
    writeFileSync(join(office, path), content);
  }
  const turns = [...livesOf(options.variant).flatMap((life) => life.turns), ...AFTERNOON];
  const provider = await startFakeProvider({
    script: async (request) => {
      const conversation = readConversation(request);
      const next = answerFor(turns, conversation);
      await options.spend?.(next?.answer?.tookMs ?? 1_000);
      return replyOf(next?.answer, conversation.answered);
    },
  });
  home.writeConfig({
    ...options.settings,
    app: { first_start_done: true, ...(options.settings?.['app'] as object | undefined) },
    agents: Object.fromEntries(
      AGENT_NAMES.map((name) => [
        name,
        { provider: PROVIDER_NAME, model: 'office-large', workspace: office },
      ]),
    ),
    providers: {
      [PROVIDER_NAME]: {
        kind: 'openai-compatible',
        base_url: provider.baseUrl('openai-compatible'),
        price_input_per_million_usd: PRICES.input,
        price_output_per_million_usd: PRICES.output,
      },
    },
    resilience: { recovery: { side_effect_tools: SIDE_EFFECT_TOOLS } },
  });
  const { dataDir, dir } = home;
  const args = { dataDir, home: dir, stopAtMs: options.stopAtMs, variant: options.variant };
  const child = spawn(process.execPath, [program, JSON.stringify(args)], {
    env: { ...process.env, XDG_RUNTIME_DIR: join(dir, 'run'), NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let problem = '';
  child.stderr.on('data', (data: Buffer) => (problem += data.toString('utf8')));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  const isKilled = livesOf(options.variant).at(-1)?.end === 'killed';
  if (isKilled ? signal !== 'SIGKILL' : code !== 0) {
    await provider.stop();
    throw new Error(`The story could not be told (${String(code ?? signal)}): ${problem}`);
  }
  return { provider, stop: () => provider.stop() };
}

function replyOf(
  answer: NonNullable<ReturnType<typeof answerFor>>['answer'],
  answered: number,
): FakeReply {
  const usage = tokensOf(answered);
  if (answer === undefined) return { text: 'Done.', usage };
  if (answer.isEndless === true) {
    // An empty piece now and then, so that nobody takes the line for dead.
    const text = [answer.text ?? '', ...Array.from({ length: 60 }, () => '')];
    return { text, chunkDelayMs: 20_000, usage };
  }
  return {
    ...(answer.text === undefined ? {} : { text: answer.text }),
    ...(answer.calls === undefined
      ? {}
      : { toolCalls: answer.calls.map(({ tool, args }) => ({ name: tool, args })) }),
    usage,
  };
}

interface WireMessage {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
}

function readConversation(request: FakeRequest): Conversation {
  const { messages = [] } = request.json as { readonly messages?: readonly WireMessage[] };
  const from = messages.findLastIndex((message) => message.role === 'user');
  const content = messages[from]?.content ?? '';
  return {
    prompt: typeof content === 'string' ? content : content.map((part) => part.text ?? '').join(''),
    answered: messages.slice(from).filter((message) => message.role === 'assistant').length,
  };
}
