import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveAliases } from '../../../electron/cli/commands';
import { runCli } from '../../../electron/cli/cli';
import { EXIT } from '../../../electron/cli/exit-codes';
import type { CliIo, OpenedData } from '../../../electron/cli/io';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import { blocks, documents, inlineCode, read, section, tableRows } from './project-docs';

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
    composer: () =>
      Promise.resolve({
        compose: () => stop('compose')() as never,
        openReadOnly: stop('read'),
        openForDecision: stop('decide'),
        resetData: () => stop('reset')() as never,
        trySchedule: () => stop('try')() as never,
        tryGuard: () => stop('try')() as never,
      }),
  };
  const code = await runCli(argv, io);
  return { code, out, door };
}

const helps = new Map<string, Promise<Ran>>();

/** The help of a command, asked for once: each answer builds the whole program. */
function helpOf(...words: string[]): Promise<Ran> {
  const name = words.join(' ');
  const help = helps.get(name) ?? run(...words, '--help');
  helps.set(name, help);
  return help;
}

/** Commands as the help of the program itself lists them. */
async function commandsOf(...words: string[]): Promise<string[]> {
  const { out } = await helpOf(...words);
  const part = /^Commands:\n([\s\S]*?)(?:\n\n|$(?![\s\S]))/m.exec(out)?.[1] ?? '';
  return [...part.matchAll(/^ {2}([a-z][\w-]*)/gm)]
    .map((found) => found[1] ?? '')
    .filter((name) => name !== 'help');
}

async function allCommands(...words: string[]): Promise<string[]> {
  const below = await commandsOf(...words);
  if (below.length === 0) return [words.join(' ')];
  const found: string[] = [];
  for (const word of below) found.push(...(await allCommands(...words, word)));
  return found;
}

const commands = section(read('docs/reference/cli.md'), '# Command line');
const table = tableRows(commands)
  .filter((cells) => (cells[0] ?? '').startsWith('`holdfast '))
  .map(([command = '', about = '', stopped = '']) => ({
    command: command.replaceAll('`', '').replace('holdfast ', ''),
    about,
    stopped,
  }));
const nameOf = (command: string): string => command.replace(/ [A-Z].*$/, '');

describe('commands in the documents', () => {
  it('X-06 docs/reference/cli.md lists exactly the commands that the program has', async () => {
    expect(table.map(({ command }) => nameOf(command)).toSorted()).toEqual(
      (await allCommands()).toSorted(),
    );
  });

  it('names for each command only options that it takes', async () => {
    for (const { command, about } of table) {
      const { out } = await helpOf(...nameOf(command).split(' '));
      for (const [option] of about.matchAll(/(?<=`)--?[a-z][\w-]*/g)) {
        expect(out, `${command} ${option}`).toMatch(new RegExp(` ${option}[ ,]`));
      }
    }
  });

  it.each(
    table.filter(
      ({ command }) =>
        !['start', 'demo', 'config path', 'orchestrator', 'mcp', 'watch list'].includes(command) &&
        // They change a file of another program and ask Holdfast nothing.
        !command.startsWith('hooks '),
    ),
  )('holdfast $command works while nothing runs: $stopped', async ({ command, stopped }) => {
    const words = command
      .split(' ')
      .map((word) => (word === 'KEY' ? 'limits.turn_steps' : /^[A-Z]+$/.test(word) ? '7' : word));
    const extra: Readonly<Record<string, readonly string[]>> = {
      'session create': ['--agent', 'a'],
      'session define-outcome': ['--outcome', 'x'],
      'tasks add': ['--schedule', 'every 1h'],
      'agents add': ['--provider', 'p', '--model', 'm', '--workspace', dataDir],
      'provider set': ['--kind', 'anthropic'],
      'channels add': ['--kind', 'command', '--command', 'say'],
      'session confirm-tool': ['--session', 's', '--request', '7', '--allowed', 'true'],
      'session custom-tool-result': ['--session', 's', '--request', '7', '--output', 'x'],
    };
    const ran = await run(...words, ...(extra[nameOf(command)] ?? []), '--data-dir', dataDir);
    if (stopped === 'yes') expect(ran.door, ran.out).toMatch(/^(read|decide|try)$/);
    else expect(ran, ran.out).toMatchObject({ code: EXIT.notRunning, door: undefined });
  });

  it('every example of a command is one that the program knows', async () => {
    const known = await allCommands();
    const groups = new Set(known.map((name) => name.split(' ')[0]));
    for (const path of documents) {
      const text = read(path);
      const lines = [...blocks(text), ...inlineCode(text)]
        .map((line) => line.trim().replace(/^ExecStart=\/usr\/bin\//, ''))
        .filter((line) => /^holdfast [a-z]/.test(line));
      for (const line of lines) {
        const words = resolveAliases(line.split(/\s+/).slice(1));
        const isKnown = [1, 2, 3].some((count) => known.includes(words.slice(0, count).join(' ')));
        const isGroup = words.length === 1 && groups.has(words[0]);
        expect(isKnown || isGroup, `${path}: ${line}`).toBe(true);
      }
    }
  });

  it('S4-+07 S3-36 the help of the command line says what is kept and what is not promised', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(EXIT.ok);
    expect(out).toContain('What is kept:');
    expect(out).toMatch(/What is not promised:[\s\S]*effects that tools do not report/);
    expect(out).toContain('while the computer is off or Holdfast does not run');
    expect(out).toContain('there is no queue over several');
  });

  it('other spellings that docs/reference/cli.md promises lead to commands', async () => {
    const known = await allCommands();
    const promised = inlineCode(commands.slice(commands.indexOf('Other spellings'))).filter(
      (code) => !code.startsWith('--') && code !== 'start',
    );
    expect(promised.length).toBeGreaterThan(5);
    for (const code of promised) {
      const words = resolveAliases(code.split(' '));
      expect([...known], code).toEqual(
        expect.arrayContaining([
          known.includes(words[0] ?? '') ? words[0] : words.slice(0, 2).join(' '),
        ]),
      );
    }
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
