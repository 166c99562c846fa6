import type { StatusSnapshot } from '../../../shared/types';
import type { HostOutlook, ShareStatus } from '../../../shared/types/share';
import type { MachineRow } from '../../ports/shared-store';
import type { Share } from './share';
import type { WaitingTurn } from './waiting-turns';

/** Shared work as the rest of the engine sees it: there, or not configured. */
export interface SharedWork {
  status(): ShareStatus;
  /** Part of the status snapshot; absent if no store was joined. */
  outlook(): StatusSnapshot['shared'];
  /** @throws SHARE_OFF if this computer has joined no store, SHARE_UNREACHABLE */
  live(): Pick<Share, 'send' | 'giveBack'>;
  /** Why turns of this agent cannot be shared now. Undefined if they can. */
  whyNotShared(agent: string): string | undefined;
  machines(): Promise<readonly MachineRow[]>;
  /** Turns that no computer owns, each with the reason and what to do. DW-28 */
  waiting(): Promise<readonly (WaitingTurn & { readonly why: string })[]>;
  release(id: string): Promise<boolean>;
  /**
   * Without an address: on a PostgreSQL of our own, which listens on the given place and on this
   * computer.
   * `mayFetch`: allows fetching its programs if none that fit are installed.
   *
   * @throws SHARE_SERVER, SHARE_UNREACHABLE, SHARE_REFUSED, SHARE_VERSION; INPUT_INVALID also while
   * another call is in progress
   */
  host(place: {
    readonly address: string | undefined;
    readonly listen: string | undefined;
    readonly mayFetch: boolean;
  }): Promise<void>;
  /** Whether our own PostgreSQL can hold the store on this computer. Changes nothing. */
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
