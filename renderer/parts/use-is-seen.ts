import { useSyncExternalStore } from 'react';

const subscribe = (listener: () => void): (() => void) => {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
};

/** Whether the window is on the screen. */
export const useIsSeen = (): boolean =>
  useSyncExternalStore(subscribe, () => document.visibilityState === 'visible');
