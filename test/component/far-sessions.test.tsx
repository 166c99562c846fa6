// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import type { VerbOutput } from '../../shared/contract';
import type { FarSession, HostView } from '../../shared/types';
import { farSession } from '../helpers/far-asks';
import './each-page';
import { axeFindings, command, show } from './render';
import type { Shown } from './render';

// Nothing is laid out here: the list is told that it has room for fifteen rows.
Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { configurable: true, get: () => 600 },
  clientWidth: { configurable: true, get: () => 900 },
});

const up = (name: string, more: object = {}): HostView => ({
  kind: 'connected',
  name,
  sinceMs: 1,
  version: '1.0.0',
  phase: 'running',
  needsYou: 0,
  running: 0,
  ...more,
});
const away: HostView = {
  kind: 'unreachable',
  name: 'attic',
  sinceMs: 1,
  why: 'The connection failed: refused',
  nextTryAtMs: 2,
};
type SessionsAnswer = VerbOutput<'hosts.sessions'>;
const told = (...sessions: readonly Partial<FarSession>[]): SessionsAnswer => ({
  kind: 'told',
  sessions: sessions.map((one) => ({ ...farSession, lastEventAtMs: Date.now() - 60_000, ...one })),
  hasMore: false,
  hidden: 0,
});

const open = (
  hosts: readonly HostView[] | undefined,
  answers: Readonly<Record<string, SessionsAnswer>>,
  hash = '#/sessions',
): Shown => {
  window.location.hash = hash;
  return show(
    <RecoveryWindow />,
    (seed) => {
      if (hosts !== undefined) seed.status = { ...seed.status, hosts: [...hosts] };
    },
    (fake) => fake.answer('hosts.sessions', ({ host }) => answers[host] ?? told()),
  );
};
const table = (): Promise<HTMLElement> => screen.findByRole('table', { name: 'Sessions' });
const notes = (): Promise<HTMLElement> =>
  screen.findByRole('list', { name: 'Sessions of other computers' });
const hostsNow = ({ fake }: Shown, hosts: readonly HostView[]): void =>
  act(() =>
    fake.emit('status.changed', {
      ...fake.seed.status,
      nowMs: fake.seed.status.nowMs + 1,
      hosts: [...hosts],
    }),
  );

