import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import { createTurnFiles } from '../../../electron/engine/sharing/turn-files';
import type { FilesMove, MovedFiles } from '../../../electron/ports/moved-files';
import type { GrantedTurn } from '../../../electron/ports/shared-store';
import { createVirtualClock } from '../../helpers/virtual-clock';

const MOVE: FilesMove = { base: 'b', tree: 't', prefix: '', pieces: [] };
const GRANTED: GrantedTurn = {
  ...{ kind: 'granted', id: 'uid', session: 's', epoch: 3, lives: 0, entries: 0 },
  ...{ body: '', sender: '', took: '' },
};
const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** One computer whose files and store are said by a test. */
function computer(files: Partial<MovedFiles>, renew: () => Promise<readonly string[]>) {
  const clock = createVirtualClock(0);
  const renewed: number[] = [];
  const texts = new Map<string, string>();
  const turnFiles = createTurnFiles({
    files: files as MovedFiles,
    store: {
      putText: async (hash, text) => void texts.set(hash, text),
      getText: async (hash) => texts.get(hash),
      async renew([turn]) {
        renewed.push(clock.monotonicMs());
        expect(turn).toEqual({ id: 'uid', epoch: 3 });
        return { kept: await renew() };
      },
    },
    hasher: { sha256Hex },
    clock,
    crashPoints: noCrashPoints,
    workspaceOf: () => '/work',
    leaseMs: () => 30_000,
  });
  return { turnFiles, clock, renewed, texts };
}

describe('files of a turn', () => {
  it.each([
    ['each renewal is answered', [true, true, true], 30_000],
    ['the last one is not', [true, true, false], 20_000],
    ['none is', [false, false, false], 5],
  ])(
    'DW-04 DW-20 a lease of 30 s is renewed every 10 s while files arrive for 35 s; it counts from the last answer where %s',
    async (_name, answers, from) => {
      let arrived = (): void => undefined;
      const rest = [...answers];
      const { turnFiles, clock, renewed } = computer(
        {
          arrive: () =>
            new Promise((resolve) => {
              arrived = () => {
                resolve({ kind: 'here' });
              };
            }),
        },
        () => (rest.shift() === true ? Promise.resolve(['uid']) : Promise.reject(new Error('cut'))),
      );
      const sent = { monotonicMs: 5, wallMs: 5 };
      const turn = { agent: 'a', files: MOVE, sent, isEqual: true };
      const bringing = turnFiles.bring(GRANTED, turn);
      await clock.advance(35_000);
      arrived();
      expect(await bringing).toMatchObject({ kind: 'here', sent: { monotonicMs: from } });
      expect(renewed).toEqual([10_000, 20_000, 30_000]);
      expect(clock.pending.sleeps).toBe(0);
    },
  );

  it('DW-20 files of one turn are looked at one after the other, those of another meanwhile; each text is in the store before it is named', async () => {
    const open = new Map<string, () => void>();
    let at = 0;
    const { turnFiles, texts } = computer(
      {
        recapture: (uid) => {
          at += 1;
          const name = `${uid} ${String(at)}`;
          return new Promise((resolve) => {
            open.set(name, () => {
              resolve({ kind: 'captured', files: { tree: name, texts: [name] } });
            });
          });
        },
      },
      () => Promise.resolve([]),
    );
    const looks = [
      turnFiles.now('one', MOVE),
      turnFiles.now('one', MOVE),
      turnFiles.now('two', MOVE),
    ];
    await Promise.resolve();
    expect([...open.keys()]).toEqual(['one 1', 'two 2']);
    for (const name of ['two 2', 'one 1']) open.get(name)?.();
    await looks[0];
    await expect.poll(() => open.has('one 3')).toBe(true);
    open.get('one 3')?.();
    expect(await Promise.all(looks)).toEqual(
      ['one 1', 'one 3', 'two 2'].map((tree) => ({
        k: 'files',
        files: { ...MOVE, tree, pieces: [sha256Hex(tree)] },
      })),
    );
    expect(texts.size).toBe(3);
  });
});
