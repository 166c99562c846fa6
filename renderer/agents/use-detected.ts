import { useCallback, useEffect, useState } from 'react';
import type { HoldfastBridge } from '../../shared/contract';
import type { DetectedAgent } from '../../shared/types';
import { useBridge, useCommand } from '../bridge';
import type { Trouble } from '../bridge';

/** Detection starts programs and may take seconds: it runs once per window, then on request. */
const lastLook = new WeakMap<HoldfastBridge, readonly DetectedAgent[]>();

export interface Detected {
  /** Undefined until the first detection is done. */
  readonly agents: readonly DetectedAgent[] | undefined;
  readonly isLooking: boolean;
  readonly trouble: Trouble | undefined;
  readonly look: () => void;
}

/** Known external agents on this computer. */
export function useDetected(): Detected {
  const bridge = useBridge();
  const { run, isBusy, trouble } = useCommand('agents.detect');
  const [agents, setAgents] = useState(() => lastLook.get(bridge));
  const look = useCallback(() => {
    void run({}).then((answer) => {
      if (!answer.ok) return;
      lastLook.set(bridge, answer.value.agents);
      setAgents(answer.value.agents);
    });
  }, [bridge, run]);
  useEffect(() => {
    if (!lastLook.has(bridge)) look();
  }, [bridge, look]);
  return { agents, isLooking: isBusy, trouble, look };
}
