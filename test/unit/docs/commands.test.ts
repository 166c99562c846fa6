import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveAliases } from '../../../electron/cli/aliases';
import { buildProgram, runCli } from '../../../electron/cli/cli';
import { doesNeedRunning, type Program } from '../../../electron/cli/command';
import { entriesOf } from '../../../electron/cli/manual';
import { EXIT } from '../../../electron/cli/exit-codes';
import type { CliIo, OpenedData } from '../../../electron/cli/io';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import { commandPage, MANUAL_PATH, REFERENCE_PATH } from './made-commands';
import { at, blocks, documents, inlineCode, read } from './project-docs';

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'holdfast-docs-'));
  // There is data, and nobody runs on it.
  writeFileSync(join(dataDir, 'holdfast.db'), '');
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

interface Ran {
  readonly code: number;
  readonly out: string;
  /** Which door to the data the command took. */
  readonly door: string | undefined;
}

/** Runs a command where nothing runs; its way to the data ends at the door. */
async function run(...argv: string[]): Promise<Ran> {
  let out = '';
  let door: string | undefined;
  const stop = (name: string) => (): Promise<OpenedData> => {
    door = name;
    return Promise.reject(new HoldfastError('INTERNAL', 'the door'));
  };
  const io: CliIo = {
    stdout: { write: (text) => (out += text), isTTY: false, columns: 100 },
    stderr: { write: (text) => (out += text), isTTY: false, columns: 100 },
    stdin: Readable.from(['a-key-of-somebody\n']),
    env: {},
    home: dataDir,
    version: '0.1.0',
    nowMs: () => 0,
    self: { command: 'none', args: [] },
    onSignal: () => () => undefined,
    newToken: () => 'f0'.repeat(32),
    exitNow: () => undefined,
    composer: () => Promise.resolve({ compose: () => stop('compose')() as never }),
    offline: {
      openReadOnly: stop('read'),
      openForDecision: stop('decide'),
      resetData: () => stop('reset')() as never,
      removeData: () => stop('reset')() as never,
      exportData: () => stop('export')() as never,
      importData: () => stop('import')() as never,
      applyUpdate: () => stop('update')() as never,
      trySchedule: () => stop('try')() as never,
      tryGuard: () => stop('try')() as never,
      programEnvironment: () => stop('environment')() as never,
    },
  };
  const code = await runCli(argv, io);
  return { code, out, door };
}

const root = await buildProgram({} as Program, undefined);
const entries = entriesOf(root);
const known = entries.map(({ path }) => path);

/** Fills in what each argument of a command needs. */
function lineOf({ path, command }: (typeof entries)[number]): string[] {
  const words = command.registeredArguments
    .filter(({ required }) => required)
    .map(
      (argument) =>
        argument.argChoices?.[0] ?? (argument.name() === 'key' ? 'limits.turn_steps' : '7'),
    );
  return [...path.split(' '), ...words];
}

/** Commands that are about this computer or this program, and ask Holdfast nothing. */
const ALONE =
  /^(start|demo|config path|data |debug orchestrator|mcp serve|terminals|hooks|completion|version|open|restart|reset)/;

describe('commands in the documents', () => {
  it.each([REFERENCE_PATH, MANUAL_PATH])('X-06 %s is made from the commands', async (path) => {
    const made = await commandPage(path);
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(at(path), made);
    expect(read(path)).toBe(made);
  });

  it.each(entries.filter(({ path }) => !ALONE.test(path)))(
    'holdfast $path says truly whether it works while nothing runs',
    async (entry) => {
      const extra: Readonly<Record<string, readonly string[]>> = {
        'sessions create': ['--agent', 'a'],
        'sessions set-goal': ['green'],
        'tasks add': ['--schedule', 'every 1h'],
        'tasks pause': ['7'],
        'tasks resume': ['7'],
        'turns cancel': ['7'],
        'turns resolve': ['--done'],
        'agents add': ['--provider', 'p', '--model', 'm', '--workspace', dataDir],
        'agents edit': ['--model', 'm'],
        'providers add': ['--type', 'anthropic'],
        'channels add': ['--type', 'command', '--command', 'say'],
        'channels edit': ['--enabled', 'false'],
        'approvals answer': ['--text', 'x'],
        'drafts apply': ['7'],
        'dlq replay': ['7'],
        'dlq purge': ['7', '--yes'],
      };
      const ran = await run(...lineOf(entry), ...(extra[entry.path] ?? []), '--data-dir', dataDir);
      if (doesNeedRunning(entry.command))
        expect(ran, ran.out).toMatchObject({ code: EXIT.notRunning, door: undefined });
      else expect(ran.door, ran.out).toMatch(/^(read|decide|try)$/);
    },
  );

  it('every example of a command is one that the program knows', () => {
    const groups = new Set(known.map((name) => name.split(' ')[0]));
    const hidden = [
      'help',
      'sessions confirm-tool',
      'sessions custom-tool-result',
      'providers set',
    ];
    for (const path of documents) {
      const text = read(path);
      const lines = [...blocks(text), ...inlineCode(text)]
        .map((line) => line.trim().replace(/^ExecStart=\/usr\/bin\//, ''))
        .filter((line) => /^holdfast [a-z]/.test(line));
      for (const line of lines) {
        const words = resolveAliases(line.split(/\s+/).slice(1));
        const isKnown = [1, 2, 3].some((count) =>
          [...known, ...hidden].includes(words.slice(0, count).join(' ')),
        );
        const isGroup = words.length === 1 && groups.has(words[0]);
        expect(isKnown || isGroup, `${path}: ${line}`).toBe(true);
      }
    }
  });

  it('S4-+07 S3-36 the help of the command line says what is kept and what is not promised', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(EXIT.ok);
    expect(out).toContain('Guaranteed:');
    expect(out).toMatch(/Not guaranteed:[\s\S]*actions that tools don't report/);
    expect(out).toMatch(/while the\s+computer is\s+off or Holdfast is not running/);
    expect(out).toContain('no queue spans several');
    const headings = [...out.matchAll(/^(\w+):$/gm)].map((found) => found[1]);
    expect(headings).toEqual(
      expect.arrayContaining(['Start', 'Work', 'Agents', 'Time', 'Operate', 'Configure', 'Debug']),
    );
  });
});

describe('the service unit', () => {
  const unit = read('build/holdfast.service');
  const value = (key: string): string | undefined =>
    new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1];

  it('starts headless with options that the program has', async () => {
    const words = (value('ExecStart') ?? '').split(' ');
    expect(words.slice(1, 3)).toEqual(['start', '--headless']);
    const { out } = await run('start', '--help');
    for (const option of words.filter((word) => word.startsWith('--')))
      expect(out).toContain(`${option} `);
    expect(words).toContain('instance.on_conflict=refuse');
  });

  it('does not start again after a refusal or a wrong command line, and stays down after three', () => {
    expect(value('RestartPreventExitStatus')?.split(' ').map(Number)).toEqual([
      EXIT.usage,
      EXIT.refused,
    ]);
    // The first start counts, too.
    expect(Number(value('StartLimitBurst'))).toBe(4);
    expect(Number(value('StartLimitIntervalSec'))).toBe(600);
  });
});
