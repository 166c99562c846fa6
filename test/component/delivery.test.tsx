// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { downDelivery, fakeLetter } from '../helpers/fake-delivery';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, show } from './render';
import type { Shown } from './render';

const down = (seed: Seed): void => {
  seed.delivery = downDelivery(seed.nowMs);
};
const open = (change: (seed: Seed) => void = down): Shown => {
  window.location.hash = '#/events/delivery';
  return show(<RecoveryWindow />, change);
};
const dead = async (): Promise<HTMLElement> =>
  screen.findByRole('region', { name: 'Undelivered events' });

describe('Events: delivery', () => {
  it('S2-33 says that the broker is down, what waits on disk, and by how much producers are slowed', async () => {
    const { container } = open();
    const broker = await screen.findByRole('region', { name: 'Event broker' });
    expect(broker.textContent).toContain(
      'The event broker is down. 6,200 events are queued in order.',
    );
    // What happens next, and what can be done.
    expect(broker.textContent).toContain('Holdfast reconnects automatically and then sends');
    expect(within(broker).getByRole('button', { name: 'Delivery settings' })).toBeTruthy();
    expect(broker.textContent).toContain('nats://broker.lindner.example:4222');
    expect(broker.textContent).toContain('120 ms per event');
    expect(
      within(broker).getByRole('meter', { name: 'Queue usage' }).getAttribute('aria-valuenow'),
    ).toBe('62');
    await dead();
    expect(container.querySelector('[data-variant="filled"]')).toBeNull();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S2-38 has a banner for what was shed, which is listed below', async () => {
    open();
    expect(
      await screen.findByText('The queue was full: 1 event was dropped for a newer one.'),
    ).toBeTruthy();
    expect(within(await dead()).getByText('dropped: the queue was full')).toBeTruthy();
  });

  it('S2-35 lists dead letters with reason, attempts and, opened, the history and the start of the content', async () => {
    const { user } = open();
    const list = await dead();
    const [first] = await within(list).findAllByRole('button', { expanded: false });
    expect(first?.textContent).toMatch(/^invoices\.new rejected by the broker.*3 attempts/);
    await user.click(first!);
    expect(within(list).getByText('{"invoice":2291,"customer":"Northcable"}')).toBeTruthy();
    expect(within(list).getAllByText('maximum messages exceeded')).toHaveLength(3);
  });

  it('S2-36 sends one again, and says how many went', async () => {
    const { fake, user } = open();
    await user.click(await screen.findByRole('button', { name: 'Send again: evt-1' }));
    expect(fake.callsOf('dlq.replay')).toEqual([{ id: 'evt-1' }]);
    expect(await screen.findByText('Sending 1 event again.')).toBeTruthy();
    await waitFor(() => expect(screen.queryByText('Send again: evt-1')).toBeNull());
  });

  it('S2-36 sends all again, or those of one topic', async () => {
    const { fake, user } = open();
    await user.click(await screen.findByRole('combobox', { name: 'Topic' }));
    await user.click(await screen.findByRole('option', { name: 'builds.done' }));
    await user.click(await screen.findByRole('button', { name: 'Send 2 of builds.done again' }));
    await user.click(screen.getByRole('combobox', { name: 'Topic' }));
    await user.click(await screen.findByRole('option', { name: 'All topics' }));
    await user.click(await screen.findByRole('button', { name: 'Send all 2 again' }));
    expect(fake.callsOf('dlq.replay')).toEqual([{ topic: 'builds.done' }, { all: true }]);
  });

  it('S2-35 deletes only after a question that says nobody will receive it, and nothing in it is filled', async () => {
    const { fake, user } = open();
    await user.click(await screen.findByRole('button', { name: 'Delete all…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Permanently delete 4 events?' });
    expect(dialog.querySelector('[data-variant="filled"]')).toBeNull();
    expect(fake.callsOf('dlq.purge')).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Delete 4 events' }));
    await waitFor(() => expect(fake.callsOf('dlq.purge')).toEqual([{ all: true }]));
    expect(await screen.findByText('4 events were deleted.')).toBeTruthy();
    expect(await screen.findByText('No undelivered events.')).toBeTruthy();
  });

  it('S2-36 shows 50 of 120, then more when asked', async () => {
    const { user } = open((seed) => {
      seed.delivery.letters = Array.from({ length: 120 }, (_, at) =>
        fakeLetter(seed.nowMs, at, {}),
      );
    });
    const list = await dead();
    expect(await within(list).findAllByRole('listitem')).toHaveLength(51);
    await user.click(within(list).getByRole('button', { name: 'Show more' }));
    await waitFor(() => expect(within(list).getAllByRole('listitem')).toHaveLength(101));
  });

  it('S2-32 says that there is no broker where none is set up, and nothing of a queue', async () => {
    open(() => undefined);
    const broker = await screen.findByRole('region', { name: 'Event broker' });
    expect(broker.textContent).toContain('No event broker is set up');
    // Neither good nor bad.
    expect(broker.querySelector('.lucide-check')).toBeNull();
    expect(broker.textContent).not.toContain('acknowledged by the broker');
    expect(within(broker).queryByRole('meter')).toBeNull();
  });

  it('reads again when the queue changes, and leads back to journal and audit', async () => {
    const { fake, user } = open();
    await screen.findByRole('region', { name: 'Event broker' });
    fake.seed.delivery.status = {
      ...fake.seed.delivery.status,
      broker: 'connected',
      isDraining: true,
      depth: 12,
    };
    act(() => fake.emit('queue.changed', { depth: 12, deadLetters: 4 }));
    expect(
      await screen.findByText('The event broker is back: sending 12 events in order.'),
    ).toBeTruthy();
    await user.click(screen.getByRole('radio', { name: 'Audit' }));
    expect(window.location.hash).toBe('#/events');
    await waitFor(() =>
      expect(fake.callsOf('events.list').at(-1)).toMatchObject({ source: 'audit' }),
    );
  });
});
