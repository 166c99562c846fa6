// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { t } from '../../shared/messages';
import { MCP_SETTINGS } from '../../shared/settings/mcp';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, command, show } from './render';
import type { Shown } from './render';

const open = (hash: string, change?: (seed: Seed) => void): Shown => {
  window.location.hash = hash;
  return show(<RecoveryWindow />, change);
};
const pane = (): HTMLElement => screen.getByRole('article', { name: 'Agent details' });
const pick = async ({ user }: Shown, name: RegExp): Promise<HTMLElement> => {
  await user.click(await screen.findByRole('button', { name }));
  return pane();
};
const nothingHere = (seed: Seed): void => {
  seed.detected = seed.detected.map(({ id, name }) => ({
    id,
    name,
    isInstalled: false,
    missing: `${id} is not on your PATH.`,
  }));
};

describe('An agent with tools', () => {
  it('S3-06 says of each tool whether it runs or asks, and changes that in place', async () => {
    const shown = open('#/agents');
    const at = await pick(shown, /^Repo mender/);
    const rule = await within(at).findByRole<HTMLSelectElement>('combobox', {
      name: 'Rule for shell',
    });
    expect([...rule.options].map(({ text }) => text)).toEqual([
      'asks if risky',
      'Always allow',
      'Always ask',
      'Always deny',
    ]);
    await shown.user.selectOptions(rule, 'Always ask');
    await waitFor(() =>
      expect(shown.fake.callsOf('config.set')).toEqual([
        { key: 'approvals.tools', value: expect.objectContaining({ shell: 'ask' }) },
      ]),
    );
    expect(await axeFindings(at)).toEqual([]);
  });
});

describe('What an agent can lose', () => {
  it('S4-+07 says for each agent what is kept and that what a tool did elsewhere is not', async () => {
    const shown = open('#/agents');
    const at = await pick(shown, /^Repo mender/);
    const title = within(at).getByRole('heading', { name: 'What is saved, and what isn’t' });
    expect(title.nextElementSibling?.textContent).toMatch(
      /^Saved: the turn, its steps and their results.*Anything a tool did elsewhere is external/,
    );
  });
});

