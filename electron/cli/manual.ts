/** The manual page and the reference, made from the commands themselves. Pure. */
import type { Argument, Command, Option } from 'commander';
import { ALIASES } from './aliases';
import { doesNeedRunning } from './command';
import { EXAMPLES } from './commands';
import { joinParts } from './render';

const isGlobal = (option: Option): boolean => option.helpGroupHeading === 'Global options:';

/** A command that does something, with the words that lead to it. */
interface Entry {
  readonly path: string;
  readonly group: string;
  readonly command: Command;
}

/** Every command that help lists and that has no commands below it, in the order of the help. */
export function entriesOf(root: Command): readonly Entry[] {
  const below = (command: Command, path: string, group: string): readonly Entry[] => {
    const children = command
      .createHelp()
      .visibleCommands(command)
      .filter((child) => child.name() !== 'help');
    return children.length === 0
      ? [{ path, group, command }]
      : children.flatMap((child) => below(child, `${path} ${child.name()}`, group));
  };
  return root
    .createHelp()
    .visibleCommands(root)
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => below(command, command.name(), command.helpGroup().replace(/:$/, '')));
}

const argumentText = (argument: Argument): string => {
  const shown = `${argument.name().toUpperCase()}${argument.variadic ? '...' : ''}`;
  return argument.required ? shown : `[${shown}]`;
};

const usageOf = ({ path, command }: Entry): string =>
  ['holdfast', path, ...command.registeredArguments.map(argumentText)].join(' ');

const optionsOf = (command: Command): readonly Option[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !isGlobal(option) && option.long !== '--help');

const optionText = ({ description, argChoices }: Option): string =>
  argChoices === undefined ? description : `${description}: ${argChoices.join(', ')}`;

const examplesOf = (path: string): readonly string[] =>
  (EXAMPLES.get(path) ?? []).map((rest) => `holdfast ${path} ${rest}`.trimEnd());

const groupsOf = (entries: readonly Entry[]): readonly string[] => [
  ...new Set(entries.map(({ group }) => group)),
];

/** Text of a cell or a paragraph in Markdown. */
const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('<', '\\<').replaceAll('{', '\\{');

function sectionOf(entry: Entry): string {
  const { command, path } = entry;
  const details = [
    ...command.registeredArguments.map(
      (argument) => `- \`${argumentText(argument)}\`: ${cell(argument.description)}`,
    ),
    ...optionsOf(command).map((option) => `- \`${option.flags}\`: ${cell(optionText(option))}`),
  ];
  const examples = examplesOf(path);
  const parts = [
    `### \`${usageOf(entry)}\``,
    `${cell(command.description())}.${doesNeedRunning(command) ? ' Needs a running Holdfast.' : ''}`,
    details.join('\n'),
    examples.length === 0
      ? ''
      : ['<!-- not run: parsed by a test -->', '', '```sh', ...examples, '```'].join('\n'),
  ];
  return joinParts(parts, '\n\n');
}

const INTRODUCTION = `# Command line

Run \`holdfast COMMAND --help\` for the same text in a terminal. A group without a command lists:
\`holdfast turns\` means \`holdfast turns list\`. Reading, decisions and settings also work while Holdfast
is not running: the command holds the instance lock meanwhile, and a start waits for it.`;

const EXIT_CODES = `## Exit codes

| exit code | meaning                                                                       |
| --------- | ----------------------------------------------------------------------------- |
| 0         | ok                                                                            |
| 1         | failed, or not found, or ended immediately by a second signal                 |
| 2         | usage: the command line or a value is wrong                                   |
| 3         | no Holdfast answered: it is not running, or its computer is unreachable       |
| 4         | refused: nothing was changed, the message says why                            |
| 5         | needs a decision: a turn needs your decision, or a question was not confirmed |
| 130       | interrupted, for example with Ctrl+C: what the command waited for continues   |`;

/** The reference of the command line as a Markdown page. */
export function referencePage(root: Command): string {
  const entries = entriesOf(root);
  const globals = root.options.filter((option) => isGlobal(option) && !option.hidden);
  const parts = groupsOf(entries).map((group) =>
    [
      `## ${group}`,
      ...entries.filter((entry) => entry.group === group).map((entry) => sectionOf(entry)),
    ].join('\n\n'),
  );
  const older = ALIASES.map(([from, to]) => `- \`${from.join(' ')}\` → \`${to.join(' ')}\``);
  return (
    [
      INTRODUCTION,
      '## Options of every command',
      [
        ...globals.map((option) => `- \`${option.flags}\`: ${cell(optionText(option))}`),
        '- `--output <format>`: Output format: table, json, yaml (after the command)',
      ].join('\n'),
      'With `--json`, an error is `{"error":{code,message,hint}}` on standard output.',
      ...parts,
      EXIT_CODES,
      '## Other spellings',
      'Older names keep working:',
      older.join('\n'),
      'So do `--headless`, `--no-restore`, `--reset` and `--takeover` without the word `start`.',
    ].join('\n\n') + '\n'
  );
}

/** Text in roff, without anything that roff would interpret. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(['.])/gm, '\\&$1');

function manualEntry(entry: Entry): string {
  const { command, path } = entry;
  const option = (flags: string, text: string): string =>
    `.RS\n.TP\n.B ${roff(flags)}\n${roff(text)}\n.RE`;
  return [
    `.TP\n.B ${roff(usageOf(entry))}\n${roff(command.description())}.`,
    ...command.registeredArguments.map((one) => option(argumentText(one), one.description)),
    ...optionsOf(command).map((one) => option(one.flags, optionText(one))),
    ...examplesOf(path).map((line) => `.RS\n.PP\nExample:\n.B ${roff(line)}\n.RE`),
  ].join('\n');
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** The manual page in roff. */
export function manualPage(root: Command, version: string): string {
  const entries = entriesOf(root);
  const globals = root.options.filter((option) => isGlobal(option) && !option.hidden);
  return [
    `.TH HOLDFAST 1 "" "Holdfast ${roff(version)}" "Holdfast manual"`,
    `.SH NAME\nholdfast \\- ${roff(lowerFirst(root.description()))}`,
    '.SH SYNOPSIS\n.B holdfast\n.I command\n[options]',
    '.SH OPTIONS',
    ...globals.map((one) => `.TP\n.B ${roff(one.flags)}\n${roff(optionText(one))}`),
    ...groupsOf(entries).flatMap((group) => [
      `.SH ${group.toUpperCase()}`,
      ...entries.filter((entry) => entry.group === group).map(manualEntry),
    ]),
    '.SH "EXIT STATUS"\n0 ok, 1 failed, 2 usage, 3 not running, 4 refused, 5 needs a decision, 130 interrupted.',
    '.SH ENVIRONMENT\n.TP\n.B HOLDFAST_HOME\nData directory (default: ~/.holdfast)\n.TP\n.B NO_COLOR\nPrint without colors',
    '',
  ].join('\n');
}
