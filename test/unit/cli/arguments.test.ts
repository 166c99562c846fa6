import { describe, expect, it } from 'vitest';
import { ALIASES, resolveAliases, wordPositions } from '../../../electron/cli/aliases';
import { addCommands, COMMANDS } from '../../../electron/cli/commands';
import { isPlainHeadlessStart } from '../../../electron/cli/run-command';
import { Command } from 'commander';
import type { Program } from '../../../electron/cli/command';
import { isCliInvocation, readStartArguments } from '../../../electron/cli/start-arguments';

const words = (text: string): string[] => (text === '' ? [] : text.split(' '));

describe('names of the documents', () => {
  it.each([
    ['agent session status s1 --json', 'sessions status s1 --json'],
    ['agent session events s1 --limit 5', 'sessions events s1 --limit 5'],
    ['--data-dir D agent session list', '--data-dir D sessions list'],
    ['agent --json session list', 'sessions list --json'],
    ['agent list', 'agents list'],
    ['session list', 'sessions list'],
    ['turn show 4', 'turns show 4'],
    ['turns replay 4', 'turns resume 4'],
    ['turn discard 4', 'turns discard 4'],
    ['recovery list', 'turns review'],
    ['recovery resume 4', 'turns resume 4'],
    ['recovery discard 4', 'turns discard 4'],
    ['recovery confirm-step 4 2', 'turns resolve --done 4 2'],
    ['recovery skip-step 4 2', 'turns resolve --skip 4 2'],
    ['recovery end-process 4711', 'processes end 4711'],
    ['skill list', 'skills list'],
    ['/skill list --json', 'runs list --json'],
    ['skill discard 4 --force', 'runs discard 4 --force'],
    ['/skill discard 4', 'runs discard 4'],
    ['provider list', 'providers list'],
    ['outage probe anthropic', 'providers check anthropic'],
    ['outage queue', 'outages queue'],
    ['ext restart calendar', 'mcp restart calendar'],
    ['queue status', 'events status'],
    ['watch list', 'terminals list'],
    ['schedule parse X', 'tasks preview X'],
    ['guard check X', 'debug guard X'],
    ['heartbeat status', 'heartbeats list'],
    ['activations events --kind acked', 'sessions activity --kind acked'],
    ['agent activation-events', 'sessions activity'],
    ['agent orchestrator --watch --log', 'debug orchestrator --watch --log'],
    ['session adopt claude', 'sessions attach claude'],
    ['session open-in-terminal s1', 'sessions detach s1'],
    ['drafts promote 5', 'drafts apply 5'],
    ['tasks update 3', 'tasks edit 3'],
    ['config show', 'config list'],
    ['task list', 'tasks list'],
    ['/tasks due --json', 'tasks due --json'],
    ['timer list', 'timers list'],
    ['takeover', 'start --takeover'],
    ['--no-restore', 'start --no-restore'],
    ['--reset --yes', 'start --reset --yes'],
    ['--headless --data-dir D', 'start --headless --data-dir D'],
    ['--no-restore start', '--no-restore start'],
  ])('X-06 holdfast %s means holdfast %s', (written, meant) => {
    const got = resolveAliases(words(written)).join(' ');
    expect(words(got).sort()).toEqual(words(meant).sort());
    expect(words(got).filter((word) => !word.startsWith('-'))).toEqual(
      words(meant).filter((word) => !word.startsWith('-')),
    );
  });

  it.each([
    'send agent list',
    'send turn discard 4',
    'turns list',
    'tasks due --explain',
    'status',
    '',
    '--version',
    'sessions status agent',
  ])('X-06 holdfast %s stays as it is', (written) => {
    expect(resolveAliases(words(written))).toEqual(words(written));
  });

  it('X-06 every alias leads to a command that exists', () => {
    for (const [from, to] of ALIASES)
      expect(COMMANDS, from.join(' ')).toContain(resolveAliases(to)[0]);
  });

  it('X-06 the value of --data-dir is never taken for a word', () => {
    expect(wordPositions(['--data-dir', 'turn', 'agent', 'list'])).toEqual([2, 3]);
    expect(wordPositions(['--data-dir=turn', 'status', '--', 'more'])).toEqual([1]);
  });
});

