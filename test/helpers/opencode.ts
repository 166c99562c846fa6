/** opencode itself, from its registry, and a model for it on loopback that is a script. */
import fs from 'node:fs';
import path from 'node:path';
import type { FakeProvider, FakeRequest } from './fake-provider';
import type { FakeReply } from './fake-provider-types';
import { realAgent } from './real-agent';

/** The program, or why it cannot be had here. */
export const findOpencode = () => realAgent('opencode-ai', '1.18.33', 'opencode');

/** A model that always wants the command that its prompt names after `run:`, whatever it is told. */
export function commandOfPrompt(request: FakeRequest): FakeReply {
  const { messages = [], tools } = request.json as {
    readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
    readonly tools?: readonly unknown[];
  };
  if (tools === undefined || tools.length === 0) return { text: 'A title' };
  if (messages.at(-1)?.role === 'tool') return { text: 'All done.' };
  const command = /run: (.*?)(\\n|"|$)/.exec(JSON.stringify(messages.at(-1)?.content))?.[1] ?? '';
  return { toolCalls: [{ name: 'bash', args: { command, description: 'as asked' } }] };
}

/** Its own settings, below the folder of a person's settings: that model, and nothing of the network. */
export function configureOpencode(configHome: string, provider: FakeProvider): void {
  const folder = path.join(configHome, 'opencode');
  fs.mkdirSync(folder, { recursive: true });
  const mock = {
    npm: '@ai-sdk/openai-compatible',
    name: 'Mock',
    options: { baseURL: provider.baseUrl('openai-compatible'), apiKey: 'none' },
    models: { m: { name: 'm' } },
  };
  fs.writeFileSync(
    path.join(folder, 'opencode.json'),
    JSON.stringify({
      provider: { mock },
      model: 'mock/m',
      small_model: 'mock/m',
      autoupdate: false,
      share: 'disabled',
    }),
  );
}
