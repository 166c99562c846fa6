/**
 * The real app, a provider over HTTP whose plug is pulled, and a real Chromium: what the tray, Home
 * and Outages say, over a restart in the middle, until every answer has come, once and in order.
 */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ElectronApplication, Page } from 'playwright-core';
import { findBrowser } from '../../electron/adapters/browser/find-browser';
import { createTestHome, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';
import { startFakeProvider, type FakeProvider } from '../helpers/fake-provider';
import type { FakeReply } from '../helpers/fake-provider-types';
import { callIn } from '../helpers/story-app';
import { isLeftOut } from '../helpers/skips';

const CHROMIUM = findBrowser('', process.env);
const SITE = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html').end('<title>Tea shop</title><h1>Green tea</h1>');
});

let home: TestHome;
let provider: FakeProvider;
let app: ElectronApplication;
let page: Page;
let siteUrl: string;

/** Every model call answers with what was asked last, so that each answer can be told apart. */
const echo = ({ json }: { readonly json: unknown }): FakeReply => {
  const { messages } = json as { readonly messages: unknown };
  const asked = [...JSON.stringify(messages).matchAll(/say (\w+)/g)].at(-1)?.[1];
  return { text: `answer to ${asked ?? 'nothing'}` };
};

beforeAll(async () => {
  await new Promise<void>((resolve) => SITE.listen(0, '127.0.0.1', resolve));
  siteUrl = `http://127.0.0.1:${String((SITE.address() as AddressInfo).port)}/`;
  provider = await startFakeProvider({ script: echo });
  home = await createTestHome();
  const workspace = join(home.dir, 'work');
  mkdirSync(workspace);
  home.writeConfig({
    app: { first_start_done: true },
    providers: { claude: { kind: 'anthropic', base_url: provider.baseUrl('anthropic') } },
    agents: { helper: { provider: 'claude', model: 'm-1', workspace } },
    browser: { local_hosts: ['127.0.0.1'] },
    approvals: { tools: { 'browser.*': 'allow' } },
    resilience: { outage_threshold: 1 },
    breakers: { initial_backoff: '1s', max_backoff: '2s' },
    retry: { server: { first_wait: '100ms' } },
  });
  await open();
});
afterAll(async () => {
  await home.end();
  await provider.stop();
  SITE.close();
});

async function open(): Promise<void> {
  app = await home.launch();
  page = await pageOf(app, 'index.html');
  await page.waitForSelector('h1');
}
async function quit(): Promise<void> {
  const ended = new Promise((resolve) => app.process().once('exit', resolve));
  await app.close();
  await ended;
}
const ask = (text: string, session: string) =>
  callIn(page, 'send', { text, session, agent: 'helper' });
const heldOrder = async (): Promise<readonly string[]> =>
  (await callIn(page, 'outage.queue', { provider: 'claude' })).items.map((one) => one.promptStart);
const completed = async (): Promise<number> =>
  (await callIn(page, 'turns.list', { states: ['completed'], limit: 10 })).turns.length;

describe('the app in the real Electron', () => {
  it.skipIf(
    isLeftOut('a browser of the app', CHROMIUM.kind === 'missing' && 'no Chromium is installed'),
  )(
    'S2-28 an agent reads a page in a Chromium that the app has started, and both end in order',
    async () => {
      provider.setScript([
        { toolCalls: [{ name: 'browser_navigate', args: { url: siteUrl } }] },
        { text: 'It sells green tea.' },
      ]);
      await ask('What does the shop sell?', 'shop');
      await expect.poll(completed).toBe(1);
      expect(provider.calls().at(-1)?.body).toContain('Green tea');
      provider.setScript(echo);
    },
  );

  it('S0-17 S0-18 S0-20 a pulled plug: turns wait, a restart changes nothing, and all go on in order', async () => {
    const before = await completed();
    await provider.down();
    for (const name of ['first', 'second', 'third']) await ask(`say ${name}`, name);
    const waiting = ['say first', 'say second', 'say third'];
    await expect.poll(heldOrder).toEqual(waiting);
    expect((await callIn(page, 'status.get', {})).counts.needsYou).toBe(0);
    await page.getByRole('heading', { name: 'Claude is down', level: 1 }).waitFor();
    await expect
      .poll(() => home.desktop.tooltip())
      .toMatch(/Claude down since .*, 3 turns waiting$/);

    await quit();
    await open();
    await page.getByRole('heading', { name: 'Claude is down', level: 1 }).waitFor();
    expect(await heldOrder()).toEqual(waiting);
    const labels = (await home.desktop.readMenu()).map(({ label }) => label);
    expect(labels.join('\n')).toMatch(/Outage: Claude, /);

    const asked = provider.calls().length;
    await provider.up();
    await expect.poll(completed).toBe(before + 3);
    expect(await heldOrder()).toEqual([]);
    const answers = provider.calls().slice(asked);
    expect(answers.map((call) => echo(call).text)).toEqual([
      'answer to first',
      'answer to second',
      'answer to third',
    ]);
    await expect.poll(() => home.desktop.tooltip()).toBe('Holdfast - all quiet');
    await quit();
  });
});
