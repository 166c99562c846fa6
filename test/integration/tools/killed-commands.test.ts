/** Commands whose processes somebody else ends, together with Holdfast or alone. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Launched, Site } from '../rows/site';
import { callsThenDone, createSite, until } from '../rows/site';

let site: Site;

beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.remove());

/** Its effect comes when it is let go: what is killed on the way has none. */
const LATE = 'cat hold > out.txt && echo "$HOLDFAST_IDEMPOTENCY_KEY" >> effects.log';
const holdFile = (): string => path.join(site.workspace, 'hold');
/** A pipe that nobody writes to: who reads it waits. */
function hold(): void {
  fs.rmSync(holdFile(), { force: true });
  execFileSync('mkfifo', [holdFile()]);
}
/** Who reads it from now on does not wait. */
function letGo(): void {
  fs.rmSync(holdFile());
  fs.writeFileSync(holdFile(), '');
}

/** Processes of the command, the shell first. */
function processesOf(host: Launched): readonly number[] {
  const childrenOf = (pid: number): number[] => {
    try {
      return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
        .split('\n')
        .filter(Boolean)
        .map(Number);
    } catch {
      return []; // none
    }
  };
  const shells = childrenOf(host.child.pid ?? 0);
  return shells.flatMap((pid) => [pid, ...childrenOf(pid)]);
}

async function begin(
  mode: string,
): Promise<{ host: Launched; turnId: number; pids: readonly number[] }> {
  site.configure({
    resilience: { recovery: { mode, side_effect_tools: [] } },
    shutdown: { grace: '3s' },
  });
  site.fp.setScript(callsThenDone({ name: 'shell', args: { command: LATE } }));
  hold();
  const host = await site.start();
  const turnId = await site.send('work');
  let pids: readonly number[] = [];
  await until('the command waits', () => {
    pids = processesOf(host);
    return pids.length === 2;
  });
  return { host, turnId, pids };
}

function kill(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // gone with the others
    }
  }
}

/** The group at once; or one by one as a service or a container is ended, the inner one first. */
const targets = (how: 'group' | 'one by one', pids: readonly number[]): readonly number[] =>
  how === 'group' ? [-(pids[0] ?? 0)] : pids.slice(1);

const STATES = ['started', 'completed', 'failed', 'ambiguous', 'skipped', 'confirmed'] as const;

/** State of the first call of the shell; the step before it is the answer that asked for it. */
const shellStep = (turnId: number): string | undefined => {
  const [row] = site.db<{ state: number }>(
    'SELECT state FROM steps WHERE turn_id = ? AND step = 2',
    turnId,
  );
  return STATES[row?.state ?? -1];
};

describe('a command that is killed with Holdfast', () => {
  it.each([
    ['group', 'SIGKILL', 0],
    ['group', 'SIGTERM', 150],
    ['group', 'SIGINT', 300],
    ['one by one', 'SIGKILL', 0],
    ['one by one', 'SIGTERM', 150],
    ['one by one', 'SIGINT', 300],
  ] as const)(
    'S4-20 %s by %s, and Holdfast by SIGKILL %i ms later: it is not recorded as finished, and runs again at the next start',
    async (how, signal, afterMs) => {
      const { host, turnId, pids } = await begin('always');
      kill(targets(how, pids), signal);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await site.kill(host);
      // Where the machine was late, the time in which Holdfast may be killed too had passed.
      expect(['started', 'ambiguous']).toContain(shellStep(turnId));
      letGo();
      await site.start();
      await site.turnIn(turnId, 'completed');
      expect(site.effects()).toHaveLength(1);
    },
  );

  it.each([
    ['group', 'SIGKILL'],
    ['one by one', 'SIGTERM'],
    ['one by one', 'SIGKILL'],
  ] as const)(
    'S4-20 %s by %s, and Holdfast by SIGTERM 150 ms later: its outcome is unknown, and it runs again at the next start',
    async (how, signal) => {
      let turnId: number;
      let tookMs: number;
      do {
        const { host, pids, ...begun } = await begin('always');
        ({ turnId } = begun);
        const atMs = performance.now();
        kill(targets(how, pids), signal);
        await new Promise((resolve) => setTimeout(resolve, 150));
        host.child.kill('SIGTERM');
        tookMs = performance.now() - atMs;
        expect((await host.ended).code).toBe(0);
        // A second later it is no longer one end of both: this computer was late, and says nothing.
      } while (tookMs > 900);
      expect(shellStep(turnId)).toBe('ambiguous');
      letGo();
      await site.start();
      await site.turnIn(turnId, 'completed');
      expect(site.effects()).toHaveLength(1);
    },
  );

  it('S4-20 killed alone by its group, its outcome is unknown; only its inner program killed, the exit code 137 is its result', async () => {
    const first = await begin('safe_only');
    kill(targets('group', first.pids), 'SIGKILL');
    await until('it is over', () => shellStep(first.turnId) === 'ambiguous');
    await site.stop(first.host);
    const second = await begin('safe_only');
    kill(targets('one by one', second.pids), 'SIGKILL');
    await site.turnIn(second.turnId, 'completed');
    const { steps } = await site.show(second.turnId);
    expect(steps.find(({ tool }) => tool.endsWith('shell'))).toMatchObject({ state: 'completed' });
    expect(site.effects()).toHaveLength(0);
  });
});
