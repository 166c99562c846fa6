// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { isClockFar, offersText } from '../../renderer/computers/computers-view';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { SettingsWindow } from '../../renderer/settings/settings-window';
import type { VerbOutput } from '../../shared/contract';
import type { ComputerView } from '../../shared/types/share';
import './each-page';
import { axeFindings, show } from './render';
import type { Shown } from './render';

const computer = (name: string, more: Partial<ComputerView> = {}): ComputerView => ({
  name,
  state: 'admitted',
  isThis: false,
  version: '1.4.0',
  isStopping: false,
  offers: ['agent:coder', 'os:linux'],
  leases: 0,
  clockOffsetMs: 120,
  contactAgoMs: 4_000,
  ...more,
});

const LIST: VerbOutput<'machines.list'> = {
  machines: [
    computer('desk-1', { isThis: true, leases: 2 }),
    computer('<b>gpu</b>‮', {
      offers: ['agent:coder', 'label:gpu'],
      contactAgoMs: 600_000,
      clockOffsetMs: -10_800_000,
    }),
    computer('laptop', { state: 'asking', contactAgoMs: 9_000, clockOffsetMs: -10_800_000 }),
  ],
  waiting: [
    {
      id: '5f0c3c52-0000-4000-8000-000000000001',
      session: 'train',
      waitsMs: 95_000,
      why: 'It waits for a computer with label:gpu.',
      needs: ['label:gpu'],
    },
    {
      id: '5f0c3c52-0000-4000-8000-000000000003',
      session: 'parser',
      waitsMs: 4_000,
      why: 'desk-1 cannot run it: The commit abc is not in the repository.',
      needs: [],
      refusals: [{ computer: 'desk-1', why: 'The commit abc is not in the repository.' }],
    },
    {
      id: '5f0c3c52-0000-4000-8000-000000000002',
      session: 'night',
      waitsMs: 3_600_000,
      why: 'It is for old-desk alone.',
      needs: [],
      place: 'old-desk',
    },
    {
      id: '5f0c3c52-0000-4000-8000-000000000004',
      session: 'later',
      waitsMs: 4_000,
      why: 'It waits for a free computer. The earlier turns of its session are only for gpu-box.',
      needs: [],
      strangers: ['desk-1'],
    },
  ],
};

const open = (hash: string, isShared: boolean): Shown => {
  window.location.hash = hash;
  return show(
    <RecoveryWindow />,
    (seed) => {
      if (isShared) seed.status = { ...seed.status, shared: { state: 'connected', held: 2 } };
    },
    (fake) => {
      if (!isShared) return;
      fake.answer('share.status', () => ({
        state: 'connected',
        address: '10.0.0.7:5432/holdfast',
        name: 'desk-1',
        held: 2,
        isOwner: true,
      }));
      fake.answer('machines.list', () => LIST);
    },
  );
};

