/** Updates with real processes: a program file that replaces itself, and is killed on the way. UP-02 */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { startFakeProvider, type FakeProvider } from '../helpers/fake-provider';
import { createUpdateWorld, programOf, type UpdateWorld } from './update-world';
import { UPDATE_BACK_POINTS, UPDATE_POINTS } from './own-workloads';

let world: UpdateWorld | undefined;
let provider: FakeProvider | undefined;
afterEach(async () => {
  await world?.end();
  await provider?.stop();
  world = undefined;
  provider = undefined;
});

const NEW = programOf('0.2.0');
const OLD = programOf('0.1.0');
const atTarget = (of: UpdateWorld): string => fs.readFileSync(of.target, 'utf8');

/** An instance of the old version, with the new one downloaded and wanted. */
async function installing(content: string, crash?: string): Promise<UpdateWorld> {
  world = await createUpdateWorld();
  world.publish('0.2.0', content);
  world.start(crash);
  const client = await world.up('0.1.0');
  await client.call('tasks.pauseAll', {});
  await client.call('updates.install', { when: 'idle', version: '0.2.0' }, 20_000);
  return world;
}

describe('UP-02', () => {
  it('an update with 4 turns at work lets their steps finish, restarts, and resumes all 4; no answer is requested twice', async () => {
    const open: (() => void)[] = [];
    let turnsDone = false;
    provider = await startFakeProvider();
    provider.setScript(async ({ body }) => {
      if (body.includes('first note')) return { text: 'all noted' };
      if (!turnsDone) await new Promise<void>((resolve) => open.push(resolve));
      return {
        toolCalls: [{ name: 'write_file', args: { path: 'note.txt', content: 'first note' } }],
      };
    });
    const workspace = fs.mkdtempSync(path.join(fs.realpathSync('/tmp'), 'holdfast-update-work-'));
    world = await createUpdateWorld({
      providers: {
        fake: { kind: 'openai-compatible', base_url: provider.baseUrl('openai-compatible') },
      },
      agents: { fake: { provider: 'fake', model: 'fake-1', workspace } },
      approvals: { mode: 'off' },
    });
    world.publish('0.2.0', NEW);
    world.start();
    const client = await world.up('0.1.0');
    const turns: number[] = [];
    for (const session of ['a', 'b', 'c', 'd'])
      turns.push((await client.call('send', { text: `work ${session}`, session })).turnId);
    await provider.waitForRequests(4);
    const asked = await client.call('updates.install', { when: 'now', version: '0.2.0' }, 20_000);
    expect(asked.state).toBe('draining');
    expect(world.note()?.phase).toBe('ready'); // no turn is ended for it
    turnsDone = true;
    for (const answer of open) answer();
    const after = await world.up('0.2.0');
    const status = await after.call('status.get', {});
    expect(status.restart?.reason).toBe('update');
    expect([...(status.restart?.resumedTurns ?? [])].toSorted()).toEqual(turns.toSorted());
    expect((await after.call('updates.status', {})).last).toMatchObject({
      from: '0.1.0',
      to: '0.2.0',
      outcome: 'installed',
    });
    for (const turnId of turns)
      await expect
        .poll(async () => (await after.call('turns.show', { turnId })).turn.state, {
          timeout: 120_000,
        })
        .toBe('completed');
    // One request for each of the two steps of a turn.
    expect(provider.calls()).toHaveLength(8);
    expect(atTarget(world)).toBe(NEW);
    fs.rmSync(workspace, { recursive: true, force: true });
  });

  it('a version that ends while it starts is replaced by the old one once, and is not installed again by itself', async () => {
    const at = await installing(programOf('0.2.0', 'broken'));
    const note = await at.noteIn('rolled_back');
    expect(note.reason).toBe('The new version ended while it started.');
    const client = await at.up('0.1.0');
    expect(atTarget(at)).toBe(OLD);
    await client.call('config.set', { key: 'updates.mode', value: 'install' });
    const checked = await client.call('updates.check', {});
    expect(checked).toMatchObject({ state: 'available', version: '0.2.0' });
    expect(checked.last).toMatchObject({ outcome: 'rolled_back', to: '0.2.0' });
  });

  it('a version that dies after it has migrated the data gives back the data of the old one, and keeps its own beside it', async () => {
    const at = await installing(programOf('0.2.0', 'migrates'));
    await at.noteIn('rolled_back');
    await at.up('0.1.0');
    expect(atTarget(at)).toBe(OLD);
    const kept = fs
      .readdirSync(path.join(at.dataDir, 'backups'))
      .filter((name) => name.startsWith('holdfast-failed-update-'));
    expect(kept).toHaveLength(1);
    const failed = new Database(path.join(at.dataDir, 'backups', kept[0] ?? ''), {
      readonly: true,
    });
    expect(
      failed.prepare("SELECT name FROM sqlite_master WHERE name = 'of_the_future'").all(),
    ).toHaveLength(1);
    failed.close();
  });

  describe('killed at', () => {
    it.each(UPDATE_POINTS)(
      '%s, the next start has a whole program, old or new, on whole data; a second try installs',
      async (point) => {
        const at = await installing(NEW, point);
        await expect
          .poll(() => fs.existsSync(path.join(at.dataDir, '..', `at-${point}`)), {
            timeout: 120_000,
          })
          .toBe(true);
        at.start();
        // The program that the helper had started may be the one that answers first, and is then
        // taken over by one that goes back to the old version: judged is what stays.
        const told = async () => {
          const client = await at.up();
          const { current, last } = await client.call('updates.status', {});
          const isNew = current === '0.2.0';
          const ends = isNew ? ['installed'] : ['interrupted', 'rolled_back'];
          const isWhole = atTarget(at) === (isNew ? NEW : OLD);
          return { client, current, isSettled: isWhole && ends.includes(last?.outcome ?? '') };
        };
        const isSettled = () =>
          told().then(
            (now) => now.isSettled,
            () => false,
          );
        await expect.poll(isSettled, { timeout: 120_000 }).toBe(true);
        // Who was asked may be taken over before it has answered.
        const secondTry = () =>
          told().then(async ({ client, current }) => {
            if (current === '0.2.0') return true;
            await client.call('updates.check', {});
            await client.call('updates.install', { when: 'idle', version: '0.2.0' }, 20_000);
            return true;
          });
        await expect.poll(() => secondTry().catch(() => false), { timeout: 120_000 }).toBe(true);
        await at.up('0.2.0');
        expect(atTarget(at)).toBe(NEW);
      },
    );

    it.each(UPDATE_BACK_POINTS)(
      '%s on the way back, the next starts end with the old program on the old data',
      async (point) => {
        const at = await installing(programOf('0.2.0', 'migrates'), point);
        await expect
          .poll(() => fs.existsSync(path.join(at.dataDir, '..', `at-${point}`)), {
            timeout: 120_000,
          })
          .toBe(true);
        // Where the new program is still in place, its start calls the old one.
        at.start();
        await at.noteIn('rolled_back');
        await at.up('0.1.0');
        expect(atTarget(at)).toBe(OLD);
      },
    );
  });
});
