// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { setSearchForm } from '../../renderer/search/search-form';
import { EMPTY_FORM } from '../../renderer/search/search-view';
import type { VerbOutput } from '../../shared/contract';
import type { FarHit, FarSession, HostView } from '../../shared/types';
import { farHit } from '../helpers/far-asks';
import './each-page';
import { axeFindings, command, show } from './render';
import type { Shown } from './render';

type SearchAnswer = VerbOutput<'hosts.search'>;
const up = (name: string): HostView => ({
  kind: 'connected',
  name,
  sinceMs: 1,
  version: '1.0.0',
  phase: 'running',
  needsYou: 0,
  running: 0,
});
const away: HostView = {
  kind: 'unreachable',
  name: 'attic',
  sinceMs: 1,
  why: 'The connection failed: refused',
  nextTryAtMs: 2,
};
const told = (more: object, ...hits: readonly Partial<FarHit>[]): SearchAnswer => ({
  kind: 'told',
  hits: hits.map((one) => ({ ...farHit, ...one })),
  hasMore: false,
  hidden: 0,
  notIndexed: 0,
  ...more,
});
const open = (
  hosts: readonly HostView[] | undefined,
  answers: Readonly<Record<string, SearchAnswer>>,
): Shown => {
  window.location.hash = '#/search';
  return show(
    <RecoveryWindow />,
    (seed) => {
      if (hosts !== undefined) seed.status = { ...seed.status, hosts: [...hosts] };
    },
    (fake) => {
      fake.answer('search.find', () => ({
        hits: [{ ...farHit, part: 'prompt', excerpt: 'a walrus here' }],
        notIndexed: 0,
      }));
      fake.answer('hosts.search', ({ host }) => answers[host] ?? told({}));
    },
  );
};
const find = async ({ user }: Shown, words: string): Promise<void> =>
  user.type(await screen.findByRole('searchbox', { name: 'Words to find' }), words);
const on = (name: string): Promise<HTMLElement> =>
  screen.findByRole('region', { name: `On ${name}` });

const farSessionOf = (id: number): FarSession => ({
  id,
  key: 'night',
  title: '',
  agent: 'coder',
  status: 'idle',
  stopReason: '',
  turns: 1,
  pendingEvents: 0,
  lastEventAtMs: 1,
});

beforeEach(() => setSearchForm(EMPTY_FORM));

