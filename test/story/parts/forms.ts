/** Pages that only a home with agents and channels of other programs fills, and the forms of these. */
import fs from 'node:fs';
import path from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { createTestHome, pageOf } from '../../helpers/electron-app';
import { callIn, goToPage } from '../../helpers/story-app';
import type { StoryPage } from '../../helpers/story-app';

/** Takes the pages in each theme and size of their window. */
export type EveryLook = (
  shown: {
    readonly app: ElectronApplication;
    readonly page: Page;
    readonly file: 'index.html' | 'settings.html';
  },
  pages: readonly StoryPage[],
) => Promise<void>;

const ENGLISH = { switches: ['--lang=en-GB'], env: { LANG: 'en_GB.UTF-8' } } as const;

/** Programs of other people that the login shell finds, and that answer nothing but their version. */
function somebodyAtHome(dir: string): Record<string, string> {
  const person = path.join(dir, 'person');
  const bin = path.join(person, 'bin');
  fs.mkdirSync(bin, { recursive: true });
  for (const [name, says] of [
    ['claude', '2.1.0 (Claude Code)'],
    ['codex', 'codex-cli 0.98.0'],
  ] as const)
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\necho "${says}"\n`, { mode: 0o755 });
  const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
  fs.writeFileSync(path.join(person, '.profile'), `PATH='${bin}':"$PATH"\n`);
  return { HOME: person, SHELL: '/bin/sh', PATH };
}

/** The second step of a first start where agents are found, one of them to be watched. */
export async function foundAgents(everyLook: EveryLook): Promise<void> {
  const home = await createTestHome();
  try {
    // Over, so that the window may be as small as on a small display.
    home.writeConfig({ app: { first_start_done: true } });
    const env = { ...ENGLISH.env, ...somebodyAtHome(home.dir) };
    const app = await home.launch({ switches: [...ENGLISH.switches], env });
    const page = await pageOf(app, 'index.html');
    await page.waitForSelector('h1');
    await page.evaluate(() => (window.location.hash = '#/welcome'));
    await page.getByRole('button', { name: 'Your agents' }).click();
    const choices = (name: string) =>
      page.getByRole('radiogroup', { name: `What to do with ${name}` });
    await choices('Claude Code').getByText('Watch').click();
    await choices('Codex').getByText('Skip').click();
    await everyLook({ app, page, file: 'index.html' }, [
      { name: 'first-start-2-found', hash: '#/welcome' },
    ]);
  } finally {
    await home.end();
  }
}

/** Agents of other programs, channels of each kind, a draft that no longer fits, and their forms. */
export async function forms(everyLook: EveryLook): Promise<void> {
  const home = await createTestHome();
  try {
    const workspace = path.join(home.dir, 'project');
    fs.mkdirSync(workspace);
    fs.writeFileSync(path.join(workspace, 'notes-source.txt'), 'Hello\n');
    const notes = path.join(workspace, 'notes.md');
    fs.writeFileSync(notes, 'My own notes\n');
    home.writeConfig({
      app: { first_start_done: true },
      agents: {
        mender: { provider: 'practice', model: 'script', workspace, drafts: true },
        'claude-code': { executor: 'acp', command: 'claude-agent-acp', workspace },
        'nightly-report': { executor: 'command', command: 'claude', args: ['-p'], workspace },
      },
      channels: {
        own: {
          team: { kind: 'webhook', url: 'https://chat.example/hooks/T1' },
          phone: { kind: 'telegram', chats: ['12345'] },
          speak: { kind: 'command', command: 'say-it', args: ['--quiet'] },
        },
      },
      mcp: { servers: { forge: { command: 'forge-mcp-that-is-not-there' } } },
    });
    const env = { ...ENGLISH.env, ...somebodyAtHome(home.dir) };
    const app = await home.launch({ switches: [...ENGLISH.switches], env });
    const page = await pageOf(app, 'index.html');
    await page.waitForSelector('h1');
    const { sessionId } = await callIn(page, 'send', {
      text: 'play the job',
      agent: 'mender',
      session: 'job',
    });
    while ((await callIn(page, 'drafts.list', {})).drafts.length === 0)
      await page.waitForTimeout(100);
    fs.writeFileSync(notes, 'My own notes\nA newer line\n');
    const choose = (name: string) => async (shown: Page) =>
      shown.locator('.agent-entry', { hasText: name }).first().click();
    const edit = async (shown: Page): Promise<void> => {
      await shown.getByRole('button', { name: 'Edit', exact: true }).click();
    };
    await everyLook({ app, page, file: 'index.html' }, [
      { name: 'drafts', hash: `#/drafts/${String(sessionId)}` },
      { name: 'drafts-session', hash: `#/sessions/${String(sessionId)}` },
      { name: 'agents-acp', hash: '#/agents', act: choose('claude-code') },
      {
        name: 'agents-acp-edit',
        hash: '#/agents',
        act: async (shown) => {
          await choose('claude-code')(shown);
          await edit(shown);
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
    ]);
    await callIn(page, 'app.openSettings', {});
    const settings = await pageOf(app, 'settings.html');
    await settings.waitForSelector('h1');
    const openOf = (name: string) => async (shown: Page) =>
      shown.locator(`li[aria-label="${name}"]`).getByText('Edit', { exact: true }).click();
    const close = (shown: Page): Promise<void> =>
      shown.getByRole('button', { name: 'Cancel' }).first().click();
    await goToPage(settings, { name: 'channels', hash: '#/channels' });
    await everyLook({ app, page: settings, file: 'settings.html' }, [
      { name: 'channels', hash: '#/channels' },
      { name: 'channel-webhook', hash: '#/channels', act: openOf('team'), leave: close },
      { name: 'channel-program', hash: '#/channels', act: openOf('speak'), leave: close },
      {
        name: 'channel-new',
        hash: '#/channels',
        act: (shown) => shown.getByRole('button', { name: 'Add a channel' }).click(),
        leave: close,
      },
      {
        name: 'provider-new',
        hash: '#/providers',
        act: (shown) => shown.getByRole('button', { name: 'Add a provider' }).click(),
        leave: close,
      },
      {
        name: 'agent-new',
        hash: '#/agents',
        act: (shown) => shown.getByRole('button', { name: 'Add an agent' }).click(),
        leave: close,
      },
    ]);
  } finally {
    await home.end();
  }
}
