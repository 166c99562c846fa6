import type { Composition } from '../../../electron/compose/options';
import type { ChannelView } from '../../../shared/types/channels';
import { composeIn, createWorld, writeConfig, type World } from '../../helpers/compose-world';
import { createFakeProvider } from '../../helpers/fake-world';
import type { ModelRequest } from '../../../electron/ports/provider';

/** The app with channels of the settings, and an agent that answers what it was told. */
export interface ChannelsWorld {
  readonly world: World;
  /** Prompts that the model was asked. */
  readonly asked: string[];
  start(extra?: Parameters<typeof composeIn>[1]): Promise<Composition>;
  stop(life: Composition): Promise<void>;
  configure(config: Record<string, unknown>): void;
  view(life: Composition, name: string): Promise<ChannelView | undefined>;
  end(): Promise<void>;
}

/** Breakers that open late and try again soon; channels of their own port. */
const QUICK = {
  observability: { enabled: false },
  breakers: {
    failure_threshold: 3,
    success_threshold: 1,
    initial_backoff: '300ms',
    max_backoff: '300ms',
  },
};

const said = (request: ModelRequest): string => {
  const last = request.messages.findLast((one) => one.role === 'user');
  return last?.role === 'user' ? last.text : '';
};

export function createChannelsWorld(
  own: Record<string, unknown>,
  more: Record<string, unknown> = {},
  answer: (prompt: string) => string = (prompt) => `re: ${prompt}`,
): ChannelsWorld {
  const world = createWorld();
  const asked: string[] = [];
  const lives = new Set<Composition>();
  const site: ChannelsWorld = {
    world,
    asked,
    configure(config) {
      const channels = (config['channels'] ?? {}) as Record<string, unknown>;
      writeConfig(world, { ...QUICK, ...config, channels: { port: 0, ...channels } });
    },
    async start(extra = {}) {
      const provider = createFakeProvider({
        dir: world.outside,
        script(request) {
          const prompt = said(request);
          asked.push(prompt);
          return { text: answer(prompt) };
        },
      });
      const life = composeIn(world, { providers: [provider], ...extra });
      lives.add(life);
      const outcome = await life.lifecycle.start();
      if (outcome.kind !== 'started') throw new Error(outcome.kind);
      return life;
    },
    async stop(life) {
      lives.delete(life);
      await life.lifecycle.stop('stop');
    },
    view: async (life, name) =>
      (await life.holdfast.call('channels.list', {}, 'test')).channels.find(
        (one) => one.name === name,
      ),
    async end() {
      for (const life of lives) await life.lifecycle.stop('stop');
      world.remove();
    },
  };
  site.configure({ channels: { own, default: 'window' }, ...more });
  return site;
}
