import type { ExternalOrphans } from '../../ports/external-agent';
import { inertLine } from '../tools/tool-host';
import type { Orphan } from '../../ports/left-processes';
import { endOrphan, findOrphans } from '../shell/orphans';

const POLL_MS = 200;

/**
 * Finds processes that a turn left running in an earlier run of Holdfast, by the marker in the
 * environment of every process it started. `wait`: they get `waitMs` to finish, because finishing a
 * command is better than interrupting it; then, or at once with `end`, they are ended. Two agents
 * must never work in one session. Never throws.
 */
export async function settleOrphans(
  who: { readonly instanceId: string; readonly runId: string; readonly turnId: number },
  policy: 'wait' | 'end',
  waitMs: number,
  /** Called before the first process is signaled. */
  beforeEnd: () => void = () => undefined,
): Promise<ExternalOrphans> {
  const look = async (): Promise<readonly Orphan[]> =>
    (await findOrphans(who)).orphans.filter((orphan) => orphan.turnId === who.turnId);
  const first = await look();
  if (first.length === 0) return { found: 0, waited: 0, ended: 0, left: 0, commands: [] };
  const commands = first.slice(0, 10).map((orphan) => inertLine(orphan.command));
  let left = first;
  if (policy === 'wait') {
    const untilMs = performance.now() + waitMs;
    while (left.length > 0 && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      left = await look();
    }
  }
  const waited = first.length - left.length;
  let ended = 0;
  if (left.length > 0) beforeEnd();
  for (const orphan of left) {
    const end = await endOrphan(orphan);
    if (end === 'ended' || end === 'gone') ended += 1;
  }
  const stillThere = left.length === 0 ? 0 : (await look()).length;
  return { found: first.length, waited: Math.max(0, waited), ended, left: stillThere, commands };
}
