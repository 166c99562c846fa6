/** Pages that only a home with agents and channels of other programs fills, and the forms of these. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { pageOf } from '../../helpers/electron-app';
import type { TestHome } from '../../helpers/electron-app';
import { callIn, goToPage, resize } from '../../helpers/story-app';
import type { StoryPage } from '../../helpers/story-app';
import { LARGE, everyLook, inHome, waitUntil } from './camera';
import type { Shown } from './camera';
import { somebodyAtHome } from './start-pictures';

const settingsOf = (workspace: string) => ({
  app: { first_start_done: true },
  agents: {
    mender: { provider: 'practice', model: 'script', workspace, drafts: true },
    'claude-code': { executor: 'acp', command: 'claude-agent-acp', workspace },
    'nightly-report': {
      executor: 'command',
      command: 'claude',
      args: ['-p'],
      workspace,
      env: ['FORGE_TOKEN', 'REPORT_HOST'],
    },
  },
  channels: {
    own: {
      team: { kind: 'webhook', url: 'https://chat.example/hooks/T1' },
      phone: { kind: 'telegram', chats: ['12345'] },
      speak: { kind: 'command', command: 'say-it', args: ['--quiet'] },
    },
  },
  breakers: {
    per_dependency: {
      'provider.practice': { failure_threshold: 3, max_backoff: '5m' },
      'channel.team': { initial_backoff: '30s' },
    },
  },
  mcp: { servers: { forge: { command: 'forge-mcp-that-is-not-there' } } },
});

/** What a terminal left behind: a conversation of Claude Code, which a session goes on with. */
async function adopted(page: Page, home: TestHome, workspace: string): Promise<number> {
  const ref = '5d0c3d1e-8a57-4a2e-9f0e-3f3c9a1b2c4d';
  const folder = path.join(home.dir, 'person', '.claude', 'projects', 'project');
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${ref}.jsonl`);
  const content = 'Sum up what the team did this week';
  fs.writeFileSync(
    file,
    JSON.stringify({ type: 'user', cwd: workspace, message: { role: 'user', content } }),
  );
  // Long enough ago that nobody is in it any more.
  const at = new Date(Date.now() - 3_600_000);
  fs.utimesSync(file, at, at);
  const { session } = await callIn(page, 'session.adopt', { agent: 'nightly-report', ref });
  if (session === undefined) throw new Error('The conversation was not taken over.');
  return session.id;
}

/** Agents of other programs, channels of each kind, a draft that no longer fits, and their forms. */
export const forms = (): Promise<void> =>
  inHome(
    undefined,
    async ({ home, app, page, file }) => {
      const workspace = path.join(home.dir, 'project');
      const { sessionId } = await callIn(page, 'send', {
        text: 'play the job',
        agent: 'mender',
        session: 'job',
      });
      await waitUntil(
        async () => (await callIn(page, 'drafts.list', {})).drafts.length > 0,
        'a draft',
      );
      fs.writeFileSync(path.join(workspace, 'notes.md'), 'My own notes\nA newer line\n');
      await everyLook({ app, page, file }, draftsAndAgents(sessionId));
      const terminal = `#/sessions/${String(await adopted(page, home, workspace))}`;
      await everyLook({ app, page, file }, [{ name: 'session-terminal', hash: terminal }]);
      await goToPage(page, { name: 'session-terminal', hash: terminal });
      // Below this width the button is in the closed drawer.
      await resize(app, file, LARGE);
      await page.getByRole('button', { name: 'Move to terminal' }).click();
      await page.getByText('Run this to open it in a terminal:').waitFor();
      await everyLook({ app, page, file }, [{ name: 'session-in-terminal', hash: terminal }]);
      await settingsForms({ app, page, file });
      await setupSheet({ app, page, file });
    },
    (home) => {
      const workspace = path.join(home.dir, 'project');
      fs.mkdirSync(workspace);
      fs.writeFileSync(path.join(workspace, 'notes-source.txt'), 'Hello\n');
      fs.writeFileSync(path.join(workspace, 'notes.md'), 'My own notes\n');
      home.writeConfig(settingsOf(workspace));
      return somebodyAtHome(home);
    },
  );

