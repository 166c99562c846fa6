import { diffArrays } from 'diff';
import { describe, expect, it } from 'vitest';
import { editHunks } from '../../../renderer/decisions/edit-view';
import { editsOf } from '../../../shared/file-edits';

const edits = (input: unknown) => editsOf(JSON.stringify(input));
const lines = (input: unknown) => {
  const found = edits(input);
  if (found === undefined) throw new Error('no edit');
  return editHunks(found, diffArrays).map(({ rows }) =>
    rows.map(
      ({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind as 'same']}${text}`,
    ),
  );
};

describe('an edit that needs approval', () => {
  it.each([
    ['Claude Code', { file_path: 'a.ts', old_string: 'x\ny', new_string: 'x\nz' }],
    ['opencode', { filePath: 'a.ts', oldString: 'x\ny', newString: 'x\nz', replaceAll: false }],
    ['an ACP diff', { path: 'a.ts', oldText: 'x\ny\n', newText: 'x\nz\n' }],
  ])('S3-06 of %s shows the lines that change', (_agent, input) => {
    expect(edits(input)?.path).toBe('a.ts');
    expect(lines(input)).toEqual([[' x', '-y', '+z']]);
  });

  it('S3-06 with several parts shows each', () => {
    const input = {
      file_path: 'a.ts',
      edits: [
        { old_string: 'a', new_string: 'b' },
        { old_string: 'c', new_string: '' },
      ],
    };
    expect(lines(input)).toEqual([['-a', '+b'], ['-c']]);
  });

  it('S3-06 that writes a whole file shows its new text with its line numbers', () => {
    const found = edits({ path: 'notes.md', content: '# A\n\nb\n' });
    expect(found?.edits).toEqual([{ before: undefined, after: '# A\n\nb\n' }]);
    expect(lines({ path: 'notes.md', content: '# A\n\nb\n' })).toEqual([['+# A', '+', '+b']]);
  });

  it.each([
    ['a command', { command: 'rm a' }],
    ['a read', { path: 'a.ts' }],
    ['an edit without its file', { old_string: 'a', new_string: 'b' }],
    ['half of an edit', { path: 'a.ts', old_string: 'a' }],
    [
      'parts of which one is something else',
      { path: 'a', edits: [{ old_string: 'a', new_string: 'b' }, { at: 1 }] },
    ],
    ['no edits', { path: 'a', edits: [] }],
    ['a text for a file, and where to publish it', { path: 'a', content: 'x', repo: 'prod' }],
    ['a switch beside a text for a file', { path: 'a', content: 'x', publish: true }],
    ['two files', { file_path: 'a', path: '/etc/b', content: 'x' }],
    ['two texts', { path: 'a', content: 'x', contents: 'y' }],
    ['a part and the whole', { path: 'a', old_string: 'a', new_string: 'b', content: 'x' }],
    [
      'a part of another file',
      { path: 'a', edits: [{ path: '/etc/b', old_string: 'a', new_string: 'b' }] },
    ],
    [
      'the whole and its parts',
      { path: 'a', content: 'x', edits: [{ old_string: 'a', new_string: 'b' }] },
    ],
    ['numbers', { path: 'a', old_string: 1, new_string: 2 }],
    ['a list', [1]],
    ['nothing', null],
  ])('S3-06 %s is shown as it is', (_what, input) => {
    expect(edits(input)).toBeUndefined();
  });

  it('S3-06 an input that is cut is shown as it is', () => {
    expect(editsOf('{"file_path":"a.ts","old_string":"x')).toBeUndefined();
  });
});
