/** Two computers that share work, with an agent of another program on each. */
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { configure, createRealm, startLife, type Mode } from './lives';
import type { Life, Realm } from './realm';
import { wholeLines } from '../helpers/whole-lines';

// A real agent takes 5 s to start where nothing else runs, and ten times that on a busy computer.
export const LIMIT = { timeout: 120_000, interval: 50 };

export function computer(
  mode: Mode,
  name: string,
  agent: { readonly command: string; readonly args: readonly string[] },
  more: Record<string, unknown> = {},
): Realm {
  const realm = createRealm(mode);
  configure(realm, {
    'resilience.recovery.mode': mode,
    'resilience.recovery.side_effect_tools': mode === 'safe_only' ? ['shell'] : [],
    'resilience.recovery.resume_delay': '20ms',
    'agents.own': { executor: 'acp', ...agent, workspace: realm.workspace },
    // Shorter, a busy computer would miss its own.
    'share.lease': '8s',
    'share.name': name,
    ...more,
  });
  return realm;
}

export async function born(realm: Realm): Promise<Life> {
  const life = startLife(realm);
  await life.ready();
  await expect
    .poll(async () => (await life.call('share.status', {})).state, LIMIT)
    .toMatch(/off|connected/);
  return life;
}

/** Both know the store; the second one is off. */
export async function joined(one: Realm, two: Realm, store: string): Promise<Life> {
  const [host, other] = await Promise.all([born(one), born(two)]);
  await host.call('share.host', { address: store });
  const { invitation } = await host.call('share.invite', { name: 'desk-2' });
  await other.call('share.join', { invitation });
  await host.call('share.admit', { name: 'desk-2' });
  await other.stop();
  return host;
}

export const effectsOf = ({ workspace }: Realm): readonly string[] => {
  const file = path.join(workspace, 'effects.log');
  return wholeLines(file);
};
export const promptsOf = ({ outside }: Realm): string =>
  fs.existsSync(path.join(outside, 'agent.log'))
    ? fs.readFileSync(path.join(outside, 'agent.log'), 'utf8')
    : '';

/** Ends the turn on the computer that has it: resumes what is held, refuses what would happen again. */
export async function ending(life: Life, session: string) {
  const denied: string[] = [];
  let isHeld = false;
  await expect
    .poll(async () => {
      for (const { turnId, requestHash } of (await life.call('recovery.list', {})).decisions) {
        isHeld = true;
        await life.call('recovery.resume', { turnId, requestHash });
      }
      for (const { requestId, requestHash, hint, reason } of (await life.call('approvals.list', {}))
        .requests) {
        // No rule asks here: only what may have happened is asked about.
        expect(reason).toContain('before the restart');
        denied.push(hint);
        await life.call('approvals.deny', { requestId, requestHash });
      }
      const { turns } = await life.call('turns.list', {});
      return turns.find(({ sessionKey }) => sessionKey === session)?.state;
    }, LIMIT)
    .toBe('completed');
  return { denied, isHeld };
}
