/** A computer that is killed around the files of a turn: the next start has them whole, and the turn ends once. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { linesOf } from '../helpers/fake-world';
import { createPostgres, endPostgres, NO_POSTGRES, type Postgres } from '../helpers/postgres';
import { isLeftOut } from '../helpers/skips';
import { databaseProblems } from './evidence';
import { createRealm, endRealms, startLife } from './lives';
import { BACK_POINTS, FILES_POINTS } from './own-workloads';
import { EFFECT_TOOLS } from './plans';
import type { Life } from './realm';

let postgres: Postgres;

const LIMIT = { timeout: 120_000, interval: 50 };
const stateOf = async (life: Life, session: string): Promise<string | undefined> =>
  (await life.call('turns.list', {})).turns.find(({ sessionKey }) => sessionKey === session)?.state;

describe.skipIf(isLeftOut('kills around files that move', NO_POSTGRES))(
  'a process that is killed around the files of a shared turn',
  () => {
    beforeAll(async () => {
      postgres = await createPostgres();
    }, 60_000);
    afterAll(async () => {
      await postgres?.remove();
      endPostgres();
    });
    afterEach(endRealms);

    it(`DW-20 at ${FILES_POINTS.join(', ')}: what was not accepted is nowhere, what was accepted runs once, in files that are whole, and no half one stays`, async () => {
      const realm = createRealm('always', { 'share.lease': '20s', 'share.name': 'desk-1' });
      const git = (...args: readonly string[]): void => {
        const who = ['-c', 'user.name=Ada', '-c', 'user.email=a@b.c'];
        execFileSync('git', ['-C', realm.workspace, ...who, ...args], { stdio: 'pipe' });
      };
      git('init', '-q');
      fs.writeFileSync(path.join(realm.workspace, 'note.txt'), 'committed');
      git('add', '-A');
      git('commit', '-qm', 'first');
      fs.writeFileSync(path.join(realm.workspace, 'note.txt'), 'not committed');
      let life = startLife(realm);
      await life.ready();
      await life.call('share.host', {
        address: `postgres://owner@127.0.0.1:${String(postgres.port)}/postgres`,
      });
      const work = path.join(fs.realpathSync(realm.dataDir), 'share/work');
      for (const point of FILES_POINTS) {
        await life.ask({ kind: 'arm', point, later: 0 });
        const input = { text: `multi ${point}`, agent: 'fake', session: point, repository: true };
        void life.ask({ kind: 'call', verb: 'share.send', input });
        expect(await life.ended).toBe('SIGKILL');
        expect(realm.killedAt.at(-1)).toBe(point);
        const left = fs.readdirSync(work);
        expect(left.filter((name) => name.startsWith('.new-'))).toHaveLength(
          point === 'share.files.made' ? 1 : 0,
        );
        life = startLife(realm);
        await life.ready();
        if (point === 'share.files.sent') {
          expect(await stateOf(life, point)).toBeUndefined();
          expect(await postgres.sql('SELECT id FROM holdfast.turn')).toEqual([]);
          await expect
            .poll(
              () =>
                life.call('share.send', input).then(
                  () => true,
                  () => false, // it has not connected yet
                ),
              LIMIT,
            )
            .toBe(true);
        }
        await expect.poll(() => stateOf(life, point), LIMIT).toBe('completed');
      }
      await life.stop();
      const folders = fs.readdirSync(work).filter((name) => !name.startsWith('.scratch-'));
      expect(folders).toHaveLength(FILES_POINTS.length);
      for (const folder of folders)
        expect(fs.readFileSync(path.join(work, folder, 'files/note.txt'), 'utf8')).toBe(
          'not committed',
        );
      const keys = linesOf(path.join(realm.outside, 'effects.log')).flatMap((line) => {
        const { key, tool } = JSON.parse(line) as { readonly key: string; readonly tool: string };
        return EFFECT_TOOLS.includes(tool) ? [key] : [];
      });
      expect(keys).toHaveLength(FILES_POINTS.length * 4);
      expect(new Set(keys).size).toBe(keys.length);
      expect(databaseProblems(realm)).toEqual([]);
    });

    it(`DW-20 at ${BACK_POINTS.join(', ')}: files that come back are not there, or each is whole; the same command writes the rest, and .git is as before`, async () => {
      await postgres.sql('DROP SCHEMA IF EXISTS holdfast CASCADE');
      const realm = createRealm('always', { 'share.lease': '20s', 'share.name': 'desk-1' });
      const git = (...args: readonly string[]): string =>
        execFileSync(
          'git',
          ['-C', realm.workspace, '-c', 'user.name=Ada', '-c', 'user.email=a@b.c', ...args],
          { stdio: 'pipe', encoding: 'utf8' },
        );
      git('init', '-q');
      fs.writeFileSync(path.join(realm.workspace, 'note.txt'), 'committed');
      git('add', '-A');
      git('commit', '-qm', 'first');
      let life = startLife(realm);
      await life.ready();
      await life.call('share.host', {
        address: `postgres://owner@127.0.0.1:${String(postgres.port)}/postgres`,
      });
      const more = { agent: 'fake', session: 'back', repository: true };
      const { turnId } = await life.call('share.send', { text: 'files back', ...more });
      await expect.poll(() => stateOf(life, 'back'), LIMIT).toBe('completed');
      const files = (input: object = {}) => life.call('share.files', { turnId, ...input });
      const ready = () =>
        expect
          .poll(
            () =>
              files().then(
                ({ files: all }) => all.length,
                () => 0, // it has not connected yet, or the end is on its way
              ),
            LIMIT,
          )
          .toBeGreaterThan(1);
      await ready();
      const total = (await files()).files.length;
      const before = [git('for-each-ref'), git('ls-files', '-s')];
      for (const [point, inFolder] of [
        ['share.files.laid', 0],
        ['share.files.placed', 1],
      ] as const) {
        await life.ask({ kind: 'arm', point, later: 0 });
        const input = { turnId, act: 'apply' as const };
        void life.ask({ kind: 'call', verb: 'share.files', input });
        expect(await life.ended).toBe('SIGKILL');
        expect(realm.killedAt.at(-1)).toBe(point);
        expect(git('status', '--porcelain').split('\n').filter(Boolean)).toHaveLength(inFolder);
        life = startLife(realm);
        await life.ready();
        await ready();
        expect((await files()).inFolder).toBe(inFolder);
      }
      expect(await files({ act: 'apply' })).toMatchObject({ written: total - 1, inFolder: total });
      expect([git('for-each-ref'), git('ls-files', '-s')]).toEqual(before);
      expect(fs.readdirSync(path.join(realm.workspace, '.git')).join(' ')).not.toContain(
        'holdfast',
      );
      await life.stop();
    });
  },
);
