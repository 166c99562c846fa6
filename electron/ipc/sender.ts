/** Who may call over IPC: only the top frame of a window that we made, showing our own page (I2). */

/** What is read of an IPC event's sender; the real ones are Electron's. */
export interface SenderFacts {
  readonly senderFrame: {
    readonly parent: unknown;
    readonly origin: string;
    isDestroyed?(): boolean;
  } | null;
  readonly sender: { readonly id: number; isDestroyed(): boolean };
}

/** Origin of our pages as Chromium writes it; `new URL(...).origin` says `null` for it. */
const APP_ORIGIN = 'holdfast://app';

/**
 * Undefined if the sender may call, otherwise why not. `sender` alone is not enough: it is the
 * whole page, sub-frames included.
 */
export function refuseSender(
  event: SenderFacts,
  isOurs: (webContentsId: number) => boolean,
): string | undefined {
  if (event.sender.isDestroyed()) return 'destroyed';
  if (!isOurs(event.sender.id)) return 'not_our_window';
  const frame = event.senderFrame;
  if (frame === null || frame === undefined) return 'no_frame';
  if (frame.isDestroyed?.() === true) return 'destroyed';
  if (frame.parent !== null) return 'sub_frame';
  if (frame.origin !== APP_ORIGIN) return 'foreign_origin';
  return undefined;
}
