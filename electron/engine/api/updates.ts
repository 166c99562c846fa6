import type { UPDATE_VERBS } from '../../../shared/contract/updates';
import type { Updates } from '../updates/updates';
import type { Handlers } from './handlers';

/** Updates of Holdfast itself. The module is loaded with the first call. */
export function updateHandlers({
  updates,
}: {
  readonly updates: { loaded(): Promise<Updates> };
}): Handlers<keyof typeof UPDATE_VERBS> {
  return {
    'updates.status': async () => (await updates.loaded()).status(),
    'updates.check': async () => {
      const room = await updates.loaded();
      await room.check();
      return room.status();
    },
    'updates.install': async ({ when, version }) => {
      const room = await updates.loaded();
      await room.install(when, version);
      return room.status();
    },
    'updates.cancel': async () => {
      const room = await updates.loaded();
      room.cancel();
      return room.status();
    },
  };
}
