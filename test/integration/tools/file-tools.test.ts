import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createFileTools } from '../../../electron/adapters/files/file-tools';
import { openFolder } from '../../../electron/adapters/files/folder-handle';
import { walkFiles } from '../../../electron/adapters/files/walk-files';
import { tempFileName } from '../../../electron/adapters/files/write-file';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import { bundleProgram } from './bundle-program';
import { resultOf, toolCall, useTempFolders } from './call-tool';

const folder = useTempFolders();
const host = createFileTools({ crashPoints: noCrashPoints });
const sha = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

describe('read_file', () => {
  it('S4-32 returns the exact text of a file, BOM and CRLF included', async () => {
    const workspace = folder();
    writeFileSync(join(workspace, 'a.txt'), '\ufeffone\r\ntwo\n');
    const result = await resultOf(host, toolCall('read_file', { path: 'a.txt' }, workspace));
    expect(result).toEqual({ kind: 'result', content: '\ufeffone\r\ntwo\n', isError: false });
  });

  it('returns lines 2 to 3 and says where to go on', async () => {
    const workspace = folder();
    writeFileSync(join(workspace, 'a.txt'), 'l1\nl2\nl3\nl4\n');
    const call = toolCall('read_file', { path: 'a.txt', start_line: 2, end_line: 3 }, workspace);
    const { content } = await resultOf(host, call);
    expect(content).toBe(
      'l2\nl3\n[up to line 3; the file has 12 bytes; continue with start_line 4]',
    );
    const last = toolCall('read_file', { path: 'a.txt', start_line: 4, end_line: 9 }, workspace);
    expect((await resultOf(host, last)).content).toBe('l4\n');
    const none = toolCall('read_file', { path: 'a.txt', start_line: 5 }, workspace);
    expect(await resultOf(host, none)).toMatchObject({
      isError: true,
      content: 'a.txt has no line 5.',
    });
  });

  it('cuts at 256 KB, never inside a character, and going on reaches the end', async () => {
    const workspace = folder();
    const lines = Array.from({ length: 30_000 }, (_, at) => `ä line ${at + 1}\n`);
    writeFileSync(join(workspace, 'big.txt'), lines.join(''));
    let start = 1;
    const seen = new Map<number, string>();
    for (let calls = 0; calls < 5 && start > 0; calls += 1) {
      const call = toolCall('read_file', { path: 'big.txt', start_line: start }, workspace);
      const { content } = await resultOf(host, call);
      expect(Buffer.byteLength(content)).toBeLessThan(257 * 1024);
      expect(content).not.toContain('\ufffd');
      const note = /\n\[truncated at 256 KB inside line (\d+).*start_line (\d+)\]$/.exec(content);
      const text = note === null ? content : content.slice(0, note.index);
      text.split('\n').forEach((line, at) => seen.set(start + at, line));
      start = note === null ? 0 : Number(note[2]);
    }
    expect(start).toBe(0);
    expect(lines.every((line, at) => seen.get(at + 1) === line.trimEnd())).toBe(true);
  });

  it('goes past a single line of 300 KB instead of showing it for ever', async () => {
    const workspace = folder();
    writeFileSync(join(workspace, 'a.txt'), `${'x'.repeat(300 * 1024)}\nsecond\n`);
    const first = await resultOf(host, toolCall('read_file', { path: 'a.txt' }, workspace));
    expect(first.content).toMatch(
      /the rest of this line is not shown; continue with start_line 2\]$/,
    );
    const next = toolCall('read_file', { path: 'a.txt', start_line: 2 }, workspace);
    expect((await resultOf(host, next)).content).toBe('second\n');
  });

  it('refuses a binary file, a folder and a missing file with a sentence', async () => {
    const workspace = folder();
    writeFileSync(join(workspace, 'a.bin'), Buffer.from([1, 0, 2]));
    const read = (path: string) => resultOf(host, toolCall('read_file', { path }, workspace));
    expect(await read('a.bin')).toMatchObject({
      isError: true,
      content: expect.stringContaining('binary file of 3 bytes'),
    });
    expect(await read('.')).toMatchObject({
      isError: true,
      content: expect.stringContaining('is a folder'),
    });
    expect(await read('nope')).toMatchObject({
      isError: true,
      content: expect.stringContaining('does not exist'),
    });
  });
});