describe('Computers', () => {
  it('DW-28 shows each computer with its state, version, turns, clock and last contact, hostile names inert', async () => {
    const { container } = open('#/computers', true);
    expect(
      await screen.findByRole('heading', { level: 1, name: '2 computers share work' }),
    ).toBeTruthy();
    expect(
      screen.getByText('This computer is desk-1, in the shared store at 10.0.0.7:5432/holdfast.'),
    ).toBeTruthy();
    const table = await screen.findByRole('region', { name: 'Computers' });
    const cells = within(table)
      .getAllByRole('row')
      .slice(1)
      .map((row) =>
        within(row)
          .getAllByRole('cell')
          .map((cell) => cell.textContent),
      );
    expect(cells).toEqual([
      ['Up', '1.4.0', '2', 'In sync', expect.stringMatching(/^4\D+ago$/)],
      [
        'No contact',
        '1.4.0',
        '0',
        // What it said of its clock 10 minutes ago is not known to be so now.
        '–',
        expect.stringMatching(/^10\D+ago$/),
      ],
      [
        'Asks to be admittedAdmit',
        '1.4.0',
        '0',
        expect.stringMatching(/^3\D+behind$/),
        expect.stringMatching(/^9\D+ago$/),
      ],
    ]);
    expect(container.querySelector('table b')).toBeNull();
    expect(container.textContent).not.toContain('‮');
    expect(await axeFindings(container)).toEqual([]);
  });

  it.each([
    [[], 'Offers nothing yet'],
    [['acp:helper', 'agent:coder', 'os:linux'], 'Agents: helper, coder · Linux'],
    [['label:gpu', 'os:darwin', 'provider:office'], 'Labels: gpu · Providers: office · macOS'],
    [
      [`repository:coder@${'a1b2c3d4'.repeat(8)}`, 'repository:docs@example.org/docs'],
      'Repositories: coder@a1b2c3d4…, docs@example.org/docs',
    ],
    [['os:plan9', 'task:nightly', 'later:thing'], 'Tasks: nightly · plan9 · later:thing'],
  ])('DW-22 says of what it offers (%j) "%s"', (offers, expected) => {
    expect(offersText({ ...computer('desk'), offers })).toBe(expected);
  });

  it.each([
    [29_999, false],
    [30_000, true],
    [-95_000, true],
  ])('DW-28 marks a clock that is off by %i ms: %s', (clockOffsetMs, isMarked) => {
    expect(isClockFar({ ...computer('desk'), clockOffsetMs, contactAgoMs: 0 })).toBe(isMarked);
  });

  it('DW-28 DW-30 says for each waiting turn why not on each computer, and what shared work cannot do', async () => {
    open('#/computers', true);
    const waiting = await screen.findByRole('region', { name: 'Waiting turns' });
    const [gpu, parser, night, later] = within(waiting).getAllByRole('listitem');
    expect(
      within(gpu!)
        .getAllByRole('definition')
        .map((one) => one.textContent),
    ).toEqual([
      'Does not offer label gpu',
      expect.stringMatching(/^No contact for 10/),
      'Is not admitted yet',
    ]);
    expect(within(parser!).getAllByRole('definition')[0]?.textContent).toBe(
      'Could not take it: The commit abc is not in the repository.',
    );
    expect(
      within(night!)
        .getAllByRole('definition')
        .map((one) => one.textContent),
    ).toEqual(['Only old-desk may run it', 'Only old-desk may run it', 'Is not admitted yet']);
    expect(within(later!).getAllByRole('definition')[0]?.textContent).toBe(
      'May not have the earlier turns of its session',
    );
    expect(screen.getByText(/A command that already runs there may still finish/)).toBeTruthy();
  });

  it('DW-21 DW-27 lets a person release a turn of a computer that is gone, and admit one that asks', async () => {
    const { user, fake } = open('#/computers', true);
    const waiting = await screen.findByRole('region', { name: 'Waiting turns' });
    const before = fake.callsOf('machines.list').length;
    await user.click(within(waiting).getByRole('button', { name: 'Let any computer run it' }));
    await user.click(screen.getByRole('button', { name: 'Admit laptop' }));
    await waitFor(() => {
      expect(fake.callsOf('share.release')).toEqual([{ id: LIST.waiting[2]!.id }]);
      expect(fake.callsOf('share.admit')).toEqual([{ name: 'laptop' }]);
      expect(fake.callsOf('machines.list').length).toBeGreaterThan(before);
    });
  });

  it('DW-28 is in the sidebar and in the palette only where work is shared', async () => {
    const shared = open('#/', true);
    expect(await screen.findByRole('link', { name: 'Computers' })).toBeTruthy();
    await shared.user.keyboard('{Control>}k{/Control}');
    await shared.user.type(await screen.findByRole('combobox'), 'computers');
    expect(await screen.findByRole('option', { name: /^Computers/ })).toBeTruthy();
  });

  it('DW-28 has no link and asks nothing for a person who shares nothing; the palette and the settings open it', async () => {
    const { user, fake } = open('#/', false);
    await screen.findByRole('link', { name: 'Usage' });
    expect(screen.queryByRole('link', { name: 'Computers' })).toBeNull();
    expect(fake.callsOf('share.status')).toEqual([]);
    expect(fake.callsOf('machines.list')).toEqual([]);
    await user.keyboard('{Control>}k{/Control}');
    await user.type(await screen.findByRole('combobox'), 'computers');
    await user.click(await screen.findByRole('option', { name: /^Share work between computers/ }));
    expect(
      await screen.findByRole('heading', { level: 1, name: 'Share work between computers' }),
    ).toBeTruthy();
    expect(fake.callsOf('machines.list')).toEqual([]);
    cleanup();
    window.location.hash = '#/general';
    const settings = show(<SettingsWindow />);
    await settings.user.click(await screen.findByRole('button', { name: 'Open Computers' }));
    expect(settings.fake.callsOf('app.openPage')).toEqual([{ route: '/computers' }]);
  });

  it('DW-28 tells on which computer a turn continued and at which step, in its story and its facts', async () => {
    window.location.hash = '#/turns/8';
    show(
      <RecoveryWindow />,
      (seed) => {
        seed.turns = seed.turns.map((turn) =>
          turn.id === 8 ? { ...turn, computer: 'desk-2' } : turn,
        );
      },
      (given) => {
        const turn = given.seed.turns.find(({ id }) => id === 8)!;
        given.answer('turns.show', () => ({
          turn,
          prompt: turn.promptStart,
          isPromptTruncated: false,
          steps: [],
          stops: [],
          moves: [
            { atMs: given.seed.nowMs - 5_000, to: 'here', computer: 'desk-3', atStep: 3 },
            { atMs: given.seed.nowMs, to: 'there', computer: 'desk-2', atStep: 7 },
          ],
        }));
      },
    );
    expect(
      await screen.findByText(
        /Continued here from desk-3 at step 3\. Continued on desk-2 at step 7\./,
      ),
    ).toBeTruthy();
    expect(screen.getByText('on desk-2')).toBeTruthy();
  });
});