describe('Agents of other programs', () => {
  it('S2-+05 says how exact one is in the words of the engine, its whole command, where its program is, what is passed to it and what is not, and who answers it', async () => {
    const shown = open('#/agents', (seed) => {
      seed.config.entries = seed.config.entries.map((entry) =>
        entry.key === 'agents'
          ? {
              ...entry,
              value: {
                'Site mender': {
                  executor: 'acp',
                  command: 'claude-agent-acp',
                  args: ['--verbose'],
                  workspace: '/home/mara/code/site',
                  env: ['FORGE_TOKEN', 'GONE_TOKEN', 'FORGE_HOST'],
                  ask: 'always',
                },
              },
            }
          : entry,
      );
      seed.setups['Site mender'] = {
        ...seed.setups['Site mender']!,
        env: [
          { name: 'FORGE_TOKEN', isSet: true },
          { name: 'GONE_TOKEN', isSet: false },
          { name: 'FORGE_HOST', isSet: true },
        ],
      };
    });
    const at = await pick(shown, /^Site mender/);
    expect(at.textContent).toContain(
      'records the tool calls and permission requests that the agent reports',
    );
    expect(within(at).getByText('claude-agent-acp --verbose')).toBeTruthy();
    await within(at).findByText('/home/mara/.local/bin/claude-agent-acp');
    const program = within(at).getByText('Program').nextElementSibling;
    expect(program?.textContent).toBe('/home/mara/.local/bin/claude-agent-acp 0.49.0');
    expect(within(at).getByText('Environment').nextElementSibling?.textContent).toMatch(
      /^FORGE_TOKEN GONE_TOKEN not setFORGE_HOST Names only\./,
    );
    expect(within(at).getByText('Not passed').nextElementSibling?.textContent).toMatch(
      /^OPENAI_API_KEYThese look like secrets\./,
    );
    expect(within(at).getByText('You’re asked about every permission request.')).toBeTruthy();
    expect(within(at).getByText(/^Uses its own tools\./)).toBeTruthy();
    // What it has cost is known when it tells it: more is not claimed of the limit of money.
    expect(within(at).getByText(/only if the agent reports its cost/)).toBeTruthy();
    await shown.user.click(within(at).getByRole('button', { name: /^Test Site mender/ }));
    expect(await within(at).findByText('It answered.')).toBeTruthy();
    expect(shown.fake.callsOf('agents.test')).toEqual([{ name: 'Site mender' }]);
    // Names only, with a mark beside what is a secret.
    expect(within(at).getAllByRole('img', { name: 'looks like a secret' })).toHaveLength(2);
  });

  it.each([
    [{}, { wait: false }],
    [{ wait: false }, {}],
  ])(
    'S0-+07 its switch makes %j of waiting %j, and changes nothing else',
    async (before, after) => {
      const agent = {
        executor: 'acp',
        command: 'claude-agent-acp',
        workspace: '/srv',
        login: 'key',
      };
      const shown = open('#/agents', (seed) => {
        const value = { 'Site mender': { ...agent, ...before } };
        seed.config.entries = seed.config.entries.map((entry) =>
          entry.key === 'agents' ? { ...entry, value } : entry,
        );
      });
      const at = await pick(shown, /^Site mender/);
      const toggle = await within(at).findByRole<HTMLInputElement>('switch', {
        name: 'Wait and resume automatically',
      });
      expect(toggle.checked).toBe(!('wait' in before));
      await shown.user.click(toggle);
      await waitFor(() =>
        expect(shown.fake.callsOf('agents.edit')).toEqual([
          { name: 'Site mender', agent: { ...agent, ...after } },
        ]),
      );
    },
  );

  it('says of a program that is not there that it is not, and of an agent without one nothing', async () => {
    const shown = open('#/agents', (seed) => {
      seed.setups['Site mender'] = {
        program: { name: 'mender', line: 'mender' },
        env: [],
        withheld: [],
      };
    });
    const at = await pick(shown, /^Site mender/);
    await within(at).findByText(/^Not found on the PATH of your login shell/);
    expect(within(at).getByText('Program')).toBeTruthy();
    expect(within(at).queryByText('Not passed')).toBeNull();
    expect(within(await pick(shown, /^Repo mender/)).queryByText('Program')).toBeNull();
  });

  it('lists what was found with its version, what is missing, and names the rest in one line', async () => {
    open('#/agents');
    const gemini = await screen.findByRole('button', { name: /Gemini CLI/ });
    expect(gemini.textContent).toContain('0.61.0');
    expect(gemini.textContent).toContain('Not added yet.');
    expect(screen.getByRole('button', { name: /Claude Code/ }).textContent).toContain(
      'Added as Site mender.',
    );
    expect(screen.getByRole('button', { name: /Codex/ }).textContent).toContain(
      'Install its adapter',
    );
    expect(screen.getByText('Not on your PATH: opencode, Goose.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Goose/ })).toBeNull();
  });

  it('adds one with a folder that is typed, and shows it with its test', async () => {
    const shown = open('#/agents');
    const at = await pick(shown, /Gemini CLI/);
    expect((within(at).getByLabelText('Name') as HTMLInputElement).value).toBe('gemini');
    const use = within(at).getByRole('button', { name: 'Use here' });
    await shown.user.click(use);
    expect(within(at).getByText('Choose a folder for it to work in.')).toBeTruthy();
    await shown.user.type(within(at).getByLabelText(/^Folder/), 'code/site');
    expect(within(at).getByText('Enter the full path, or one that starts with ~/.')).toBeTruthy();
    await shown.user.click(use);
    expect(shown.fake.callsOf('agents.add')).toEqual([]);
    await shown.user.clear(within(at).getByLabelText(/^Folder/));
    await shown.user.type(within(at).getByLabelText(/^Folder/), '/home/mara/code/site');
    await shown.user.click(use);
    await waitFor(() =>
      expect(shown.fake.callsOf('agents.add')).toEqual([
        {
          name: 'gemini',
          agent: {
            executor: 'acp',
            command: 'gemini',
            args: ['--acp'],
            workspace: '/home/mara/code/site',
          },
        },
      ]),
    );
    expect(await within(pane()).findByRole('button', { name: /^Test gemini/ })).toBeTruthy();
  });

  it('never takes a name that is there: that would replace the agent', async () => {
    const shown = open('#/agents');
    const at = await pick(shown, /Gemini CLI/);
    const name = within(at).getByLabelText('Name');
    await shown.user.clear(name);
    await shown.user.type(name, 'Researcher');
    await shown.user.type(within(at).getByLabelText(/^Folder/), '/tmp');
    await shown.user.click(within(at).getByRole('button', { name: 'Use here' }));
    expect(within(at).getByText('An agent with this name already exists.')).toBeTruthy();
    expect(shown.fake.callsOf('agents.add')).toEqual([]);
  });

  it('says what it installs, as a command to copy and a button, and offers no form before; of one that can be watched how exact that is', async () => {
    const shown = open('#/agents');
    const at = await pick(shown, /Codex/);
    expect(
      within(at).getByText(command(/npm install --global @agentclientprotocol\/codex-acp/)),
    ).toBeTruthy();
    expect(within(at).getByRole('button', { name: 'Copy the command' })).toBeTruthy();
    expect(within(at).queryByRole('button', { name: 'Use here' })).toBeNull();
    expect(within(at).queryByText('Monitor')).toBeNull();
    const claude = await pick(shown, /^Claude Code/);
    expect(within(claude).getByText(/didn’t start it and can’t stop it/)).toBeTruthy();
  });

  it('looks once per window, and again only when asked', async () => {
    const { fake, user } = open('#/agents', nothingHere);
    expect(await screen.findByText(/^No known agent was found on your PATH: /)).toBeTruthy();
    fake.emit('config.changed', { keys: ['agents'] });
    expect(fake.callsOf('agents.detect')).toHaveLength(1);
    await user.click(screen.getByRole('button', { name: 'Look again' }));
    await waitFor(() => expect(fake.callsOf('agents.detect')).toHaveLength(2));
  });
});

describe('Changing and removing an agent', () => {
  const withSettings = (seed: Seed): void => {
    seed.config.entries = seed.config.entries.map((entry) =>
      entry.key === 'agents'
        ? {
            ...entry,
            value: {
              'Site mender': {
                executor: 'acp',
                command: 'claude-agent-acp',
                args: ['--verbose'],
                workspace: '/home/mara/code/site',
                login: 'key',
              },
              'Repo mender': {
                provider: 'Office proxy',
                model: 'gpt-4o',
                workspace: '/srv',
                drafts: true,
                mcp_servers: ['calendar'],
              },
            },
          }
        : entry,
    );
  };

  it('S3-30 changes command, folder, variables and who answers, and keeps what was not touched', async () => {
    const shown = open('#/agents', withSettings);
    const at = await pick(shown, /^Site mender/);
    await shown.user.click(within(at).getByRole('button', { name: 'Edit' }));
    const form = within(at).getByRole('form', { name: 'Edit Site mender' });
    expect(await axeFindings(at)).toEqual([]);
    const folder = within(form).getByLabelText(/^Folder/);
    await shown.user.clear(folder);
    await shown.user.type(folder, 'site');
    expect(within(form).getByText('Enter the full path, or one that starts with ~/.')).toBeTruthy();
    const save = within(form).getByRole<HTMLButtonElement>('button', { name: 'Save agent' });
    expect(save.disabled).toBe(true);
    await shown.user.clear(folder);
    await shown.user.type(folder, '/srv/site');
    await shown.user.type(within(form).getByLabelText(/^Command/), ' --model "a b"');
    await shown.user.selectOptions(
      within(form).getByLabelText(/^Permission requests/),
      'Ask me about every permission request',
    );
    await shown.user.type(
      within(form).getByRole('combobox', { name: /^Environment/ }),
      'KEY{enter}',
    );
    await shown.user.click(save);
    await waitFor(() =>
      expect(shown.fake.callsOf('agents.edit')).toEqual([
        {
          name: 'Site mender',
          agent: {
            executor: 'acp',
            command: 'claude-agent-acp',
            args: ['--verbose', '--model', 'a b'],
            workspace: '/srv/site',
            env: ['KEY'],
            ask: 'always',
            login: 'key',
          },
        },
      ]),
    );
    await waitFor(() => expect(within(pane()).queryByRole('form')).toBeNull());
  });

  it('S3-20 saving an agent of a provider leaves its drafts and its servers as they are', async () => {
    const shown = open('#/agents', withSettings);
    const at = await pick(shown, /^Repo mender/);
    await shown.user.click(within(at).getByRole('button', { name: 'Edit' }));
    const model = within(at).getByLabelText(/^Model/);
    await shown.user.clear(model);
    await shown.user.type(model, 'gpt-5');
    await shown.user.click(within(at).getByRole('button', { name: 'Save agent' }));
    await waitFor(() =>
      expect(shown.fake.callsOf('agents.edit')).toEqual([
        {
          name: 'Repo mender',
          agent: {
            provider: 'Office proxy',
            model: 'gpt-5',
            workspace: '/srv',
            drafts: true,
            mcp_servers: ['calendar'],
          },
        },
      ]),
    );
  });

  it('S3-30 asks before it removes one and says what stays; a refusal is read in the question', async () => {
    const shown = open('#/agents', withSettings);
    const at = await pick(shown, /^Site mender/);
    await shown.user.click(within(at).getByRole('button', { name: 'Edit' }));
    await shown.user.click(within(at).getByRole('button', { name: 'Remove Site mender' }));
    const question = await screen.findByRole('dialog', { name: 'Remove Site mender?' });
    expect(question.textContent).toContain('Its sessions, turns and drafts stay');
    expect(question.textContent).toContain('Files in its folder are not touched.');
    expect(question.querySelector('[data-variant="filled"]')).toBeNull();
    expect(await axeFindings(question)).toEqual([]);
    const confirm = within(question).getByRole('button', { name: 'Remove agent' });
    shown.fake.refuse('agents.remove', 'AGENT_BUSY', 'The agent still has 1 task (3).');
    await shown.user.click(confirm);
    expect(await within(question).findByText(/still has 1 task \(3\)/)).toBeTruthy();
    shown.fake.allow('agents.remove');
    await shown.user.click(confirm);
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Site mender/ })).toBeNull());
    expect(shown.fake.callsOf('agents.remove')).toHaveLength(2);
  });

  it('S3-30 S3-06 the demo agent can be neither changed nor removed, and asks for an approval on its button', async () => {
    const shown = open('#/agents', withSettings);
    const at = await pick(shown, /^Demo agent/);
    expect(within(at).queryByRole('button', { name: 'Edit' })).toBeNull();
    expect(within(at).queryByRole('button', { name: /^Remove/ })).toBeNull();
    await shown.user.click(within(at).getByRole('button', { name: 'Ask for approval' }));
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/sessions\/\d+$/));
    expect(shown.fake.callsOf('send')).toEqual([
      { text: t('practice.taskApproval'), agent: 'practice' },
    ]);
  });
});

