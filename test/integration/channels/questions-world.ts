import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { createFakeProvider, createFakeTools } from '../../helpers/fake-world';
import type { Composition } from '../../../electron/compose/options';
import { BOT_TOKEN, type FakeTelegram, type TelegramMessage } from '../../helpers/fake-outside';
import { createChannelsWorld, type ChannelsWorld } from './channels-world';

/** The person who owns chat 7, which is also their user ID. */
export const OWNER = 7;

/** The app with a channel that carries questions, and an agent whose every mail needs approval. */
export interface AskingWorld {
  readonly site: ChannelsWorld;
  start(extra?: Parameters<ChannelsWorld['start']>[0]): Promise<Composition>;
  /** A turn that asks for one call; the number of its request. */
  asks(life: Composition, text?: string): Promise<number>;
}

/** The same with a bot. */
export interface QuestionsWorld extends AskingWorld {
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
  return {
    ...createAskingWorld({ phone }, { BOT: BOT_TOKEN }),
    messages: () => [...telegram.messages].map(([id, message]) => ({ id, ...message })),
  };
}

export function createAskingWorld(
  own: Record<string, unknown>,
  env: Readonly<Record<string, string>> = {},
): AskingWorld {
  const site = createChannelsWorld(own, { approvals: { tools: { 'fake.*': 'ask' } } });
  return {
    site,
    start: (extra = {}) =>
      site.start({
        env: { PATH: process.env['PATH'], ...env },
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
        ...extra,
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
  };
}

const open = async (life: Composition): Promise<readonly number[]> =>
  (await life.holdfast.call('approvals.list', {}, 'test')).requests.map((one) => one.requestId);

function factsIn(
  site: ChannelsWorld,
  ...events: readonly string[]
): readonly Record<string, unknown>[] {
  const folder = path.join(site.world.dataDir, 'audit');
  return fs
    .readdirSync(folder)
    .flatMap((file) => fs.readFileSync(path.join(folder, file), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as { event?: string; facts?: Record<string, unknown> })
    .filter(({ event = '' }) => events.includes(event))
    .map(({ facts = {} }) => facts);
}

/** What was refused, by its facts in the audit. */
export const refusalsIn = (site: ChannelsWorld): readonly Record<string, unknown>[] =>
  factsIn(site, 'answer_refused', 'press_refused');

/** Why requests never reached a channel, as the audit has it. */
export const refusedRequests = (site: ChannelsWorld): readonly string[] =>
  factsIn(site, 'request_refused').map(({ reason }) => String(reason));

/** How often the tool was really called. */
export function effectsIn(site: ChannelsWorld): number {
  const file = path.join(site.world.outside, 'effects.log');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n').length : 0;
}
