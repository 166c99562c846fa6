// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import './each-page';
import { axeFindings, show } from './render';

beforeEach(() => window.localStorage.clear());
afterEach(() => window.localStorage.clear());

it('S0-34 Home tells once what happened while no window was open, until it is dismissed', async () => {
  window.localStorage.setItem('holdfast.lastLook', String(Date.now() - 5 * 3_600_000));
  const { user, container } = show(<RecoveryWindow />);
  const list = await screen.findByRole('region', { name: 'While you were away' });
  expect(within(list).getByText(/turns? completed$/)).toBeTruthy();
  expect(await axeFindings(container)).toEqual([]);
  await user.click(
    within(list).getByRole('button', { name: 'Dismiss what happened while you were away' }),
  );
  await waitFor(() =>
    expect(screen.queryByRole('region', { name: 'While you were away' })).toBeNull(),
  );
  expect(window.localStorage.getItem('holdfast.away')).toBeNull();
  // The window was looked at just now: nothing more to tell.
  expect(Date.now() - Number(window.localStorage.getItem('holdfast.lastLook'))).toBeLessThan(
    60_000,
  );
});

it('S0-34 says nothing to somebody who was here a minute ago', async () => {
  window.localStorage.setItem('holdfast.lastLook', String(Date.now() - 60_000));
  show(<RecoveryWindow />);
  await screen.findByRole('heading', { level: 1 });
  expect(screen.queryByRole('region', { name: 'While you were away' })).toBeNull();
});
