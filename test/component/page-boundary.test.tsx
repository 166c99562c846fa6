// @vitest-environment happy-dom
import { screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { PageBoundary } from '../../renderer/parts/page-boundary';
import { axeFindings, show } from './render';

// React reports what is thrown while it draws.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

it('S2-30 a page that cannot be drawn says what is safe and what to do, and is drawn again on the press of a button', async () => {
  let isBroken = true;
  const Page = (): ReactElement => {
    if (isBroken) throw new Error('no such chunk <b>');
    return <p>drawn</p>;
  };
  const { user, container } = show(
    <PageBoundary place="#/a">
      <Page />
    </PageBoundary>,
  );
  const told = (await screen.findByRole('alert')).textContent;
  expect(told).toContain('Nothing was changed, saved work is safe, and agents keep working.');
  expect(told).toContain('open it again from the tray');
  expect(told).toContain('no such chunk <b>');
  expect(await axeFindings(container)).toEqual([]);
  isBroken = false;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('drawn')).toBeDefined();
});

it('S2-30 a page that breaks leaves what stands around it, and the next page is drawn', async () => {
  const Broken = (): ReactElement => {
    throw new Error('broken');
  };
  const Pages = (): ReactElement => {
    const [place, setPlace] = useState('a');
    return (
      <>
        <button type="button" onClick={() => setPlace('b')}>
          Sessions
        </button>
        <PageBoundary place={place}>{place === 'a' ? <Broken /> : <p>second</p>}</PageBoundary>
      </>
    );
  };
  const { user } = show(<Pages />);
  await screen.findByRole('heading', { name: 'This page cannot be shown' });
  await user.click(screen.getByRole('button', { name: 'Sessions' }));
  expect(await screen.findByText('second')).toBeDefined();
  expect(screen.queryByRole('alert')).toBeNull();
});
