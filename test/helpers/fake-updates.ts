/** Updates, for tests of pages. */
import type { VerbInput } from '../../shared/contract';
import type { UpdateStatus } from '../../shared/types/updates';
import type { Seed } from './fake-seed-type';

export const FAKE_UPDATE: UpdateStatus = {
  mode: 'off',
  state: 'idle',
  current: '0.1.0',
  install: 'appimage',
  canInstall: true,
  running: 0,
};

export function fakeUpdateVerbs(seed: Seed) {
  const now = (): UpdateStatus => seed.update ?? FAKE_UPDATE;
  const become = (state: UpdateStatus['state']): UpdateStatus => {
    seed.update = { ...now(), state };
    return seed.update;
  };
  return {
    'updates.status': now,
    'updates.check': now,
    'updates.install': ({ when }: VerbInput<'updates.install'>) =>
      become(when === 'now' ? 'draining' : 'waiting'),
    'updates.cancel': () => become('ready'),
  };
}
