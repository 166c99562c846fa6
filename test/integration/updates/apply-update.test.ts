/** The helper of an update and the start after it, where something refuses on the way. UP-02 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sweepLeftOver } from '../../../electron/adapters/instance/data-dir';
import { createUpdateNotes } from '../../../electron/adapters/updates/update-notes';
import { applyUpdate } from '../../../electron/offline/apply-update';
import { afterUpdateOf, beginAfterUpdate, endUpdate } from '../../../electron/compose/update-start';
import type * as DurableFile from '../../../electron/disk/durable-file';
import type * as ProgramFile from '../../../electron/disk/program-file';
import type { UpdateNote } from '../../../electron/ports/updates';
import { wholeLines } from '../../helpers/whole-lines';

// Files share their modules: those that this one changes are its own.
vi.hoisted(() => vi.resetModules());
afterAll(() => vi.resetModules());
const { refuse } = vi.hoisted(() => ({
  refuse: {
    /** Of `replaceProgram`: before it does anything, or with everything done but the last sync. */
    program: undefined as 'before' | 'after' | undefined,
    /** A phase whose note is refused, and all after it. */
    notes: undefined as string | undefined,
  },
}));
const noSpace = (): Error =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
vi.mock('../../../electron/disk/program-file', async (original) => {
  const real = await original<typeof ProgramFile>();
  return {
    ...real,
    async replaceProgram(from: string, target: string) {
      if (refuse.program === 'before') throw noSpace();
      await real.replaceProgram(from, target);
      if (refuse.program === 'after') throw noSpace();
    },
  };
});
vi.mock('../../../electron/disk/durable-file', async (original) => {
  const real = await original<typeof DurableFile>();
  return {
    ...real,
    writeDurablySync(file: string, content: string) {
      if (refuse.notes !== undefined && content.includes(`"phase": "${refuse.notes}"`))
        throw noSpace();
      real.writeDurablySync(file, content);
    },
  };
});

let root: string;
let dataDir: string;
let target: string;
let note: UpdateNote;
const notes = () => createUpdateNotes(dataDir);
const inUpdates = (name: string): string => path.join(dataDir, 'updates', name);
/** A program that says that it was started; the new one also says that it is up, or is broken. */
const program = (version: string, more = ''): string =>
  `#!/bin/sh\necho ${version} >> '${root}/started'\n${more}`;
const started = (): readonly string[] => wholeLines(path.join(root, 'started'));
const apply = () => applyUpdate({ dataDir, env: process.env, comeUpMs: 5_000, afterEndMs: 200 });
/** What runs in the end, and what the note says then. */
const ends = async (count: number) => {
  await expect.poll(started, { timeout: 60_000 }).toHaveLength(count);
  return { runs: started().at(-1), phase: notes().read()?.phase, reason: notes().read()?.reason };
};

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.homedir(), '.holdfast-apply-'));
  dataDir = path.join(root, 'data');
  target = path.join(root, 'Holdfast.AppImage');
  fs.mkdirSync(path.join(dataDir, 'updates'), { recursive: true, mode: 0o700 });
  fs.writeFileSync(target, program('old'), { mode: 0o755 });
  const content = program('new');
  fs.writeFileSync(inUpdates('holdfast-0.2.0.AppImage'), content, { mode: 0o700 });
  const versions = { from: '0.1.0', to: '0.2.0', seen: '0.2.0' };
  note = {
    ...versions,
    phase: 'stopping',
    atMs: 1,
    sha512: createHash('sha512').update(content).digest('base64'),
    artifact: inUpdates('holdfast-0.2.0.AppImage'),
    target,
    args: ['start'],
    attempts: 0,
  };
  notes().write(note);
});
afterEach(() => {
  refuse.program = undefined;
  refuse.notes = undefined;
  fs.rmSync(root, { recursive: true, force: true });
});

describe('UP-02 an update that fails on the way leaves a program running', () => {
  it('the old one, with the reason, where the new one does not fit beside it', async () => {
    refuse.program = 'before';
    await apply();
    expect(await ends(1)).toMatchObject({
      ...{ runs: 'old', phase: 'interrupted' },
      reason: expect.stringContaining('ENOSPC') as string,
    });
  });

  it.each(['starting', 'interrupted'])(
    'the old one where the disk refuses the note "%s"',
    async (phase) => {
      refuse.notes = phase;
      if (phase === 'interrupted') refuse.program = 'before';
      await apply();
      expect((await ends(1)).runs).toBe('old');
    },
  );

  it('the new one where it is whole at its place and only the sync after it fails', async () => {
    refuse.program = 'after';
    const applied = apply();
    await expect.poll(started, { timeout: 60_000 }).toEqual(['new']);
    refuse.program = undefined;
    notes().write({ ...note, phase: 'done' });
    expect(await applied).toBe('installed');
  });

  it.each([
    ['the old program does not fit', () => (refuse.program = 'before')],
    ['the disk refuses the note', () => (refuse.notes = 'rolling_back')],
  ])('the new one, once, where it did not come up and %s', async (_what, fault) => {
    fs.copyFileSync(note.artifact, target);
    fs.writeFileSync(inUpdates('previous'), program('old'), { mode: 0o700 });
    notes().write({ ...note, phase: 'rolling_back', previous: inUpdates('previous') });
    fault();
    await apply();
    expect(await ends(1)).toMatchObject({
      ...{ runs: 'new', phase: 'done' },
      reason: expect.stringContaining('0.2.0 stays') as string,
    });
  });

  it('the old one where it is back and only the sync after it fails: its start puts the data back', async () => {
    fs.copyFileSync(note.artifact, target);
    fs.writeFileSync(inUpdates('previous'), program('old'), { mode: 0o700 });
    notes().write({ ...note, phase: 'rolling_back', previous: inUpdates('previous') });
    refuse.program = 'after';
    expect(await apply()).toBe('rolled_back');
    expect(await ends(1)).toMatchObject({ runs: 'old', phase: 'rolling_back' });
  });

  it('the new one where no copy of the old one is left', async () => {
    fs.copyFileSync(note.artifact, target);
    notes().write({ ...note, phase: 'rolling_back' });
    expect(await apply()).toBe('installed');
    expect(await ends(1)).toMatchObject({ runs: 'new', phase: 'done' });
  });
});

