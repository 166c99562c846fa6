/** What travels from the engine to a window: gathered while it is seen, nothing while it is hidden. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ElectronApplication, Page } from 'playwright-core';
import { createTestHome, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';
import { startFakeProvider } from '../helpers/fake-provider';
import type { FakeProvider } from '../helpers/fake-provider';
import { callIn } from '../helpers/story-app';

const WORDS = 600;
/** What the queue of a window lets through of one event in a second. */
const MAX_PER_SECOND = 10;

interface Sent {
  readonly event: string;
  readonly payload: unknown;
}

let home: TestHome;
let provider: FakeProvider;
afterEach(async () => {
  await home.end();
  await provider.stop();
});

/** Every message of the main process to its window from now on. */
const listen = (app: ElectronApplication): Promise<void> =>
  app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]!.webContents;
    const send = contents.send.bind(contents);
    const sent: Sent[] = [];
    Object.assign(globalThis, { sentToWindow: sent });
    contents.send = (channel, ...given: unknown[]) => {
      sent.push({ event: channel.replace('holdfast:event:', ''), payload: given[0] });
      send(channel, ...given);
    };
  });
/** What was sent since the last time that somebody asked. */
const takeSent = (app: ElectronApplication): Promise<readonly Sent[]> =>
  app.evaluate(() => (globalThis as unknown as { sentToWindow: Sent[] }).sentToWindow.splice(0));
const see = (app: ElectronApplication, isSeen: boolean): Promise<void> =>
  app.evaluate(({ BrowserWindow }, shown) => {
    const [window] = BrowserWindow.getAllWindows();
    if (shown) window?.show();
    else window?.hide();
  }, isSeen);

async function turnDone(page: Page, session: string): Promise<number> {
  const { turnId } = await callIn(page, 'send', {
    text: 'Count to 600',
    session,
    agent: 'counter',
  });
  await expect
    .poll(async () => (await callIn(page, 'turns.show', { turnId })).turn.state)
    .toBe('completed');
  return turnId;
}

describe('events to a window', () => {
  it('I6 600 words of an answer arrive whole in at most 10 messages a second; a hidden window gets 0 and the present state when it is back', async () => {
    home = await createTestHome();
    const workspace = join(home.dir, 'work');
    mkdirSync(workspace);
    const words = Array.from({ length: WORDS }, (_, at) => `${String(at + 1)} `);
    provider = await startFakeProvider({ script: () => ({ text: words }) });
    home.writeConfig({
      app: { first_start_done: true },
      providers: {
        fake: { kind: 'openai-compatible', base_url: provider.baseUrl('openai-compatible') },
      },
      agents: { counter: { provider: 'fake', model: 'm', workspace } },
    });
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    await listen(app);

    const startedMs = performance.now();
    await turnDone(page, 'seen');
    const seen: Sent[] = [];
    const deltas = (): readonly Sent[] => seen.filter(({ event }) => event === 'turn.delta');
    // The turn is on disk before its last words have their place among 10 messages a second.
    await expect
      .poll(async () => {
        seen.push(...(await takeSent(app)));
        return deltas()
          .map(({ payload }) => (payload as { text: string }).text)
          .join('');
      })
      .toBe(words.join(''));
    const tookS = (performance.now() - startedMs) / 1000;
    for (const event of new Set(seen.map((one) => one.event))) {
      const count = seen.filter((one) => one.event === event).length;
      expect([event, count <= MAX_PER_SECOND * (tookS + 1)]).toEqual([event, true]);
    }
    expect(deltas().length).toBeLessThan(WORDS / 4);

    await see(app, false);
    await takeSent(app);
    const unseen = await turnDone(page, 'unseen');
    expect(await takeSent(app)).toEqual([]);

    await see(app, true);
    await expect
      .poll(async () => (await takeSent(app)).map(({ event }) => event))
      .toContain('status.changed');
    // What the page asked for while it was hidden was answered: it is there without an event.
    expect((await callIn(page, 'turns.show', { turnId: unseen })).answer).toBe(words.join(''));
  });
});
