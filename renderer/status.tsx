/** The status snapshot and the settings that every page needs, loaded once per window. */
import { createContext, useContext, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { StatusSnapshot } from '../shared/types';
import { useEvent, useVerb } from './bridge';
import type { Trouble } from './bridge';

interface Held {
  readonly status: StatusSnapshot | undefined;
  readonly trouble: Trouble | undefined;
}
const StatusContext = createContext<Held>({ status: undefined, trouble: undefined });

/** Keeps the last snapshot: the events contain all of it, so nothing is loaded twice. */
export function StatusProvider({ children }: { children: ReactNode }): ReactElement {
  const first = useVerb('status.get', {});
  const [pushed, setPushed] = useState<StatusSnapshot | undefined>(undefined);
  useEvent('status.changed', setPushed);
  const newest =
    pushed && first.data ? (pushed.nowMs >= first.data.nowMs ? pushed : first.data) : pushed;
  return (
    <StatusContext value={{ status: newest ?? first.data, trouble: first.trouble }}>
      {children}
    </StatusContext>
  );
}

export const useStatus = (): Held => useContext(StatusContext);
