import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, withDefaultCommand } from '../../../electron/cli/cli';
import type { Program } from '../../../electron/cli/command';
import { EXAMPLES } from '../../../electron/cli/commands';
import { completionScript, placesOf } from '../../../electron/cli/completion';
import { entriesOf, manualPage } from '../../../electron/cli/manual';
import { linkOf } from '../../../electron/cli/verbs/lifecycle';
import { yamlText } from '../../../electron/cli/yaml-text';
import { parseLink } from '../../../electron/shell/windows/links';
import { commandWords } from '../../../shared/command-words';

const write = { write: () => undefined, isTTY: false, columns: 80 };
const build = (): Promise<Command> =>
  buildProgram({ io: { stdout: write, stderr: write } } as unknown as Program, undefined);

let root: Command;
beforeAll(async () => {
  root = await build();
});

const everyCommand = (command: Command, path: string): [string, Command][] =>
  command.commands.flatMap((child): [string, Command][] => {
    const name = `${path} ${child.name()}`.trim();
    return [[name, child], ...everyCommand(child, name)];
  });

describe('help of the command line', () => {
  it('is imperative: a capital first letter and no period, for commands, arguments and options', () => {
    for (const [path, command] of everyCommand(root, '')) {
      const texts = [
        command.description(),
        ...command.registeredArguments.map(({ description }) => description),
        ...command.options.filter(({ hidden }) => !hidden).map(({ description }) => description),
      ];
      for (const text of texts) {
        expect(text, path).toMatch(/^([A-Z"]|https |telegram: |webhook: |command: |false: )/);
        expect(text, path).not.toMatch(/[^.]\.$/);
      }
      expect(command.description(), path).toMatch(/^[A-Z][a-z]+,? /);
    }
  });

  it('names no argument only by what it is to the command', () => {
    for (const [path, command] of everyCommand(root, ''))
      for (const { description } of command.registeredArguments)
        expect(description, path).not.toMatch(/^(its|which|who|what)\b/i);
  });

  it('has an example for each command that takes arguments, and for no command that does not exist', () => {
    const listed = new Map(entriesOf(root).map(({ path, command }) => [path, command]));
    const without = [...listed].filter(
      ([path, command]) => command.registeredArguments.length > 0 && !EXAMPLES.has(path),
    );
    expect(without.map(([path]) => path)).toEqual([]);
    expect([...EXAMPLES.keys()].filter((path) => !listed.has(path))).toEqual([]);
  });

  const lines = [...EXAMPLES].flatMap(([path, rests]) => rests.map((rest) => `${path} ${rest}`));

  it.each(lines)('the program takes its example: holdfast %s', async (line) => {
    const program = await build();
    let ran: string | undefined;
    for (const [path, command] of everyCommand(program, ''))
      if (command.commands.length === 0) command.action(() => void (ran = path));
    const words = commandWords(line.replace(/ [<>] \S+$/, ''));
    const parsed = await program.parseAsync([...words], { from: 'user' }).then(
      () => 'taken',
      (error: unknown) => (error instanceof CommanderError ? error.message : String(error)),
    );
    expect([parsed, line.startsWith(ran ?? '-')]).toEqual(['taken', true]);
  });

  it('shows the examples of a command in its help', () => {
    const move = root.commands
      .find((one) => one.name() === 'outages')
      ?.commands.find((one) => one.name() === 'move');
    let shown = '';
    move?.configureOutput({ writeOut: (text) => (shown += text) }).outputHelp();
    expect(shown).toContain('Examples:\n  holdfast outages move 12\n');
  });
});

describe('a group without a command', () => {
  const meant = (line: string, isAtTerminal = true): string =>
    withDefaultCommand(root, line.split(' '), () => isAtTerminal).join(' ');

  it('lists, or shows the status where there is no list', () => {
    const groups = root.commands.filter((one) => one.commands.length > 0);
    expect(groups.length).toBeGreaterThan(20);
    for (const group of groups) {
      if (['mcp', 'debug', 'hooks'].includes(group.name())) continue;
      expect(meant(group.name()), group.name()).toMatch(/ (list|status|path)$/);
    }
    expect(meant('gateway token')).toBe('gateway token list');
    expect(meant('turns --state parked')).toBe('turns list --state parked');
  });

  it('leaves what is a command, a mistake or a request for help as it is', () => {
    for (const line of ['turns show 7', 'turns shwo 7', 'turns --help', 'send turns', 'status'])
      expect(meant(line)).toBe(line);
    expect(meant('turns --json show 7')).toBe('turns --json show 7');
  });

  it('X-06 mcp serves over a pipe, as the set-up of other programs expects, and lists at a terminal', () => {
    expect(meant('mcp', false)).toBe('mcp serve');
    expect(meant('mcp', true)).toBe('mcp list');
  });
});

/** Not every computer has each shell; the workflow installs them. */
const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).error === undefined;

describe('completion', () => {
  /** What a real bash offers for a line whose last word is being typed. */
  function offered(line: string): string[] {
    const words = line.split(' ');
    const script = `${completionScript(root, 'bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${String(words.length - 1)}
_holdfast
printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' }).trim().split('\n');
  }

  /** What zsh is told to offer, before it compares with what is typed. */
  function offeredByZsh(line: string): string[] {
    const words = line.split(' ').map((word) => `'${word}'`);
    const script = `compdef() { :; }
compadd() { print -l -- "\${@[2,-1]}"; }
_files() { print files; }
${completionScript(root, 'zsh')}
words=(${words.join(' ')}) CURRENT=${String(words.length)}
_holdfast`;
    return inEmptyFolder((cwd) =>
      execFileSync('zsh', ['-f', '-c', script], { encoding: 'utf8', cwd }),
    );
  }

  function offeredByFish(line: string): string[] {
    const script = `${completionScript(root, 'fish')}\ncomplete -C '${line}'`;
    return inEmptyFolder((cwd) => {
      // Hidden, so that it is not offered itself.
      const file = join(cwd, '.script');
      writeFileSync(file, script);
      return execFileSync('fish', ['--no-config', file], {
        encoding: 'utf8',
        cwd,
        env: { ...process.env, HOME: cwd, XDG_CONFIG_HOME: cwd, XDG_DATA_HOME: cwd },
      });
    }).map((offer) => offer.split('\t')[0] ?? '');
  }

  /** Where no file can be offered by chance. */
  function inEmptyFolder(offers: (cwd: string) => string): string[] {
    const cwd = mkdtempSync(join(tmpdir(), 'holdfast-completion-'));
    try {
      return offers(cwd).trim().split('\n');
    } finally {
      rmSync(cwd, { recursive: true });
    }
  }

  it('in a real bash offers commands, options and values', () => {
    expect(offered('holdfast tu')).toEqual(['turns']);
    expect(offered('holdfast turns re')).toEqual(['retry', 'review', 'resume', 'resolve']);
    expect(offered('holdfast --data-dir /d turns sh')).toEqual(['show']);
    expect(offered('holdfast turns list --cur')).toEqual(['--cursor']);
    expect(offered('holdfast status --output y')).toEqual(['yaml']);
    expect(offered('holdfast completion f')).toEqual(['fish']);
    expect(offered('holdfast gateway token re')).toEqual(['revoke']);
  });

  it('UP-04 in a real bash offers no command where the value of an option is due', () => {
    expect(offered('holdfast --data-dir da')).toEqual(['']);
    expect(offered('holdfast --data-dir da da')).toEqual(['data', 'day']);
  });

  it.runIf(isThere('zsh'))('UP-04 in a real zsh offers the same, and files for a value', () => {
    expect(offeredByZsh('holdfast tu')).toContain('turns');
    expect(offeredByZsh('holdfast --data-dir /d turns sh')).toContain('show');
    expect(offeredByZsh('holdfast status --output y')).toEqual(['table', 'json', 'yaml']);
    expect(offeredByZsh('holdfast turns list --cur')).toContain('--cursor');
    expect(offeredByZsh('holdfast --data-dir da')).toEqual(['files']);
    expect(offeredByZsh('holdfast data export ')).toEqual(['files']);
  });

  it.runIf(isThere('fish'))('UP-04 in a real fish offers the same, and files for a value', () => {
    expect(offeredByFish('holdfast tu')).toEqual(['turns']);
    expect(offeredByFish('holdfast turns re')).toEqual(['resolve', 'resume', 'retry', 'review']);
    expect(offeredByFish('holdfast --data-dir /d turns sh')).toEqual(['show']);
    expect(offeredByFish('holdfast data --json re')).toEqual(['remove']);
    expect(offeredByFish('holdfast status --output y')).toEqual(['yaml']);
    expect(offeredByFish('holdfast gateway token re')).toEqual(['revoke']);
    expect(offeredByFish('holdfast --data-dir da')).toEqual(['']);
  });

  it('offers nothing that help does not list', () => {
    const all = placesOf(root).flatMap(({ words, options }) => [...words, ...options]);
    const words = all.map(({ word }) => word);
    expect(words.length).toBeGreaterThan(500);
    for (const hidden of ['confirm-tool', 'ping', '--before', '--force'].slice(0, 2))
      expect(words).not.toContain(hidden);
    expect(placesOf(root).find(({ path }) => path === 'turns list')?.options).not.toContainEqual(
      expect.objectContaining({ word: '--before' }),
    );
  });

  it.each(['zsh', 'fish'] as const)(
    '%s: the script is one that the shell itself reads',
    (shell) => {
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-completion-'));
      try {
        const file = join(folder, 'script');
        writeFileSync(file, completionScript(root, shell));
        const { error, status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
        // Not every computer has it; what is checked everywhere is that each group is offered.
        if (error === undefined) expect([status, stderr]).toEqual([0, '']);
        for (const { path } of placesOf(root))
          expect(completionScript(root, shell)).toContain(path.split(' ').at(-1));
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});

describe('manual page', () => {
  it('names every command with its arguments and is roff that man accepts', () => {
    const page = manualPage(root, '0.1.0');
    for (const { path } of entriesOf(root))
      expect(page).toContain(`holdfast ${path}`.replaceAll('-', '\\-'));
    const { error, status, stderr } = spawnSync('man', ['--warnings', '-l', '-'], {
      input: page,
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8', MANPAGER: 'cat' },
    });
    if (error === undefined) expect([status, stderr]).toEqual([0, '']);
  });
});

describe('small pieces', () => {
  it.each([
    ['inbox', '', '/decisions'],
    ['session', '3', '/sessions/3'],
    ['turns', '', '/turns'],
  ])('open %s %s leads to the page %s', (page, id, route) => {
    expect(parseLink(linkOf(page, id) ?? '')).toBe(route);
  });

  it('open refuses what is not a page name', () => {
    expect(() => linkOf('../x', '')).toThrow('is not a page');
    expect(() => linkOf('turn', 'x')).toThrow('is not a page');
  });

  it('a value as YAML is the same value, and hostile text in it stays inert', async () => {
    const { parse } = await import('yaml');
    const value = { a: [1, 'x: y', null], 'k\u001b[2J': 'right\u202eleft\u001b]0;t\u0007\nend' };
    const text = yamlText(value);
    expect(parse(text)).toEqual(value);
    expect(text).not.toMatch(/[\u001b\u0007\u202e]/);
  });
});
