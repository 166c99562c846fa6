// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { downOutside, outsideStatus } from '../helpers/fake-outages';
import { nightSchedule } from '../helpers/fake-schedule';
import type { Seed } from '../helpers/fake-seed-type';
import './each-page';
import { show } from './render';

const down = (seed: Seed): void => {
  seed.outside = downOutside(seed.nowMs);
  seed.status = { ...seed.status, outside: outsideStatus(seed.outside) };
};

it.each<[string, string, (seed: Seed) => void, string | RegExp]>([
  [
    'Schedule',
    '#/schedule/1',
    (seed) => {
      seed.schedule = nightSchedule(seed.nowMs);
    },
    'Cancel task…',
  ],
  ['Outages', '#/outages', down, /Settings|settings/],
  ['Inbox', '#/decisions', () => undefined, /./],
])(
  'S0-31 . opens the actions of what %s shows, without a press on its menu',
  async (_page, hash, change, item) => {
    window.location.hash = hash;
    const { user } = show(<RecoveryWindow />, change);
    await waitFor(() =>
      expect(document.querySelector('#content [aria-haspopup="menu"]')).not.toBeNull(),
    );
    await user.keyboard('.');
    expect((await screen.findAllByRole('menuitem', { name: item })).length).toBeGreaterThan(0);
  },
);

it('S0-31 . goes to the first action of an agent, which has no menu', async () => {
  window.location.hash = '#/agents';
  const { user } = show(<RecoveryWindow />);
  await waitFor(() => expect(document.querySelector('.agent button')).not.toBeNull());
  await user.keyboard('.');
  expect(document.querySelector('.agent')?.contains(document.activeElement)).toBe(true);
});