describe('sessions of other computers', () => {
  it('HO-02 says that there are none on this computer yet while those of hosts are still asked for', async () => {
    window.location.hash = '#/sessions';
    show(
      <RecoveryWindow />,
      (seed) => {
        seed.status = { ...seed.status, hosts: [up('build')] };
        seed.sessions = [];
      },
      (fake) => fake.hold('hosts.sessions'),
    );
    expect(await screen.findByText('None on this computer yet.')).toBeTruthy();
    expect(await screen.findByText('Reading the sessions of build.')).toBeTruthy();
    expect(screen.queryByText('None yet.')).toBeNull();
  });

  it('HO-02 stand in the one list by their last use, each with its host and its state; what of a host is not known is said with the reason', async () => {
    const { container, fake } = open(
      [
        up('box', { running: 1 }),
        away,
        { kind: 'other_version', name: 'lab', sinceMs: 1, theirs: '0.0.9', nextTryAtMs: 2 },
        { kind: 'connecting', name: 'new' },
        up('cellar', { phase: 'stopped' }),
        up('old'),
        up('quiet'),
        up('big'),
      ],
      {
        box: told(
          { title: 'Newest of all', status: 'running', lastEventAtMs: Date.now() + 1_000 },
          { id: 5, title: 'Oldest of all', lastEventAtMs: 1, turns: 7 },
        ),
        cellar: told({ title: 'Under the stairs' }),
        old: { kind: 'untold', why: 'old has a Holdfast of another version.' },
        big: { ...told({ title: 'One of many' }), hasMore: true, hidden: 2 } as SessionsAnswer,
      },
    );
    const list = within(await table());
    await list.findByText('Newest of all');
    const rows = list.getAllByRole('row').slice(1);
    expect(rows[0]?.textContent).toMatch(/^RunningNewest of allon box/);
    expect(rows.at(-1)?.textContent).toMatch(/^IdleOldest of allon box.*coder7/);
    expect(list.getByText('Under the stairs').closest('[role=row]')?.textContent).toContain('');
    const said = (await notes()).textContent;
    for (const line of [
      'No connection to attic. The connection failed: refused. The sessions on attic cannot be listed now.',
      'lab runs the incompatible version 0.0.9. The sessions on lab cannot be listed now.',
      'Connecting to new. The sessions on new cannot be listed now.',
      'Holdfast is not running on cellar.',
      'old has a Holdfast of another version. The sessions on old cannot be listed now.',
      'No sessions on quiet.',
      '2 sessions are not shown: this version does not understand it.',
      'Only the most recently used session is shown. List more: holdfast sessions list --limit 500 --host big',
    ])
      expect(said).toContain(line);
    expect(said).not.toContain('box');
    // Nothing is asked of a host without a connection.
    expect(fake.callsOf('hosts.sessions')).toEqual(
      ['box', 'cellar', 'old', 'quiet', 'big'].map((host) => ({ host })),
    );
    expect(await axeFindings(container)).toEqual([]);
  });

  it('HO-02 are found by their words and their host, narrowed by their state, and are not among the archived', async () => {
    const { user } = open([up('box')], {
      box: told({ title: 'A walrus there' }, { id: 5, title: 'Runs there', status: 'running' }),
    });
    await within(await table()).findByText('A walrus there');
    await user.type(screen.getByRole('searchbox', { name: 'Search sessions' }), 'box walrus');
    await waitFor(async () => expect(within(await table()).getAllByRole('row').length).toBe(2));
    await user.clear(screen.getByRole('searchbox', { name: 'Search sessions' }));
    await user.click(screen.getByRole('radio', { name: 'Running' }));
    await within(await table()).findByText('Runs there');
    expect(within(await table()).queryByText('A walrus there')).toBeNull();
    await user.click(screen.getByRole('radio', { name: 'Archived' }));
    expect(
      await screen.findByText(
        'Archived sessions of other computers are not listed here. List them: holdfast sessions list --archived --host box',
      ),
    ).toBeTruthy();
    expect(screen.queryByText('Runs there')).toBeNull();
    // The page remembers what was chosen last.
    await user.click(screen.getByRole('radio', { name: 'All' }));
    await within(await table()).findByText('Runs there');
  });

  it('HO-02 a slow host keeps nothing else waiting, and after a cut its sessions are not known, not gone', async () => {
    const shown = open([up('box')], { box: told({ title: 'A walrus there' }) });
    await within(await table()).findByText('A walrus there');
    hostsNow(shown, [{ ...away, name: 'box' }]);
    expect(await screen.findByText(/The sessions on box cannot be listed now/)).toBeTruthy();
    expect(within(await table()).queryByText('A walrus there')).toBeNull();
    const answer = shown.fake.hold('hosts.sessions');
    hostsNow(shown, [up('box', { sinceMs: 9 })]);
    expect(await screen.findByText(/Reading the sessions of box/)).toBeTruthy();
    expect(within(await table()).getAllByRole('row').length).toBeGreaterThan(1);
    await act(async () => answer());
    await within(await table()).findByText('A walrus there');
  });

  it('HO-02 a host is asked again when its state changed, once for many changes, and not while nobody looks', async () => {
    const shown = open([up('box')], { box: told({ title: 'A walrus there' }) });
    const asked = (): number => shown.fake.callsOf('hosts.sessions').length;
    await within(await table()).findByText('A walrus there');
    expect(asked()).toBe(1);
    const visible = vi.spyOn(document, 'visibilityState', 'get');
    const look = (state: 'visible' | 'hidden'): void => {
      visible.mockReturnValue(state);
      act(() => void document.dispatchEvent(new Event('visibilitychange')));
    };
    look('hidden');
    hostsNow(shown, [up('box', { running: 1 })]);
    await new Promise((resolve) => setTimeout(resolve, 1_800));
    expect(asked()).toBe(1);
    look('visible');
    hostsNow(shown, [up('box', { running: 2 })]);
    hostsNow(shown, [up('box', { running: 3 })]);
    await waitFor(() => expect(asked()).toBe(2));
    await new Promise((resolve) => setTimeout(resolve, 1_800));
    expect(asked()).toBe(2);
    visible.mockRestore();
  });

  it('HO-02 a host is asked again when something went on in a session there, though no count moved; not for another one', async () => {
    const shown = open([up('box'), up('lab')], {});
    await table();
    const asked = (host: string): number =>
      shown.fake
        .callsOf('hosts.sessions')
        .filter((one) => (one as { readonly host: string }).host === host).length;
    await waitFor(() => expect([asked('box'), asked('lab')]).toEqual([1, 1]));
    act(() => {
      shown.fake.emit('hosts.news', { host: 'box' });
      shown.fake.emit('hosts.news', { host: 'box' });
    });
    await waitFor(() => expect(asked('box')).toBe(2), { timeout: 50_000 });
    await new Promise((resolve) => setTimeout(resolve, 1_800));
    expect([asked('box'), asked('lab')]).toEqual([2, 1]);
    const visible = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    act(() => void document.dispatchEvent(new Event('visibilitychange')));
    act(() => shown.fake.emit('hosts.news', { host: 'lab' }));
    await new Promise((resolve) => setTimeout(resolve, 1_800));
    expect(asked('lab')).toBe(1);
    visible.mockReturnValue('visible');
    act(() => void document.dispatchEvent(new Event('visibilitychange')));
    await waitFor(() => expect(asked('lab')).toBe(2), { timeout: 50_000 });
    visible.mockRestore();
  });

  it('HO-02 of an older version a press shows what its list says of the session, why there is no more, and the commands that work with it there', async () => {
    const shown = open([up('box')], {
      box: told({ title: 'A walrus there', status: 'running', key: "o'hara", id: 12 }),
    });
    await shown.user.click(await within(await table()).findByText('A walrus there'));
    expect(await screen.findByText(/^box runs an older version of Holdfast/)).toBeTruthy();
    expect(await screen.findByRole('heading', { level: 1, name: 'A walrus there' })).toBeTruthy();
    expect(window.location.hash).toBe('#/sessions/on-box-12');
    for (const text of [
      'holdfast sessions events 12 --follow --host box',
      'holdfast send "…" --session 12 --host box',
      'holdfast sessions interrupt 12 --host box',
    ])
      expect(await screen.findByText(command(text))).toBeTruthy();
    expect(await axeFindings(shown.container)).toEqual([]);
    hostsNow(shown, [{ ...away, name: 'box' }]);
    expect(
      await screen.findByText(/refused\. The conversation on box cannot be read now/),
    ).toBeTruthy();
    hostsNow(shown, []);
    expect(
      await screen.findByText('No computer named box is set up. Add it in Settings, General.'),
    ).toBeTruthy();
  });

  it('HO-02 the list of turns says that it has none of other computers, and how to list them', async () => {
    const { user } = open([up('box'), up('lab')], {});
    await user.click(await screen.findByRole('radio', { name: 'Turns' }));
    expect(
      await screen.findByText(
        'Turns of other computers are not listed here. List them: holdfast turns list --host NAME',
      ),
    ).toBeTruthy();
    await user.click(screen.getByRole('radio', { name: 'Sessions' }));
    await table();
    expect(screen.queryByText(/Turns of other computers/)).toBeNull();
  });

  it('HO-02 of 3 or more hosts that cannot be reached one line stands there, which opens to the reason of each; of 2 both do', async () => {
    const gone = (name: string): HostView => ({ ...away, name });
    const shown = open([up('box'), gone('attic'), gone('barn'), gone('cellar')], {
      box: told({ title: 'A walrus there' }),
    });
    const line = await screen.findByText(
      '3 computers cannot be reached. Their sessions cannot be listed now.',
    );
    expect(line.closest('details')?.open).toBe(false);
    await shown.user.click(line);
    expect(line.closest('details')?.open).toBe(true);
    const reasons = within(screen.getByRole('list', { name: '3 computers cannot be reached.' }));
    expect(reasons.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(
      ['attic', 'barn', 'cellar'].map(
        (name) =>
          `No connection to ${name}. The connection failed: refused. The sessions on ${name} cannot be listed now.`,
      ),
    );
    expect(await axeFindings(shown.container)).toEqual([]);
    hostsNow(shown, [up('box'), gone('attic'), gone('barn')]);
    expect((await notes()).textContent).toMatch(/attic.*barn/);
    expect(screen.queryByText(/computers cannot be reached/)).toBeNull();
  });

  it('HO-03 hostile texts of a host stay text', async () => {
    const evil = '<img src=x onerror=alert(1)>\u202e';
    const { container } = open([up('box')], {
      box: told({ title: evil, agent: evil, stopReason: evil, key: evil }),
    });
    await within(await table()).findByRole('link', { name: /onerror/ });
    expect(container.querySelector('img')).toBeNull();
    expect(container.textContent).not.toContain('\u202e');
  });

  it('HO-02 where no host is set nothing is asked or shown', async () => {
    const { fake } = open(undefined, {});
    await table();
    expect(fake.callsOf('hosts.sessions')).toEqual([]);
    expect(screen.queryByText(/on other computers|Sessions of other computers/)).toBeNull();
  });
});
