import { describe, expect, it } from 'vitest';
import { patchLines } from '../../../renderer/turn/patch-view';

const shown = (...lines: readonly string[]): readonly string[] =>
  patchLines(`${lines.join('\n')}\n`, 'binary').map(({ kind, text }) => `${kind}: ${text}`);

describe('a patch as a page shows it', () => {
  it('DW-20 names each file once and keeps its hunks, also lines that look like a head', () => {
    expect(
      shown(
        'diff --git a/a.txt b/a.txt',
        'index 1111111..2222222 100644',
        '--- a/a.txt',
        '+++ b/a.txt',
        '@@ -1,3 +1,3 @@ title',
        ' same',
        '---- was a rule',
        '+diff --git a/x b/x',
        '\\ No newline at end of file',
        'diff --git a/b.txt b/b.txt',
        'deleted file mode 100644',
        '--- a/b.txt',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-gone',
      ),
    ).toEqual([
      'file: a.txt',
      'hunk: @@ -1,3 +1,3 @@ title',
      'same:  same',
      'removed: ---- was a rule',
      'added: +diff --git a/x b/x',
      'note: No newline at end of file',
      'file: b.txt',
      'hunk: @@ -1 +0,0 @@',
      'removed: -gone',
    ]);
  });

  it('DW-20 names files without lines: binary, empty, or with another mode only', () => {
    expect(
      shown(
        'diff --git a/img 1.bin b/img 1.bin',
        'index 1..2 100644',
        'Binary files a/img 1.bin and b/img 1.bin differ',
        'diff --git a/run.sh b/run.sh',
        'old mode 100644',
        'new mode 100755',
        'diff --git a/new file b/new file',
        'new file mode 100644',
        '--- /dev/null',
        '+++ b/new file\t',
        '@@ -0,0 +1 @@',
        '+x',
      ),
    ).toEqual([
      'file: img 1.bin',
      'note: binary',
      'file: run.sh',
      'file: new file',
      'hunk: @@ -0,0 +1 @@',
      'added: +x',
    ]);
  });

  it('DW-20 nothing changed shows nothing', () => {
    expect(patchLines('', 'binary')).toEqual([]);
  });
});