describe('MCP servers', () => {
  it('S2-52 a server without its variable is skipped, names it, and is no error', async () => {
    const shown = open('#/agents');
    const at = await pick(shown, /^forge/);
    expect(screen.getByRole('button', { name: /^forge/ }).textContent).toContain('skipped');
    expect(within(at).getByText('FORGE_TOKEN is not set.')).toBeTruthy();
    expect(within(at).getByText(/^Not an error: something it needs is missing/)).toBeTruthy();
    expect(at.querySelector('.tone-outage')).toBeNull();
    expect(within(at).getByText('Its tools are listed while it runs.')).toBeTruthy();
  });

  it('S2-19 says when a crashed server starts again and why one was given up', async () => {
    const shown = open('#/agents');
    const notes = await pick(shown, /^notes/);
    expect(within(notes).getByText('The program ended with code 1.')).toBeTruthy();
    expect(notes.textContent).toMatch(/Next start in \d+ s/);
    const search = await pick(shown, /^search/);
    expect(search.textContent).toContain('restarted 5 times');
    expect(search.textContent).toContain('Its tools are unavailable until you restart it.');
  });

  it('S2-19 restarts exactly the server on the button and shows what came of it', async () => {
    const shown = open('#/agents');
    const at = await pick(shown, /^search/);
    await shown.user.click(within(at).getByRole('button', { name: 'Restart search' }));
    await waitFor(() => expect(shown.fake.callsOf('ext.restart')).toEqual([{ name: 'search' }]));
    await waitFor(() => expect(within(pane()).getByText('running')).toBeTruthy());
    expect(within(pane()).queryByText(/withdrawn/)).toBeNull();
  });

  it('shows the tools of a running server with their class, and asks anew when they change', async () => {
    const shown = open('#/agents');
    const at = await pick(shown, /^calendar/);
    const row = within(at).getByText('calendar.list_events').closest('tr') as HTMLElement;
    expect(row.textContent).toContain('read-only');
    const before = shown.fake.callsOf('tools.list').length;
    shown.fake.seed.servers = shown.fake.seed.servers.map((server) => ({ ...server, tools: [] }));
    shown.fake.emit('status.changed', shown.fake.seed.status);
    await waitFor(() => expect(shown.fake.callsOf('tools.list').length).toBeGreaterThan(before));
  });

  it('S2-19 with none there is a way to add one: the file, lines to copy, and its folder', async () => {
    const shown = open('#/agents', (seed) => {
      seed.servers = [];
    });
    expect(await screen.findByText(/^No MCP servers yet/)).toBeTruthy();
    const at = await pick(shown, /^Add an MCP server/);
    await within(at).findByText(/config\.json$/);
    const example = within(at).getByRole('region', { name: 'Example of mcp.servers' }).textContent;
    const { mcp } = JSON.parse(example ?? '') as { mcp: { servers: unknown } };
    expect(MCP_SETTINGS['mcp.servers'].schema.safeParse(mcp.servers).error).toBeUndefined();
    await shown.user.click(within(at).getByRole('button', { name: 'Open its folder' }));
    expect(shown.fake.callsOf('app.openFolder')).toEqual([{ which: 'data' }]);
    expect(await axeFindings(shown.container)).toEqual([]);
  });

  it.each([/^calendar/, /^forge/, /^search/, /Gemini CLI/, /Codex/, /^Site mender/])(
    'has no findings of axe with %s picked',
    async (name) => {
      const shown = open('#/agents');
      await pick(shown, name);
      expect(await axeFindings(shown.container)).toEqual([]);
    },
  );
});

