// @vitest-environment happy-dom
import { createHash } from 'node:crypto';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { sectionKeys } from '../../renderer/settings/setting-groups';
import { SettingsWindow } from '../../renderer/settings/settings-window';
import type { Seed } from '../helpers/fake-seed-type';
import { show } from './render';
import type { Shown } from './render';

const open = (section: string, change?: (seed: Seed) => void): Shown => {
  window.location.hash = `#/${section}`;
  return show(<SettingsWindow />, change);
};

describe('Settings', () => {
  it('S3-06 sets the rule of a tool, adds one for a known tool, and takes one out', async () => {
    const { fake, user } = open('agents', (seed) => {
      seed.config = {
        ...seed.config,
        entries: seed.config.entries.map((entry) =>
          entry.key === 'approvals.tools' ? { ...entry, value: { 'mail.*': 'ask' } } : entry,
        ),
      };
    });
    const rule = await screen.findByRole('radiogroup', { name: 'Rule for mail.*' });
    await user.click(within(rule).getByRole('radio', { name: 'Always deny' }));
    await waitFor(() =>
      expect(fake.callsOf('config.set')).toEqual([
        { key: 'approvals.tools', value: { 'mail.*': 'deny' } },
      ]),
    );
    const row = rule.closest('.setting');
    if (!(row instanceof HTMLElement)) throw new Error('no row');
    await user.type(within(row).getByPlaceholderText('Tool name'), 'web_fetch');
    await user.click(within(row).getByRole('button', { name: 'Add' }));
    await waitFor(() =>
      expect(fake.callsOf('config.set').at(-1)).toEqual({
        key: 'approvals.tools',
        value: { 'mail.*': 'deny', web_fetch: 'ask' },
      }),
    );
    await user.click(await screen.findByRole('button', { name: 'Remove the rule for mail.*' }));
    await waitFor(() =>
      expect(fake.callsOf('config.set').at(-1)).toEqual({
        key: 'approvals.tools',
        value: { web_fetch: 'ask' },
      }),
    );
  });

  it('S0-13 the table of the side-effect list has a row for every entry, known or not', async () => {
    const { fake, user } = open('recovery', (seed) => {
      seed.tools = seed.tools.map((tool) =>
        tool.name === 'shell:effects' ? { ...tool, listedAs: ['shell.shell:effects'] } : tool,
      );
      seed.config = {
        ...seed.config,
        entries: seed.config.entries.map((entry) =>
          entry.key === 'resilience.recovery.side_effect_tools'
            ? { ...entry, value: ['shell.shell:effects', 'crm.pay', 'send_email'] }
            : entry,
        ),
      };
    });
    await screen.findByRole('switch', { name: 'Pause for review after a crash: archive_mail' });
    const rows = screen.getAllByRole('switch', { name: /^Pause for review after a crash/ });
    expect(
      rows.map((row) => [row.getAttribute('aria-label'), (row as HTMLInputElement).checked]),
    ).toEqual([
      ['Pause for review after a crash: shell.shell:effects', true],
      ['Pause for review after a crash: send_email', true],
      ['Pause for review after a crash: archive_mail', false],
      ['Pause for review after a crash: crm.pay', true],
    ]);
    await user.click(
      screen.getByRole('switch', { name: 'Pause for review after a crash: crm.pay' }),
    );
    await waitFor(() =>
      expect(fake.callsOf('config.set').at(-1)).toMatchObject({
        value: ['shell.shell:effects', 'send_email'],
      }),
    );
  });

  it('shows for each setting its key, its value and where the value comes from', async () => {
    open('recovery');
    const row = (await screen.findByText('resilience.recovery.max_age')).closest('li');
    if (!row) throw new Error('no row');
    expect(within(row).getByText('env')).toBeTruthy();
    const field = within(row).getByRole('textbox');
    expect((field as HTMLInputElement).value).toBe('12h');
    expect((field as HTMLInputElement).disabled).toBe(true);
    expect(within(row).getByText(/Overridden by an environment variable/)).toBeTruthy();
  });

  it('writes a switch at once and shows "file" as its source', async () => {
    const { fake, user } = open('tray');
    const toggle = await screen.findByRole('switch', {
      name: 'Closing the window keeps Holdfast in the tray',
    });
    await user.click(toggle);
    await waitFor(() =>
      expect(fake.callsOf('config.set')).toEqual([{ key: 'app.close_to_tray', value: false }]),
    );
    await waitFor(() =>
      expect(within(toggle.closest('li') as HTMLElement).getByText('file')).toBeTruthy(),
    );
  });

  it('shows the 2 notes of its own last, one sentence each, and every other setting before', async () => {
    const { container } = open('general');
    const notes = await screen.findByRole('region', { name: 'Remembered' });
    const rows = await within(notes).findAllByRole('listitem');
    expect(rows.map((row) => row.querySelector('.setting-key')?.textContent)).toEqual([
      'app.first_start_done',
      'app.close_notice_shown',
    ]);
    expect(within(notes).getByText('Onboarding was shown')).toBeTruthy();
    expect(within(notes).queryByText('Whether the onboarding has been completed')).toBeNull();
    const keys = [...container.querySelectorAll('.setting-key')].map((key) => key.textContent);
    expect(keys).toHaveLength(sectionKeys('general').length);
    expect(new Set(keys).size).toBe(sectionKeys('general').length);
    expect(keys.slice(-2)).toEqual(['app.first_start_done', 'app.close_notice_shown']);
  });

  it('keeps the old value and says why when a value is refused', async () => {
    const { fake, user } = open('recovery');
    fake.refuse('config.set', 'CONFIG_INVALID', '"soon" is not a duration.', 'Write 30m or 2h.');
    const field = await screen.findByRole('textbox', { name: 'Time limit per turn' });
    await user.clear(field);
    await user.type(field, 'soon{Enter}');
    expect((await screen.findByRole('alert')).textContent).toContain(
      '"soon" is not a duration. Write 30m or 2h.',
    );
    expect(fake.seed.config.entries.find((entry) => entry.key === 'limits.turn_time')?.value).toBe(
      '30m',
    );
  });

  it('writes a text once, on Enter or when the field is left', async () => {
    const { fake, user } = open('recovery');
    const field = await screen.findByRole('textbox', { name: 'Time limit per turn' });
    await user.clear(field);
    await user.type(field, '45m{Enter}');
    await waitFor(() =>
      expect(fake.callsOf('config.set')).toEqual([{ key: 'limits.turn_time', value: '45m' }]),
    );
    await user.tab();
    expect(fake.callsOf('config.set')).toHaveLength(1);
  });

  it('S0-02 offers three modes with an example each; always names its risk', async () => {
    const { fake, user } = open('recovery');
    const modes = await screen.findAllByRole('radio');
    expect(modes).toHaveLength(3);
    expect(modes[0]?.getAttribute('aria-checked')).toBe('true');
    expect(modes[1]?.textContent).toContain('an interrupted email may be sent twice');
    for (const mode of modes) expect(mode.textContent).toContain('Example:');
    await user.click(modes[2] as HTMLElement);
    await waitFor(() =>
      expect(fake.callsOf('config.set')).toEqual([
        { key: 'resilience.recovery.mode', value: 'never' },
      ]),
    );
  });

  it('S0-37 proposes known tools, shell:effects with what does not count', async () => {
    const { fake, user } = open('recovery');
    const toggle = await screen.findByRole('switch', {
      name: 'Pause for review after a crash: shell:effects',
    });
    const row = toggle.closest('tr') as HTMLElement;
    expect(row.textContent).toContain('ls, cat, git status don’t count');
    const mail = screen.getByRole('switch', { name: 'Pause for review after a crash: send_email' });
    expect(mail.closest('tr')?.textContent).toContain('external');
    expect(
      screen.queryByRole('switch', { name: 'Pause for review after a crash: read_file' }),
    ).toBeNull();
    await user.click(toggle);
    await waitFor(() =>
      expect(fake.callsOf('config.set')).toEqual([
        {
          key: 'resilience.recovery.side_effect_tools',
          value: ['send_email', 'archive_mail', 'shell:effects'],
        },
      ]),
    );
  });

  it('shows a problem of the file with its line, and once what is used instead', async () => {
    open('general', (seed) => {
      seed.config.problems = [
        { line: 14, message: 'config.json, line 14: a value is missing. The defaults are used.' },
      ];
    });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toBe(
      'config.json, line 14: a value is missing. The defaults are used.',
    );
    expect(screen.getAllByText('Valid values are used instead.')).toHaveLength(1);
  });

  it('does not alarm over a hint', async () => {
    open('general', (seed) => {
      seed.config.problems = [{ level: 'hint', message: 'An old name is still understood.' }];
    });
    await screen.findByText('An old name is still understood.');
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.queryByText(/problem in the file/)).toBeNull();
  });

  it('finds settings of all sections by a word of their name or key', async () => {
    const { user } = open('general');
    await screen.findByRole('heading', { level: 1, name: 'General' });
    await user.type(screen.getByRole('textbox', { name: 'Search settings' }), 'cost');
    expect(await screen.findByRole('heading', { name: '2 settings found' })).toBeTruthy();
    expect(screen.getByText('limits.turn_cost_usd')).toBeTruthy();
    expect(screen.getByText('gateway.budget_usd_per_day')).toBeTruthy();
  });

  it('I5 takes a key in, forgets it in the field, and shows its last 4 characters only', async () => {
    const { fake, user, container } = open('providers');
    const field = (await screen.findByLabelText('API key of ollama')) as HTMLInputElement;
    expect(field.type).toBe('password');
    await user.type(field, 'sk-secret-9f3a');
    await user.click(
      within(field.closest('form') as HTMLElement).getByRole('button', { name: 'Save key' }),
    );
    await screen.findByText('Key …9f3a is stored in the system keyring.');
    expect(fake.callsOf('provider.setKey')).toEqual([{ name: 'ollama', key: 'sk-secret-9f3a' }]);
    expect(container.innerHTML).not.toContain('sk-secret');
    expect((screen.getByLabelText('API key of ollama') as HTMLInputElement).value).toBe('');
  });

  it('K2 stores unencrypted only after an explicit choice, offered where there is no keyring', async () => {
    const { fake, user } = open('providers');
    const field = await screen.findByLabelText('API key of office');
    const form = within(field.closest('form') as HTMLElement);
    expect(form.getByText(/stored in memory only/)).toBeTruthy();
    const consent = form.getByRole('checkbox', {
      name: 'Store it unencrypted',
    }) as HTMLInputElement;
    expect(consent.checked).toBe(false);
    await user.click(consent);
    await user.type(field, 'sk-1234');
    await user.click(form.getByRole('button', { name: 'Save key' }));
    await waitFor(() =>
      expect(fake.callsOf('provider.setKey')).toEqual([
        { name: 'office', key: 'sk-1234', allowPlaintext: true },
      ]),
    );
    await screen.findByText(/stored unencrypted in a file that only you can read, as you allowed/);
  });

  it('offers no such choice where a keyring works', async () => {
    open('providers');
    const field = await screen.findByLabelText('API key of anthropic');
    expect(within(field.closest('form') as HTMLElement).queryByRole('checkbox')).toBeNull();
  });

  it('K3 says that a key cannot be read, and keeps the field to enter it again', async () => {
    open('providers', (seed) => {
      const first = seed.providers[0];
      if (first) first.key.problem = 'The keyring has changed. Enter the key again.';
    });
    expect(await screen.findByText('The keyring has changed. Enter the key again.')).toBeTruthy();
    expect(screen.getByLabelText('API key of anthropic')).toBeTruthy();
  });

  it('tells in words what a test request brought', async () => {
    const { user } = open('providers');
    await user.click(
      await screen.findByRole('button', { name: 'Test anthropic with one small request' }),
    );
    expect(await screen.findByText(/The key was refused \(401\)/)).toBeTruthy();
  });

  it('adds a provider with its key in two calls', async () => {
    const { fake, user } = open('providers');
    await user.click(await screen.findByRole('button', { name: 'Add a provider' }));
    await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'local');
    await user.type(screen.getByRole('textbox', { name: /^Base URL/ }), 'http://127.0.0.1:1234/v1');
    await user.type(screen.getByLabelText(/^API key$/), 'k-77');
    await user.click(screen.getByRole('button', { name: 'Save provider' }));
    await waitFor(() =>
      expect(fake.callsOf('provider.setKey')).toEqual([{ name: 'local', key: 'k-77' }]),
    );
    expect(fake.callsOf('provider.set')).toEqual([
      {
        name: 'local',
        provider: { kind: 'openai-compatible', base_url: 'http://127.0.0.1:1234/v1' },
      },
    ]);
  });

  it('takes the key of a provider from one place: stored, a variable or a file', async () => {
    const { fake, user } = open('providers');
    await user.click(await screen.findByRole('button', { name: 'Add a provider' }));
    await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'local');
    await user.type(screen.getByLabelText(/^API key$/), 'k-77');
    await user.click(screen.getByText('Environment variable'));
    expect(screen.queryByLabelText(/^API key$/)).toBeNull();
    await user.type(
      screen.getByRole('textbox', { name: 'API key from an environment variable' }),
      'MY_KEY',
    );
    await user.click(screen.getByRole('button', { name: 'Save provider' }));
    await waitFor(() =>
      expect(fake.callsOf('provider.set')).toEqual([
        { name: 'local', provider: { kind: 'openai-compatible', api_key_env: 'MY_KEY' } },
      ]),
    );
    expect(fake.callsOf('provider.setKey')).toEqual([]);
  });

  it('runs the check and shows each result with a word beside its mark', async () => {
    const { user } = open('data');
    await user.click(await screen.findByRole('button', { name: 'Check now' }));
    await screen.findByText('Some checks failed');
    for (const word of ['OK', 'warning', 'failed']) expect(screen.getByText(word)).toBeTruthy();
  });

  it('gives a single skill its own answer, changes it and takes it out', async () => {
    const { fake, user } = open('recovery');
    const field = await screen.findByRole('textbox', { name: 'Skill name' });
    await user.type(field, 'send-invoices{Enter}');
    const key = 'skill_resume.per_skill';
    await waitFor(() =>
      expect(fake.callsOf('config.set')).toEqual([{ key, value: { 'send-invoices': 'retry' } }]),
    );
    await user.click(await screen.findByRole('button', { name: 'Remove send-invoices' }));
    await waitFor(() => expect(fake.callsOf('config.set').at(-1)).toEqual({ key, value: {} }));
  });

  it('/ and Ctrl F put the focus into the search, Esc empties it', async () => {
    const { user } = open('general');
    const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Search settings' });
    await user.keyboard('/turn');
    expect(field.value).toBe('turn');
    await user.keyboard('{Escape}');
    expect(field.value).toBe('');
    field.blur();
    await user.keyboard('{Control>}f{/Control}');
    expect(document.activeElement).toBe(field);
  });

  it('S0-38 makes a token for a client, shows it once, and revokes one after a question', async () => {
    const { fake, user } = open('data');
    const list = await screen.findByRole('region', { name: 'Clients' });
    const own = await within(list).findByRole('listitem', { name: 'default' });
    expect(own.textContent).toContain('/data/gateway.token');
    await user.type(within(list).getByRole('textbox', { name: 'Client name' }), 'ci{Enter}');
    const shown = await within(list).findByText(/^[0-9a-f]{64}$/);
    expect(shown.closest('[role=status]')).toBeTruthy();
    // I5: only the hash has left the window.
    const tokenHash = createHash('sha256')
      .update(shown.textContent ?? '')
      .digest('hex');
    expect(fake.callsOf('gateway.addClient')).toEqual([{ name: 'ci', tokenHash }]);
    const made = await within(list).findByRole('listitem', { name: 'ci' });
    expect(made.textContent).toContain('Never used');
    await user.click(within(made).getByRole('button', { name: 'Revoke token for ci' }));
    expect(fake.callsOf('gateway.revokeClient')).toEqual([]);
    await user.click(await screen.findByRole('button', { name: 'Revoke token' }));
    await waitFor(() => expect(within(list).queryByRole('listitem', { name: 'ci' })).toBeNull());
    expect(fake.callsOf('gateway.revokeClient')).toEqual([{ name: 'ci' }]);
  });

  it('S1-33 shows where the settings file is, and copies its path', async () => {
    open('data');
    const path = await screen.findByText(/\/config\.json$/);
    expect(screen.getByRole('button', { name: 'Copy the path: Settings file' })).toBeTruthy();
    expect(path.textContent?.startsWith('/')).toBe(true);
  });

  it('S0-36 says line and key of what is wrong in the file, and that valid values are used', async () => {
    open('general', (seed) => {
      seed.config = {
        ...seed.config,
        problems: [{ line: 14, key: 'limits.turn_time', message: '"soon" is not a duration' }],
      };
    });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('config.json, line 14');
    expect(alert.textContent).toContain('limits.turn_time "soon" is not a duration');
    expect(screen.getByText('Valid values are used instead.')).toBeTruthy();
  });
});

