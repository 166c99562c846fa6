// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { SessionPane } from '../../renderer/session/session-view';
import { SessionsPage } from '../../renderer/session/sessions-page';
import { sessionTitle } from '../../renderer/session/session-title';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, show } from './render';

Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { configurable: true, get: () => 600 },
  clientWidth: { configurable: true, get: () => 900 },
});

const written = vi.fn(() => Promise.resolve());
beforeEach(() => {
  written.mockClear();
  location.hash = '#/';
});

/** The list with the sessions that need nobody, so that each can be deleted. */
const idle = (seed: Seed): void => {
  seed.sessions = seed.sessions.map((one) => ({ ...one, status: 'idle', pendingEvents: 0 }));
  seed.turns = seed.turns.map((turn) => ({ ...turn, state: 'completed' }));
};
const list = async (change: (seed: Seed) => void = idle) => {
  const shown = show(<SessionsPage />, change);
  // The page may remember another list of an earlier test.
  const table = await screen.findByRole('table', { name: 'Sessions' });
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: written },
  });
  const [first] = shown.fake.seed.sessions.toSorted((a, b) => b.lastEventAtMs - a.lastEventAtMs);
  if (first === undefined) throw new Error('no session');
  const title = sessionTitle(first);
  const row = (await within(table).findByText(title)).closest('[role="row"]') as HTMLElement;
  return { ...shown, table, row, title, session: first };
};
const menuOf = async (user: Awaited<ReturnType<typeof list>>['user'], row: HTMLElement) => {
  await user.click(within(row).getByRole('button', { name: /^Actions for/ }));
  return screen.findByRole('menu');
};
const choose = async (
  { user, row }: Pick<Awaited<ReturnType<typeof list>>, 'user' | 'row'>,
  name: RegExp,
): Promise<void> => {
  const menu = await menuOf(user, row);
  const item = await within(menu).findByRole('menuitem', { name });
  // What needs the newest turn waits for it.
  await waitFor(() => expect(item.hasAttribute('disabled')).toBe(false));
  await user.click(item);
};

