// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { notifications } from '@mantine/notifications';
import { afterEach, describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { actNow, toast } from '../../renderer/toasts/toasts';
import { downOutside, outsideStatus } from '../helpers/fake-outages';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, show } from './render';
import type { Shown } from './render';

afterEach(() => {
  act(() => {
    actNow();
    notifications.clean();
  });
});

const open = (hash: string, change?: (seed: Seed) => void): Shown => {
  window.location.hash = hash;
  return show(<RecoveryWindow />, change);
};
const problem = (seed: Seed): void => {
  seed.inbox = [
    { id: 77, kind: 'problem', title: 'A key is old', detail: '', createdAtMs: seed.nowMs - 1000 },
  ];
  seed.decisions = [];
  seed.approvals = [];
};
const noteOf = async (text: string | RegExp): Promise<HTMLElement> => {
  const line = await screen.findByText(text);
  return line.closest<HTMLElement>('[role="alert"]') ?? line;
};

describe('notes at the bottom right', () => {
  it('pausing says until when, with Undo that starts new turns again', async () => {
    const { fake, user } = open('#/');
    await user.click(await screen.findByRole('button', { name: 'Pause new turns' }));
    await user.click(await screen.findByRole('menuitem', { name: 'For 1 hour' }));
    // The note is drawn once more when the page hears of the pause: its first button may be gone.
    await waitFor(async () => {
      const note = screen
        .queryByText(/^New turns wait until/)
        ?.closest<HTMLElement>('[role="alert"]');
      if (note && fake.callsOf('intake.resume').length === 0)
        await user.click(within(note).getByRole('button', { name: 'Undo' }));
      expect(fake.callsOf('intake.resume')).toHaveLength(1);
    });
    await waitFor(() => expect(screen.queryByText(/^New turns wait until/)).toBeNull());
    act(() => {
      toast({ message: 'Not paused', tone: 'outage' });
    });
    // Of the page itself other tests ask this: with a note it would take longer than a note stays.
    expect(await axeFindings(await noteOf('Not paused'))).toEqual([]);
  });

  it('a dismissed item is gone from the list, and Undo brings it back with nothing done', async () => {
    const { fake, user } = open('#/decisions', problem);
    await user.click(await screen.findByRole('button', { name: 'Dismiss' }));
    const note = await noteOf('Dismissed: A key is old');
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Dismiss' })).toBeNull());
    await user.click(within(note).getByRole('button', { name: 'Undo' }));
    expect(await screen.findByRole('button', { name: 'Dismiss' })).toBeTruthy();
    expect(fake.callsOf('inbox.dismiss')).toEqual([]);
  });

  it('dismisses when the note is closed, and once', async () => {
    const { fake, user } = open('#/decisions', problem);
    await user.click(await screen.findByRole('button', { name: 'Dismiss' }));
    const note = await noteOf('Dismissed: A key is old');
    expect(fake.callsOf('inbox.dismiss')).toEqual([]);
    await user.click(within(note).getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(fake.callsOf('inbox.dismiss')).toEqual([{ inboxId: 77 }]));
    act(() => void window.dispatchEvent(new Event('pagehide')));
    expect(fake.callsOf('inbox.dismiss')).toHaveLength(1);
  });

  it('dismisses at once when the window is left', async () => {
    const { fake, user } = open('#/decisions', problem);
    await user.click(await screen.findByRole('button', { name: 'Dismiss' }));
    await noteOf('Dismissed: A key is old');
    act(() => void window.dispatchEvent(new Event('pagehide')));
    await waitFor(() => expect(fake.callsOf('inbox.dismiss')).toEqual([{ inboxId: 77 }]));
  });

  it('a turn removed from the queue is canceled only when its note is gone; Undo keeps it', async () => {
    const known = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'clientHeight');
    Object.defineProperty(HTMLElement.prototype, 'clientHeight', {
      configurable: true,
      value: 600,
    });
    const { fake, user } = open('#/outages', (seed) => {
      seed.outside = downOutside(seed.nowMs);
      seed.status = { ...seed.status, outside: outsideStatus(seed.outside) };
    });
    const row = { name: 'Actions: Reply to the landlord' };
    await user.click(await screen.findByRole('button', row));
    await user.click(await screen.findByRole('menuitem', { name: 'Remove (cancels this turn)' }));
    const note = await noteOf('Removed from the queue: Reply to the landlord');
    await waitFor(() => expect(screen.queryByRole('button', row)).toBeNull());
    await user.click(within(note).getByRole('button', { name: 'Undo' }));
    expect(await screen.findByRole('button', row)).toBeTruthy();
    expect(fake.callsOf('turns.cancel')).toEqual([]);
    if (known) Object.defineProperty(HTMLElement.prototype, 'clientHeight', known);
    else delete (HTMLElement.prototype as { clientHeight?: number }).clientHeight;
  });

  it('an applied draft can be taken out of its file again from the note', async () => {
    const { fake, user } = open('#/drafts/1');
    await user.click(await screen.findByRole('button', { name: 'Apply the up-to-date draft' }));
    await waitFor(() => expect(fake.callsOf('drafts.promote')).toHaveLength(1));
    const [old] = fake.seed.decidedDrafts;
    if (old === undefined) throw new Error('no decided draft');
    fake.seed.decidedDrafts = [{ ...old, draftId: 1, path: 'src/sync.ts' }];
    await user.click(await screen.findByRole('button', { name: 'Undo' }));
    await waitFor(() => expect(fake.callsOf('drafts.restore')).toHaveLength(1));
    expect(fake.callsOf('drafts.restore')).toEqual([{ draftId: 1, requestHash: old.requestHash }]);
  });

  it('shows three at most; what went wrong stays until it is closed', async () => {
    open('#/');
    await screen.findByRole('heading', { level: 1 });
    act(() => {
      for (const message of ['one', 'two', 'three', 'four']) toast({ message, tone: 'outage' });
    });
    expect(await screen.findByText('three')).toBeTruthy();
    expect(screen.queryByText('four')).toBeNull();
  });
});
