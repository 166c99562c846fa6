import { randomUUID } from 'node:crypto';
import type { Clock } from '../../ports/clock';
import type { Ids } from '../../ports/ids';

/** UUIDs of version 7 (RFC 9562): 48 bits of wall time, the rest random. */
export function createSystemIds(clock: Pick<Clock, 'nowMs'>): Ids {
  return {
    newId() {
      // All but time and version comes from a version 4, for which Node keeps random bytes ready.
      const time = Math.floor(clock.nowMs()).toString(16).padStart(12, '0');
      return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
    },
    random: () => Math.random(),
  };
}
