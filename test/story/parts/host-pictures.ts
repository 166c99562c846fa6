/** Other computers that are watched over SSH: what needs a person there, their sessions, what is away. */
import { callsThenDone, createSite, promptIn, type Site } from '../../integration/rows/site';
import { freePort, startSshServer, whyNoSshd, type SshServer } from '../../helpers/ssh-server';
import { callIn, type StoryPage } from '../../helpers/story-app';
import type { TestHome } from '../../helpers/electron-app';
import type { Page } from 'playwright-core';
import { everyLook, HUGE, inHome, isMissing, LARGE, MEDIUM, waitUntil } from './camera';

const SIZES = [MEDIUM, LARGE, HUGE] as const;
const HOST = 'build-box';
const NIGHTLY = 'Build the nightly release and tell what is slower than last night';
const UPLOAD = 'Upload the release notes to the team server';
const ANSWER = `The build took **6 min 12 s**, 14 s more than last night.

| part | last night | now |
| --- | --- | --- |
| compile | 3 min 2 s | 3 min 4 s |
| tests | 2 min 56 s | 3 min 8 s |

The tests of the importer are slower: they read the new sample files.`;

/** The far computer: one session that has its answer, and one that waits for permission. */
async function workThere(far: Site): Promise<void> {
  far.configure({ approvals: { tools: { 'shell.shell': 'ask' } } });
  await far.start();
  far.fp.setScript(() => ({ text: ANSWER }));
  const built = await far.send(NIGHTLY, '--agent', 'a', '--session', 'nightly');
  await far.turnIn(built, 'completed');
  const upload = { name: 'shell', args: { command: 'scp notes.md team@files:releases/' } };
  const ask = callsThenDone(upload);
  far.fp.setScript((request) =>
    promptIn(request) === UPLOAD ? ask(request) : { text: 'Nothing to do.' },
  );
  const waits = await far.send(UPLOAD, '--agent', 'b', '--session', 'release');
  await far.turnIn(waits, 'requires_action');
}

const found = async (page: Page): Promise<void> => {
  await page.locator('[data-page-search]').fill('nightly');
  await page
    .getByRole('region', { name: `On ${HOST}` })
    .getByRole('link')
    .first()
    .waitFor();
};

async function farSession(page: Page): Promise<string> {
  let id: number | undefined;
  await waitUntil(async () => {
    const told = await callIn(page, 'hosts.sessions', { host: HOST });
    id = told.kind === 'told' ? told.sessions.find(({ key }) => key === 'nightly')?.id : undefined;
    return id !== undefined;
  }, 'the sessions of the host');
  return `#/sessions/on-${HOST}-${String(id)}`;
}

/** What waits there, once its list is drawn. */
const question = async (page: Page): Promise<void> => {
  await page
    .getByRole('region', { name: `On ${HOST}` })
    .getByRole('link')
    .first()
    .click();
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
};

const listed = (page: Page): Promise<void> =>
  page
    .getByRole('row', { name: new RegExp(`on ${HOST}`) })
    .first()
    .waitFor();
const said = (page: Page): Promise<void> => page.getByText('6 min 12 s').waitFor();

async function pagesOf(page: Page): Promise<readonly StoryPage[]> {
  return [
    { name: 'hosts-home', hash: '#/' },
    { name: 'hosts-inbox', hash: '#/decisions', act: question },
    { name: 'hosts-sessions', hash: '#/sessions', act: listed },
    { name: 'hosts-session', hash: await farSession(page), act: said },
    { name: 'hosts-search', hash: '#/search', act: found },
  ];
}

const foldedPages: readonly StoryPage[] = [
  { name: 'hosts-folded-home', hash: '#/' },
  { name: 'hosts-folded-inbox', hash: '#/decisions' },
  { name: 'hosts-folded-sessions', hash: '#/sessions', act: listed },
];

async function withAddresses(
  home: TestHome,
  page: Page,
  addresses: Readonly<Record<string, string>>,
  unreachable: number,
): Promise<void> {
  home.writeConfig({ app: { first_start_done: true }, hosts: { addresses } });
  await waitUntil(
    async () => {
      const { hosts = [] } = await callIn(page, 'status.get', {});
      const isUp = hosts.some(({ name, kind }) => name === HOST && kind === 'connected');
      return isUp && hosts.filter(({ kind }) => kind === 'unreachable').length === unreachable;
    },
    `${String(unreachable)} hosts that cannot be reached`,
  );
}

/** A port on which nobody listens, each time another one. */
const nobody = async (): Promise<string> => `ssh://127.0.0.1:${String(await freePort())}`;

/** One host that works beside one that cannot be reached, then beside four: those are one line. */
export async function otherHosts(): Promise<void> {
  if (isMissing('hosts', whyNoSshd === false ? undefined : whyNoSshd)) return;
  const far = await createSite();
  let server: SshServer | undefined;
  try {
    await workThere(far);
    await inHome(
      { app: { first_start_done: true } },
      async ({ home, app, page, file }) => {
        const box = server?.address ?? '';
        await withAddresses(home, page, { [HOST]: box, attic: await nobody() }, 1);
        await everyLook({ app, page, file }, await pagesOf(page), SIZES);
        const away = ['attic', 'garage', 'laptop-ines', 'office'];
        const gone = await Promise.all(away.map(async (name) => [name, await nobody()] as const));
        await withAddresses(home, page, { [HOST]: box, ...Object.fromEntries(gone) }, away.length);
        await everyLook({ app, page, file }, foldedPages, SIZES);
      },
      async (home) => {
        server = await startSshServer(home, far);
        return server.nearEnvironment;
      },
    );
  } finally {
    server?.stop();
    await far.remove();
  }
}
