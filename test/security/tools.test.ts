import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFetchTools } from '../../electron/adapters/fetch/fetch-tools';
import { createFileTools } from '../../electron/adapters/files/file-tools';
import { createShellTools } from '../../electron/adapters/shell/shell-tools';
import { hasShellEffects } from '../../electron/engine/shell-policy/shell-effects';
import { shellRisk } from '../../electron/engine/shell-policy/shell-risk';
import { noCrashPoints } from '../../electron/engine/kernel/crash-points';
import type { JsonValue } from '../../electron/ports/provider';
import { resultOf, toolCall, useTempFolders } from '../integration/tools/call-tool';
import { SLACK } from '../helpers/slack';

const folder = useTempFolders();
const files = createFileTools({ crashPoints: noCrashPoints });
const shell = (limits = { timeoutMs: 20_000, maxOutputBytes: 10_000 }) =>
  createShellTools({
    onOutput: () => undefined,
    instanceId: 'i',
    runId: 'r',
    limits: () => limits,
    loginEnvironment: () => Promise.resolve({ kind: 'own', reason: 'test' }),
    ownEnvironment: { PATH: process.env['PATH'] },
    commandHasEffects: hasShellEffects,
    commandRisk: shellRisk,
    namedRemote: () => undefined,
  });

const isAlive = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};

describe('files stay in the workspace', () => {
  const world = () => {
    const top = folder();
    const workspace = join(top, 'work');
    mkdirSync(join(workspace, 'sub'), { recursive: true });
    mkdirSync(join(top, 'work-secret'));
    writeFileSync(join(top, 'secret.txt'), 'secret');
    writeFileSync(join(top, 'work-secret/secret.txt'), 'secret');
    symlinkSync(top, join(workspace, 'up'));
    symlinkSync('../secret.txt', join(workspace, 'link.txt'));
    symlinkSync('../created.txt', join(workspace, 'dangling.txt'));
    return { top, workspace };
  };
  const paths = (top: string) => [
    '../secret.txt',
    'sub/../../secret.txt',
    '../work-secret/secret.txt',
    'up/secret.txt',
    'link.txt',
    join(top, 'secret.txt'),
    '/etc/passwd',
    '/proc/self/environ',
  ];

  it('T3 eight ways out are refused for reading, listing and searching, by the real path', async () => {
    const { top, workspace } = world();
    for (const path of paths(top)) {
      for (const [tool, args] of [
        ['read_file', { path }],
        ['list_files', { path }],
        ['search_files', { path, pattern: 'secret' }],
      ] as const) {
        const result = await resultOf(files, toolCall(tool, args, workspace));
        expect(result, `${tool} ${path}`).toMatchObject({
          isError: true,
          content: expect.stringMatching(/^TOOL_OUTSIDE_WORKSPACE/),
        });
      }
    }
  });

  it('T3 no write leaves the workspace: dots, absolute paths, links to files, folders and nowhere', async () => {
    const { top, workspace } = world();
    for (const path of [...paths(top), 'dangling.txt', 'up/new/deep.txt', '../new/deep.txt']) {
      const result = await resultOf(
        files,
        toolCall('write_file', { path, content: 'owned' }, workspace),
      );
      expect(result, path).toMatchObject({
        isError: true,
        content: expect.stringMatching(/^TOOL_OUTSIDE_WORKSPACE/),
      });
    }
    expect(readdirSync(top).sort()).toEqual(['secret.txt', 'work', 'work-secret']);
    expect(readFileSync(join(top, 'secret.txt'), 'utf8')).toBe('secret');
  });

  it('T3 a search does not follow links out of the workspace', async () => {
    const { workspace } = world();
    const result = await resultOf(
      files,
      toolCall('search_files', { pattern: 'secret' }, workspace),
    );
    expect(result.content).toBe('[no match in 0 files]');
  });

  it('T3 a pipe is refused within 1 s instead of waited for', async () => {
    const workspace = folder();
    execFileSync('mkfifo', [join(workspace, 'pipe')]);
    const started = performance.now();
    for (const call of [
      toolCall('read_file', { path: 'pipe' }, workspace),
      toolCall('write_file', { path: 'pipe', content: 'x' }, workspace),
    ]) {
      expect(await files.call(call)).toMatchObject({ kind: 'result', isError: true });
    }
    expect(
      (await resultOf(files, toolCall('search_files', { pattern: 'x' }, workspace))).isError,
    ).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000 * SLACK);
  });

  it('T3 an idempotency key cannot name a file of its own', async () => {
    const workspace = folder();
    const call = toolCall('write_file', { path: 'a.txt', content: 'x' }, workspace, {
      idempotencyKey: '../../../evil/\0key',
    });
    expect((await resultOf(files, call)).isError).toBe(false);
    expect(readdirSync(workspace)).toEqual(['a.txt']);
  });

  it('T3 a regular expression that would run for ever is given up within 4 s and stops nothing else', async () => {
    const workspace = folder();
    writeFileSync(join(workspace, 'a.txt'), `${'a'.repeat(60)}!`);
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 20);
    const started = performance.now();
    const call = toolCall('search_files', { pattern: '^(a+)+$', is_regex: true }, workspace);
    const result = await resultOf(files, call);
    clearInterval(timer);
    expect(result).toMatchObject({
      isError: true,
      content: expect.stringContaining('needs more than 2 s'),
    });
    expect(performance.now() - started).toBeLessThan(4_000 * SLACK);
    expect(ticks).toBeGreaterThan(50);
  });
});

