/** What the menu of a session does, through the real engine and over a restart. */
import { afterEach, describe, expect, it } from 'vitest';
import { EXIT, exitCodeOf } from '../../../electron/cli/exit-codes';
import type { Composition } from '../../../electron/compose/options';
import type { ModelRequest } from '../../../electron/ports/provider';
import { ENDED, turnIn } from '../../helpers/compose-world';
import { createFakeProvider, promptOf } from '../../helpers/fake-world';
import { createWorkWorld, send, type WorkWorld } from './work-world';

let site: WorkWorld;
afterEach(() => site.end());

type Engine = Pick<Composition, 'holdfast'>;
const keysOf = async (life: Engine, input: { archived?: boolean } = {}): Promise<string[]> =>
  (await life.holdfast.call('sessions.list', input, 'test')).sessions.map(({ key }) => key);
const edit = (life: Engine, session: string, change: object) =>
  life.holdfast.call('session.edit', { session, ...change }, 'test');

/** Answers every prompt, and notes what it was asked. */
function answering() {
  const asked: ModelRequest[] = [];
  const provider = createFakeProvider({
    dir: site.world.outside,
    script: (request) => ({ text: `answer to ${promptOf(request)}` }),
    gate: (request) => {
      asked.push(request);
      return Promise.resolve(undefined);
    },
  });
  return { asked, providers: [provider] };
}
const ask = async (life: Composition, text: string, session = 's'): Promise<number> => {
  const turnId = await send(life, text, session);
  await turnIn(life, turnId, [...ENDED]);
  return turnId;
};

describe('the menu of a session', () => {
  it('renames, pins and archives on disk: a restart shows the same', async () => {
    site = createWorkWorld();
    const { providers } = answering();
    const first = await site.start({ providers });
    await ask(first, 'one', 'a');
    await ask(first, 'two', 'b');
    await ask(first, 'three', 'c');
    await edit(first, 'a', { isPinned: true, title: 'The first' });
    await edit(first, 'b', { isArchived: true });
    await first.lifecycle.stop('stop');
    const second = await site.start({ providers });
    expect(await keysOf(second)).toEqual(['a', 'c']);
    expect(await keysOf(second, { archived: true })).toEqual(['b']);
    const { session } = await second.holdfast.call('session.status', { session: 'a' }, 'test');
    expect(session).toMatchObject({ title: 'The first', isPinned: true });
    await edit(second, 'a', { isPinned: false });
    expect(await keysOf(second)).toEqual(['c', 'a']);
    // A new prompt brings an archived session back.
    await ask(second, 'four', 'b');
    expect(await keysOf(second)).toEqual(['b', 'c', 'a']);
    expect(await keysOf(second, { archived: true })).toEqual([]);
  });

  it('pins at most 20, and says what to do', async () => {
    site = createWorkWorld();
    const life = await site.start();
    for (let at = 0; at <= 20; at += 1)
      await life.holdfast.call('session.create', { agent: 'fake', key: `s${at}` }, 'test');
    for (let at = 0; at < 20; at += 1) await edit(life, `s${at}`, { isPinned: true });
    await edit(life, 's3', { isPinned: true });
    await expect(edit(life, 's20', { isPinned: true })).rejects.toMatchObject({
      code: 'SESSION_LIMIT',
      hint: 'Nothing was changed. Unpin another session first.',
    });
    expect(exitCodeOf('SESSION_LIMIT')).toBe(EXIT.refused);
    expect((await keysOf(life)).at(-1)).toBe('s20');
  });

  it('forks after a turn: the new session knows what was said until then, and nothing later', async () => {
    site = createWorkWorld();
    const { asked, providers } = answering();
    const first = await site.start({ providers });
    await ask(first, 'one');
    const two = await ask(first, 'two');
    await ask(first, 'three');
    const made = await first.holdfast.call('session.fork', { session: 's', turnId: two }, 'test');
    expect(made).toMatchObject({ title: 'Fork of s', fork: { turnId: two, title: 's' } });
    await first.lifecycle.stop('stop');
    const second = await site.start({ providers });
    asked.length = 0;
    const four = await ask(second, 'four', made.key);
    const said = (request: ModelRequest | undefined): string => JSON.stringify(request?.messages);
    expect(said(asked[0])).toMatch(/one.*answer to one.*two.*answer to two.*four/);
    expect(said(asked[0])).not.toContain('three');
    // A fork of the fork goes back through both.
    const again = await second.holdfast.call(
      'session.fork',
      { session: made.key, turnId: four },
      'test',
    );
    await ask(second, 'five', again.key);
    expect(said(asked.at(-1))).toMatch(/one.*two.*answer to four.*five/);
    expect(said(asked.at(-1))).not.toContain('three');
  });

  it('refuses to fork from a turn of another session', async () => {
    site = createWorkWorld();
    const { providers } = answering();
    const life = await site.start({ providers });
    await ask(life, 'one', 'a');
    const other = await ask(life, 'two', 'b');
    await expect(
      life.holdfast.call('session.fork', { session: 'a', turnId: other }, 'test'),
    ).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(await keysOf(life)).toEqual(['b', 'a']);
  });

  it('deletes a session from every list; a prompt with its name starts a new one without a past', async () => {
    site = createWorkWorld();
    const { asked, providers } = answering();
    const life = await site.start({ providers });
    await ask(life, 'one');
    await life.holdfast.call('session.delete', { session: 's' }, 'test');
    expect(await keysOf(life)).toEqual([]);
    expect((await life.holdfast.call('turns.list', {}, 'test')).turns).toEqual([]);
    await expect(
      life.holdfast.call('session.status', { session: 's' }, 'test'),
    ).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
    await expect(
      life.holdfast.call('session.status', { session: '1' }, 'test'),
    ).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
    await ask(life, 'two');
    expect(JSON.stringify(asked.at(-1)?.messages)).not.toContain('one');
    // The audit is written behind the answer.
    await expect.poll(() => site.audit().map(({ event }) => event)).toContain('session_deleted');
  });

  it('does not delete a session with an unfinished turn, nor one that a fork needs', async () => {
    site = createWorkWorld();
    let open: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: () => ({ text: 'done' }),
      gate: async (request) => {
        if (promptOf(request) === 'slow') await held;
        return undefined;
      },
    });
    const life = await site.start({ providers: [provider] });
    const one = await ask(life, 'one');
    const slow = await send(life, 'slow');
    const remove = () => life.holdfast.call('session.delete', { session: 's' }, 'test');
    await expect(remove()).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    open();
    await turnIn(life, slow, [...ENDED]);
    const fork = await life.holdfast.call('session.fork', { session: 's', turnId: one }, 'test');
    await expect(remove()).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await life.holdfast.call('session.delete', { session: fork.key }, 'test');
    await remove();
    expect(await keysOf(life)).toEqual([]);
  });
});
