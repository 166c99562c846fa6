// @vitest-environment happy-dom
/** Channels in the settings: how each stands in words, and a test message. */
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { SettingsWindow } from '../../renderer/settings/settings-window';
import { axeFindings, show } from './render';
import type { Shown } from './render';

const open = (): Shown => {
  window.location.hash = '#/channels';
  return show(<SettingsWindow />);
};
const rowOf = async (name: string): Promise<HTMLElement> => {
  const list = await screen.findByRole('region', { name: 'How they stand' });
  return within(list).findByRole('listitem', { name });
};

describe('Channels', () => {
  it('S1-02 S3-15 says of one that is down what waits, what failed and when it is tried again', async () => {
    open();
    const phone = await rowOf('phone');
    expect(phone.textContent).toContain('does not answer');
    expect(phone.textContent).toContain('14 answers taken');
    expect(phone.textContent).toContain('2 answers wait');
    expect(phone.textContent).toMatch(/ECONNREFUSED.*next try in/);
    expect((await rowOf('window')).textContent).toContain('default');
    expect((await rowOf('ci')).textContent).toContain('http://127.0.0.1:8788/in/ci');
    expect(screen.getByText(/show the token in \/data\/channels\.token/)).toBeTruthy();
  });

  it('S1-02 sends a test message with the keyboard and says in words that it was not taken', async () => {
    const { fake, user } = open();
    const phone = await rowOf('phone');
    within(phone).getByRole('button', { name: /phone/ }).focus();
    await user.keyboard('{Enter}');
    expect((await within(phone).findByRole('status')).textContent).toContain('cannot be reached');
    expect(fake.callsOf('channels.test')).toEqual([{ name: 'phone' }]);
    expect(within(await rowOf('window')).queryByRole('button')).toBeNull();
  });

  it('has no findings in axe', async () => {
    const { container } = open();
    await rowOf('ci');
    expect(await axeFindings(container)).toEqual([]);
  });
});
