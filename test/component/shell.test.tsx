// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { KEY_GROUPS } from '../../renderer/keys/keys-view';
import { axeFindings, show } from './render';
import type { Shown } from './render';

const open = async (): Promise<Shown> => {
  const shown = show(<RecoveryWindow />, (seed) => {
    seed.config = {
      ...seed.config,
      entries: seed.config.entries.map((entry) =>
        entry.key === 'app.first_start_done' ? { ...entry, value: true } : entry,
      ),
    };
  });
  await screen.findByRole('heading', { level: 1 });
  return shown;
};
const palette = async (shown: Shown): Promise<HTMLElement> => {
  await shown.user.keyboard('{Control>}k{/Control}');
  return screen.findByRole('combobox', { name: /^Search pages/ });
};

describe('Quit when these steps are done', () => {
  const step = (hint: string, startedAtMs: number) => ({
    turnId: 1,
    tool: 'shell.shell',
    hint,
    isEffect: true,
    startedAtMs,
  });

  it('F4 stands above every page while it waits, with what it waits for and both ways out', async () => {
    const { fake, user } = await open();
    const { status } = fake.seed;
    const tell = (quitsBehind?: readonly ReturnType<typeof step>[]): void =>
      act(() =>
        fake.emit('status.changed', {
          ...status,
          ...(quitsBehind === undefined ? {} : { quitsBehind: [...quitsBehind] }),
        }),
      );
    expect(screen.queryByRole('region', { name: 'Quit' })).toBeNull();
    tell([step('npm test', status.nowMs - 40_000), step('make', status.nowMs - 600_000)]);
    const note = await screen.findByRole('region', { name: 'Quit' });
    expect(note.textContent).toContain('Quitting when 2 steps complete; the oldest: make');
    tell([step('npm test', status.nowMs - 40_000)]);
    await waitFor(() =>
      expect(note.textContent).toContain('Quitting when 1 step completes: npm test'),
    );
    expect(note.textContent).toContain('Quitting now interrupts the step.');
    expect(await axeFindings(note)).toEqual([]);
    await user.keyboard('3');
    await screen.findByRole('heading', { level: 1, name: 'Sessions' });
    await user.click(within(note).getByRole('button', { name: 'Keep running' }));
    await user.click(within(note).getByRole('button', { name: 'Quit now' }));
    expect(fake.callsOf('app.answerQuit')).toEqual([
      { answer: 'keep_running' },
      { answer: 'quit_now' },
    ]);
    tell();
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Quit' })).toBeNull());
  });
});

describe('Sidebar', () => {
  it('names its pages, marks the one that is shown, and says its counts in words', async () => {
    await open();
    const nav = screen.getByRole('navigation', { name: 'Pages' });
    expect(within(nav).getByRole('link', { name: /^Home/ }).getAttribute('aria-current')).toBe(
      'page',
    );
    await within(nav).findByRole('link', { name: 'Inbox 6 things need you' });
    within(nav).getByRole('link', { name: 'Sessions 2 turns are running' });
  });

  it('tells who hears it that something new needs a person, and nothing when it becomes less', async () => {
    const { fake } = await open();
    const nav = screen.getByRole('navigation', { name: 'Pages' });
    await within(nav).findByRole('link', { name: 'Inbox 6 things need you' });
    const said = (): string => nav.querySelector('[aria-live="polite"]')?.textContent ?? '?';
    expect(said()).toBe('');
    const { status } = fake.seed;
    const need = (needsYou: number): void =>
      act(() => fake.emit('status.changed', { ...status, counts: { ...status.counts, needsYou } }));
    need(7);
    await waitFor(() => expect(said()).toBe('7 things need you'));
    need(5);
    await waitFor(() => expect(said()).toBe(''));
  });

  it('HO-02 counts what waits on a host with what waits here, and nothing of one that is unreachable', async () => {
    const { fake } = await open();
    const nav = screen.getByRole('navigation', { name: 'Pages' });
    await within(nav).findByRole('link', { name: 'Inbox 6 things need you' });
    const { status } = fake.seed;
    const box = {
      kind: 'connected' as const,
      name: 'box',
      sinceMs: 1,
      version: '0.1.0',
      phase: 'running' as const,
      needsYou: 3,
      running: 0,
    };
    const away = {
      kind: 'unreachable' as const,
      name: 'away',
      sinceMs: 1,
      why: 'no route',
      nextTryAtMs: 2,
    };
    act(() => fake.emit('status.changed', { ...status, hosts: [box, away] }));
    await within(nav).findByRole('link', { name: 'Inbox 9 things need you' });
    act(() => fake.emit('status.changed', { ...status, hosts: [{ ...box, needsYou: 0 }, away] }));
    await within(nav).findByRole('link', { name: 'Inbox 6 things need you' });
  });

  it('goes to a page by its digit, but not while something is typed', async () => {
    const { user } = await open();
    await user.keyboard('2');
    await screen.findByRole('heading', { level: 1, name: 'Inbox' });
    await user.keyboard('/');
    expect((document.activeElement as HTMLInputElement).placeholder).toBe('Search inbox');
    await user.keyboard('1');
    expect((document.activeElement as HTMLInputElement).value).toBe('1');
    expect(window.location.hash).toBe('#/decisions');
  });
});

