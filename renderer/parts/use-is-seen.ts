import { useSyncExternalStore } from 'react';

const subscribe = (listener: () => void): (() => void) => {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
};

/** True while the window is visible. */
export const useIsSeen = (): boolean =>
  useSyncExternalStore(subscribe, () => document.visibilityState === 'visible');
