/** The network is back: providers that are down are probed at once, even if no page shows them. */
import { useEffect, useRef } from 'react';
import { callVerb, useBridge } from '../bridge';
import { useStatus } from '../status';

/** A network that goes up and down counts once. */
const EVERY_MS = 5_000;

/**
 * Uses this window's online event, which also arrives while it is hidden; nothing is polled.
 * Without a window the regular probes notice it. R2
 */
export function NetworkUp(): null {
  const bridge = useBridge();
  const { status } = useStatus();
  const down = useRef<readonly string[]>([]);
  const askedMs = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    down.current = (status?.outside?.providers ?? [])
      .filter(({ state }) => state === 'down')
      .map(({ provider }) => provider);
  }, [status]);
  useEffect(() => {
    const onOnline = (): void => {
      if (performance.now() - askedMs.current < EVERY_MS) return;
      askedMs.current = performance.now();
      for (const provider of down.current) void callVerb(bridge, 'outage.probe', { provider });
    };
    window.addEventListener('online', onOnline);
    return () => {
      window.removeEventListener('online', onOnline);
    };
  }, [bridge]);
  return null;
}