describe('shell is bounded', () => {
  it('T3 nothing of a call reaches a second shell: workspace and key are data', async () => {
    const workspace = join(folder(), '$(touch evil); echo x');
    mkdirSync(workspace);
    const call = toolCall(
      'shell',
      { command: 'pwd; echo "$HOLDFAST_IDEMPOTENCY_KEY"' },
      workspace,
      {
        idempotencyKey: '$(touch evil)`touch evil`',
      },
    );
    expect((await resultOf(shell(), call)).content).toBe(
      `${workspace}\n$(touch evil)\`touch evil\`\n[exit code 0]`,
    );
    expect(existsSync(join(workspace, 'evil'))).toBe(false);
  });

  it('T3 of 5 MB of output 10,000 bytes are kept, both ends, and the rest is counted', async () => {
    const command = "echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last";
    const { content } = await resultOf(shell(), toolCall('shell', { command }, folder()));
    expect(content.length).toBeLessThan(10_200);
    expect(content).toMatch(
      /^first\nx+\n\[… 4990012 of 5000012 bytes are left out here …\]\nx+\nlast\n\[exit code 0\]$/,
    );
  });

  it('T3 after 3 s the whole group is ended, an innocent process is not, and the outcome is unknown', async () => {
    const workspace = folder();
    const command =
      "(trap '' TERM; echo $BASHPID > stubborn; for n in $(seq 2400); do sleep 0.1; done) & sleep 60 & echo $! > child; echo $$ > parent; wait";
    const started = performance.now();
    const outcome = await shell().call(
      toolCall('shell', { command, timeout_ms: 3_000 }, workspace),
    );
    expect(outcome).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('longer than 3 s'),
    });
    const tookMs = performance.now() - started;
    expect(tookMs).toBeGreaterThan(4_900);
    expect(tookMs).toBeLessThan(8_000 * SLACK);
    for (const name of ['stubborn', 'child', 'parent']) {
      expect(isAlive(Number(readFileSync(join(workspace, name), 'utf8'))), name).toBe(false);
    }
    expect(isAlive(process.pid)).toBe(true);
  });

  it("T3 a call cannot ask for more time than the person's limit", async () => {
    const call = toolCall('shell', { command: 'sleep 30', timeout_ms: 60_000 }, folder());
    const started = performance.now();
    expect(await shell({ timeoutMs: 300, maxOutputBytes: 1_000 }).call(call)).toMatchObject({
      kind: 'unknown',
    });
    expect(performance.now() - started).toBeLessThan(3_000 * SLACK);
  });

  it('T3 an abort ends the group within 1 s and says unknown; before the start it says failed', async () => {
    const workspace = folder();
    const controller = new AbortController();
    const call = toolCall('shell', { command: 'echo $$ > pid; sleep 60; true' }, workspace, {
      signal: controller.signal,
    });
    const running = shell().call(call);
    while (!existsSync(join(workspace, 'pid')))
      await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const started = performance.now();
    controller.abort();
    expect(await running).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('stopped'),
    });
    expect(performance.now() - started).toBeLessThan(1_000 * SLACK);
    expect(isAlive(Number(readFileSync(join(workspace, 'pid'), 'utf8')))).toBe(false);
    expect(await shell().call(call)).toMatchObject({ kind: 'failed', isRetryable: true });
  });
});

