/** Everything outside fails, one after the other: each has a breaker of its own in one list. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { Channel } from '../../../electron/ports/channel';
import {
  composeIn,
  createWorld,
  QUIET,
  turnIn,
  writeConfig,
  type World,
} from '../../helpers/compose-world';
import { createFakeChannel, createFakeProvider, resultsSoFar } from '../../helpers/fake-world';
import { startFakeProvider, type FakeProvider } from '../../helpers/fake-provider';
import { createNats, endNats, NO_NATS, until } from '../../helpers/nats-server';
import { nodeServer, ODD_SERVER } from '../mcp/servers-world';
import { isLeftOut } from '../../helpers/skips';

let world: World;
let fp: FakeProvider;
let life: Composition | undefined;
afterEach(async () => {
  await life?.lifecycle.stop('stop');
  endNats();
  await fp.stop();
  world.remove();
});

/** One failure opens, nothing is tried again, no trial is due while the test runs. */
const AT_ONCE = {
  retry: { server: { max_attempts: 1 } },
  breakers: { failure_threshold: 1, initial_backoff: '1h', max_backoff: '1h' },
  work: { requeue_delay: '1h', requeue_max_delay: '1h' },
  approvals: { mode: 'off' },
};

/** A program that dies at once: a browser, an agent. */
function brokenProgram(name: string): string {
  const file = path.join(world.root, name);
  fs.writeFileSync(file, '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 });
  return file;
}

it.skipIf(isLeftOut('the breaker of every dependency', NO_NATS))(
  'S2-01 provider, MCP server, agent, channel, host, browser and broker are in one list; each one that fails opens its breaker and no other',
  async () => {
    world = createWorld();
    fp = await startFakeProvider({ script: () => ({ text: 'ok' }) });
    const nats = await createNats(world.root);
    await nats.start();
    const { workspace } = world;
    writeConfig(world, {
      ...AT_ONCE,
      nats: { url: nats.url },
      providers: {
        fp: { kind: 'openai-compatible', base_url: fp.baseUrl('openai-compatible') },
      },
      agents: {
        fake: { provider: 'fake', model: 'm', workspace },
        prog: { executor: 'command', command: brokenProgram('agent'), workspace },
      },
      mcp: { servers: { odd: nodeServer(ODD_SERVER) } },
      browser: { command: brokenProgram('browser') },
    });
    let isChannelUp = true;
    const fine = createFakeChannel({ dir: world.outside, name: 'chat' });
    const channel: Channel = {
      name: fine.name,
      isReady: () => true,
      start: (intake) => fine.start?.(intake),
      deliver: (...sent) =>
        isChannelUp ? fine.deliver(...sent) : Promise.reject(new Error('chat is down')),
    };
    const offered: string[] = [];
    const provider = createFakeProvider({
      dir: world.outside,
      script(request) {
        offered.splice(0, offered.length, ...request.tools.map((tool) => tool.name));
        const said = request.messages.findLast((one) => one.role === 'user');
        const wanted = /call (\w+) (\{.*?\})/.exec(JSON.stringify(said).replaceAll('\\"', '"'));
        return wanted === null || resultsSoFar(request) > 0
          ? { text: 'done' }
          : { calls: [{ tool: wanted[1] ?? '', args: JSON.parse(wanted[2] ?? '{}') }] };
      },
    });
    life = composeIn(world, { providers: [provider], channels: [channel] });
    expect(await life.lifecycle.start()).toEqual({ kind: 'started' });
    const { holdfast } = life;
    const composition = life;

    const say = async (text: string, agent = 'fake'): Promise<void> => {
      const { turnId } = await holdfast.call('send', { text, agent }, 'test');
      await turnIn(composition, turnId, QUIET);
    };
    const chat = async (): Promise<void> => {
      const before = fine.received().length;
      await fine.intake().accept({ peer: '7', text: 'hello', agent: 'fake' });
      if (isChannelUp)
        await until(() => fine.received().length > before, 'the answer on the channel');
    };
    const test = (): Promise<unknown> =>
      holdfast.call('provider.test', { name: 'fp', model: 'm' }, 'test');
    const list = async (): Promise<Map<string, string>> => {
      const { breakers } = await holdfast.call('breakers.list', {}, 'test');
      return new Map(breakers.map((one) => [one.name, one.state]));
    };
    const open = async (): Promise<string[]> =>
      [...(await list())].flatMap(([name, state]) => (state === 'closed' ? [] : [name]));

    // Everything that can be well here is touched while it is.
    await test();
    await chat();
    await until(
      async () => (await holdfast.call('ext.list', {}, 'test')).servers[0]?.state === 'running',
      'the server of tools',
    );
    await say('call odd__look {}');
    await until(
      async () => (await holdfast.call('queue.status', {}, 'test')).depth === 0,
      'an empty queue',
    );
    expect([...(await list()).keys()]).toEqual(
      expect.arrayContaining([
        'agent.prog',
        'channel.chat',
        'mcp.odd',
        'nats',
        'provider.fake',
        'provider.fp',
      ]),
    );
    expect(await open()).toEqual([]);
    // One way to a page, and it is the one behind the breaker.
    expect(offered.filter((name) => name.includes('web_fetch'))).toEqual(['web_fetch']);

    const failures: readonly (readonly [RegExp, () => Promise<unknown>])[] = [
      [/^provider\.fp$/, () => fp.down().then(test)],
      [/^mcp\.odd$/, () => say('call odd__die {}')],
      [/^agent\.prog$/, () => say('hello', 'prog')],
      [
        /^http\.dependency\.invalid$/,
        () => say('call web_fetch {"url":"http://dependency.invalid/"}'),
      ],
      [/^browser\.\d+$/, () => say('call browser_navigate {"url":"http://dependency.invalid/"}')],
      [
        /^channel\.chat$/,
        () => {
          isChannelUp = false;
          return chat();
        },
      ],
      [/^nats$/, () => nats.kill()],
    ];
    const failed: string[] = [];
    for (const [name, fail] of failures) {
      await fail();
      await until(async () => (await open()).length > failed.length, `open: ${name.source}`);
      const added = (await open()).filter((one) => !failed.includes(one));
      expect(added).toEqual([expect.stringMatching(name)]);
      failed.push(...added);
    }
    expect((await open()).length).toBe(failures.length);
    expect((await list()).get('provider.fake')).toBe('closed');
  },
);