describe('list_files and search_files', () => {
  it('lists in a fixed order, names .git without opening it and does not follow links', async () => {
    const workspace = folder();
    mkdirSync(join(workspace, 'src/deep'), { recursive: true });
    mkdirSync(join(workspace, '.git/objects'), { recursive: true });
    writeFileSync(join(workspace, 'src/b.ts'), '');
    writeFileSync(join(workspace, 'src/a.ts'), '');
    writeFileSync(join(workspace, 'src/deep/c.ts'), '');
    writeFileSync(join(workspace, '.holdfast-left.tmp'), '');
    symlinkSync('/', join(workspace, 'root'));
    const list = (args: object) => resultOf(host, toolCall('list_files', { ...args }, workspace));
    expect((await list({})).content).toBe('.git/\nroot@\nsrc/');
    expect((await list({ depth: 2 })).content).toBe(
      '.git/\nroot@\nsrc/\nsrc/a.ts\nsrc/b.ts\nsrc/deep/',
    );
    expect((await list({ path: 'src/deep', depth: 5 })).content).toBe('c.ts');
  });

  it('stops a list at 2,000 entries and says so', async () => {
    const workspace = folder();
    for (let at = 0; at < 2_005; at += 1) writeFileSync(join(workspace, `f${at}`), '');
    const lines = (await resultOf(host, toolCall('list_files', {}, workspace))).content.split('\n');
    expect(lines).toHaveLength(2_001);
    expect(lines.at(-1)).toMatch(/^\[truncated at 2000 entries/);
  });

  it('finds plain text and regular expressions with path and line, skipping binary and node_modules', async () => {
    const workspace = folder();
    mkdirSync(join(workspace, 'node_modules'));
    mkdirSync(join(workspace, 'src'));
    writeFileSync(join(workspace, 'node_modules/x.js'), 'needle');
    writeFileSync(join(workspace, 'blob'), Buffer.from('needle\0'));
    writeFileSync(join(workspace, 'src/a.ts'), 'one\nthe Needle (1)\r\nneedle two\n');
    const search = (args: object) =>
      resultOf(host, toolCall('search_files', { ...args }, workspace));
    expect((await search({ pattern: 'needle' })).content).toBe('src/a.ts:3: needle two');
    expect((await search({ pattern: 'needle', is_case_sensitive: false })).content).toBe(
      'src/a.ts:2: the Needle (1)\nsrc/a.ts:3: needle two',
    );
    expect((await search({ pattern: 'e \\(\\d\\)$', is_regex: true, path: 'src' })).content).toBe(
      'src/a.ts:2: the Needle (1)',
    );
    expect((await search({ pattern: '(1)' })).content).toBe('src/a.ts:2: the Needle (1)');
    expect((await search({ pattern: 'absent' })).content).toBe('[no match in 1 files]');
    expect((await search({ pattern: '(', is_regex: true })).isError).toBe(true);
    expect((await search({ pattern: 'e', max_matches: 1 })).content).toMatch(
      /^src\/a.ts:1: one\n\[stopped/,
    );
  });
});

describe('write_file', () => {
  it('S4-14 makes folders, writes exactly the content and leaves no temp file', async () => {
    const workspace = folder();
    const content = 'ünïcode\r\n\ud83d\ude00 no newline at the end';
    const call = toolCall('write_file', { path: 'new/deep/a.txt', content }, workspace);
    expect((await resultOf(host, call)).content).toBe(
      `Wrote ${Buffer.byteLength(content)} bytes to new/deep/a.txt.`,
    );
    expect(readFileSync(join(workspace, 'new/deep/a.txt'), 'utf8')).toBe(content);
    expect(readdirSync(join(workspace, 'new/deep'))).toEqual(['a.txt']);
  });

  it('keeps the mode of a file it replaces', async () => {
    const workspace = folder();
    writeFileSync(join(workspace, 'run.sh'), 'old');
    chmodSync(join(workspace, 'run.sh'), 0o751);
    await resultOf(host, toolCall('write_file', { path: 'run.sh', content: 'new' }, workspace));
    expect(statSync(join(workspace, 'run.sh')).mode & 0o777).toBe(0o751);
    expect(readFileSync(join(workspace, 'run.sh'), 'utf8')).toBe('new');
  });

  it('writes through a link inside the workspace and keeps the link', async () => {
    const workspace = folder();
    writeFileSync(join(workspace, 'real.txt'), 'old');
    symlinkSync('real.txt', join(workspace, 'link.txt'));
    await resultOf(host, toolCall('write_file', { path: 'link.txt', content: 'new' }, workspace));
    expect(readFileSync(join(workspace, 'real.txt'), 'utf8')).toBe('new');
    expect(readdirSync(workspace).sort()).toEqual(['link.txt', 'real.txt']);
  });

  it('removes what an old crash left beside the file, but not what is younger than 60 s', async () => {
    const workspace = folder();
    const old = join(workspace, tempFileName('old-key'));
    const young = join(workspace, tempFileName('young-key'));
    writeFileSync(old, 'half');
    writeFileSync(young, 'half');
    utimesSync(old, new Date(Date.now() - 61_000), new Date(Date.now() - 61_000));
    await resultOf(host, toolCall('write_file', { path: 'a.txt', content: 'x' }, workspace));
    expect(existsSync(old)).toBe(false);
    expect(existsSync(young)).toBe(true);
  });

  it('S4-23 says done for equal content, not_done for a missing file, unknown for other content', async () => {
    const workspace = folder();
    const call = toolCall('write_file', { path: 'a.txt', content: 'wanted' }, workspace);
    expect(await host.status?.(call)).toBe('not_done');
    writeFileSync(join(workspace, 'a.txt'), 'before');
    expect(await host.status?.(call)).toBe('unknown');
    writeFileSync(join(workspace, tempFileName(call.idempotencyKey)), 'wan');
    expect(await host.status?.(call)).toBe('not_done');
    await resultOf(host, call);
    expect(await host.status?.(call)).toBe('done');
  });

  it('tells a folder and a path that ends with / apart from a file', async () => {
    const workspace = folder();
    mkdirSync(join(workspace, 'dir'));
    for (const path of ['dir', 'dir/', '.', 'new/']) {
      const call = toolCall('write_file', { path, content: 'x' }, workspace);
      expect(await host.call(call)).toMatchObject({ kind: 'result', isError: true });
    }
    expect(readdirSync(workspace)).toEqual(['dir']);
  });
});

describe('write_file and SIGKILL', () => {
  let out = '';
  let program = '';
  beforeAll(async () => {
    out = mkdtempSync(join(tmpdir(), 'holdfast-program-'));
    program = await bundleProgram('tool-program.ts', out);
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  const start = (workspace: string, content: string, crashAt?: string) => {
    const { tool, args, idempotencyKey } = toolCall(
      'write_file',
      { path: 'a.txt', content },
      workspace,
    );
    const call = { tool, args, idempotencyKey, workspace };
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'ignore', 'inherit'] });
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify({ call, crashAt, instanceId: 'i', runId: 'r' }));
    return child;
  };
  const write = async (workspace: string, content: string, crashAt?: string) => {
    const [code, signal] = (await once(start(workspace, content, crashAt), 'exit')) as unknown[];
    return signal ?? code;
  };

  it('S4-14 killed before the rename: the old bytes are there, and the next run repairs', async () => {
    const workspace = folder();
    const before = 'old '.repeat(50_000);
    const after = 'new '.repeat(60_000);
    writeFileSync(join(workspace, 'a.txt'), before);
    expect(await write(workspace, after, 'files.write.beforeRename')).toBe('SIGKILL');
    expect(sha(readFileSync(join(workspace, 'a.txt')))).toBe(sha(before));
    expect(readdirSync(workspace).sort()).toEqual([tempFileName('turn-7-step-3'), 'a.txt']);
    const call = toolCall('write_file', { path: 'a.txt', content: after }, workspace);
    expect(await host.status?.(call)).toBe('not_done');
    await resultOf(host, call);
    expect(sha(readFileSync(join(workspace, 'a.txt')))).toBe(sha(after));
    expect(readdirSync(workspace)).toEqual(['a.txt']);
  });

  it('S4-14 killed after the rename: the new bytes are there, and the status check says done', async () => {
    const workspace = folder();
    const after = 'new '.repeat(60_000);
    writeFileSync(join(workspace, 'a.txt'), 'old');
    expect(await write(workspace, after, 'files.write.afterRename')).toBe('SIGKILL');
    expect(sha(readFileSync(join(workspace, 'a.txt')))).toBe(sha(after));
    const call = toolCall('write_file', { path: 'a.txt', content: after }, workspace);
    expect(await host.status?.(call)).toBe('done');
    expect(readdirSync(workspace)).toEqual(['a.txt']);
  });

  it('S4-14 killed 8 times while the bytes are on their way: never half a file, and at least one kill fell in between', async () => {
    const workspace = folder();
    const before = 'old '.repeat(900_000);
    const after = 'new '.repeat(1_000_000);
    const temp = join(workspace, tempFileName('turn-7-step-3'));
    let halves = 0;
    for (let round = 0; round < 8; round += 1) {
      rmSync(temp, { force: true });
      writeFileSync(join(workspace, 'a.txt'), before);
      const child = start(workspace, after);
      const exited = once(child, 'exit');
      while (child.exitCode === null && !existsSync(temp)) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      child.kill('SIGKILL');
      await exited;
      if (existsSync(temp) && statSync(temp).size < after.length) halves += 1;
      expect([sha(before), sha(after)]).toContain(sha(readFileSync(join(workspace, 'a.txt'))));
    }
    expect(halves).toBeGreaterThan(0);
  });
});

describe('a folder with 20,000 names', () => {
  it('S2-28 S4-32 is walked in the order of the names, and others run after each 1,024 of them', async () => {
    const workspace = folder();
    const names = Array.from({ length: 20_000 }, (_, at) => `${String((at * 7_919) % 20_000)}.txt`);
    for (const name of names) writeFileSync(join(workspace, name), '');
    const opened = await openFolder({ root: workspace, path: workspace });
    if (opened === 'outside') throw new Error('outside');
    let [sinceOthers, most] = [0, 0];
    let others: NodeJS.Immediate = setImmediate(function run() {
      sinceOthers = 0;
      others = setImmediate(run);
    });
    const walked: string[] = [];
    const { signal } = new AbortController();
    for await (const { path } of walkFiles(opened, { depth: 1, signal })) {
      walked.push(path);
      sinceOthers += 1;
      most = Math.max(most, sinceOthers);
    }
    clearImmediate(others);
    await opened.close();
    // By code units, as the walk promises.
    expect(walked).toEqual(names.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(most).toBeLessThanOrEqual(2_048);
    const listed = await resultOf(host, toolCall('list_files', {}, workspace));
    expect(listed.content).toContain('[truncated at');
  }, 120_000);
});
