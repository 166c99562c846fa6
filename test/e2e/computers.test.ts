/** The Computers page of the real app over a real PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { t } from '../../shared/messages';
import { createTestHome, pageOf, type TestHome } from '../helpers/electron-app';
import { AS_ORDINARY, NO_ORDINARY } from '../helpers/ordinary-account';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../helpers/postgres';
import { isLeftOut } from '../helpers/skips';

let home: TestHome;
let postgres: Postgres;
let main: Page;

/** Another computer, as the store knows it. */
const computer = async (name: string, more: { caps?: string[]; silentS?: number } = {}) => {
  const id = randomUUID();
  await postgres.sql(
    `INSERT INTO holdfast.machine (id, role, key, name, state, version, journal, caps, contact_at, clock_offset_ms)
     VALUES ($1, $2, $3, $4, 'admitted', '1.0.0', 1, $5, clock_timestamp() - $6 * interval '1 s', 95000)`,
    [id, `role_${name}`, randomUUID(), name, more.caps ?? [], more.silentS ?? 3],
  );
  return id;
};

describe.skipIf(isLeftOut('the Computers page', NO_POSTGRES))('the Computers page', () => {
  beforeAll(async () => {
    postgres = await createPostgres();
    home = await createTestHome();
    home.writeConfig({
      app: { first_start_done: true },
      share: { name: 'desk-1' },
      agents: { coder: { provider: 'nobody', model: 'm', workspace: home.dir } },
      providers: { nobody: { kind: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' } },
    });
    const app = await home.launch();
    main = await pageOf(app, 'index.html');
    await main.waitForSelector('h1');
  }, 200_000);
  afterAll(async () => {
    await home.end();
    await postgres?.remove();
    endPostgres();
  });

  it('DW-28 appears when the computer shares work, shows the others, and why a turn waits here and not there', async () => {
    expect(await main.getByRole('link', { name: 'Computers' }).count()).toBe(0);
    const address = `postgres://owner@127.0.0.1:${String(postgres.port)}/postgres`;
    await main.keyboard.press('Control+k');
    await main.getByRole('combobox', { name: t('find.label') }).fill('share work');
    await main.getByRole('option', { name: /^Share work between computers/ }).click();
    const host = main.getByRole('region', { name: 'Share from this computer' });
    if (process.getuid?.() === 0)
      await host
        .getByText('PostgreSQL does not run as root, and this Holdfast runs as root.')
        .waitFor();
    else await host.getByText('Use a PostgreSQL server that you have').click();
    await host.getByLabel('Address of the database').fill('postgres://owner@127.0.0.1:9/none');
    await host.getByRole('button', { name: 'Use this server' }).click();
    await host.getByRole('alert').waitFor();
    expect(await host.getByRole('alert').innerText()).toMatch(/ECONNREFUSED|cannot be reached/);
    await host.getByLabel('Address of the database').fill(address);
    await host.getByRole('button', { name: 'Use this server' }).click();
    await main.getByRole('region', { name: 'Invite a computer' }).waitFor();
    const gpu = await computer('gpu', { caps: ['agent:coder', 'label:gpu'], silentS: 600 });
    for (const session of ['train', 'night'])
      await home.run(
        ['send', '--shared', '--needs', 'label:gpu', '--session', session, '--', 'Train it'],
        { display: false },
      );
    await main.getByRole('link', { name: 'Computers' }).click();
    await main.getByRole('heading', { level: 1, name: '2 computers share work' }).waitFor();
    const waiting = main.getByRole('region', { name: 'Waiting turns' });
    await expect
      .poll(async () =>
        (await waiting.getByRole('definition').allInnerTexts()).map((one) =>
          one.replace(/\d+ min/u, 'N min'),
        ),
      )
      .toEqual([
        'Does not offer label gpu',
        'No contact for N min',
        'Does not offer label gpu',
        'No contact for N min',
      ]);
    // The other computer takes one: its session says where it is.
    await postgres.sql(
      `UPDATE holdfast.turn SET state = 'leased', owner = $1, epoch = 1, life = gen_random_uuid(),
         lease_until = clock_timestamp() + interval '1 h' WHERE session = 'train'`,
      [gpu],
    );
    await postgres.sql("SELECT pg_notify('holdfast', 'work')");
    await main.getByRole('link', { name: 'Sessions' }).click();
    await main.getByText('on gpu', { exact: true }).first().waitFor();
  });
});

/** Two computers: the first keeps the store in a PostgreSQL of its own. */
describe.skipIf(isLeftOut('sharing by clicking', NO_POSTGRES ?? NO_ORDINARY))(
  'two computers, by their windows alone',
  () => {
    const homes: TestHome[] = [];
    afterAll(async () => {
      for (const one of homes) await one.end();
    });

    const desk = async (name: string): Promise<{ page: Page; home: TestHome }> => {
      const its = await createTestHome();
      homes.push(its);
      its.writeConfig({
        app: { first_start_done: true },
        share: { name, labels: [name] },
        agents: { helper: { provider: 'practice', model: 'script', workspace: its.dir } },
      });
      const app = await its.launch({ within: AS_ORDINARY });
      const page = await pageOf(app, 'index.html');
      await page.waitForSelector('h1');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: t('find.label') }).fill('share work');
      await page.getByRole('option', { name: /^Share work between computers/ }).click();
      return { page, home: its };
    };

    it('DW-27 DW-28 one hosts a store of its own and invites, the other joins with the line, and its turn runs there', async () => {
      const [one, two] = [await desk('desk-1'), await desk('desk-2')];
      const host = one.page.getByRole('region', { name: 'Share from this computer' });
      await host.getByLabel(t('computers.host.listen')).fill('127.0.0.2');
      await host.getByRole('button', { name: 'Share from this computer' }).click();
      const invite = one.page.getByRole('region', { name: 'Invite a computer' });
      await invite.getByLabel(t('computers.invite.name')).fill('desk-2');
      await invite.getByRole('button', { name: t('computers.invite.do') }).click();
      const line = await invite.getByText(/^holdfast-share:/).innerText();
      const join = two.page.getByRole('region', { name: 'Join with an invitation' });
      await join.getByLabel(t('computers.join.line')).fill(line);
      await join.getByRole('button', { name: t('computers.join.do') }).click();
      await one.page
        .getByRole('button', { name: t('computers.admitOf', { name: 'desk-2' }) })
        .click();
      await two.page.getByRole('heading', { level: 1, name: '2 computers share work' }).waitFor();
      await one.home.run(
        [
          'send',
          '--shared',
          '--needs',
          'label:desk-2',
          '--agent',
          'helper',
          '--session',
          'far',
          '--',
          'Say hello',
        ],
        { display: false },
      );
      await one.page.getByRole('link', { name: 'Sessions' }).click();
      await one.page.getByText('on desk-2', { exact: true }).first().waitFor();
    });
  },
);