function draftsAndAgents(sessionId: number): readonly StoryPage[] {
  const choose = (name: string) => async (shown: Page) =>
    shown.locator('.agent-entry', { hasText: name }).first().click();
  return [
    { name: 'drafts', hash: `#/drafts/${String(sessionId)}` },
    { name: 'drafts-session', hash: `#/sessions/${String(sessionId)}` },
    { name: 'agents-acp', hash: '#/agents', act: choose('claude-code') },
    {
      name: 'agents-acp-edit',
      hash: '#/agents',
      act: async (shown) => {
        await choose('claude-code')(shown);
        await shown.getByRole('button', { name: 'Edit', exact: true }).click();
      },
      leave: (shown) => shown.getByRole('button', { name: 'Cancel' }).click(),
    },
    { name: 'agents-command', hash: '#/agents', act: choose('nightly-report') },
    { name: 'agents-found', hash: '#/agents', act: choose('Codex') },
    { name: 'agents-server', hash: '#/agents', act: choose('forge') },
    {
      name: 'audit',
      hash: '#/events',
      act: (shown) => shown.getByText('Audit', { exact: true }).click(),
      leave: (shown) => shown.getByText('Journal', { exact: true }).click(),
    },
  ];
}

/** A provider that lists what its models cost. */
const priceList = JSON.stringify({
  data: [
    { id: 'forge-large', pricing: { prompt: '0.000003', completion: '0.000015' } },
    { id: 'forge-small', pricing: { prompt: '0.0000005', completion: '0.000002' } },
  ],
});

async function setupSheet(shown: Shown): Promise<void> {
  const server = http.createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(priceList);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const act = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Add an agent' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByText('OpenAI-compatible').click();
    await sheet.getByLabel('Name').first().fill('forge');
    await sheet.getByLabel('Base URL').fill(`http://127.0.0.1:${String(port)}/v1`);
    await sheet.getByRole('button', { name: 'Test and list models' }).click();
    await sheet.getByLabel('Model').first().click();
    await page.getByRole('option', { name: 'forge-large' }).click();
  };
  const leave = (page: Page): Promise<void> => page.keyboard.press('Escape');
  await everyLook(shown, [{ name: 'setup-sheet', hash: '#/agents', act, leave }]);
  server.close();
}

async function settingsForms({ app, page }: Shown): Promise<void> {
  await callIn(page, 'app.openSettings', {});
  const settings = await pageOf(app, 'settings.html');
  await settings.waitForSelector('h1');
  const openOf = (name: string) => async (shown: Page) =>
    shown.locator(`li[aria-label="${name}"]`).getByText('Edit', { exact: true }).click();
  const press = (name: string) => (shown: Page) => shown.getByRole('button', { name }).click();
  const leave = (shown: Page): Promise<void> =>
    shown.getByRole('button', { name: 'Cancel' }).first().click();
  await goToPage(settings, { name: 'channels', hash: '#/channels' });
  await everyLook({ app, page: settings, file: 'settings.html' }, [
    { name: 'channels', hash: '#/channels' },
    { name: 'channel-webhook', hash: '#/channels', act: openOf('team'), leave },
    { name: 'channel-program', hash: '#/channels', act: openOf('speak'), leave },
    { name: 'channel-new', hash: '#/channels', act: press('Add a channel'), leave },
    { name: 'provider-new', hash: '#/providers', act: press('Add a provider'), leave },
    {
      name: 'provider-prices',
      hash: '#/providers',
      act: async (shown) => {
        await press('Add a provider')(shown);
        await shown.getByText('Prices, for cost and budgets').click();
        await shown.getByRole('button', { name: 'Save provider' }).scrollIntoViewIfNeeded();
      },
      leave,
    },
    { name: 'agent-new', hash: '#/agents', act: press('Add an agent'), leave },
    {
      name: 'breaker-rows',
      hash: '#/outages',
      act: async (shown) => {
        const rows = shown.locator('[data-setting="breakers.per_dependency"]');
        await rows.evaluate((row) => {
          for (let one: Element | null = row; one !== null; one = one.parentElement)
            if (one instanceof HTMLDetailsElement) one.open = true;
        });
        await rows.scrollIntoViewIfNeeded();
      },
    },
  ]);
}
