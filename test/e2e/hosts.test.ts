/** Another computer in the windows of the real app, over a real sshd on the loopback. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ElectronApplication, Page } from 'playwright-core';
import { createSite, effect, callsThenDone, until, type Site } from '../integration/rows/site';
import { createTestHome, pageOf, type TestHome } from '../helpers/electron-app';
import { axeFindings } from '../helpers/page-checks';
import { isLeftOut } from '../helpers/skips';
import { freePort, startSshServer, whyNoSshd, type SshServer } from '../helpers/ssh-server';

let home: TestHome;
let far: Site;
let server: SshServer;
let app: ElectronApplication;
let main: Page;

const goTo = (name: string) =>
  main
    .getByRole('link', { name: new RegExp(`^${name}`) })
    .first()
    .click();
const on = (host: string) => main.getByRole('region', { name: `On ${host}` });
const approvalsThere = () => far.audit().filter(({ event }) => event === 'approval_answered');

/** A call there that waits for permission to write one line. */
const ask = (tag: string): Promise<number> => {
  far.fp.setScript(callsThenDone(effect(tag)));
  return far.send(`Write the walrus ${tag}`, '--agent', 'a', '--session', tag);
};

describe.skipIf(isLeftOut('hosts in the windows', whyNoSshd))('hosts in the windows', () => {
  beforeAll(async () => {
    [home, far] = await Promise.all([createTestHome(), createSite()]);
    server = await startSshServer(home, far);
    far.configure({ approvals: { tools: { 'shell.shell': 'ask' } } });
    await far.start();
    home.writeConfig({
      app: { first_start_done: true },
      hosts: {
        addresses: {
          box: server.address,
          attic: `ssh://127.0.0.1:${String(await freePort())}`,
        },
      },
    });
    app = await home.launch({ env: { ...server.nearEnvironment } });
    main = await pageOf(app, 'index.html');
    await main.waitForSelector('h1');
  }, 300_000);
  afterAll(async () => {
    await home.end();
    server.stop();
    await far.remove();
  });

  it('HO-02 a decision of a host is notified, listed with its host, allowed here, and its effect happens there exactly once', async () => {
    const turnId = await ask('first');
    await home.desktop.notification(({ title }) => title.includes('box'));
    await expect.poll(() => home.desktop.tooltip()).toContain('box');
    await goTo('Inbox');
    await on('box').getByText(/first/).first().click();
    await main.getByText('Your answer is carried out on box').waitFor();
    expect(far.effects()).toEqual([]);
    await main.getByRole('button', { name: 'Allow once' }).click();
    await main.getByText('Your answer was applied on box.').waitFor();
    await far.turnIn(turnId, 'completed');
    expect(far.effects()).toHaveLength(1);
    // The audit gathers lines for a moment before it writes them.
    await expect.poll(approvalsThere).toHaveLength(1);
    await on('box').getByText('Nothing needs you there.').waitFor();
    await on('attic')
      .getByText(/No connection to attic.*refused/)
      .waitFor();
  });

  it('HO-02 its sessions stand in the list with its name, and the host that is away with the reason', async () => {
    await goTo('Sessions');
    const table = main.getByRole('table', { name: 'Sessions' });
    await table.getByRole('row', { name: /first.*on box/ }).waitFor();
    await main.getByText(/The sessions on attic cannot be listed now\./).waitFor();
    expect(await axeFindings(main)).toEqual([]);
    await table
      .getByRole('row', { name: /first.*on box/ })
      .getByRole('link')
      .click();
    await main.getByText('This session is on box.').waitFor();
    const talk = main.getByRole('region', { name: 'Conversation' });
    await talk.getByText('Write the walrus first', { exact: true }).waitFor();
    await talk.getByRole('button', { name: /shell/ }).waitFor();
    expect(await axeFindings(main)).toEqual([]);
    // No count moves: the open page hears of it all the same.
    await far.hf('sessions', 'rename', 'first', 'The first of all walruses');
    await main.getByRole('heading', { name: 'The first of all walruses' }).waitFor();
    await far.hf('sessions', 'rename', 'first', 'Write the walrus first');
  });

  it('HO-02 a search finds what was said there, beside what is here, and says which host it could not search', async () => {
    await goTo('Search');
    await main.getByRole('searchbox', { name: 'Words to find' }).fill('walrus first');
    await on('box').getByRole('link').first().waitFor();
    expect(await on('box').getByRole('link').first().innerText()).toContain('walrus');
    await on('attic')
      .getByText(/attic was not searched\./)
      .waitFor();
    expect(await axeFindings(main)).toEqual([]);
    await on('box').getByRole('link').first().click();
    await main.getByText('This session is on box.').waitFor();
  });

  it('HO-02 after a cut the window says that the host is unreachable, on no page that it is empty, and it is back by itself', async () => {
    const turnId = await ask('second');
    await goTo('Inbox');
    await on('box')
      .getByText(/second/)
      .first()
      .waitFor();
    await server.stopListening();
    server.cut();
    await on('box')
      .getByText(/No connection to box/)
      .waitFor();
    await on('box')
      .getByText(/Its open requests cannot be listed now/)
      .waitFor();
    expect(
      await on('box')
        .getByText(/second|Nothing needs you/)
        .count(),
    ).toBe(0);
    await expect.poll(() => home.desktop.tooltip()).toContain('2 computers unreachable');
    await goTo('Sessions');
    await main.getByText(/The sessions on box cannot be listed now\./).waitFor();
    expect(await main.getByText(/on box/).count()).toBeGreaterThan(0);
    await goTo('Home');
    await main
      .getByText(/No connection to box/)
      .first()
      .waitFor();
    await main
      .getByText(/No connection to attic/)
      .first()
      .waitFor();
    await server.listen();
    await goTo('Sessions');
    await main.getByRole('row', { name: /second.*on box/ }).waitFor();
    await far.hf('turns', 'cancel', String(turnId), '--yes');
    await until('it is over', () => far.effects().length === 1);
  });
});