describe('one table of commands', () => {
  const wordsOf = async (word: string | undefined): Promise<readonly string[]> => {
    const root = new Command();
    // Commands are only defined here: nothing of the program is used before one runs.
    await addCommands(root, {} as Program, word);
    return root.commands.map((command) => command.name());
  };
  const besides = ['hook', 'help'];

  it('X-06 the table names every command that help lists, in its order, and no other', async () => {
    const listed = await wordsOf(undefined);
    expect(listed).toEqual(COMMANDS.filter((word) => !besides.includes(word)));
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('X-06 each word of the table loads its command', async () => {
    for (const word of COMMANDS)
      if (!besides.includes(word)) expect(await wordsOf(word), word).toContain(word);
  });

  it('X-06 only completion loads the other commands, which it lists: each of the others loads its family', async () => {
    const all = (await wordsOf(undefined)).length;
    const listed = COMMANDS.filter((word) => !besides.includes(word));
    const whole: string[] = [];
    for (const word of listed) if ((await wordsOf(word)).length === all) whole.push(word);
    expect(whole).toEqual(['completion']);
    expect(await wordsOf('version')).toEqual(['version']);
  });

  it('X-06 a word that no command has loads all of them, so that one can be suggested', async () => {
    expect(await wordsOf('statsu')).toEqual(await wordsOf(undefined));
  });

  it('X-06 the installed app takes every command and every older name for a command', () => {
    for (const word of [...COMMANDS, ...ALIASES.map(([from]) => from[0] ?? '')])
      if (!['start', 'takeover'].includes(word) && !word.startsWith('/'))
        expect(isCliInvocation([word, 'list']), word).toBe(true);
  });
});

describe('app or command', () => {
  it.each([
    ['', false],
    ['--hidden', false],
    ['--hidden --after-crash --data-dir status', false],
    ['holdfast://open/home', false],
    ['--no-sandbox --ozone-platform=x11', false],
    ['start', false],
    ['start --hidden', false],
    ['start --takeover', false],
    ['--no-restore', false],
    ['start --headless', true],
    ['--headless', true],
    ['--data-dir D status --json', true],
    ['--no-sandbox status', true],
    ['agent session list', true],
    ['turn show 1', true],
    ['--version', true],
    ['-h', true],
    ['start --help', true],
    ['queue status', true],
    ['usage', true],
    ['statsu', true],
    ['/home/ada/notes.md', false],
    ['./folder', false],
  ])('S2-39 holdfast %s: a command is %s', (written, expected) => {
    expect(isCliInvocation(words(written))).toBe(expected);
  });

  it('S4-29 a start reads its flags in any order and leaves the switches of others alone', () => {
    expect(
      readStartArguments(
        words('--no-sandbox --reset --data-dir /d --yes --no-restore --hidden'),
        { HOLDFAST_HOME: '/h' },
        '/home/ada',
      ),
    ).toEqual({
      dataDir: '/d',
      flags: { noRestore: true, hidden: true, takeover: false, afterCrash: false },
      headless: false,
      reset: true,
      yes: true,
    });
    const plain = readStartArguments(['takeover'], {}, '/home/ada');
    expect([plain.dataDir, plain.flags.takeover, plain.headless]).toEqual([
      '/home/ada/.holdfast',
      true,
      false,
    ]);
    expect(readStartArguments([], { HOLDFAST_HOME: '/h' }, '/home/ada').dataDir).toBe('/h');
  });
});

describe('the short way to a headless start', () => {
  it.each([
    [['start', '--headless'], true],
    [['--headless'], true],
    [['start', '--headless', '--data-dir', '/d', '--json'], true],
    [['takeover', '--headless'], true],
    [['--headless', '--no-restore', '--after-crash'], true],
    [['start'], false],
    [['start', '--headless', '--reset'], false],
    [['start', '--headless', '--set', 'app.theme=dark'], false],
    [['start', '--headless', '--help'], false],
    [['start', '--headless', '--hedless'], false],
    [['start', '--headless', 'now'], false],
    [['start', '--headless', '--data-dir'], false],
    [['start', '--headless', '--data-dir', '--json'], false],
    [['status', '--headless'], false],
  ] as const)('S0-29 %j is one: %s', (argv, expected) => {
    expect(isPlainHeadlessStart(argv)).toBe(expected);
  });
});
