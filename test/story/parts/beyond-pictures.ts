/** What reaches beyond this computer: others that share work, an event broker, phones, accounts. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { pageOf } from '../../helpers/electron-app';
import { createNats, endNats, NO_NATS } from '../../helpers/nats-server';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../../helpers/postgres';
import { callIn } from '../../helpers/story-app';
import { everyLook, HUGE, inHome, isMissing, LARGE, MEDIUM, waitUntil, type Shown } from './camera';

const SIZES = [MEDIUM, LARGE, HUGE] as const;

/** Another computer, as the store knows it. */
async function computer(
  postgres: Postgres,
  name: string,
  {
    caps = [],
    silentS = 3,
    offsetMs = 40,
  }: { caps?: string[]; silentS?: number; offsetMs?: number },
): Promise<string> {
  const id = randomUUID();
  await postgres.sql(
    `INSERT INTO holdfast.machine (id, role, key, name, state, version, journal, caps, contact_at, clock_offset_ms)
     VALUES ($1, $2, $3, $4, 'admitted', '0.1.0', 1, $5, clock_timestamp() - $6 * interval '1 s', $7)`,
    [id, `role_${name}`, randomUUID(), name, caps, silentS, offsetMs],
  );
  return id;
}

const SHARED_SETTINGS = (workspace: string) => ({
  app: { first_start_done: true },
  share: { name: 'desk' },
  agents: { coder: { provider: 'nobody', model: 'm', workspace } },
  providers: { nobody: { kind: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' } },
});

/** The computers that share work, turns that wait for one of them, and a session that another has. */
export async function sharedWork(): Promise<void> {
  if (isMissing('shared work', NO_POSTGRES)) return;
  const postgres = await createPostgres();
  try {
    await inHome({ app: { first_start_done: true } }, async ({ home, app, page, file }) => {
      const shown: Shown = { app, page, file };
      home.writeConfig(SHARED_SETTINGS(home.dir));
      const address = `postgres://owner@127.0.0.1:${String(postgres.port)}/postgres`;
      await everyLook(shown, [{ name: 'computers-off', hash: '#/computers' }], SIZES);
      await home.run(['share', 'host', address], { display: false });
      await everyLook(shown, [{ name: 'computers-alone', hash: '#/computers' }], SIZES);
      const gpu = await computer(postgres, 'gpu-box', { caps: ['agent:coder', 'label:gpu'] });
      await computer(postgres, 'laptop-ines', { caps: ['agent:coder'], silentS: 4_000 });
      await computer(postgres, 'build-server', { caps: ['agent:coder'], offsetMs: 95_000 });
      for (const [session, text] of [
        ['train', 'Train the classifier on the new invoices'],
        ['night', 'Compare last night with the week before'],
      ] as const)
        await home.run(['send', text, '--shared', '--needs', 'label:gpu', '--session', session], {
          display: false,
        });
      await postgres.sql(
        `UPDATE holdfast.turn SET state = 'leased', owner = $1, epoch = 1, life = gen_random_uuid(),
           lease_until = clock_timestamp() + interval '1 h' WHERE session = 'train'`,
        [gpu],
      );
      await postgres.sql("SELECT pg_notify('holdfast', 'work')");
      await page.evaluate(() => (window.location.hash = '#/sessions'));
      await page.getByText('on gpu-box', { exact: true }).first().waitFor();
      await everyLook(shown, await sharedPages(page), SIZES);
    });
  } finally {
    await postgres.remove();
    endPostgres();
  }
}

async function sharedPages(page: Page) {
  const { sessions } = await callIn(page, 'sessions.list', { limit: 100 });
  const of = (key: string): string =>
    `#/sessions/${String(sessions.find((one) => one.key === key)?.id ?? 0)}`;
  return [
    { name: 'computers', hash: '#/computers' },
    { name: 'shared-sessions', hash: '#/sessions' },
    { name: 'shared-session-elsewhere', hash: of('train') },
    { name: 'shared-session-waits', hash: of('night') },
  ];
}

/** A real broker: connected, gone with events on disk, and events that it refused. */
export async function eventBroker(): Promise<void> {
  if (isMissing('the event broker', NO_NATS)) return;
  const folder = fs.mkdtempSync(path.join(process.env['TMPDIR'] ?? '/tmp', 'hf-nats-'));
  const nats = await createNats(folder);
  try {
    await nats.start();
    await inHome(
      { app: { first_start_done: true }, nats: { url: nats.url } },
      async ({ app, page, file }) => {
        const send = async (text: string): Promise<void> => {
          const { turnId } = await callIn(page, 'send', { text, agent: 'practice' });
          await waitUntil(async () => {
            const { turn } = await callIn(page, 'turns.show', { turnId });
            return turn.endedAtMs !== undefined;
          }, 'the end of a turn');
        };
        const broker = (wanted: string): Promise<void> =>
          waitUntil(
            async () => (await callIn(page, 'queue.status', {})).broker === wanted,
            `a broker that is ${wanted}`,
          );
        await broker('connected');
        await send('say the digest is sent');
        const hash = '#/events/delivery';
        await everyLook({ app, page, file }, [{ name: 'delivery-connected', hash }], SIZES);
        await nats.kill();
        await send('say the invoices are sorted');
        await broker('down');
        await everyLook(
          { app, page, file },
          [
            { name: 'delivery-down', hash },
            { name: 'delivery-down-home', hash: '#/' },
          ],
          SIZES,
        );
      },
    );
  } finally {
    endNats();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Questions on a phone: the channel with the links that subscribe a browser, and its form. */
export const webPush = (): Promise<void> =>
  inHome(
    {
      app: { first_start_done: true },
      channels: {
        own: {
          phone: {
            kind: 'webpush',
            contact: 'ines@lindner.example',
            questions: true,
            decide: { people: ['ines', 'mara'] },
          },
        },
      },
    },
    async ({ app, page }) => {
      await callIn(page, 'app.openSettings', {});
      const settings = await pageOf(app, 'settings.html');
      await settings.waitForSelector('h1');
      const row = (shown: Page) => shown.locator('li[aria-label="phone"]');
      const hash = '#/channels';
      await everyLook({ app, page: settings, file: 'settings.html' }, [
        { name: 'webpush', hash },
        {
          name: 'webpush-link',
          hash,
          act: (shown) => row(shown).getByRole('button', { name: /ines/ }).click(),
        },
        {
          name: 'webpush-edit',
          hash,
          act: (shown) => row(shown).getByText('Edit', { exact: true }).click(),
          leave: (shown) => shown.getByRole('button', { name: 'Cancel' }).first().click(),
        },
      ]);
    },
  );

/** A key, the plan of a login, and a monthly credit, with budgets. */
export const accounts = (): Promise<void> =>
  inHome(
    undefined,
    async ({ app, page, file }) => {
      const toAccounts = (shown: Page): Promise<void> =>
        shown.getByRole('region', { name: 'Accounts' }).scrollIntoViewIfNeeded();
      await everyLook(
        { app, page, file },
        [{ name: 'usage-accounts', hash: '#/usage', act: toAccounts }],
        SIZES,
      );
    },
    (home) => {
      const workspace = path.join(home.dir, 'project');
      fs.mkdirSync(workspace);
      const office = {
        kind: 'openai-compatible',
        base_url: 'http://127.0.0.1:9/v1',
        api_key_env: 'OFFICE_KEY',
      };
      home.writeConfig({
        app: { first_start_done: true },
        providers: { office, archive: { ...office, account: 'team' } },
        agents: {
          mender: { provider: 'office', model: 'large', workspace },
          sorter: { provider: 'archive', model: 'small', workspace },
          claude: { executor: 'acp', command: 'claude-agent-acp', workspace },
        },
        budgets: {
          caps: {
            daily: { scope: 'all', per: 'day', usd: 10 },
            team: {
              scope: 'account',
              of: 'team',
              per: 'month',
              usd: 200,
              resets_on: 15,
              is_credit: true,
            },
          },
        },
      });
      return { OFFICE_KEY: 'k'.repeat(24) };
    },
  );
