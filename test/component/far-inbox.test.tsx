// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import type { VerbOutput } from '../../shared/contract';
import type { HostInbox, HostView } from '../../shared/types';
import { farCall, farTurn } from '../helpers/far-asks';
import './each-page';
import { axeFindings, show } from './render';
import type { Shown } from './render';

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
const waiting = (name: string, asks: readonly (typeof farCall | typeof farTurn)[]): HostInbox => ({
  name,
  tells: true,
  waiting: { asks: [...asks], hidden: 0, others: 0 },
});

const open = (
  hosts: readonly HostView[] | undefined,
  told: { hosts: readonly HostInbox[] },
  isEmptyHere = false,
): Shown => {
  window.location.hash = '#/decisions';
  return show(
    <RecoveryWindow />,
    (seed) => {
      if (hosts !== undefined) seed.status = { ...seed.status, hosts: [...hosts] };
      if (isEmptyHere) [seed.inbox, seed.approvals, seed.decisions] = [[], [], []];
    },
    (fake) => fake.answer('hosts.inbox', () => ({ hosts: [...told.hosts] })),
  );
};
const section = (name: string): Promise<HTMLElement> =>
  screen.findByRole('region', { name: `On ${name}` });

describe('the inbox of other computers', () => {
  it('HO-02 each host stands in the inbox with what waits there, or with why that is not known', async () => {
    const { container } = open(
      [
        up('box', { needsYou: 2 }),
        away,
        up('cellar', { phase: 'stopped' }),
        { kind: 'other_version', name: 'lab', sinceMs: 1, theirs: '0.0.9', nextTryAtMs: 2 },
        up('old'),
        up('quiet'),
      ],
      {
        hosts: [
          waiting('box', [farCall, farTurn]),
          // Told before the connection was lost: it may be answered by now.
          waiting('attic', [farCall]),
          { name: 'cellar', tells: true, waiting: { asks: [], hidden: 2, others: 1 } },
          { name: 'old', tells: false },
          waiting('quiet', []),
        ],
      },
    );
    const rows = within(await section('box'));
    await rows.findByText('Was the mail to Ann sent?');
    expect(rows.getAllByRole('link').map((row) => row.textContent)).toEqual([
      expect.stringMatching(/rm -rf build.*coder · shell · Clean up the build$/),
      expect.stringMatching(/Was the mail to Ann sent\?.*coder · send · Write to Ann$/),
    ]);
    const said = async (name: string) => (await section(name)).textContent;
    expect(await said('attic')).toBe(
      'On attic No connection to attic. The connection failed: refused. Its open requests cannot be listed now.',
    );
    expect(await said('cellar')).toContain(
      'Holdfast is not running on cellar. 3 more items are open',
    );
    expect(await said('lab')).toContain(
      'lab runs the incompatible version 0.0.9. Its open requests',
    );
    expect(await said('old')).toContain('holdfast inbox list --host old');
    expect(await said('quiet')).toBe('On quiet 0Nothing needs you there.');
    expect(await axeFindings(container)).toEqual([]);
  });

  it('HO-02 a decision there is shown whole, with its host, input and reason, and each change is followed', async () => {
    const told = { hosts: [waiting('box', [farCall, farTurn])] };
    const { user, fake } = open([up('box', { needsYou: 2 })], told, true);
    // Nothing waits here: the first of those there is shown.
    expect(await screen.findByRole('heading', { name: /rm -rf build/ })).toBeTruthy();
    const pane = within(screen.getByLabelText('Selected item'));
    expect(pane.getByText('~/project')).toBeTruthy();
    expect(pane.getByText('Your rule for shell commands asks first.')).toBeTruthy();
    expect(screen.getByLabelText('Selected item').textContent).toMatch(
      /rm -rf build.*rm -rf build/,
    );
    await user.click(within(await section('box')).getByText('Was the mail to Ann sent?'));
    expect(await screen.findByRole('heading', { name: 'Was the mail to Ann sent?' })).toBeTruthy();
    told.hosts = [waiting('box', [farCall])];
    act(() => fake.emit('hosts.changed', {}));
    // Another decision does not take its place: a click on its way would meet the wrong one.
    expect(
      await screen.findByText(
        'This request was answered or has changed on that computer. Nothing was sent. Choose another item.',
      ),
    ).toBeTruthy();
  });

  it('HO-02 a host where something waits stands before one that is away or has nothing, whatever their order', async () => {
    open([away, up('quiet'), up('box', { needsYou: 1 })], {
      hosts: [waiting('quiet', []), waiting('box', [farCall])],
    });
    await within(await section('box')).findByText(/rm -rf build/);
    const names = screen.getAllByRole('region', { name: /^On / });
    expect(names.map((one) => one.getAttribute('aria-label'))).toEqual([
      'On box',
      'On attic',
      'On quiet',
    ]);
  });

  it('HO-02 of 3 hosts that cannot be reached one line says that what waits there is not known', async () => {
    const gone = ['attic', 'barn', 'cellar'].map((name): HostView => ({ ...away, name }));
    open([up('box'), ...gone], { hosts: [waiting('box', [farCall])] });
    expect(
      await screen.findByText(
        '3 computers cannot be reached. Their open requests cannot be listed now.',
      ),
    ).toBeTruthy();
    await within(await section('box')).findByText(/rm -rf build/);
    expect(screen.queryByRole('region', { name: 'On attic' })).toBeNull();
    expect(screen.getByText(/No connection to barn\. The connection failed: refused/)).toBeTruthy();
  });

  it('HO-02 Home has one row for each of 2 hosts that need somebody, which leads to the inbox, and none for a host that is well or away', async () => {
    const hosts = [up('box', { needsYou: 2 }), up('cellar', { needsYou: 1 }), up('quiet'), away];
    const { user } = open(hosts, { hosts: [waiting('box', [farCall, farTurn])] }, true);
    await section('box');
    act(() => {
      window.location.hash = '#/';
    });
    const there = within(
      await screen.findByRole('region', { name: 'Needs you on other computers' }),
    );
    expect(there.getAllByRole('listitem').map((row) => row.textContent)).toEqual([
      '2 things need you on box Review',
      '1 thing needs you on cellar Review',
    ]);
    await user.click(there.getByRole('link', { name: 'Review: 2 things need you on box' }));
    expect(window.location.hash).toBe('#/decisions');
    expect(await screen.findByRole('heading', { name: /rm -rf build/ })).toBeTruthy();
  });

  it('HO-03 hostile texts of a host stay text', async () => {
    const evil = '<img src=x onerror=alert(1)>\u202e';
    const { container } = open(
      [up('box', { needsYou: 1 })],
      { hosts: [waiting('box', [{ ...farCall, reason: evil, agent: evil, args: evil }])] },
      true,
    );
    await screen.findByRole('heading', { name: /rm -rf build/ });
    expect(container.querySelector('img')).toBeNull();
    expect(container.textContent).not.toContain('\u202e');
  });

  it('HO-02 nothing is asked and nothing is shown where no host is set', async () => {
    const { fake } = open(undefined, { hosts: [] });
    await screen.findByRole('heading', { level: 1, name: 'Inbox' });
    await waitFor(() => expect(fake.callsOf('inbox.list').length).toBeGreaterThan(0));
    expect(fake.callsOf('hosts.inbox')).toEqual([]);
    expect(screen.queryByText(/^On /)).toBeNull();
  });

  it('HO-02 an answer goes to its host with the hash that was shown, and what came of it is said', async () => {
    const outcomes: VerbOutput<'hosts.answer'>[] = [
      { outcome: 'unknown', why: 'box did not respond in time.' },
      { outcome: 'not_counted', why: 'It was answered before.' },
      { outcome: 'counted', why: '' },
    ];
    const told = { hosts: [waiting('box', [farCall])] };
    const { user, fake } = open([up('box', { needsYou: 1 })], told, true);
    fake.answer('hosts.answer', () => outcomes.shift()!);
    await screen.findByText(/carried out on box, with the rights of your account there/);
    expect(screen.getByText(/in the settings there$/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Allow once' }));
    expect(
      await screen.findByText(/^It is unknown whether your answer reached box\. .*in time\.$/),
    ).toBeTruthy();
    await user.type(screen.getByRole('textbox', { name: /reason|why|note/i }), 'Not now.');
    await user.click(screen.getByRole('button', { name: 'Deny' }));
    expect(
      await screen.findByText('Your answer was not applied on box. It was answered before.'),
    ).toBeTruthy();
    await user.click(screen.getByRole('radio', { name: /session/i }));
    await user.click(screen.getByRole('button', { name: /session/i }));
    expect(await screen.findByText('Your answer was applied on box.')).toBeTruthy();
    const about = { host: 'box', requestHash: farCall.requestHash };
    expect(fake.callsOf('hosts.answer')).toEqual([
      { ...about, answer: { kind: 'allow', requestId: 12, scope: 'once' } },
      { ...about, answer: { kind: 'deny', requestId: 12, note: 'Not now.' } },
      { ...about, answer: { kind: 'allow', requestId: 12, scope: 'session' } },
    ]);
  });

  it('HO-02 an interrupted turn there is resumed, discarded, and its unknown step confirmed or skipped', async () => {
    const { user, fake, container } = open(
      [up('box', { needsYou: 1 })],
      { hosts: [waiting('box', [farTurn])] },
      true,
    );
    fake.answer('hosts.answer', () => ({ outcome: 'not_counted', why: '' }));
    for (const name of [/^Mark as/, /^Skip/, /again$/i, /^Discard/])
      await user.click(await screen.findByRole('button', { name }));
    await waitFor(() => expect(fake.callsOf('hosts.answer')).toHaveLength(4));
    expect(fake.callsOf('hosts.answer').map((sent) => (sent as { answer: object }).answer)).toEqual(
      [
        { kind: 'confirm', turnId: 8, step: 3 },
        { kind: 'skip', turnId: 8, step: 3 },
        { kind: 'resume', turnId: 8 },
        { kind: 'discard', turnId: 8 },
      ],
    );
    expect(await axeFindings(container)).toEqual([]);
  });

  it('HO-02 what cannot be read whole here is not allowed here, and says where', async () => {
    open(
      [up('box', { needsYou: 1 })],
      { hosts: [waiting('box', [{ ...farCall, isTruncated: true }])] },
      true,
    );
    expect(await screen.findByText(/To allow it, read all of it on that computer/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: /^Allow/ })).toBeNull();
    expect(screen.getByRole('button', { name: 'Deny' })).toBeTruthy();
  });
});
