/**
 * A computer that is killed while an agent of another program works on a shared turn: another computer goes on
 * from the record, and nothing is done twice without a question. DW-19
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CrashPointName } from '../../electron/engine/kernel/crash-points';
import { ACP_AGENT } from '../helpers/acp-agent-program';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../helpers/postgres';
import { isLeftOut } from '../helpers/skips';
import { databaseProblems } from './evidence';
import { endRealms, inEveryMode } from './lives';
import { born, computer, effectsOf, ending, joined, promptsOf } from './share-agents-world';

/**
 * Where the first computer is killed, in the course of two commands and an answer. The intent of the first is
 * in the store with its announcement; the agent hears its leave after the second append of it.
 */
const KILLS: readonly { readonly point: CrashPointName; readonly hit: number }[] = [
  { point: 'share.append.before', hit: 1 },
  { point: 'share.append.after', hit: 4 },
  { point: 'step.effect.before', hit: 1 },
  { point: 'step.effect.after', hit: 1 },
];
/** Each waits for a lease to end and an agent to start, side by side in three modes. */
const KILLS_MS = 600_000;

describe.skipIf(isLeftOut('kills of computers with external agents', NO_POSTGRES))(
  'a computer that is killed while its agent works on a shared turn',
  () => {
    let postgres: Postgres;
    beforeAll(async () => {
      postgres = await createPostgres();
    }, 60_000);
    afterAll(async () => {
      await postgres?.remove();
      endPostgres();
    });
    afterEach(endRealms);

    async function storeOf(name: string): Promise<string> {
      await postgres.sql(`CREATE DATABASE ${name}`);
      return `postgres://owner@127.0.0.1:${String(postgres.port)}/${name}`;
    }

    const scripted = { command: process.execPath, args: [ACP_AGENT, 'plain'] };

    it(
      `DW-08 DW-10 DW-19 in each recovery mode, at ${KILLS.map(({ point, hit }) => `${point} ${String(hit)}`).join(', ')}: another computer ends the turn, each command happens once at most, and one that did not happen was asked about`,
      { timeout: KILLS_MS },
      async () => {
        await inEveryMode(async (mode) => {
          const open = { 'approvals.tools': { shell: 'allow' } };
          const one = computer(mode, 'desk-1', scripted, open);
          const two = computer(mode, 'desk-2', scripted, open);
          let first = await joined(one, two, await storeOf(`scripted_${mode}`));
          for (const [at, { point, hit }] of KILLS.entries()) {
            const session = `s${String(at)}`;
            const [left, right] = [`left-${session}`, `right-${session}`];
            await first.ask({ kind: 'arm', point, later: hit - 1 });
            void first.ask({
              kind: 'call',
              verb: 'share.send',
              input: {
                text: `do: run ${left}\ndo: run ${right}\ndo: say done`,
                agent: 'own',
                session,
              },
            });
            expect(await first.ended).toBe('SIGKILL');
            const toldBefore = promptsOf(two).length;
            const second = await born(two);
            const { denied, isHeld } = await ending(second, session);
            await second.stop();
            const all = [...effectsOf(one), ...effectsOf(two)];
            for (const command of [left, right]) {
              const count = all.filter((line) => line === command).length;
              expect([
                mode,
                point,
                hit,
                command,
                count,
                count === 0 && !denied.includes(command),
              ]).toEqual([mode, point, hit, command, count, false]);
              expect(count).toBeLessThanOrEqual(1);
            }
            // What has not begun is nobody's to tell or to hold. (Where a busy computer misses its own lease
            // and takes the turn up again, mode never holds that.)
            const hasBegun = effectsOf(one).some((line) => line.endsWith(session));
            if (at === 0)
              expect([mode, denied, isHeld && mode !== 'never']).toEqual([mode, [], false]);
            if (hasBegun) {
              expect(isHeld || mode !== 'never').toBe(true);
              expect(promptsOf(two).slice(toldBefore)).toContain('by another computer');
            }
            first = await born(one);
          }
          await first.stop();
          for (const realm of [one, two]) expect(databaseProblems(realm)).toEqual([]);
        });
      },
    );
  },
);
