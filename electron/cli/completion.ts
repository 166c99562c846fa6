/** Completion scripts, made from the commands themselves. Pure. */
import type { Command, Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A word that may come next, and what it means. */
interface Choice {
  readonly word: string;
  readonly about: string;
}

/** What may follow the words of one command. */
interface CommandChoices {
  /** Without `holdfast`; empty for the program itself. */
  readonly path: string;
  readonly words: readonly Choice[];
  readonly options: readonly Choice[];
  /**
   * By option that takes a value: its possible values, if they are few and known, otherwise none.
   */
  readonly values: readonly { readonly option: string; readonly of: readonly string[] }[];
}

const listed = (command: Command): readonly Command[] =>
  command.createHelp().visibleCommands(command);

const spellings = ({ short, long }: Option): string[] =>
  [short, long].filter((one) => one !== undefined);

function placeOf(command: Command, path: string): CommandChoices {
  const options = command.createHelp().visibleOptions(command);
  const children = listed(command).map((one) => ({ word: one.name(), about: one.description() }));
  const [argument] = command.registeredArguments;
  const choices = (argument?.argChoices ?? []).map((word) => ({ word, about: '' }));
  return {
    path,
    words: [...children, ...choices],
    options: options.flatMap((option) =>
      spellings(option).map((word) => ({ word, about: option.description })),
    ),
    values: options.flatMap((option) =>
      option.required || option.optional
        ? spellings(option).map((one) => ({ option: one, of: option.argChoices ?? [] }))
        : [],
    ),
  };
}

/** Every command that help lists, with the words that lead to it. */
export function placesOf(command: Command, path = ''): readonly CommandChoices[] {
  return [
    placeOf(command, path),
    ...listed(command)
      .filter((child) => child.name() !== 'help')
      .flatMap((child) => placesOf(child, `${path} ${child.name()}`.trim())),
  ];
}

/** The script that a shell reads to complete `holdfast`. */
export function completionScript(root: Command, shell: Shell): string {
  const places = placesOf(root);
  switch (shell) {
    case 'bash':
      return bashScript(places);
    case 'zsh':
      return zshScript(places);
    case 'fish':
      return fishScript(places);
  }
}

const joined = (choices: readonly Choice[]): string => choices.map(({ word }) => word).join(' ');

/** Cases of a shell: from the path of the command so far to the words that may follow it. */
const wordCases = (places: readonly CommandChoices[]): string[] =>
  places
    .filter(({ words }) => words.length > 0)
    .map(({ path, words }) => `    '${path}') words='${joined(words)}' ;;`);

const optionCases = (places: readonly CommandChoices[]): string[] =>
  places.map(({ path, options }) => `    '${path}') options='${joined(options)}' ;;`);

const valueCases = (places: readonly CommandChoices[]): string[] =>
  places.flatMap(({ path, values }) => [
    ...values
      .filter(({ of }) => of.length > 0)
      .map(({ option, of }) => `    '${path} ${option}') values='${of.join(' ')}' ;;`),
    // A value that is not known in advance may be a file, but never a command.
    ...values
      .filter(({ of }) => of.length === 0)
      .map(({ option }) => `    '${path} ${option}') words='' options='' ;;`),
  ]);

/** Finds the command that the words before the cursor lead to; the same in bash and zsh. */
const findPath = (places: readonly CommandChoices[]): string[] => [
  "  local path='' word next",
  '  for word in "${before[@]}"; do',
  '    next="${path:+$path }$word"',
  '    case "$next" in',
  `      ${places
    .filter(({ path }) => path !== '')
    .map(({ path }) => `'${path}'`)
    .join('|')}) path="$next" ;;`,
  '    esac',
  '  done',
  "  local words='' options='' values=''",
  '  case "$path" in',
  ...wordCases(places),
  '  esac',
  '  case "$path" in',
  ...optionCases(places),
  '  esac',
  '  case "$path $previous" in',
  ...valueCases(places),
  '  esac',
];

function bashScript(places: readonly CommandChoices[]): string {
  return [
    '# bash completion for holdfast. Load it with: source <(holdfast completion bash)',
    '_holdfast() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
    '  local before=("${COMP_WORDS[@]:1:COMP_CWORD-1}")',
    ...findPath(places),
    '  local offered="$words"',
    '  if [[ -n $values ]]; then offered="$values"',
    '  elif [[ $current == -* ]]; then offered="$options"; fi',
    '  COMPREPLY=($(compgen -W "$offered" -- "$current"))',
    '}',
    'complete -o default -F _holdfast holdfast',
  ].join('\n');
}

function zshScript(places: readonly CommandChoices[]): string {
  return [
    '#compdef holdfast',
    '# zsh completion for holdfast. Save it as _holdfast in a folder of $fpath.',
    '_holdfast() {',
    '  local current="${words[CURRENT]}" previous="${words[CURRENT-1]}"',
    '  local -a before=("${(@)words[2,CURRENT-1]}")',
    ...findPath(places).map((line) =>
      // zsh itself uses the name `words`.
      line.replace("local words=''", "local offers=''").replace(' words=', ' offers='),
    ),
    '  local offered="$offers"',
    '  if [[ -n $values ]]; then offered="$values"',
    '  elif [[ $current == -* ]]; then offered="$options"; fi',
    '  if [[ -n $offered ]]; then compadd -- ${=offered}; else _files; fi',
    '}',
    'if [ "$funcstack[1]" = "_holdfast" ]; then _holdfast "$@"; else compdef _holdfast holdfast; fi',
  ].join('\n');
}

const fishQuoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Whether the words before the cursor lead to this command, whatever options stand between them. */
const fishPath = (places: readonly CommandChoices[]): string[] => [
  `set -g __holdfast_paths ${places.flatMap(({ path }) => (path === '' ? [] : [fishQuoted(path)])).join(' ')}`,
  'function __holdfast_at',
  '  set -l at',
  '  for word in (commandline -opc)[2..]',
  '    if contains -- "$at $word" " "$__holdfast_paths',
  '      set at "$at $word"',
  '    end',
  '  end',
  '  test "$at" = "$argv"',
  'end',
];

function fishScript(places: readonly CommandChoices[]): string {
  const lines = places.flatMap((place) => {
    const at = place.path === '' ? "''" : `' ${place.path}'`;
    const condition = `complete -c holdfast -n ${fishQuoted(`__holdfast_at ${at}`)}`;
    const about = (text: string): string => (text === '' ? '' : ` -d ${fishQuoted(text)}`);
    return [
      ...place.words.map((one) => `${condition} -f -a ${one.word}${about(one.about)}`),
      ...place.options
        .filter(({ word }) => word.startsWith('--'))
        .map(({ word, about: text }) => {
          const values = place.values.find(({ option }) => option === word)?.of;
          const known = (all: readonly string[]): string =>
            all.length === 0 ? ' -r' : ` -x -a ${fishQuoted(all.join(' '))}`;
          const given = values === undefined ? '' : known(values);
          return `${condition} -l ${word.slice(2)}${given}${about(text)}`;
        }),
    ];
  });
  return [
    '# fish completion for holdfast. Load it with: holdfast completion fish | source',
    ...fishPath(places),
    ...lines,
  ].join('\n');
}