describe('settings by their rank', () => {
  const changed = (key: string, value: string | number) => (seed: Seed) => {
    seed.config = {
      ...seed.config,
      entries: seed.config.entries.map((entry) =>
        entry.key === key ? { ...entry, value, source: 'file' as const } : entry,
      ),
    };
  };

  it('shows the essentials, and folds the rest below with how many of them are changed', async () => {
    open('recovery', changed('resilience.recovery.max_attempts', 7));
    const essential = await screen.findByText('limits.turn_time');
    expect(essential.closest('details')).toBeNull();
    const advanced = screen.getByText('resilience.recovery.max_attempts').closest('details');
    expect(advanced?.open).toBe(false);
    expect(advanced?.querySelector('summary')?.textContent).toMatch(/^Advanced \d+, 1 changed$/);
  });

  it('goes back to the default of a changed setting, and offers that for no other', async () => {
    const { fake, user } = open('recovery', changed('limits.turn_time', '45m'));
    const back = await screen.findByRole('button', { name: /^Back to default/ });
    const entry = fake.seed.config.entries.find(({ key }) => key === 'limits.turn_time');
    await user.click(back);
    await waitFor(() =>
      expect(fake.callsOf('config.set')).toEqual([
        { key: 'limits.turn_time', value: entry?.default },
      ]),
    );
  });

  it('shows no word of the file beside a mode', async () => {
    open('recovery');
    const [safe] = await screen.findAllByRole('radio');
    expect(safe?.textContent).not.toContain('safe_only');
  });
});
