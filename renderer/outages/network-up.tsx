/** The network is back: providers that are down are probed at once, even if no page shows them. */
import { useWindowEvent } from '@mantine/hooks';
import { useRef } from 'react';
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
  const askedMs = useRef(Number.NEGATIVE_INFINITY);
  useWindowEvent('online', () => {
    if (performance.now() - askedMs.current < EVERY_MS) return;
    askedMs.current = performance.now();
    for (const { provider, state } of status?.outside?.providers ?? [])
      if (state === 'down') void callVerb(bridge, 'outage.probe', { provider });
  });
  return null;
}
