// @vitest-environment happy-dom
/** The keyboard without holes: Esc leaves fields and pages, J and K reach lists, one Tab stop each. */
import { Menu, MantineProvider, Select } from '@mantine/core';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isOwnEscape } from '../../renderer/keys/own-escape';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { SettingsWindow } from '../../renderer/settings/settings-window';
import { t } from '../../shared/messages';
import { axeFindings, show } from './render';
import type { Shown } from './render';

// Nothing is laid out here: the list is told that it has room for fifteen rows.
Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { configurable: true, get: () => 600 },
  clientWidth: { configurable: true, get: () => 900 },
});

beforeEach(() => {
  window.location.hash = '';
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const at = (hash: string): Shown => {
  window.location.hash = hash;
  return show(<RecoveryWindow />);
};
const rowOf = (element: Element | null): string | undefined =>
  element?.closest<HTMLElement>('[data-row]')?.dataset['row'];
/** Opens the first session of this state from the list; its composer. */
async function openSession(state: 'idle' | 'running'): Promise<HTMLTextAreaElement> {
  const chip = state === 'idle' ? t('session.idle') : t('state.running');
  // The page remembers what a test before this one chose.
  const user = userEvent.setup();
  await user.click(await screen.findByRole('radio', { name: t('sessions.title') }));
  await user.click(screen.getByRole('radio', { name: t('filter.all') }));
  const table = await screen.findByRole('table', { name: t('sessions.title') });
  await within(table).findAllByText(chip);
  const row = within(table)
    .getAllByRole('row')
    .find((one) => one.textContent.startsWith(chip));
  window.location.hash = row?.querySelector('a')?.getAttribute('href') ?? '';
  await screen.findByRole('region', { name: t('chat.label') });
  return screen.getAllByRole('textbox').at(-1) as HTMLTextAreaElement;
}
const back = (): ReturnType<typeof vi.spyOn> => vi.spyOn(window.history, 'back');

describe('Esc', () => {
  it('leaves the search of Events; then digits open pages again', async () => {
    const { user } = at('#/events');
    const search = await screen.findByRole('searchbox');
    await user.click(search);
    await user.type(search, 'mail');
    await user.keyboard('{Escape}');
    expect((search as HTMLInputElement).value).toBe('');
    expect(document.activeElement).toBe(search);
    await user.keyboard('{Escape}');
    expect(document.activeElement).toBe(document.body);
    await user.keyboard('1');
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/?$/));
  });

  it('leaves the composer of a session with its text, and goes back only the second time', async () => {
    const went = back();
    const { user } = at('#/sessions');
    const composer = await openSession('idle');
    await user.type(composer, 'Half a thought');
    await user.keyboard('{Escape}');
    expect(document.activeElement).not.toBe(composer);
    expect(composer.value).toBe('Half a thought');
    expect(went).not.toHaveBeenCalled();
    await user.keyboard('{Escape}');
    expect(went).toHaveBeenCalledTimes(1);
  });

  it('stays in a session while its turn runs: Esc twice stops that turn', async () => {
    const went = back();
    const { user, fake } = at('#/sessions');
    await openSession('running');
    await waitFor(() =>
      expect(document.querySelector('[data-keeps-escape="true"]')).not.toBeNull(),
    );
    await user.keyboard('{Escape}{Escape}');
    await waitFor(() => expect(fake.callsOf('session.interrupt')).toHaveLength(1));
    expect(went).not.toHaveBeenCalled();
  });

  it('that closes the menu of a running session is none of the two that stop its turn', async () => {
    const { user, fake } = at('#/sessions');
    await openSession('running');
    await waitFor(() =>
      expect(document.querySelector('[data-keeps-escape="true"]')).not.toBeNull(),
    );
    await user.click(screen.getByRole('button', { name: /^Actions for/ }));
    await screen.findByRole('menu');
    await user.keyboard('{Escape}');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
    expect(fake.callsOf('session.interrupt')).toEqual([]);
    await user.keyboard('{Escape}{Escape}');
    await waitFor(() => expect(fake.callsOf('session.interrupt')).not.toEqual([]));
  });

  it('closes the list or the menu of a part first, wherever it is drawn, and the part with the next one', async () => {
    const closed = vi.fn();
    render(
      <MantineProvider env="test">
        <section
          aria-label="part"
          tabIndex={-1}
          onKeyDown={(event) => {
            if (isOwnEscape(event)) closed();
          }}
        >
          <Select label="Kind" data={['one', 'two']} />
          <Menu>
            <Menu.Target>
              <button>More</button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item>Copy</Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <button aria-expanded="true">Details</button>
        </section>
      </MantineProvider>,
    );
    const user = userEvent.setup();
    await user.click(screen.getByRole('combobox', { name: 'Kind' }));
    await screen.findByRole('option', { name: 'one' });
    await user.keyboard('{Escape}');
    expect(closed).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'More' }));
    (await screen.findByRole('menuitem', { name: 'Copy' })).focus();
    await user.keyboard('{Escape}');
    expect(closed).not.toHaveBeenCalled();
    // What is only unfolded is no list.
    screen.getByRole('button', { name: 'Details' }).focus();
    await user.keyboard('{Escape}');
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it('restores the saved value of a setting before it leaves the field, and saves nothing', async () => {
    window.location.hash = '#/recovery';
    const { user, fake } = show(<SettingsWindow />);
    const field = await waitFor(() => {
      const found = [...document.querySelectorAll<HTMLInputElement>('input')].find((one) =>
        /^\d+$/.test(one.value),
      );
      if (!found) throw new Error('no number');
      return found;
    });
    const saved = field.value;
    await user.click(field);
    await user.type(field, '7');
    expect(field.value).not.toBe(saved);
    await user.keyboard('{Escape}');
    expect(field.value).toBe(saved);
    expect(document.activeElement).toBe(field);
    await user.keyboard('{Escape}');
    expect(document.activeElement).not.toBe(field);
    expect(fake.callsOf('config.set')).toEqual([]);
  });
});