const start = (version: string) =>
  ({
    options: { dataDir, version, env: process.env },
    clock: { nowMs: () => 1 },
    crashPoints: { hit: () => undefined },
    run: {},
  }) as unknown as Parameters<typeof afterUpdateOf>[0];

/** A note that is there and cannot be read, until it is put back. */
const hide = (): (() => void) => {
  fs.renameSync(inUpdates('update.json'), inUpdates('hidden'));
  fs.mkdirSync(inUpdates('update.json'));
  return () => {
    fs.rmdirSync(inUpdates('update.json'));
    fs.renameSync(inUpdates('hidden'), inUpdates('update.json'));
  };
};

it('UP-02 a helper whose note cannot be read for 1 s waits for it and then installs, instead of leaving nothing running', async () => {
  const putBack = hide();
  const applied = apply();
  setTimeout(putBack, 1_000);
  await expect.poll(started, { timeout: 60_000 }).toEqual(['new']);
  notes().write({ ...note, phase: 'done' });
  expect(await applied).toBe('installed');
});

describe('UP-02 a start after an update', () => {
  it('whose note cannot be read is refused and says so: the data of the old version may have to be put back first', async () => {
    notes().write({ ...note, phase: 'rolling_back', previous: inUpdates('previous') });
    hide();
    await expect(beginAfterUpdate(afterUpdateOf(start('0.1.0')))).rejects.toMatchObject({
      code: 'RESULT_UNREADABLE',
    });
    fs.writeFileSync(inUpdates('previous'), 'large');
    endUpdate(afterUpdateOf(start('0.1.0')));
    expect(fs.existsSync(inUpdates('previous'))).toBe(true);
  });

  it.each([
    ['the old version', '0.1.0', 'interrupted'],
    ['the new version', '0.2.0', 'starting'],
    ['the new version, which did not come up before,', '0.2.0', 'rolling_back'],
  ])('of %s goes on where the disk refuses the note', async (_what, version, phase) => {
    const attempts = phase === 'rolling_back' ? 1 : 0;
    fs.writeFileSync(inUpdates('previous'), program('old'), { mode: 0o700 });
    notes().write({ ...note, phase: 'starting', attempts, previous: inUpdates('previous') });
    refuse.notes = phase;
    await expect(beginAfterUpdate(afterUpdateOf(start(version)))).resolves.toBeUndefined();
  });

  it('goes on where the old program, which would take over, cannot be started', async () => {
    fs.writeFileSync(inUpdates('previous'), program('old'), { mode: 0o600 });
    notes().write({ ...note, phase: 'starting', attempts: 1, previous: inUpdates('previous') });
    await expect(beginAfterUpdate(afterUpdateOf(start('0.2.0')))).resolves.toBeUndefined();
    expect(notes().read()?.phase).toBe('starting');
  });

  it.each([
    ['none', []],
    ['ready', ['holdfast-0.2.0.AppImage']],
    ['interrupted', ['holdfast-0.2.0.AppImage']],
    ['done', []],
    ['rolled_back', []],
  ] as const)('that is up deletes what is no longer needed: %s', (phase, kept) => {
    for (const name of [
      ...['previous', 'before-update.db', 'holdfast-0.1.9.AppImage'],
      'holdfast-0.2.0.AppImage.999999-abcdef12-1.tmp',
    ])
      fs.writeFileSync(inUpdates(name), 'large');
    notes().write({ ...note, phase });
    endUpdate(afterUpdateOf(start('0.1.0')));
    expect(fs.readdirSync(path.join(dataDir, 'updates')).toSorted()).toEqual([
      ...kept,
      'update.json',
    ]);
  });

  it.each([
    ['interrupted', false],
    ['done', false],
    ['rolled_back', false],
    ['ready', true],
  ] as const)(
    'S4-14 that is up after a killed replacement takes away the 2 copies that it left next to the program: %s',
    (phase, stays) => {
      const left = ['', '.4194999-abcdef12-1.tmp'].map((end) =>
        path.join(root, `.Holdfast.AppImage.new${end}`),
      );
      for (const one of left) fs.writeFileSync(one, 'large');
      notes().write({ ...note, phase });
      endUpdate(afterUpdateOf(start('0.1.0')));
      expect(left.map((one) => fs.existsSync(one))).toEqual([stays, stays]);
      expect(fs.existsSync(target)).toBe(true);
    },
  );

  it('deletes nothing while the helper is at work, and what a killed download left without a note', async () => {
    fs.writeFileSync(inUpdates('previous'), 'large');
    fs.writeFileSync(inUpdates('holdfast-0.2.0.AppImage.999999-abcdef12-1.tmp'), 'large');
    endUpdate(afterUpdateOf(start('0.1.0')));
    expect(fs.readdirSync(path.join(dataDir, 'updates'))).toHaveLength(4);
    await sweepLeftOver(dataDir, Date.now());
    expect(fs.readdirSync(path.join(dataDir, 'updates')).toSorted()).toEqual([
      ...['holdfast-0.2.0.AppImage', 'previous', 'update.json'],
    ]);
  });
});
