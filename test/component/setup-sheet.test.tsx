// @vitest-environment happy-dom
/** The set-up sheet: provider, key, models, folder, hello. */
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { axeFindings, show } from './render';
import type { Shown } from './render';

const open = async (): Promise<Shown> => {
  window.location.hash = '#/agents';
  const shown = show(<RecoveryWindow />);
  await shown.user.click(await screen.findByRole('button', { name: 'Add an agent' }));
  await screen.findByRole('radiogroup', { name: 'Provider' });
  return shown;
};

describe('The set-up sheet', () => {
  it('goes from a key to an answer: tests, lists the models, checks the folder, adds the agent with drafts and says hello', async () => {
    const { fake, user } = await open();
    await user.click(screen.getByRole('radio', { name: 'OpenAI' }));
    await user.type(screen.getByLabelText(/^(API key|Key)$/), 'sk-1');
    await user.click(screen.getByRole('button', { name: 'Test and list models' }));
    expect(await screen.findByText(/is up/)).toBeTruthy();
    expect(fake.callsOf('provider.set')).toEqual([
      { name: 'openai', provider: { kind: 'openai-compatible' } },
    ]);
    expect(fake.callsOf('provider.setKey')).toEqual([{ name: 'openai', key: 'sk-1' }]);
    const agent = within(await screen.findByRole('region', { name: 'Agent' }));
    await user.click(await agent.findByRole('combobox', { name: 'Model' }));
    await user.click(await screen.findByRole('option', { name: 'large-1' }));
    expect(agent.getByText(/\$3 per million input tokens/)).toBeTruthy();
    await user.type(agent.getByLabelText(/^Folder/), '~/project');
    expect(await agent.findByText('/home/mara/project')).toBeTruthy();
    await user.click(agent.getByRole('switch', { name: /Write files as drafts/ }));
    await user.click(agent.getByRole('button', { name: 'Save and say hello' }));
    await waitFor(() => expect(fake.callsOf('send')).toHaveLength(1));
    expect(fake.callsOf('agents.add')).toEqual([
      {
        name: 'assistant',
        agent: {
          provider: 'openai',
          model: 'large-1',
          workspace: '~/project',
          drafts: true,
        },
      },
    ]);
    expect(fake.callsOf('send')).toMatchObject([{ agent: 'assistant' }]);
    expect(document.body.textContent).not.toContain('sk-1');
  }, 30_000);

  it('says at once that a folder does not exist or is relative, and takes one from the dialog', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('radio', { name: 'LM Studio' }));
    await user.click(screen.getByRole('button', { name: 'Test and list models' }));
    const folder = await screen.findByLabelText(/^Folder/);
    await user.type(folder, '~/missing');
    expect(await screen.findByText('/home/mara/missing does not exist.')).toBeTruthy();
    await user.clear(folder);
    await user.type(folder, 'project');
    expect(await screen.findByText(/Enter the full path/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Choose…' }));
    await waitFor(() => expect((folder as HTMLInputElement).value).toBe('/home/mara/code'));
  }, 30_000);

  it('shows no model field where the test fails, and why it failed', async () => {
    const { fake, user } = await open();
    fake.answer('provider.models', () => ({
      ok: false,
      message: 'Provider rejected the API key.',
      tookMs: 90,
      models: [],
    }));
    await user.click(screen.getByRole('radio', { name: 'LM Studio' }));
    await user.click(screen.getByRole('button', { name: 'Test and list models' }));
    expect(await screen.findByText(/rejected the API key/)).toBeTruthy();
    expect(screen.queryByLabelText(/^Model/)).toBeNull();
    expect(await axeFindings(document.body)).toEqual([]);
  }, 30_000);
});