describe('the menu of a session in the list', () => {
  it('opens by its button, by a right click on the row and by "." with the focus in it, which is there again after Escape', async () => {
    const { user, row } = await list();
    await menuOf(user, row);
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
    fireEvent.contextMenu(row);
    await screen.findByRole('menu');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
    const link = within(row).getByRole('link');
    act(() => link.focus());
    await user.keyboard('.');
    const menu = await screen.findByRole('menu');
    expect(await axeFindings(menu)).toEqual([]);
    await user.keyboard('{Escape}');
    await waitFor(() => expect(document.activeElement).toBe(link));
  });

  it('renames after a dialog that has the title of now', async () => {
    const { fake, table, title, ...at } = await list();
    await choose(at, /^Rename/);
    const dialog = await screen.findByRole('dialog', { name: 'Rename session' });
    const field = within(dialog).getByRole('textbox', { name: 'Title' });
    expect((field as HTMLInputElement).value).toBe(at.session.title);
    expect(await axeFindings(dialog.querySelector('form') ?? dialog)).toEqual([]);
    await at.user.clear(field);
    await at.user.type(field, 'Nightly report{Enter}');
    await within(table).findByText('Nightly report');
    expect(fake.callsOf('session.edit')).toEqual([
      { session: at.session.key, title: 'Nightly report' },
    ]);
    expect(within(table).queryByText(title)).toBeNull();
  });

  it('pins to the top with a mark, and archives into a list of its own', async () => {
    const { fake, table } = await list();
    const sessions = fake.seed.sessions.toSorted((a, b) => b.lastEventAtMs - a.lastEventAtMs);
    const last = sessions.at(-1);
    if (last === undefined) throw new Error('no session');
    const rowOf = async (): Promise<HTMLElement> =>
      (await screen.findByText(sessionTitle(last))).closest('[role="row"]') as HTMLElement;
    const shown = show(<></>);
    await choose({ user: shown.user, row: await rowOf() }, /^Pin/);
    await waitFor(async () => expect((await rowOf()).getAttribute('data-row')).toBe('0'));
    within(await rowOf()).getByRole('img', { name: 'Pinned' });
    await choose({ user: shown.user, row: await rowOf() }, /^Archive/);
    await waitFor(() => expect(within(table).queryByText(sessionTitle(last))).toBeNull());
    await shown.user.click(screen.getByRole('radio', { name: 'Archived' }));
    expect(await screen.findByText(sessionTitle(last))).toBeTruthy();
    await shown.user.click(screen.getByRole('radio', { name: 'All' }));
  });

  it('deletes after a question that says what goes, and says that it is done', async () => {
    const { fake, table, title, ...at } = await list();
    await choose(at, /^Delete/);
    const dialog = await screen.findByRole('dialog', { name: `Delete “${title}”?` });
    within(dialog).getByText(/can’t be undone/);
    expect(fake.callsOf('session.delete')).toEqual([]);
    await at.user.click(within(dialog).getByRole('button', { name: 'Delete session' }));
    await waitFor(() => expect(within(table).queryByText(title)).toBeNull());
    await screen.findByText('Deleted.');
  });

  it('keeps the question open with the reason where the engine refuses', async () => {
    const { fake, ...at } = await list();
    fake.refuse('session.delete', 'SESSION_BUSY', 'Another session is a fork.', 'Archive it.');
    await choose(at, /^Delete/);
    const dialog = await screen.findByRole('dialog');
    await at.user.click(within(dialog).getByRole('button', { name: 'Delete session' }));
    await within(dialog).findByText('Another session is a fork.');
  });

  it('says why a session with an unfinished turn cannot be deleted', async () => {
    const { user, row } = await list((seed) => {
      idle(seed);
      seed.sessions = seed.sessions.map((one) => ({ ...one, pendingEvents: 1 }));
    });
    const menu = await menuOf(user, row);
    const item = within(menu).getByRole('menuitem', { name: /^Delete/ });
    expect(item.textContent).toContain('Cancel its unfinished turns first');
    expect(item.hasAttribute('disabled')).toBe(true);
  });

  it('copies a link to the session, and opens its folder in three ways', async () => {
    const { fake, ...at } = await list();
    await choose(at, /^Copy link/);
    await screen.findByText('Link copied.');
    expect(written).toHaveBeenCalledWith(`holdfast://open/session/${at.session.id}`);
    for (const name of [/^Open folder$/, /in editor$/, /in terminal$/]) await choose(at, name);
    expect(fake.callsOf('app.openWorkspace')).toEqual(
      ['files', 'editor', 'terminal'].map((with_) => ({ agent: at.session.agent, with: with_ })),
    );
  });

  it('exports the session with whole texts, to a file that the user chooses', async () => {
    const { fake, ...at } = await list();
    await choose(at, /^Export/);
    await screen.findByText(/^Saved as \/home\/mara\//);
    const [file] = fake.callsOf('app.saveText') as readonly { name: string; text: string }[];
    expect(file?.name).toMatch(/\.md$/);
    expect(file?.text.startsWith(`# ${at.title}\n`)).toBe(true);
  });

  it('sends the last prompt again, whole, after a question', async () => {
    const { fake, ...at } = await list();
    const newest = fake.seed.turns
      .filter(({ sessionKey }) => sessionKey === at.session.key)
      .toSorted((a, b) => b.id - a.id)[0];
    if (newest === undefined) throw new Error('no turn');
    const prompt = `${'long words '.repeat(6000)}end`;
    fake.seed.prompts[newest.id] = prompt;
    await choose(at, /^Run the last prompt again/);
    const dialog = await screen.findByRole('dialog', { name: 'Run the last prompt again?' });
    await at.user.click(within(dialog).getByRole('button', { name: 'Run again' }));
    await waitFor(() =>
      expect(fake.callsOf('send')).toEqual([{ text: prompt, session: at.session.key }]),
    );
  });
});

describe('the menu in a session', () => {
  const open = (change: (seed: Seed) => void = idle) => {
    const shown = show(<SessionPane sessionId={9} />, change);
    return shown;
  };

  it('is the same as in the list, and opens by "." from anywhere on the page', async () => {
    const { user } = open();
    await screen.findByRole('button', { name: /^Actions for/ });
    await user.keyboard('.');
    const items = within(await screen.findByRole('menu')).getAllByRole('menuitem');
    expect(items).toHaveLength(11);
  });

  it('opens on a right click in the conversation, and leaves links and fields to the system', async () => {
    open();
    const chat = await screen.findByRole('region', { name: 'Conversation' });
    fireEvent.contextMenu(chat);
    await screen.findByRole('menu');
    const field = screen.getByRole('textbox');
    expect(fireEvent.contextMenu(field)).toBe(true);
  });

  it('forks after the last turn and shows where the new session comes from', async () => {
    const { fake, user } = open((seed) => {
      idle(seed);
      const key = seed.sessions.find(({ id }) => id === 9)?.agent;
      seed.agents = seed.agents.map((one) =>
        one.name === key ? { ...one, executor: 'llm' as const } : one,
      );
    });
    await user.click(await screen.findByRole('button', { name: /^Actions for/ }));
    const item = await screen.findByRole('menuitem', { name: /^Fork after the last turn/ });
    await waitFor(() => expect(item.hasAttribute('disabled')).toBe(false));
    await user.click(item);
    await waitFor(() => expect(fake.callsOf('session.fork')).toHaveLength(1));
    await waitFor(() => expect(location.hash).toMatch(/^#\/sessions\/\d+$/));
  });
});

describe('what is known of a session, where the page has no room beside the conversation', () => {
  it('is a drawer: Details opens it with the focus in it, Esc closes it and gives the focus back', async () => {
    const { user } = show(<SessionPane sessionId={9} />, idle);
    const button = await screen.findByRole('button', { name: 'Details' });
    const aside = screen.getByRole('complementary', { name: 'About this session' });
    expect([button.getAttribute('aria-expanded'), aside.dataset['open']]).toEqual([
      'false',
      'false',
    ]);
    await user.click(button);
    expect([button.getAttribute('aria-expanded'), aside.dataset['open']]).toEqual(['true', 'true']);
    expect(document.activeElement).toBe(aside);
    await user.keyboard('{Escape}');
    expect([aside.dataset['open'], document.activeElement]).toEqual(['false', button]);
    await user.click(button);
    await user.click(within(aside).getByRole('button', { name: 'Close About this session' }));
    expect(aside.dataset['open']).toBe('false');
  });
});
