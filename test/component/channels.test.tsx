// @vitest-environment happy-dom
/** Channels in the settings: how each stands in words, and a test message. */
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { channelLook } from '../../renderer/settings/channels-view';
import { SettingsWindow } from '../../renderer/settings/settings-window';
import type { ChannelView } from '../../shared/types/channels';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, show } from './render';
import type { Shown } from './render';

const open = (prepare?: (seed: Seed) => void): Shown => {
  window.location.hash = '#/channels';
  return show(<SettingsWindow />, prepare);
};
const rowOf = async (name: string): Promise<HTMLElement> => {
  const list = await screen.findByRole('region', { name: 'Status' });
  return within(list).findByRole('listitem', { name });
};

describe('Channels', () => {
  it('S1-02 S3-15 says of one that is down what waits, what failed and when it is tried again', async () => {
    open();
    const phone = await rowOf('phone');
    expect(phone.textContent).toContain('isn’t responding');
    expect(phone.textContent).toContain('14 replies sent');
    expect(phone.textContent).toContain('2 replies wait');
    expect(phone.textContent).toMatch(/ECONNREFUSED.*next attempt in/);
    expect((await rowOf('window')).textContent).toContain('default');
    expect((await rowOf('ci')).textContent).toContain('http://127.0.0.1:8788/in/ci');
    expect(screen.getByText(/need the token in \/data\/channels\.token/)).toBeTruthy();
  });

  it('S1-02 a bot without a token is not ready and says what it needs, not that it is down', () => {
    const view: ChannelView = {
      name: 'phone',
      kind: 'telegram',
      state: 'ready',
      isDefault: false,
      speaks: true,
      listens: true,
      pending: 0,
      delivered: 0,
      breaker: 'open',
      failures: 3,
      lastError: 'getaddrinfo ENOTFOUND api.telegram.org',
    };
    const keyless = channelLook({ ...view, key: { present: false, storage: 'none' } }, 0);
    expect(keyless).toMatchObject({ state: 'not ready', mark: 'triangle', tone: 'attention' });
    expect(keyless.trouble).toMatch(/^No token yet: add it under Edit/);
    const failing = channelLook({ ...view, key: { present: true, storage: 'os-keyring' } }, 0);
    expect(failing).toMatchObject({ state: 'isn’t responding', mark: 'cross' });
    expect(failing.trouble).toMatch(/^api\.telegram\.org was not found/);
  });

  it('S1-02 sends a test message with the keyboard and says in words that it was not taken', async () => {
    const { fake, user } = open();
    const phone = await rowOf('phone');
    within(phone).getByRole('button', { name: /phone/ }).focus();
    await user.keyboard('{Enter}');
    expect((await within(phone).findByRole('status')).textContent).toContain('cannot be reached');
    expect(fake.callsOf('channels.test')).toEqual([{ name: 'phone' }]);
    expect(within(await rowOf('window')).queryByRole('button')).toBeNull();
  });

  it('S1-02 makes a channel from a form, takes its secret in once and shows 4 characters of it', async () => {
    const { fake, user, container } = open();
    await user.click(await screen.findByRole('button', { name: 'Add a channel' }));
    const form = within(await screen.findByRole('region', { name: 'New channel' }));
    expect(await axeFindings(container)).toEqual([]);
    const add = form.getByRole('button', { name: 'Add channel' });
    await user.type(form.getByRole('textbox', { name: /^Name/ }), 'bot');
    expect((add as HTMLButtonElement).disabled).toBe(true);
    await user.type(form.getByLabelText('Chat IDs', { selector: 'input' }), '12345678{Enter}');
    await user.click(form.getByLabelText('Bot token'));
    await user.paste('123:canary-token-9f3a');
    await user.click(add);
    const row = await rowOf('bot');
    expect(fake.callsOf('channels.add')).toEqual([
      {
        name: 'bot',
        channel: { kind: 'telegram', chats: ['12345678'] },
        key: '123:canary-token-9f3a',
        allowPlaintext: false,
      },
    ]);
    expect(row.textContent).not.toContain('canary');
    expect(container.innerHTML).not.toContain('canary');
    expect(screen.queryByRole('region', { name: 'New channel' })).toBeNull();
  });

  it('PH-04 CH-03 sets which questions a channel gets, who decides them and its digest; rules for single agents stay', async () => {
    const stored = {
      kind: 'telegram',
      chats: ['7'],
      decide: { people: ['7'], agents: [{ agent: 'deployer', calls: 'none' }] },
    };
    const { fake, user, container } = open((seed) => {
      for (const entry of seed.config.entries)
        if (entry.key === 'channels.own') entry.value = { phone: stored };
    });
    const phone = await rowOf('phone');
    await user.click(within(phone).getByRole('button', { name: 'Edit phone' }));
    await user.click(within(phone).getByRole('switch', { name: /^Send questions/ }));
    await user.click(within(phone).getByRole('switch', { name: /^Show commands and inputs/ }));
    await user.type(
      within(phone).getByLabelText('Who decides', { selector: 'input' }),
      '1234{Enter}',
    );
    await user.click(within(phone).getByLabelText('What they can decide', { selector: 'input' }));
    await user.click(await screen.findByRole('option', { name: /^Nothing that deletes/ }));
    await user.type(within(phone).getByLabelText('Daily digest at'), '08:00');
    expect(await axeFindings(container)).toEqual([]);
    await user.click(within(phone).getByRole('button', { name: 'Save channel' }));
    await waitFor(() =>
      expect(fake.callsOf('channels.edit')).toEqual([
        {
          name: 'phone',
          channel: {
            kind: 'telegram',
            chats: ['7'],
            questions: true,
            show_input: true,
            decide: {
              people: ['7', '1234'],
              calls: 'local',
              agents: [{ agent: 'deployer', calls: 'none' }],
            },
            digest: '08:00',
          },
        },
      ]),
    );
  });

  it('CH-01 makes a link for the browser of each person who decides, to copy', async () => {
    const { fake, user, container } = open((seed) => {
      for (const entry of seed.config.entries)
        if (entry.key === 'channels.own')
          entry.value = {
            phone: {
              kind: 'webpush',
              contact: 'a@example.com',
              decide: { people: ['ann', 'bob'] },
            },
            ci: { kind: 'webpush', contact: 'a@example.com' },
          };
    });
    const phone = await rowOf('phone');
    await user.click(within(phone).getByRole('button', { name: 'Link for bob' }));
    expect((await within(phone).findByRole('status')).textContent).toMatch(
      /^Within 15 minutes, .* where bob is to be notified:.*\/page\/phone\/s1\.link-of-bob/,
    );
    // A phone that opens this address looks on itself.
    expect(phone.textContent).toContain('This link works only on this computer. For a phone, set');
    expect(await axeFindings(container)).toEqual([]);
    const ci = await rowOf('ci');
    await user.click(within(ci).getByRole('button', { name: 'Subscribe a browser to ci' }));
    await waitFor(() =>
      expect(fake.callsOf('channels.link')).toEqual([
        { name: 'phone', person: 'bob' },
        { name: 'ci' },
      ]),
    );
  });

  it('S1-02 changes a channel, keeps what the form does not show, replaces its secret, and removes it after a question', async () => {
    const { fake, user } = open((seed) => {
      for (const entry of seed.config.entries)
        if (entry.key === 'channels.own')
          entry.value = { phone: { kind: 'telegram', chats: ['7'], timeout: '5s' } };
    });
    const phone = await rowOf('phone');
    await user.click(within(phone).getByRole('button', { name: 'Edit phone' }));
    // Its secret is called what the other side calls it.
    expect(within(phone).queryByText(/API key|Save key|Remove key/)).toBeNull();
    await user.type(within(phone).getByLabelText('Bot token of phone'), '1:other-token-4711');
    await user.click(within(phone).getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(fake.callsOf('channels.setKey')).toEqual([
        { name: 'phone', key: '1:other-token-4711' },
      ]),
    );
    await user.click(await within(phone).findByRole('button', { name: 'Edit phone' }));
    await user.click(within(phone).getByRole('switch', { name: /^Enabled/ }));
    await user.click(within(phone).getByRole('button', { name: 'Save channel' }));
    await waitFor(() =>
      expect(fake.callsOf('channels.edit')).toEqual([
        {
          name: 'phone',
          channel: { kind: 'telegram', chats: ['7'], timeout: '5s', enabled: false },
        },
      ]),
    );
    await user.click(await within(phone).findByRole('button', { name: 'Edit phone' }));
    await user.click(within(phone).getByRole('button', { name: 'Remove phone' }));
    const question = within(await screen.findByRole('dialog'));
    expect(question.getByText(/go to the default channel with a note/)).toBeTruthy();
    expect(fake.callsOf('channels.remove')).toEqual([]);
    await user.click(question.getByRole('button', { name: 'Remove channel' }));
    await waitFor(() => expect(fake.callsOf('channels.remove')).toEqual([{ name: 'phone' }]));
  });

  it('has no findings in axe', async () => {
    const { container } = open();
    await rowOf('ci');
    expect(await axeFindings(container)).toEqual([]);
  });
});
