// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { SECTIONS } from '../../renderer/settings/setting-groups';
import { SettingsWindow } from '../../renderer/settings/settings-window';
import { downDelivery } from '../helpers/fake-delivery';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, show } from './render';
import type { Shown } from './render';

const open = (section: string, change?: (seed: Seed) => void): Shown => {
  window.location.hash = `#/${section}`;
  return show(<SettingsWindow />, change);
};

const keysIn = (place: ParentNode): readonly (string | undefined)[] =>
  [...place.querySelectorAll<HTMLElement>('[data-setting]')].map((row) => row.dataset['setting']);

const unfolded = (place: ParentNode): readonly (string | undefined)[] =>
  [...place.querySelectorAll<HTMLElement>('[data-setting]')]
    .filter((row) => row.closest('details') === null)
    .map((row) => row.dataset['setting']);

describe('settings under headings', () => {
  it.each(SECTIONS.filter((section) => section !== 'providers'))(
    'S0-02 %s shows at most 5 settings in a row, and folds at most 9 under one name',
    async (section) => {
      const { container } = open(section);
      await waitFor(() => expect(keysIn(container)).not.toEqual([]));
      for (const list of container.querySelectorAll('ul')) {
        const most = list.closest('details') === null ? 5 : 9;
        expect(keysIn(list).length, keysIn(list).join(' ')).toBeLessThanOrEqual(most);
      }
      const names = [...container.querySelectorAll('summary')].map((one) => one.textContent);
      // Two folds of one name under one heading could not be told apart.
      for (const place of container.querySelectorAll('section'))
        expect(place.querySelectorAll(':scope > details').length, names.join()).toBeLessThan(2);
    },
  );

  it('S2-33 Delivery says how the event broker is, then asks for its address and credentials', async () => {
    const { container } = open('delivery', (seed) => {
      seed.delivery = downDelivery(seed.nowMs);
    });
    const status = await screen.findByText(/^The event broker is down\. 6,?200 events are queued/);
    const server = screen.getByRole('region', { name: 'Event broker' });
    expect(server.contains(status)).toBe(true);
    expect(within(server).getByText('The connection was refused.')).toBeTruthy();
    await within(server).findByRole('textbox', { name: 'NATS servers' });
    expect(unfolded(container)).toEqual([
      'nats.url',
      'nats.credentials_file',
      'nats.credentials_env',
      'events.include_text',
      'limits.max_payload',
    ]);
    expect(keysIn(container)).toHaveLength(9);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S3-15 Notifications lists each channel with its state, tests one, and leads to Channels', async () => {
    const { fake, user, container } = open('notifications');
    const channels = await screen.findByRole('region', { name: 'Your phone and other channels' });
    const phone = await within(channels).findByRole('listitem', { name: 'phone' });
    expect(within(phone).getByText('isn’t responding')).toBeTruthy();
    await user.click(within(phone).getByRole('button', { name: /phone/ }));
    expect((await within(phone).findByRole('status')).textContent).toContain('cannot be reached');
    expect(fake.callsOf('channels.test')).toEqual([{ name: 'phone' }]);
    expect(within(channels).getByRole('link', { name: 'All channels' }).getAttribute('href')).toBe(
      '#/channels',
    );
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S1-33 opens what is folded for a link to one setting in it', async () => {
    open('outages/retry.server.first_wait');
    const row = await waitFor(() => {
      const one = document.querySelector<HTMLElement>('[data-setting="retry.server.first_wait"]');
      expect(one?.closest('details')?.open).toBe(true);
      return one;
    });
    expect(row?.contains(document.activeElement)).toBe(true);
  });
});
