// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { SettingsWindow } from '../../renderer/settings/settings-window';
import type { Seed } from '../helpers/fake-seed-type';
import './each-page';
import { axeFindings, show, type Shown } from './render';

const titled = (fake: Shown['fake']): void =>
  fake.answer('agents.list', () => ({
    agents: fake.seed.agents.map((agent) =>
      agent.name === 'Researcher' ? { ...agent, title: 'The finder' } : agent,
    ),
  }));
const stored = { provider: 'anthropic', model: 'claude-sonnet', workspace: '/home/mara/research' };
const inSettings = (seed: Seed): void => {
  seed.config.entries = seed.config.entries.map((entry) =>
    entry.key === 'agents'
      ? { ...entry, value: { Researcher: { ...stored, title: 'The finder' } } }
      : entry,
  );
};

// First: what a window has learned stays for the tests after it.
it('S2-+05 the settings window calls an agent by its display name without the other window', async () => {
  window.location.hash = '#/agents';
  show(<SettingsWindow />, inSettings, titled);
  expect(await screen.findByText('The finder')).toBeDefined();
  expect(screen.getByText('Demo agent')).toBeDefined();
});

it('S2-+05 an agent with a display name is called by it in lists and on its page; verbs get its name', async () => {
  window.location.hash = '#/agents';
  const { user, fake, container } = show(<RecoveryWindow />, inSettings, titled);
  await user.click(await screen.findByRole('button', { name: /^The finder/ }));
  await screen.findByRole('heading', { level: 2, name: /^The finder/ });
  expect(screen.queryByRole('button', { name: /^Researcher/ })).toBeNull();
  expect(await axeFindings(container)).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Start a session' }));
  await waitFor(() => expect(fake.callsOf('session.create')).toEqual([{ agent: 'Researcher' }]));
});

it('S2-+05 the display name is written with the rest of the agent as it was, and taken out by an empty field', async () => {
  window.location.hash = '#/agents';
  const { user, fake } = show(<RecoveryWindow />, inSettings, titled);
  await user.click(await screen.findByRole('button', { name: /^The finder/ }));
  const field = await screen.findByRole('textbox', { name: 'Display name' });
  await user.clear(field);
  await user.type(field, 'Finder of things{Enter}');
  await waitFor(() =>
    expect(fake.callsOf('agents.edit')).toEqual([
      { name: 'Researcher', agent: { ...stored, title: 'Finder of things' } },
    ]),
  );
  await user.clear(field);
  await user.keyboard('{Enter}');
  await waitFor(() =>
    expect(fake.callsOf('agents.edit').at(-1)).toEqual({ name: 'Researcher', agent: stored }),
  );
  expect(within(field.closest('section') ?? field).queryByRole('alert')).toBeNull();
});
