import { expect } from 'vitest';
import { createFakeProvider, createFakeTools } from '../../helpers/fake-world';
import type { Composition } from '../../../electron/compose/options';
import { BOT_TOKEN, type FakeTelegram, type TelegramMessage } from '../../helpers/fake-outside';
import { createChannelsWorld, type ChannelsWorld } from './channels-world';

/** The person who owns chat 7, which is also their user ID. */
export const OWNER = 7;

/** The app with a bot that carries questions, and an agent whose every mail needs approval. */
export interface QuestionsWorld {
  readonly site: ChannelsWorld;
  start(): Promise<Composition>;
  /** A turn that asks for one call; the number of its request. */
  asks(life: Composition, text?: string): Promise<number>;
  /** Messages with buttons, newest last. */
  messages(): readonly (TelegramMessage & { readonly id: number })[];
}

export function createQuestionsWorld(
  telegram: FakeTelegram,
  more: Record<string, unknown> = {},
): QuestionsWorld {
  const phone = {
    kind: 'telegram',
    token_env: 'BOT',
    chats: ['7'],
    base_url: telegram.baseUrl,
    agent: 'fake',
    questions: true,
    show_input: true,
    decide: { people: [String(OWNER)] },
    ...more,
  };
  const site = createChannelsWorld({ phone }, { approvals: { tools: { 'fake.*': 'ask' } } });
  return {
    site,
    start: () =>
      site.start({
        env: { PATH: process.env['PATH'], BOT: BOT_TOKEN },
        toolHosts: [createFakeTools({ dir: site.world.outside })],
        providers: [
          createFakeProvider({
            dir: site.world.outside,
            script: ({ messages }) => {
              const last = messages.at(-1);
              if (last?.role !== 'user') return { text: 'done' };
              return {
                calls: [{ tool: 'send_email', args: { to: 'a@example.org', body: last.text } }],
              };
            },
          }),
        ],
      }),
    async asks(life, text = 'send it') {
      const before = await open(life);
      await life.holdfast.call(
        'send',
        { text, agent: 'fake', session: text.replaceAll(' ', '-') },
        'test',
      );
      let fresh: number | undefined;
      await expect
        .poll(async () => (fresh = (await open(life)).find((id) => !before.includes(id))))
        .toBeDefined();
      return fresh ?? 0;
    },
    messages: () => [...telegram.messages].map(([id, message]) => ({ id, ...message })),
  };
}

const open = async (life: Composition): Promise<readonly number[]> =>
  (await life.holdfast.call('approvals.list', {}, 'test')).requests.map((one) => one.requestId);