describe('J and K', () => {
  it('move through the sessions from anywhere on the page', async () => {
    const { user } = at('#/sessions');
    await screen.findByRole('table');
    expect(rowOf(document.activeElement)).toBeUndefined();
    await user.keyboard('j');
    await waitFor(() => expect(rowOf(document.activeElement)).toBe('0'));
    await user.keyboard('jj');
    await waitFor(() => expect(rowOf(document.activeElement)).toBe('2'));
    await user.keyboard('k');
    await waitFor(() => expect(rowOf(document.activeElement)).toBe('1'));
  });

  it('type letters while a field has the focus', async () => {
    const { user } = at('#/sessions');
    await screen.findByRole('table');
    const field = screen.getAllByRole('textbox')[0] as HTMLTextAreaElement;
    await user.click(field);
    await user.keyboard('jk');
    expect(field.value).toBe('jk');
    expect(document.activeElement).toBe(field);
  });
});

describe('the Tab key', () => {
  it('stops once at each list, at the row that the keys went to last', async () => {
    const { user, container } = at('#/sessions');
    const table = await screen.findByRole('table');
    const stops = (): (string | undefined)[] =>
      [...table.querySelectorAll<HTMLElement>('[data-row] a')]
        .filter((link) => link.tabIndex === 0)
        .map((link) => rowOf(link));
    await waitFor(() => expect(stops()).toEqual(['0']));
    await user.keyboard('jj');
    await waitFor(() => expect(stops()).toEqual(['1']));
    expect(await axeFindings(container)).toEqual([]);
  });

  it('stops once at the list of decisions', async () => {
    at('#/decisions');
    await screen.findAllByRole('link');
    await waitFor(() => {
      const rows = [...document.querySelectorAll<HTMLElement>('.entry')];
      expect(rows.length).toBeGreaterThan(2);
      expect(rows.filter((row) => row.tabIndex === 0)).toHaveLength(1);
    });
  });
});

describe('approvals', () => {
  it('A goes to Allow and answers nothing; Space then presses it', async () => {
    const { user, fake } = at('#/decisions');
    const row = (await screen.findAllByRole('link')).find((one) => /rm|push/.test(one.textContent));
    await user.click(row!);
    await waitFor(() => expect(document.querySelector('[data-approval-answers]')).not.toBeNull());
    await user.keyboard('a');
    const [allow] = document.querySelectorAll('[data-approval-answers] button');
    expect(document.activeElement).toBe(allow);
    expect(fake.callsOf('approvals.allow')).toEqual([]);
  });
});

describe('forms', () => {
  it('Ctrl+Enter submits the form of the field', async () => {
    const { user, fake } = at('#/schedule/new');
    const prompt = (await screen.findAllByRole('textbox'))[0]!;
    expect(document.activeElement).toBe(prompt);
    for (const field of screen.getAllByRole('textbox')) {
      // What a check would be, a schedule is not.
      const isCheck = field === screen.getByRole('textbox', { name: /^Check first/ });
      if (!isCheck && (field as HTMLInputElement).value === '') await user.type(field, 'every 30m');
    }
    await waitFor(() => expect(fake.callsOf('schedule.parse').length).toBeGreaterThan(1));
    await waitFor(async () => {
      await user.keyboard('{Control>}{Enter}{/Control}');
      expect(fake.callsOf('tasks.add')).toHaveLength(1);
    });
  });
});