describe('First start: your agents', () => {
  const step = async (change?: (seed: Seed) => void): Promise<Shown> => {
    const shown = open('#/welcome', change);
    await shown.user.click(await screen.findByRole('button', { name: /Your agents/ }));
    await screen.findByRole('heading', { name: 'Your agents' });
    return shown;
  };
  const choices = (name: string): HTMLElement =>
    screen.getByRole('radiogroup', { name: `What to do with ${name}` });

  it('shows what was found with nothing preselected, and Continue then changes nothing', async () => {
    const { fake, user } = await step();
    expect(
      await screen.findByText(
        'Three agents were found on this computer. Nothing is installed or changed until you choose it.',
      ),
    ).toBeTruthy();
    for (const radio of screen.getAllByRole('radio'))
      expect((radio as HTMLInputElement).checked).toBe(false);
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'Your agents' })).toBeNull());
    expect(fake.callsOf('agents.add')).toEqual([]);
  });

  it('adds what is used here on Continue, and not before a folder is written', async () => {
    const { fake, user } = await step();
    await screen.findByText(/Three agents were found/);
    await user.click(within(choices('Gemini CLI')).getByRole('radio', { name: 'Use here' }));
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    expect(await screen.findByText('Choose a folder for it to work in.')).toBeTruthy();
    expect(fake.callsOf('agents.add')).toEqual([]);
    await user.type(screen.getByLabelText(/^Folder/), '/home/mara/code');
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await waitFor(() =>
      expect(fake.callsOf('agents.add')).toEqual([
        {
          name: 'gemini',
          agent: {
            executor: 'acp',
            command: 'gemini',
            args: ['--acp'],
            workspace: '/home/mara/code',
          },
        },
      ]),
    );
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'Your agents' })).toBeNull());
  });

  it('says that a folder is not there, and Continue saves the corrected one in its place, once', async () => {
    const { fake, user } = await step();
    await screen.findByText(/Three agents were found/);
    await user.click(within(choices('Gemini CLI')).getByRole('radio', { name: 'Use here' }));
    await user.type(screen.getByLabelText(/^Folder/), '/gone');
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    expect((await screen.findByRole('status')).textContent).toMatch(
      /gemini is saved\. Can’t run yet\..*does not exist\. Enter another folder above/,
    );
    const folder = screen.getByLabelText(/^Folder/);
    await user.clear(folder);
    await user.type(folder, '/srv');
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'Your agents' })).toBeNull());
    expect(fake.callsOf('agents.add')).toHaveLength(1);
    expect(fake.callsOf('agents.edit')).toMatchObject([
      { name: 'gemini', agent: { command: 'gemini', workspace: '/srv' } },
    ]);
  });

  it('stays where the engine refuses, says so, and adds nothing twice', async () => {
    const { fake, user } = await step();
    await screen.findByText(/Three agents were found/);
    for (const name of ['Claude Code', 'Gemini CLI'])
      await user.click(within(choices(name)).getByRole('radio', { name: 'Use here' }));
    for (const field of screen.getAllByLabelText(/^Folder/)) await user.type(field, '/srv');
    fake.refuse('agents.add', 'CONFIG_INVALID', 'The settings cannot be written.');
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    expect(await screen.findByText('CONFIG_INVALID')).toBeTruthy();
    fake.allow('agents.add');
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'Your agents' })).toBeNull());
    expect(
      (fake.callsOf('agents.add') as { readonly name: string }[]).map(({ name }) => name),
    ).toEqual(['claude', 'claude', 'gemini']);
  });

  it('S3-36 shows the lines that watching adds, adds exactly those at one press, and says that a hook answered', async () => {
    const { fake, user } = await step();
    await screen.findByText(/Three agents were found/);
    expect(within(choices('Gemini CLI')).queryByRole('radio', { name: 'Monitor' })).toBeNull();
    await user.click(within(choices('Claude Code')).getByRole('radio', { name: 'Monitor' }));
    const lines = await screen.findByRole('region', { name: 'Lines that are added' });
    expect(lines.textContent).toContain('+     "Stop": []');
    expect(fake.callsOf('hooks.install')).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Add the hooks' }));
    expect(await screen.findByText(/A hook answered in/)).toBeTruthy();
    expect(fake.callsOf('hooks.install')).toEqual([{ requestHash: 'a'.repeat(64) }]);
    await user.click(screen.getByRole('button', { name: 'Remove the hooks…' }));
    expect(screen.getByRole('region', { name: 'Lines that are removed' })).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Remove them' }));
    expect(await screen.findByRole('button', { name: 'Add the hooks' })).toBeTruthy();
    expect(fake.callsOf('hooks.remove')).toEqual([{ requestHash: 'b'.repeat(64) }]);
  });

  it('says that a hook did not answer, and with which words', async () => {
    const { fake, user } = await step();
    await screen.findByText(/Three agents were found/);
    fake.answer('hooks.install', () => ({
      hooks: {
        path: '/home/mara/.claude/settings.json',
        isInstalled: true,
        diff: [],
        removal: [],
        requestHash: 'b'.repeat(64),
      },
      check: { isAnswered: false, tookMs: 20_000, problem: 'cannot open display' },
    }));
    await user.click(within(choices('Claude Code')).getByRole('radio', { name: 'Monitor' }));
    await user.click(await screen.findByRole('button', { name: 'Add the hooks' }));
    fake.answer('hooks.show', () => ({
      path: '/home/mara/.claude/settings.json',
      isInstalled: true,
      diff: [],
      removal: [],
      requestHash: 'b'.repeat(64),
    }));
    window.dispatchEvent(new Event('focus'));
    expect(await screen.findByText(/cannot open display/)).toBeTruthy();
  });

  it('installs a missing adapter with the command that is shown, then asks for the folder', async () => {
    const { fake, user } = await step();
    await screen.findByText(/Three agents were found/);
    await user.click(within(choices('Codex')).getByRole('radio', { name: 'Use here' }));
    const line = 'npm install --global @agentclientprotocol/codex-acp';
    expect(screen.getByText(command(line))).toBeTruthy();
    expect(fake.callsOf('agents.installAdapter')).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Install adapter' }));
    expect(await screen.findByLabelText(/^Folder/)).toBeTruthy();
    expect(fake.callsOf('agents.installAdapter')).toEqual([{ id: 'codex', command: line }]);
  });

  it('shows what npm said when an adapter could not be installed', async () => {
    const { fake, user } = await step();
    await screen.findByText(/Three agents were found/);
    fake.answer('agents.installAdapter', () => ({
      ok: false,
      message: 'EACCES: permission denied',
      tookMs: 9,
    }));
    await user.click(within(choices('Codex')).getByRole('radio', { name: 'Use here' }));
    await user.click(screen.getByRole('button', { name: 'Install adapter' }));
    expect(await screen.findByText(/EACCES: permission denied/)).toBeTruthy();
    expect(screen.getByText('The adapter was not installed.')).toBeTruthy();
  });

  it('goes on where nothing is found, and where looking fails', async () => {
    const { user } = await step(nothingHere);
    expect(await screen.findByText(/^No external agent was found on this computer\./)).toBeTruthy();
    expect(screen.queryByRole('radio')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'Your agents' })).toBeNull());
  });

  it('has no findings of axe with a form open', async () => {
    const { container, user } = await step();
    await screen.findByText(/Three agents were found/);
    await user.click(within(choices('Gemini CLI')).getByRole('radio', { name: 'Use here' }));
    expect(await axeFindings(container)).toEqual([]);
  });
});
