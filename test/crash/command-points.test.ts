/** Agents that are command lines, killed at each of their own crash points, with real hooks. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  configure,
  createRealm,
  endRealms,
  inEveryMode,
  type Mode,
  type Realm,
  startLife,
} from './lives';
import { COMMAND_POINTS } from './own-workloads';

afterEach(endRealms);

function realmWithProgram(mode: Mode): Realm {
  const realm = createRealm(mode);
  const program = path.join(realm.root, 'claude');
  fs.copyFileSync(path.resolve('test/helpers/claude-agent.mjs'), program);
  fs.chmodSync(program, 0o755);
  fs.writeFileSync(
    path.join(realm.workspace, 'plan.json'),
    JSON.stringify({
      calls: ['one', 'two'].map((tag) => ({
        tool: 'Bash',
        input: { command: `echo ${tag} >> effects.log` },
      })),
      text: 'All done.',
    }),
  );
  configure(realm, {
    'resilience.recovery.mode': mode,
    'resilience.recovery.resume_delay': '20ms',
    'channels.default': 'chanA',
    agents: {
      fake: { provider: 'fake', model: 'fake-1', workspace: realm.workspace },
      c: { executor: 'command', command: program, workspace: realm.workspace },
    },
  });
  return realm;
}

describe('S4-19 a run of a program that is cut off at', () => {
  it.each(COMMAND_POINTS)(
    '%s loses no turn, and fires no effect that has no leave on disk, in 3 modes',
    async (point) => {
      await inEveryMode(async (mode) => {
        const realm = realmWithProgram(mode);
        const life = startLife(realm, { crash: { point, hit: 1 } });
        await life.ready();
        void life.ask({
          kind: 'call',
          verb: 'send',
          input: { text: 'do it', agent: 'c', session: 's' },
        });
        expect(await life.ended).toBe('SIGKILL');
        const effects = path.join(realm.workspace, 'effects.log');
        // Cut off before the first leave was given, so nothing may have happened.
        expect(fs.existsSync(effects)).toBe(false);
        const again = startLife(realm);
        await again.ready();
        // Killed before its first step it had not begun, and there is nothing to decide about it.
        const { decisions } = await again.call('recovery.list', {});
        expect(decisions.length > 0).toBe(mode === 'never' && point !== 'command.hooks.after');
        for (const { turnId, requestHash } of decisions)
          await again.call('recovery.resume', { turnId, requestHash });
        await again.ask({ kind: 'quiet' });
        const { turns } = await again.call('turns.list', {});
        const held = turns.filter((turn) => turn.state === 'held');
        for (const { id } of held) {
          // The process had begun and no hook had reported yet: a question, never a second run.
          const { decision } = await again.call('turns.show', { turnId: id });
          expect(decision?.ambiguous.map((one) => one.tool)).toEqual(['command.claude']);
          await again.call('recovery.resume', {
            turnId: id,
            requestHash: decision?.requestHash ?? '',
          });
        }
        await again.ask({ kind: 'quiet' });
        const after = await again.call('turns.list', {});
        expect(after.turns.map((turn) => turn.state)).toEqual(['completed']);
        expect(fs.readFileSync(effects, 'utf8')).toBe('one\ntwo\n');
        await again.stop();
      });
    },
  );
});
