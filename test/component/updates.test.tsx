// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { SettingsWindow } from '../../renderer/settings/settings-window';
import { updatesView } from '../../renderer/settings/updates-view';
import type { UpdateStatus } from '../../shared/types/updates';
import type { Seed } from '../helpers/fake-seed-type';
import { FAKE_UPDATE } from '../helpers/fake-updates';
import { show } from './render';

const of = (given: Partial<UpdateStatus>): UpdateStatus => ({ ...FAKE_UPDATE, ...given });

describe('UP-02 the section of updates', () => {
  it.each([
    [of({}), 'Holdfast 0.1.0. No check for a newer version yet.', undefined, false],
    [of({ checkedAtMs: 1 }), 'Holdfast 0.1.0 is the newest version.', undefined, false],
    [of({ state: 'available', version: '0.2.0' }), 'Holdfast 0.2.0 is available.', '0.2.0', false],
    [
      of({ state: 'ready', version: '0.2.0' }),
      'Holdfast 0.2.0 is downloaded and verified.',
      '0.2.0',
      false,
    ],
    [
      of({ state: 'waiting', version: '0.2.0', running: 2 }),
      'Holdfast 0.2.0 is installed when no turn runs. 2 turns run now.',
      '0.2.0',
      true,
    ],
    [
      of({ state: 'draining', version: '0.2.0' }),
      'Holdfast 0.2.0 is installed when the running steps are done. Unfinished turns resume afterward.',
      undefined,
      true,
    ],
    // A package manager replaces it: no button, a sentence.
    [
      of({ state: 'available', version: '0.2.0', canInstall: false, advice: 'Use apt.' }),
      'Holdfast 0.2.0 is available.',
      undefined,
      false,
    ],
  ])('%o', (status, sentence, install, canCancel) => {
    expect(updatesView(status)).toMatchObject({ sentence, install, canCancel });
  });

  it('installs the version that is shown when idle or now, and takes it back', async () => {
    window.location.hash = '#/updates';
    const { fake, user } = show(<SettingsWindow />, (seed: Seed) => {
      seed.update = of({ state: 'ready', version: '0.2.0' });
    });
    await user.click(await screen.findByRole('button', { name: 'Install when idle' }));
    await waitFor(() =>
      expect(fake.callsOf('updates.install')).toEqual([{ when: 'idle', version: '0.2.0' }]),
    );
    await user.click(await screen.findByRole('button', { name: 'Don’t install yet' }));
    await user.click(await screen.findByRole('button', { name: 'Install now' }));
    await waitFor(() =>
      expect(fake.callsOf('updates.install').at(-1)).toEqual({ when: 'now', version: '0.2.0' }),
    );
    expect(fake.callsOf('updates.cancel')).toHaveLength(1);
  });

  it('says why a version was taken back, and shows hostile text of a server as text', async () => {
    window.location.hash = '#/updates';
    show(<SettingsWindow />, (seed: Seed) => {
      seed.update = of({
        problem: '<img src=x onerror=alert(1)>',
        last: {
          from: '0.1.0',
          to: '0.2.0',
          outcome: 'rolled_back',
          atMs: seed.nowMs - 60_000,
          reason: 'The new version ended while it started.',
        },
      });
    });
    await screen.findByText(/0\.2\.0 did not start\. Holdfast went back to 0\.1\.0/);
    await screen.findByText(/<img src=x/);
    expect(document.querySelector('img')).toBeNull();
  });
});