describe('arguments are checked before anything happens', () => {
  const fetchTools = createFetchTools({ allowLoopback: false, version: '0' });

  it.each<[string, JsonValue]>([
    ['read_file', {}],
    ['read_file', { path: 7 }],
    ['read_file', { path: 'a', start_line: 0 }],
    ['read_file', { path: 'a', unexpected: true }],
    ['read_file', null],
    ['read_file', 'a.txt'],
    ['list_files', { depth: 1_000_000 }],
    ['search_files', { pattern: '' }],
    ['search_files', { pattern: 'x'.repeat(1_001), is_regex: true }],
    ['write_file', { path: 'a' }],
    ['write_file', { path: '', content: '' }],
    ['write_file', { path: 'a', content: 'x'.repeat(4_000_001) }],
    ['shell', { command: '' }],
    ['shell', { command: ['rm', '-rf', '/'] }],
    ['shell', { command: 'true', timeout_ms: -1 }],
    ['shell', { command: 'true', cwd: '/' }],
    ['web_fetch', { url: 5 }],
    ['web_fetch', { url: 'http://a', headers: {} }],
  ])('T5 %s with %j is answered with what is wrong', async (tool, args) => {
    const workspace = folder();
    const host = tool === 'shell' ? shell() : tool === 'web_fetch' ? fetchTools : files;
    const result = await resultOf(host, toolCall(tool, args, workspace));
    expect(result.isError).toBe(true);
    expect(result.content).toMatch(/^TOOL_INPUT_INVALID: .*nothing changed/);
    expect(result.content.length).toBeLessThan(2_000);
    expect(readdirSync(workspace)).toEqual([]);
    expect(
      host
        .tools()
        .find((spec) => spec.name === tool)
        ?.hint?.(args),
    ).toBe('');
  });

  it('T5 __proto__ in arguments is refused and pollutes nothing', async () => {
    const args = JSON.parse('{"path":"a","__proto__":{"polluted":1}}') as JsonValue;
    const result = await resultOf(files, toolCall('read_file', args, folder()));
    expect(result.isError).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('T5 a path with a NUL is refused, and an unknown tool is named', async () => {
    const nul = await resultOf(files, toolCall('read_file', { path: 'a\0b' }, folder()));
    expect(nul.content).toMatch(/NUL/);
    const unknown = await resultOf(files, toolCall('rm', {}, folder()));
    expect(unknown.content).toMatch(/^TOOL_UNKNOWN: there is no tool called rm/);
  });

  it('T4 a hint shows bidi, zero-width and line breaks instead of obeying them, in at most 200 characters', () => {
    const hint = shell().tools()[0]?.hint;
    expect(hint?.({ command: 'echo \u202Egnp.exe\u200b\nrm -rf x\u001b[2J' })).toBe(
      'echo \\u{202e}gnp.exe\\u{200b} ⏎ rm -rf x\\u{1b}[2J',
    );
    expect(hint?.({ command: 'x'.repeat(5_000) })).toHaveLength(200);
  });

  it('T2 every schema for the model is a closed object schema', () => {
    for (const spec of [...files.tools(), ...shell().tools(), ...fetchTools.tools()]) {
      expect(spec.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(spec.inputSchema).not.toHaveProperty('$schema');
      expect(spec.purity).toBeDefined();
    }
  });
});
