/** What an agent does and waits for: approvals, skills and their runs, a provider that is down. */
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import type { ApprovalView } from '../../../shared/types';
import { pageOf } from '../../helpers/electron-app';
import type { TestHome } from '../../helpers/electron-app';
import { callIn, goToPage, standsStill, wear } from '../../helpers/story-app';
import type { StoryPage } from '../../helpers/story-app';
import {
  everyLook,
  inHome,
  otherLooks,
  pretended,
  project,
  SMALL,
  take,
  THEMES,
  waitUntil,
} from './camera';
import type { Shown } from './camera';

/** As much of a repository as git needs to say where a remote is. */
function repositoryIn(folder: string): void {
  for (const name of ['refs', 'objects'])
    fs.mkdirSync(path.join(folder, '.git', name), { recursive: true });
  fs.writeFileSync(path.join(folder, '.git', 'HEAD'), 'ref: refs/heads/fix/upload-timeout\n');
  fs.writeFileSync(
    path.join(folder, '.git', 'config'),
    '[remote "origin"]\n\turl = git@git.lindner.example:tools/uploader.git\n',
  );
}

async function asked(page: Page, count: number): Promise<readonly ApprovalView[]> {
  let found: readonly ApprovalView[] = [];
  await waitUntil(
    async () => {
      found = (await callIn(page, 'approvals.list', {})).requests;
      return found.length >= count;
    },
    `${String(count)} questions`,
  );
  return found;
}

/** Calls that wait for approval: the list, the session and the turn; then the rules in the settings. */
export const approvals = (): Promise<void> =>
  inHome(
    {
      app: { first_start_done: true },
      approvals: { tools: { 'shell:effects': 'ask', 'mail.*': 'deny' } },
    },
    async ({ home, app, page, file }) => {
      await callIn(page, 'send', { text: 'ask for an approval', session: 'practice-2' });
      // Its folder is made for the first turn.
      await asked(page, 1);
      repositoryIn(path.join(home.dataDir, 'practice'));
      await callIn(page, 'send', { text: 'run: git push origin fix/upload-timeout' });
      const requests = await asked(page, 2);
      const push = requests.find(({ hint }) => hint.includes('push'));
      const remove = requests.find(({ hint }) => hint.includes('rm'));
      if (push === undefined || remove === undefined)
        throw new Error('Nothing waits for approval.');
      await everyLook({ app, page, file }, [
        { name: 'approval-home', hash: '#/' },
        { name: 'approval', hash: `#/decisions/item-${String(push.requestId)}` },
        { name: 'approval-session', hash: `#/sessions/${String(remove.sessionId)}` },
        { name: 'approval-turn', hash: `#/turns/${String(remove.turnId)}` },
      ]);
      await smallWindow({ home, app, page });
      await callIn(page, 'app.openSettings', {});
      const settings = await pageOf(app, 'settings.html');
      await settings.waitForSelector('h1');
      for (const theme of THEMES) {
        await wear(settings, theme);
        await goToPage(settings, { name: 'approval-rules', hash: '#/agents' });
        await settings.locator('.per-skill').first().scrollIntoViewIfNeeded();
        await take(settings, 'approval-rules', theme);
      }
    },
  );

/** The small window of the tray: a prompt from anywhere, and what needs a person. */
async function smallWindow({
  home,
  app,
  page,
}: Pick<Shown, 'app' | 'page'> & { readonly home: TestHome }): Promise<void> {
  await home.desktop.inTray(1);
  await waitUntil(
    async () =>
      (await home.desktop.readMenu()).some(({ label }) => label.startsWith('Ask an agent')),
    'the menu of the tray',
  );
  await home.desktop.chooseMenu('Ask an agent…');
  const quick = await pageOf(app, 'quick.html');
  await quick.getByRole('textbox', { name: 'Ask an agent' }).waitFor();
  for (const theme of THEMES) {
    await wear(page, theme);
    await standsStill(quick);
    await take(quick, 'quick', theme);
  }
}

const BEFORE_EDIT = `export const upload = {
  timeoutMs: 30_000,
  retries: 0,
  chunkBytes: 1_048_576,
};
`;
const NOTES_BEFORE = `# Release notes

## Unreleased

- Uploads are retried once.
- The progress bar no longer jumps back.
`;
const NOTES_AFTER = `# Release notes

## 2.4.0

- Uploads are retried three times, with a pause in between.
- The progress bar no longer jumps back.
- The timeout is two minutes.
`;

