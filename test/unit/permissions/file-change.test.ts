import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareLines } from '../../../electron/adapters/drafts/line-diff';
import { fileNow } from '../../../electron/adapters/files/file-now';
import { fileChangeOf } from '../../../electron/engine/drafts/file-change';
import { fileBelow } from '../../../electron/adapters/files/file-below';
import { changeSaid } from '../../../renderer/decisions/file-change-view';

let root: string;
let folder: string;
beforeAll(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'hf-change-'));
  folder = path.join(root, 'project');
  mkdirSync(path.join(folder, 'docs'), { recursive: true });
  writeFileSync(path.join(folder, 'notes.md'), 'one\ntwo\nthree\n');
  writeFileSync(path.join(folder, 'picture.png'), Buffer.from([0x89, 0x50, 0, 1]));
  writeFileSync(path.join(folder, 'huge.log'), 'x\n'.repeat(600_000));
  writeFileSync(path.join(root, 'secret'), 'of another folder\n');
  symlinkSync(path.join(root, 'secret'), path.join(folder, 'link'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const changeOf = (input: unknown) =>
  fileChangeOf(
    {
      reads: {
        turn: () => ({ frameId: 2 }) as never,
        frame: () => ({ workspace: folder }) as never,
      },
      blobs: { get: () => Promise.resolve(undefined) } as never,
      fileNow,
      compare: compareLines,
    },
    { turnId: 1, tool: 'own.edit', input: { kind: 'inline', text: JSON.stringify(input) } },
  );

describe('a file that a call wants to write whole', () => {
  it('S3-06 is compared with the file as it is now, line by line', async () => {
    const change = await changeOf({ file_path: 'notes.md', content: 'one\n2\nthree\nfour\n' });
    expect(change).toMatchObject({
      path: 'notes.md',
      kind: 'text',
      summary: { added: 2, removed: 1 },
      isCut: false,
    });
    expect(change.hunks[0]?.rows.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'same one',
      'removed two',
      'added 2',
      'same three',
      'added four',
    ]);
    expect(changeSaid(change)).toEqual({
      sentence: 'Replaces the file: 2 lines added, 1 removed',
      hasLines: true,
    });
  });

  it.each([
    ['new', 'docs/new.md', 'Creates a new file'],
    ['binary', 'picture.png', 'Replaces a binary file, which is not compared'],
    ['too_large', 'huge.log', 'Larger than 1 MB, which is not compared'],
    [
      'unreadable',
      'docs',
      'Writes the whole file. The file on disk can’t be read, so it is not compared',
    ],
    [
      'outside',
      '../secret',
      'Writes a whole file outside the agent’s folder, which is not compared',
    ],
    ['outside', 'link', 'Writes a whole file outside the agent’s folder, which is not compared'],
  ])('S3-06 says %s of %s, and hands on nothing of what is there', async (kind, name, sentence) => {
    const change = await changeOf({ path: name, content: 'new\n' });
    expect(change.kind).toBe(kind);
    expect(changeSaid(change).sentence).toBe(sentence);
    expect(JSON.stringify(change)).not.toContain('of another folder');
    expect(change.hunks).toHaveLength(kind === 'new' ? 1 : 0);
  });

  it('S3-06 is looked for in the folder of the call', async () => {
    const change = (cwd: string) => changeOf({ path: 'notes.md', content: 'new\n', cwd });
    expect((await change(folder)).kind).toBe('text');
    expect((await change('docs')).kind).toBe('new');
    expect((await change(root)).kind).toBe('outside');
    expect((await changeOf({ path: 'vfs:notes.md', content: 'new\n' })).kind).toBe('outside');
  });

  it('S3-06 is named as it is where nothing changes, and where the new text is too long', async () => {
    const same = await changeOf({ path: 'notes.md', content: 'one\ntwo\nthree\n' });
    expect(changeSaid(same)).toEqual({
      sentence: 'The file already has exactly this content',
      hasLines: false,
    });
    const long = await changeOf({ path: 'notes.md', content: 'y'.repeat(1_100_000) });
    expect(long.kind).toBe('too_large');
  });

  it('S3-06 shows at most 4,000 lines, and says so', async () => {
    const change = await changeOf({ path: 'docs/long.md', content: 'z\n'.repeat(9_000) });
    expect(change.hunks.flatMap(({ rows }) => rows)).toHaveLength(4_000);
    expect(changeSaid(change).note).toBe('Only the first 4,000 lines are shown.');
    expect(change.summary.added).toBe(9_000);
  });

  it.each([
    [{ command: 'rm notes.md' }],
    [{ path: 'notes.md', old_string: 'one', new_string: '1' }],
    ['no object'],
  ])('S3-06 a call with %j writes no whole file', async (input) => {
    expect((await changeOf(input)).kind).toBe('other');
  });
});

describe('the file in the question', () => {
  it.each([
    ['/w/project', '/w/project/src/a.ts', 'src/a.ts'],
    ['/w/project', 'src/a.ts', 'src/a.ts'],
    ['/w/project', '/w/project-2/a.ts', undefined],
    ['/w/project', '/w/project/../a.ts', undefined],
    ['/w/project', '/w/project', undefined],
  ])('below %s, %s is %s', (workspace, file, named) => {
    expect(fileBelow(workspace, file)).toBe(named);
  });
});
