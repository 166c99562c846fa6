import type { StatusSnapshot } from '../../../shared/types';
import type { HostOutlook, ShareStatus } from '../../../shared/types/share';
import type { MachineRow } from '../../ports/shared-store';
import type { Share } from './share';
import type { WaitingTurn } from './waiting-turns';

/** Shared work as the rest of the engine sees it: there, or not configured. */
export interface SharedWork {
  status(): ShareStatus;
  /** Of the status snapshot: absent where no store was joined. */
  outlook(): StatusSnapshot['shared'];
  /** @throws SHARE_OFF where this computer has joined nothing, SHARE_UNREACHABLE */
  live(): Pick<Share, 'send' | 'giveBack'>;
  /** Why turns of this agent cannot be shared now; undefined where they can. */
  whyNotShared(agent: string): string | undefined;
  machines(): Promise<readonly MachineRow[]>;
  /** What no computer has, each with why and what to do. DW-28 */
  waiting(): Promise<readonly (WaitingTurn & { readonly why: string })[]>;
  release(id: string): Promise<boolean>;
  /**
   * Without an address on a PostgreSQL of our own, which listens where it is said and on this computer.
   * `mayFetch`: its programs, where none that fit are installed.
   *
   * @throws SHARE_SERVER, SHARE_UNREACHABLE, SHARE_REFUSED, SHARE_VERSION, INPUT_INVALID also while it is under way
   */
  host(place: {
    readonly address: string | undefined;
    readonly listen: string | undefined;
    readonly mayFetch: boolean;
  }): Promise<void>;
  /** Whether a PostgreSQL of our own can hold the store here; nothing is changed. */
  hostOutlook(): Promise<HostOutlook>;
  join(invitation: string): Promise<void>;
  leave(): Promise<void>;
  invite(
    name: string,
    forMs: number,
  ): Promise<{ readonly invitation: string; readonly expiresAtMs: number }>;
  admit(name: string): Promise<void>;
  revoke(name: string): Promise<void>;
  acceptLoss(): Promise<void>;
}