/** An external agent that asks to change a file, to write one whole, and to create one. */
export const fileApprovals = (): Promise<void> =>
  inHome(
    undefined,
    async ({ app, page, file }) => {
      const ask = (session: string, text: string, input: object) =>
        callIn(page, 'send', {
          session,
          agent: 'mender',
          text: `${text}\ndo: edit ${JSON.stringify(input)}`,
        });
      const folder = (await callIn(page, 'agents.list', {})).agents.find(
        ({ name }) => name === 'mender',
      )?.workspace;
      const at = (name: string): string => path.join(folder ?? '', name);
      await ask('upload', 'Give uploads two minutes and three tries', {
        file_path: at('upload.ts'),
        old_string: '  timeoutMs: 30_000,\n  retries: 0,',
        new_string: '  timeoutMs: 120_000,\n  retries: 3,',
      });
      await ask('notes', 'Write the release notes of 2.4.0', {
        file_path: at('NOTES.md'),
        content: NOTES_AFTER,
      });
      await ask('guide', 'Start a guide for people who move from 1.x', {
        file_path: at('docs/from-1.md'),
        content: '# Moving from 1.x\n\nRename `timeout` to `timeoutMs`.\n',
      });
      const requests = await asked(page, 3);
      const of = (name: string): ApprovalView => {
        const found = requests.find(({ args }) => args.includes(name));
        if (found === undefined) throw new Error(`Nothing asks about ${name}.`);
        return found;
      };
      const item = (name: string): string => `#/decisions/item-${String(of(name).requestId)}`;
      await everyLook({ app, page, file }, [
        { name: 'approval-edit', hash: item('upload.ts') },
        { name: 'approval-write', hash: item('NOTES.md') },
        { name: 'approval-new-file', hash: item('from-1.md') },
        { name: 'approval-write-session', hash: `#/sessions/${String(of('NOTES.md').sessionId)}` },
        { name: 'approval-write-turn', hash: `#/turns/${String(of('NOTES.md').turnId)}` },
      ]);
    },
    (home) => {
      const workspace = path.join(home.dir, 'project');
      fs.mkdirSync(workspace);
      fs.writeFileSync(path.join(workspace, 'upload.ts'), BEFORE_EDIT);
      fs.writeFileSync(path.join(workspace, 'NOTES.md'), NOTES_BEFORE);
      home.writeConfig({
        app: { first_start_done: true },
        agents: {
          mender: {
            executor: 'acp',
            title: 'Repo mender',
            command: process.execPath,
            args: [path.join(project, 'test', 'helpers', 'acp-agent.mjs'), 'plain'],
            workspace,
            env: ['ACP_HOME'],
            ask: 'always',
          },
        },
      });
      return { ACP_HOME: home.dir };
    },
  );

const NOTES_SKILL =
  'description: Gathers the notes of the week and sums them up\nphases:\n  - name: gather\n  - name: compare\n  - name: send\n    loop: compare\n    max_visits: 3\n';

/** Skills on disk, one run that has ended, one that waits and one at work; how their session stands. */
export const skillsAndRuns = (): Promise<void> =>
  inHome(
    {
      app: { first_start_done: true },
      approvals: { tools: { 'shell:effects': 'ask' } },
    },
    async ({ home, app, page, file }) => {
      for (const [name, front] of [
        ['weekly-notes', NOTES_SKILL],
        ['invoice', 'description: Writes an invoice\nrequires:\n  env: [LEDGER_TOKEN]\n'],
        ['tidy', 'description: Tidies\nphases:\n  - name: a b\n'],
      ] as const) {
        const folder = path.join(home.dataDir, 'skills', name);
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(path.join(folder, 'SKILL.md'), `---\nname: ${name}\n${front}---\n`);
      }
      const done = await callIn(page, 'send', { text: '/skill weekly-notes tidy my notes' });
      const open = await callIn(page, 'send', {
        text: '/skill weekly-notes ask for an approval',
        session: 'practice-2',
      });
      await asked(page, 1);
      await waitUntil(async () => {
        const { turn } = await callIn(page, 'turns.show', { turnId: done.turnId });
        return turn.endedAtMs !== undefined;
      }, 'the end of the first run');
      const { runs } = await callIn(page, 'runs.list', {});
      const pages: readonly StoryPage[] = [
        { name: 'runs', hash: '#/runs' },
        { name: 'run', hash: `#/runs/${String(runs[0]?.id ?? 1)}` },
        { name: 'runs-turn', hash: `#/turns/${String(done.turnId)}` },
        { name: 'runs-turn-open', hash: `#/turns/${String(open.turnId)}` },
        { name: 'runs-session', hash: `#/sessions/${String(open.sessionId)}` },
      ];
      await everyLook({ app, page, file }, pages);
    },
  );

/** The first step of the turn, with the tries of its call. */
async function openTries(page: Page): Promise<void> {
  // By place, not by name: in each language.
  await page.locator('.tl-row').first().click();
  await page.locator('.step-tries').waitFor();
}

const FOR_THE_OFFICE = [
  'Draft the offer for Lindner',
  'Which contracts end in May?',
  'Translate the release note',
  'Summarize the board minutes',
  'Price list for Q3',
];

/** The practice provider plays one that is down: what waits for it, on its page, on Home, in Events. */
export const providerDown = (): Promise<void> =>
  inHome(
    {
      app: { first_start_done: true },
      resilience: { outage_threshold: 1 },
      retry: { server: { first_wait: '100ms' } },
    },
    async ({ app, page, file }) => {
      await everyLook({ app, page, file }, [{ name: 'outages-calm', hash: '#/outages' }]);
      await callIn(page, 'practice.providerDown', { seconds: 600 });
      let tried = 0;
      for (const [at, text] of FOR_THE_OFFICE.entries()) {
        const session = `office-${String(at + 1)}`;
        const { turnId } = await callIn(page, 'send', { text, session, agent: 'practice' });
        if (at === 0) tried = turnId;
      }
      await waitUntil(
        async () => (await callIn(page, 'outage.queue', {})).total >= FOR_THE_OFFICE.length,
        'turns that wait',
      );
      await page.getByRole('heading', { name: 'Demo provider is down', level: 1 }).waitFor();
      const pages: readonly StoryPage[] = [
        { name: 'outages', hash: '#/outages' },
        { name: 'outages-home', hash: '#/' },
        { name: 'outages-delivery', hash: '#/events/delivery' },
        { name: 'outages-turn', hash: `#/turns/${String(tried)}`, act: openTries },
      ];
      await everyLook({ app, page, file }, pages);
      await otherLooks({ app, page, file }, pages);
      await pretended({ app, page, file }, pages, [SMALL]);
    },
  );
