import type { TrayHost } from '../system/session-bus';

interface TrayPlaceDeps {
  readonly platform: string;
  /** Whether the desktop shows icons; needed only on Linux. */
  readonly ask: () => Promise<TrayHost>;
  /** The user wants no icon. */
  readonly isOff: () => boolean;
}

/** Where an icon in the tray would be visible; on Linux that depends on the desktop. */
export interface TrayPlace {
  /** Asks the desktop again. */
  look(): void;
  now(): TrayHost | 'off';
}

export function createTrayPlace({ platform, ask, isOff }: TrayPlaceDeps): TrayPlace {
  const isAsked = platform === 'linux';
  let host: TrayHost = isAsked ? 'unknown' : 'available';
  return {
    look() {
      if (!isAsked) return;
      void ask().then((found) => {
        host = found;
      });
    },
    now: () => (isOff() ? 'off' : host),
  };
}
