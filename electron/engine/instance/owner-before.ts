import type { LogFacts } from '../../ports/log';
import type { AcquireResult } from '../../ports/instance-lock';

type Acquired = Pick<Extract<AcquireResult, { kind: 'acquired' }>, 'replaced' | 'leftBehind'>;

/** What the log says of who had the data before: the process that this start replaced, or a stale lock. Pure. S2-41, S2-44 */
export function ownerBefore({
  replaced,
  leftBehind: { content },
}: Acquired):
  { readonly event: 'lock.taken_over' | 'lock.stale'; readonly facts: LogFacts } | undefined {
  if (replaced !== null) {
    const { pid, version, how, waitedMs } = replaced;
    return { event: 'lock.taken_over', facts: { pid, version, how, waitedMs } };
  }
  const stale = (facts: LogFacts) =>
    ({ event: 'lock.stale', facts: { content: content.kind, ...facts } }) as const;
  switch (content.kind) {
    case 'absent':
      return undefined;
    case 'record': {
      const { pid, phase, startedAtMs } = content.record;
      return stale({ pid, phase, startedAtMs });
    }
    case 'bare_pid':
      return stale({ pid: content.pid });
    case 'unreadable':
      return stale({ reason: content.reason });
    default:
      return content satisfies never;
  }
}
