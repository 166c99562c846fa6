// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { SettingsWindow } from '../../renderer/settings/settings-window';
import { SettingRow } from '../../renderer/settings/setting-row';
import type { ShownKey } from '../../renderer/settings/setting-groups';
import { SETTINGS } from '../../shared/settings';
import type { ConfigEntry } from '../../shared/types';
import { axeFindings, show, type Shown } from './render';

const shown = (
  key: ShownKey,
  value: ConfigEntry['value'],
  source: ConfigEntry['source'] = 'file',
): Shown =>
  show(
    <ul>
      <SettingRow
        settingKey={key}
        entry={{ key, value, default: {}, source, applies: 'hot', about: SETTINGS[key].about }}
      />
    </ul>,
  );

const written = ({ fake }: Shown, key: ShownKey, value: unknown): Promise<void> =>
  waitFor(() => {
    expect(fake.callsOf('config.set').at(-1)).toEqual({ key, value });
    expect(SETTINGS[key].schema.safeParse(value).success).toBe(true);
  });

const DAILY = { scope: 'all', per: 'day', usd: 10 };

describe('budgets in the settings', () => {
  const key = 'budgets.caps';

  it('S0-02 BU-01 are added by a name, an amount and a time; a name that is taken is refused in place', async () => {
    const page = shown(key, { daily: DAILY });
    const name = await screen.findByRole('textbox', { name: 'Budget name, such as daily' });
    await page.user.type(name, 'daily');
    expect(screen.getByText('There is a budget with this name above.')).toBeDefined();
    await page.user.clear(name);
    await page.user.type(name, 'claude');
    await page.user.type(screen.getByRole('textbox', { name: 'US dollars' }), '99.5{Enter}');
    await written(page, key, { daily: DAILY, claude: { scope: 'all', per: 'day', usd: 99.5 } });
    expect(await axeFindings(page.container)).toEqual([]);
  });

  it('S0-02 BU-01 each field of a row writes that field alone, and what makes no sense with it goes', async () => {
    const month = { scope: 'agent', of: 'Researcher', per: 'month', usd: 20, resets_on: 15 };
    const page = shown(key, { daily: DAILY, research: month });
    const amount = await screen.findByRole('textbox', { name: 'US dollars of research' });
    expect(amount).toHaveProperty('value', '20');
    await page.user.clear(amount);
    await page.user.type(amount, '25{Enter}');
    await written(page, key, { daily: DAILY, research: { ...month, usd: 25 } });
    const warn = screen.getByRole('textbox', { name: 'Notify at, in % of daily' });
    await page.user.type(warn, '50{Enter}');
    await written(page, key, {
      research: { ...month, usd: 25 },
      daily: { ...DAILY, warn_at: 0.5 },
    });
    await page.user.click(screen.getByRole('combobox', { name: 'For of research' }));
    await page.user.click(await screen.findByRole('option', { name: 'Each turn' }));
    await written(page, key, {
      daily: { ...DAILY, warn_at: 0.5 },
      research: { scope: 'turn', per: 'turn', usd: 25 },
    });
    await page.user.click(screen.getByRole('button', { name: 'Remove the budget daily' }));
    await written(page, key, { research: { scope: 'turn', per: 'turn', usd: 25 } });
  });

  it('S0-02 BU-05 one of an account can be its monthly credit, and one of an agent is chosen by its display name', async () => {
    const team = { scope: 'account', of: 'team', per: 'month', usd: 200 };
    const page = shown(key, { team, all: { scope: 'agent', per: 'week', usd: 5 } });
    await page.user.click(await screen.findByRole('switch', { name: /monthly credit.* of team$/ }));
    await written(page, key, {
      all: { scope: 'agent', per: 'week', usd: 5 },
      team: { ...team, is_credit: true },
    });
    await page.user.click(screen.getByRole('combobox', { name: 'Only of all' }));
    await page.user.click(await screen.findByRole('option', { name: 'Researcher' }));
    await written(page, key, {
      team: { ...team, is_credit: true },
      all: { scope: 'agent', per: 'week', usd: 5, of: 'Researcher' },
    });
  });

  it('S0-02 BU-01 a link to them puts the focus into a field, not on the button that removes one', async () => {
    window.location.hash = '#/agents/budgets.caps';
    show(<SettingsWindow />, (seed) => {
      seed.config.entries = [
        ...seed.config.entries.filter((entry) => entry.key !== key),
        {
          key,
          value: { daily: DAILY },
          default: {},
          source: 'file',
          applies: 'hot',
          about: SETTINGS[key].about,
        },
      ];
    });
    await waitFor(() =>
      expect(document.activeElement?.getAttribute('aria-label')).toBe('US dollars of daily'),
    );
  });

  it('S0-02 BU-01 with what the environment sets nothing can be changed here, and it says why', async () => {
    shown(key, { daily: DAILY }, 'environment');
    expect(await screen.findByText('Overridden by an environment variable.')).toBeDefined();
    for (const field of screen.getAllByRole('textbox'))
      expect(field).toHaveProperty('disabled', true);
    expect(screen.getByRole('button', { name: 'Remove the budget daily' })).toHaveProperty(
      'disabled',
      true,
    );
  });
});

describe('settings with a value for each name', () => {
  it('HO-01 a computer is added with its address, changed and removed', async () => {
    const key = 'hosts.addresses';
    const page = shown(key, { box: 'ssh://me@box' });
    const address = await screen.findByRole('textbox', { name: 'Address of box' });
    await page.user.type(address, '.example{Enter}');
    await written(page, key, { box: 'ssh://me@box.example' });
    await page.user.type(screen.getByRole('textbox', { name: 'Name, such as box' }), 'lab');
    await page.user.type(
      screen.getByRole('textbox', { name: 'Address, such as ssh://user@box.example' }),
      'ssh://lab{Enter}',
    );
    await written(page, key, { box: 'ssh://me@box.example', lab: 'ssh://lab' });
    await page.user.click(screen.getByRole('button', { name: 'Remove the computer box' }));
    await written(page, key, { lab: 'ssh://lab' });
    expect(await axeFindings(page.container)).toEqual([]);
  });

  it('FB-05 the models that answer for a provider are a list, and one of two names stays as it is in the file', async () => {
    const key = 'gateway.fallback';
    const named = { provider: 'spare', model: 'm-2' };
    const page = shown(key, { main: [named] });
    expect(await screen.findByText('spare/m-2')).toBeDefined();
    const [list] = screen
      .getAllByLabelText('Fallback models for main')
      .filter((one) => one.tagName === 'INPUT');
    if (list === undefined) throw new Error('no field');
    await page.user.type(list, 'third/m-3{Enter}');
    await written(page, key, { main: [named, 'third/m-3'] });
    await page.user.click(screen.getByRole('button', { name: 'Remove the fallbacks of main' }));
    await written(page, key, {});
  });

  it('GT-04 tasks of the file are listed with their time, and no field changes them', async () => {
    const { container } = shown('tasks.own', {
      tidy: { schedule: 'daily at 09:00', prompt: 'Tidy up. Then stop.', agent: 'practice' },
    });
    const row = (await screen.findByText('tidy')).closest('li');
    if (row === null) throw new Error('no row');
    expect(within(row).getByText(/daily at 09:00/).textContent).toContain('daily at 09:00');
    expect(container.querySelectorAll('input, textarea')).toHaveLength(0);
  });
});