describe('search on other computers', () => {
  it('HO-02 the hits of each host stand below those of here with its name; one that could not be searched says so', async () => {
    const shown = open([up('box'), away, up('old'), up('quiet'), up('big')], {
      box: told({}, {}, { part: undefined, state: undefined, excerpt: '<img src=x> walrus\u202e' }),
      old: { kind: 'untold', why: 'It has another version' },
      big: told({ hasMore: true, hidden: 2, notIndexed: 3 }, {}),
    });
    await find(shown, 'walrus');
    const box = within(await on('box'));
    expect(await box.findAllByRole('link')).toHaveLength(2);
    expect((await on('box')).textContent).toMatch(
      /^On box2Feed the walrusResult of shell\.shell, step 2coder · nightthe walrus is fedCompleted/,
    );
    expect(shown.container.querySelector('img')).toBeNull();
    const said = async (name: string) => (await on(name)).textContent;
    expect(await said('attic')).toBe(
      'On atticNo connection to attic. The connection failed: refused. attic was not searched.',
    );
    expect(await said('old')).toBe('On oldIt has another version. old was not searched.');
    expect(await said('quiet')).toBe('On quiet0No matches on quiet.');
    expect(await said('big')).toContain(
      '2 matches are not shown: this version does not understand them. Only the newest match is shown.',
    );
    expect(await said('big')).toContain('3 entries are not in the index yet.');
    expect(screen.getByText('1 match. 3 more on other computers.')).toBeTruthy();
    expect(shown.fake.callsOf('hosts.search')).toEqual(
      ['box', 'old', 'quiet', 'big'].map((host) => ({ words: 'walrus', host })),
    );
    expect(await axeFindings(shown.container)).toEqual([]);
  });

  it('HO-02 a hit names its session by the title that it has there, and by its key where the host does not list it', async () => {
    const shown = open([up('box')], { box: told({}, {}, { sessionId: 5, session: 'old-night' }) });
    shown.fake.answer('hosts.sessions', () => ({
      kind: 'told',
      sessions: [{ ...farSessionOf(4), title: 'Walruses of the north. All of them.' }],
      hasMore: true,
      hidden: 0,
    }));
    await find(shown, 'walrus');
    const links = await within(await on('box')).findAllByRole('link');
    await waitFor(() => expect(links[0]?.textContent).toContain('coder · Walruses of the north'));
    expect(links[1]?.textContent).toContain('coder · old-night');
  });

  it('HO-02 a slow host delays nothing, and its hits belong to the words that stand there', async () => {
    const shown = open([up('box')], { box: told({}, {}) });
    const answer = shown.fake.hold('hosts.search');
    await find(shown, 'walrus');
    expect((await screen.findByRole('list', { name: 'Matches' })).textContent).toContain(
      'a walrus here',
    );
    expect((await on('box')).textContent).toBe('On boxSearching on box…');
    await act(async () => answer());
    expect(await within(await on('box')).findByRole('link')).toBeTruthy();
    await shown.user.type(screen.getByLabelText('Tool'), 'shell');
    await waitFor(() =>
      expect(shown.fake.callsOf('hosts.search').at(-1)).toEqual({
        words: 'walrus',
        tool: 'shell',
        host: 'box',
      }),
    );
    await shown.user.clear(screen.getByRole('searchbox', { name: 'Words to find' }));
    await waitFor(() => expect(screen.queryByRole('region', { name: 'On box' })).toBeNull());
  });

  it('HO-02 a press shows the session there with commands by its ID, whether it is among the last used or not', async () => {
    const shown = open([up('box')], { box: told({}, { sessionId: 77 }) });
    await find(shown, 'walrus');
    await shown.user.click(await within(await on('box')).findByRole('link'));
    expect(
      await screen.findByText(/It is not among the most recently used sessions on box\./),
    ).toBeTruthy();
    expect(
      screen.getByText(command('holdfast sessions events 77 --follow --host box')),
    ).toBeTruthy();
  });

  it('HO-02 the palette leads there with its words, and asks no host itself', async () => {
    const shown = open([up('box')], { box: told({}, {}) });
    await screen.findByRole('searchbox', { name: 'Words to find' });
    await shown.user.keyboard('{Control>}k{/Control}');
    await shown.user.type(
      await screen.findByRole('combobox', {
        name: 'Search pages, work and settings, or run a command',
      }),
      'walrus',
    );
    const row = await screen.findByRole('option', {
      name: 'Also search other computers for walrus',
    });
    expect(shown.fake.callsOf('hosts.search')).toEqual([]);
    await shown.user.click(row);
    expect(await within(await on('box')).findByRole('link')).toBeTruthy();
  });

  it('HO-02 of 3 hosts that cannot be reached one line says that nothing was searched there', async () => {
    const gone = ['attic', 'barn', 'cellar'].map((name): HostView => ({ ...away, name }));
    const shown = open([up('box'), ...gone], { box: told({}, {}) });
    await find(shown, 'walrus');
    expect(
      await screen.findByText('3 computers cannot be reached. They were not searched.'),
    ).toBeTruthy();
    expect((await within(await on('box')).findAllByRole('link')).length).toBe(1);
    expect(screen.queryByRole('region', { name: 'On attic' })).toBeNull();
    expect(screen.getByText(/attic was not searched\./)).toBeTruthy();
  });

  it('HO-02 where no host is set nothing is asked or shown', async () => {
    const shown = open(undefined, {});
    await find(shown, 'walrus');
    await screen.findByText('1 match');
    expect(shown.fake.callsOf('hosts.search')).toEqual([]);
    expect(screen.queryByText(/^On /)).toBeNull();
  });
});