describe('Palette', () => {
  it('opens by Ctrl K and by its box, with the focus in the field, and closes by Esc', async () => {
    const shown = await open();
    const field = await palette(shown);
    await waitFor(() => expect(document.activeElement).toBe(field));
    await shown.user.keyboard('{Escape}');
    await waitFor(() =>
      expect(screen.queryByRole('combobox', { name: /^Search pages/ })).toBeNull(),
    );
    await shown.user.click(screen.getByRole('button', { name: /^Search or run a command/ }));
    await screen.findByRole('combobox', { name: /^Search pages/ });
  });

  it('finds a text of the work itself, marks it, and goes to its turn', async () => {
    const shown = await open();
    await palette(shown);
    await shown.user.keyboard('cable suppliers');
    const group = await screen.findByRole('group', { name: 'In your work' });
    const [first] = within(group).getAllByRole('option');
    expect(first?.querySelector('mark')?.textContent?.toLowerCase()).toContain('cable');
    if (first === undefined) throw new Error('nothing found');
    await shown.user.click(first);
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/(turns|sessions)\/\d+$/));
    window.localStorage.clear();
  });

  it('opens the settings at a setting that was searched by its name', async () => {
    const shown = await open();
    await palette(shown);
    await shown.user.keyboard('app.theme');
    await shown.user.click(await screen.findByRole('option', { name: /^Appearance/ }));
    await waitFor(() =>
      expect(shown.fake.callsOf('app.openSettings')).toEqual([{ at: 'general/app.theme' }]),
    );
    window.localStorage.clear();
  });

  it('names the chosen row to a reader while arrows move', async () => {
    const shown = await open();
    const field = await palette(shown);
    const chosen = (): HTMLElement | null =>
      document.getElementById(field.getAttribute('aria-activedescendant') ?? '');
    await waitFor(() => expect(chosen()?.textContent).toContain('Home'));
    await shown.user.keyboard('{ArrowDown}');
    expect(chosen()?.textContent).toContain('Inbox');
    expect(chosen()?.getAttribute('aria-selected')).toBe('true');
    await shown.user.keyboard('{ArrowUp}{ArrowUp}');
    expect(chosen()).toBe(screen.getAllByRole('option').at(-1));
  });

  it('pauses new turns for an hour and says that they wait', async () => {
    const shown = await open();
    await palette(shown);
    await shown.user.keyboard('1 hour{Enter}');
    await screen.findByText(/^New turns wait until/);
    expect(shown.fake.callsOf('intake.pause')).toEqual([{ forMs: 3_600_000 }]);
  });

  it('stops all turns only after the question is answered, and Enter on the question does not', async () => {
    const shown = await open();
    await palette(shown);
    await shown.user.keyboard('cancel all{Enter}');
    const dialog = await screen.findByRole('dialog', { name: /^Cancel (both|all)/ });
    expect(dialog.textContent).toContain('never resume');
    expect(dialog.querySelectorAll('[data-variant="filled"]')).toHaveLength(0);
    await waitFor(() =>
      expect(document.activeElement).toBe(within(dialog).getByRole('button', { name: 'Cancel' })),
    );
    expect(shown.fake.callsOf('turns.cancelAll')).toEqual([]);
    await shown.user.click(within(dialog).getByRole('button', { name: 'Cancel all turns' }));
    await waitFor(() => expect(shown.fake.callsOf('turns.cancelAll')).toEqual([{}]));
  });

  it('goes to a decision instead of answering it', async () => {
    const shown = await open();
    await palette(shown);
    await screen.findByRole('option', { name: /Did send_email/ });
    await shown.user.keyboard('did send_email{Enter}');
    await screen.findByRole('heading', { name: 'Did send_email happen?' });
    expect(window.location.hash).toBe('#/decisions/7');
    expect(shown.fake.calls.some((call) => call.verb.startsWith('recovery.r'))).toBe(false);
  });

  it('shows the report of the check', async () => {
    const shown = await open();
    await palette(shown);
    await shown.user.keyboard('run all checks{Enter}');
    const dialog = await screen.findByRole('dialog', { name: 'Run all checks' });
    await within(dialog).findByText(shown.fake.seed.doctor.checks[0]?.name ?? '');
  });

  it('says why a refused command did nothing', async () => {
    const shown = await open();
    shown.fake.refuse(
      'app.openFolder',
      'DATA_DIR_UNUSABLE',
      'The folder is gone.',
      'Make it again.',
    );
    await palette(shown);
    await shown.user.keyboard('data directory{Enter}');
    expect((await screen.findByText('The folder is gone.')).closest('[role="alert"]')).toBeTruthy();
  });

  it('shows nothing that axe would complain about', async () => {
    const shown = await open();
    await palette(shown);
    await screen.findAllByRole('option');
    expect(await axeFindings(document.body)).toEqual([]);
  });
});

describe('Help', () => {
  it('? draws every row of the table that the handlers use', async () => {
    const { user } = await open();
    await user.keyboard('?');
    const dialog = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
    expect(dialog.querySelectorAll('.keys-row')).toHaveLength(
      KEY_GROUPS.flatMap((group) => group.rows).length,
    );
    expect(within(dialog).getByText('Ctrl K')).toBeTruthy();
    expect(await axeFindings(dialog)).toEqual([]);
  });

  it('S3-36 ? says what is kept and, in the same place, what is not promised', async () => {
    const { user } = await open();
    await user.keyboard('?');
    const limits = await screen.findByRole('region', {
      name: 'What is saved, and what isn’t guaranteed',
    });
    expect(limits.textContent).toMatch(/saved and survives every crash/);
    expect(limits.textContent).toMatch(/Not guaranteed: side effects that tools don’t report/);
    expect(limits.textContent).toMatch(/work while the computer is off/);
    expect(limits.textContent).toMatch(
      /No queue spans several computers, except for turns that you share/,
    );
  });
});
