// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { QuickWindow } from '../../renderer/quick/quick-window';
import { axeFindings, show } from './render';

describe('the quick prompt', () => {
  it('has the focus in its field, sends to a new session, and says where it is', async () => {
    const { container, fake, user } = show(<QuickWindow />);
    const field = await screen.findByRole('textbox', { name: 'Ask an agent' });
    await waitFor(() => expect(document.activeElement).toBe(field));
    await user.keyboard('look at the logs');
    const send = screen.getByRole('button', { name: 'Send' });
    await waitFor(() => expect((send as HTMLButtonElement).disabled).toBe(false));
    await user.keyboard('{Control>}{Enter}{/Control}');
    await screen.findByText('Sent and saved:');
    expect(fake.callsOf('session.create')).toHaveLength(1);
    expect(fake.callsOf('send')).toMatchObject([{ text: 'look at the logs' }]);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('adds the path of a file on a line of its own', async () => {
    const { user } = show(
      <QuickWindow />,
      () => undefined,
      (fake) => fake.answer('app.choosePath', () => ({ path: '/home/mara/report.pdf' })),
    );
    const field = await screen.findByRole('textbox', { name: 'Ask an agent' });
    await user.type(field, 'summarize');
    await user.click(screen.getByRole('button', { name: 'Attach a file…' }));
    await waitFor(() =>
      expect((field as HTMLTextAreaElement).value).toBe('summarize\n/home/mara/report.pdf'),
    );
  });

  it('adds the path of a folder, and the text of a pasted file; what is no text is refused by name', async () => {
    const { user, fake } = show(
      <QuickWindow />,
      () => undefined,
      (given) => given.answer('app.choosePath', () => ({ path: '/home/mara/notes' })),
    );
    const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Ask an agent' });
    await user.click(screen.getByRole('button', { name: 'Folder…' }));
    await waitFor(() => expect(field.value).toBe('/home/mara/notes'));
    expect(fake.callsOf('app.choosePath')).toEqual([{ what: 'folder' }]);
    const files = [new File(['one\n'], 'a.txt'), new File(['\u0000'], 'b.bin')];
    fireEvent.paste(field, { clipboardData: { files } });
    await waitFor(() => expect(field.value).toBe('/home/mara/notes\na.txt:\n```\none\n```'));
    expect(screen.getByText(/^Not pasted: b\.bin\./)).toBeTruthy();
  });

  it('says the sentence of Home, what needs the user with the way to it, and what runs with Cancel', async () => {
    show(<QuickWindow />);
    const needs = await screen.findByRole('region', { name: 'Needs you' });
    const links = within(needs).getAllByRole('link');
    expect(links.length).toBeLessThanOrEqual(3);
    expect(links[0]?.getAttribute('href')).toMatch(/^#\/decisions\//);
    const running = await screen.findByRole('region', { name: 'Running' });
    expect(within(running).getAllByRole('button', { name: /^Cancel/ }).length).toBeGreaterThan(0);
    expect(screen.getByRole('heading', { level: 1 }).textContent).not.toBe('');
  });

  it('names who asks next to a question, never a tool, and has a long folder whole in the tooltip', async () => {
    const folder = '/srv/builds/customers/lindner/2026/tools/uploader';
    show(<QuickWindow />, (seed) => {
      seed.approvals = seed.approvals.map((one) => ({ ...one, folder }));
      seed.inbox = seed.inbox.filter(({ kind }) => kind === 'approval');
    });
    const needs = await screen.findByRole('region', { name: 'Needs you' });
    const asked = await within(needs).findByText(/in \/srv\/…\/lindner\/2026\/tools\/uploader\?$/);
    expect(asked.closest('[title]')?.getAttribute('title')).toContain(` in ${folder}?`);
    expect(asked.closest('.row')?.textContent).toContain('Repo mender');
    expect(asked.closest('.row')?.textContent).not.toContain('shell');
  });

  it('closes with Esc', async () => {
    const close = vi.spyOn(window, 'close').mockReturnValue(undefined);
    const { user } = show(<QuickWindow />);
    await screen.findByRole('textbox', { name: 'Ask an agent' });
    await user.keyboard('{Escape}');
    expect(close).toHaveBeenCalledTimes(1);
    close.mockRestore();
  });
});
