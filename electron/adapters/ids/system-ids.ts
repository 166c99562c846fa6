import { randomBytes } from 'node:crypto';
import type { Clock } from '../../ports/clock';
import type { Ids } from '../../ports/ids';

/** UUIDs of version 7 (RFC 9562): 48 bits of wall time, the rest random. */
export function createSystemIds(clock: Pick<Clock, 'nowMs'>): Ids {
  return {
    newId() {
      const bytes = randomBytes(16);
      bytes.writeUIntBE(clock.nowMs(), 0, 6);
      bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
      bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
      const hex = bytes.toString('hex');
      return [
        hex.slice(0, 8),
        hex.slice(8, 12),
        hex.slice(12, 16),
        hex.slice(16, 20),
        hex.slice(20),
      ].join('-');
    },
    random: () => Math.random(),
  };
}
