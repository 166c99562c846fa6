/**
 * Random command lines by seed, of three kinds: well formed ones, mixed up pieces, and known lines
 * with a few changes. They aim at what a shell and a parser of shell lines may read apart: quotes
 * inside of expansions, here-documents, words that become options, programs with a way to write.
 */
import { createRandom } from '../../helpers/random';

type Below = (below: number) => number;

/** What writes, runs or connects, should it ever take effect. `PORT` is where the sandbox listens. */
const PAYLOADS = [
  'touch pwn',
  '$(touch pwn)',
  '`touch pwn`',
  '>pwn',
  '>>a',
  '>|pwn',
  '&>pwn',
  '<>pwn',
  './evil',
  '$(./evil)',
  '| tee pwn',
  '-delete',
  '-fprint pwn',
  '-exec ./evil ;',
  '-opwn',
  '-o pwn',
  '--output=pwn',
  '--pre ./evil',
  '%n',
  'a%nPATH',
  'a[$(touch pwn)]',
  '$((a[$(touch pwn)]))',
  '${x:=pwn}',
  '${x@P}',
  '${!x}',
  'w pwn',
  '-i',
  's/a/b/w pwn',
  '1e ./evil',
  '</dev/tcp/127.0.0.1/PORT',
  '<(touch pwn)',
  '; touch pwn',
  '&& rm a',
  '& sleep 9',
  'eval',
  'PATH=.',
  'PATH=1:.',
  'GIT_PAGER=./evil',
  'path=.',
  '[[ -v a[$(touch pwn)] ]]',
  "[[ 1 -eq 'a[$(touch pwn)]' ]]",
  '[[ $name -eq 1 ]]',
  '((name))',
  '$((name))',
  '${a[$(touch pwn)]}',
  '${a[name]}',
  '${x:name}',
  "test -v 'a[$(touch pwn)]'",
  "unset 'a[$(touch pwn)]'",
  'declare -n y=PATH',
  'trap "touch pwn" EXIT',
  'ls() { touch pwn; }; ls',
  'alias ls=./evil',
  'hash -p ./evil ls',
  'enable -f ./evil x',
  '. ./evil',
  'exec >pwn',
  '{fd}>pwn',
  'coproc ./evil',
  '| sh',
  '<<< "touch pwn" sh',
];

/** They run what comes behind them. */
const WRAPPERS = (
  'time|command|builtin|exec|env|env -i|env -S|nice|nohup|timeout 5|timeout -s KILL 5|xargs|xargs -I {}|' +
  'sh -c|bash -ec|sh -c --|eval|setsid|stdbuf -o0|find . -exec|watch|flock pwn|coproc|!'
).split('|');

/** Long options of the programs above; GNU takes a beginning of one for all of it. */
const LONG_OPTIONS = (
  'output compress-program temporary-directory files0-from buffer-size merge batch-size parallel random-source key ' +
  'field-separator reverse unique check compile preserve-date magic-file uncompress uncompress-noreport mime brief ' +
  'parameter no-sandbox exclude set date reference utc pre pre-glob hostname-bin hyperlink-format search-zip pretty ' +
  'paginate to-file from-file recursive unified brief sync total fromfile prune noreport info line-number only-matching ' +
  'skip-fields repeated count all plugin target bytes expression in-place null-data quiet version help delete exec ext-diff'
).split(' ');

const PROGRAMS = (
  'ls cat head tail grep wc stat echo printf sort uniq find sed test [ git file tree diff strings date ' +
  'cut tr nl basename dirname readlink du true : cd which type od seq expr rg jq env command getconf ' +
  'hostname printenv column comm join cmp id pwd paste fold realpath tac df ps stat md5sum jq sed sort file date uniq tree'
).split(' ');

const GIT = (
  'status log diff show branch remote config rev-parse version tag ls-files grep blame --version ' +
  'describe check-ignore cat-file for-each-ref stash fetch'
).split(' ');

const WORDS = (
  `a b f.txt sub in "a b" 'a b' -n -l -1 -c -u -d -b -r -e -f -f1 -v -x -z -s -R -S -p -o -t -C -m -i -- - + +1 ` +
  `--version --show-current --get --list -type -name -maxdepth 1 0 5p 5q $p 1,2p p s/a/b/ pwn . .. * *.txt ? [ab] ` +
  `%s '%s\\n' %d %% x=1 = != -eq \\( \\) ! user.name HEAD origin sub/evil.git -delete sub/* ~ ~+ @in @{u} :`
).split(' ');

const VARIABLES = [
  'x',
  'name',
  'option',
  'y',
  'HOME',
  'PATH',
  '1',
  '#',
  '?',
  '@',
  '*',
  '!',
  '-',
  '_',
];

const OPERATORS = [';', '&&', '||', '|', '\n', '&', '|&', ';;', ' ', '#', '!', 'time '];

const PIECES = [
  ...`' " \` $ { } ( ) [ ] < > << <<- <<< <( >( $( $(( )) \${ $' $" \\ ~ ! & | ; # = : - + ? @ * / % ^ ,`.split(
    ' ',
  ),
  '\n',
  ' ',
  '\t',
  "''",
  '""',
  "\\'",
  '\\"',
  '\\n',
  '\\x2d',
  '\\055',
  '\\\n',
  'E',
  "'E'",
  '\nE\n',
  'x',
  'in',
  'do',
  'done',
  'for',
  'if',
  'then',
  'fi',
  'case',
  'esac',
  'function',
  'coproc',
  'select',
  'while',
  '[[',
  ']]',
  '((',
];

function pickFrom<T>(list: readonly T[], below: Below): T {
  const one = list[below(list.length)];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
}

/** Well formed lines, to a depth. */
class Grammar {
  constructor(
    private readonly below: Below,
    private readonly port: number,
  ) {}

  payload(): string {
    return pickFrom(PAYLOADS, this.below).replace('PORT', String(this.port));
  }

  /** A piece of text that stands inside of quotes or of an expansion. */
  private inner(depth: number): string {
    switch (this.below(7)) {
      case 0:
        return this.payload();
      case 1:
        return `'${this.payload()}'`;
      case 2:
        return `$'${this.payload()}'`;
      case 3:
        return `"${depth > 0 ? this.word(depth - 1) : this.payload()}"`;
      case 4:
        return depth > 0 ? this.expansion(depth - 1) : 'x';
      default:
        return pickFrom(WORDS, this.below);
    }
  }

  expansion(depth: number): string {
    const name = pickFrom(VARIABLES, this.below);
    const operators = [
      '-',
      ':-',
      '+',
      ':+',
      '=',
      ':=',
      '?',
      '#',
      '##',
      '%',
      '%%',
      '/',
      '//',
      '^',
      ',',
      '@',
      ':',
    ];
    switch (this.below(9)) {
      case 0:
        return `$${name}`;
      case 1:
        return `\${${name}}`;
      case 2:
        return `\${#${name}}`;
      case 3:
        return `$(${this.command(depth - 1)})`;
      case 4:
        return `\`${this.command(depth - 1)}\``;
      case 5:
        return `$((${pickFrom(['1', 'x', '1+1', 'name', 'a[0]', '$x', '5%2', this.inner(0)], this.below)}))`;
      default:
        return `\${${name}${pickFrom(operators, this.below)}${this.inner(depth - 1)}}`;
    }
  }

  /** A long option, all of it or a beginning, with or without a value. */
  private longOption(): string {
    const name = pickFrom(LONG_OPTIONS, this.below);
    const length = this.below(2) === 0 ? name.length : 1 + this.below(name.length);
    return `--${name.slice(0, length)}${pickFrom(['', '', '=pwn', '=./evil', ' pwn', ' ./evil', '=1'], this.below)}`;
  }

  word(depth: number): string {
    const kind = this.below(depth > 0 ? 20 : 12);
    if (kind < 9) return pickFrom(WORDS, this.below);
    if (kind === 9) return this.below(2) === 0 ? this.longOption() : pickFrom(WORDS, this.below);
    switch (kind) {
      case 10:
        return `$'${pickFrom(['a', '\\n', '\\x2d', '\\055', '\\x{2d}', '-', "\\'", '\\\\', '\\c'], this.below)}${this.below(2) === 0 ? 'delete' : this.payload()}'`;
      case 11:
        return `{${pickFrom(WORDS, this.below)},${pickFrom(WORDS, this.below)}}`;
      case 12:
        return `'${this.inner(0).replaceAll("'", '')}'`;
      case 13:
      case 14:
        return `"${this.inner(depth - 1)}"`;
      case 15:
        return this.word(depth - 1) + this.word(depth - 1);
      case 16:
        return `$"${this.inner(depth - 1)}"`;
      case 17:
        return `\\${this.word(depth - 1)}`;
      default:
        return this.expansion(depth);
    }
  }

  private redirection(depth: number): string {
    switch (this.below(8)) {
      case 0:
        return `2>${pickFrom(['/dev/null', '&1', 'pwn', '&-'], this.below)}`;
      case 1:
        return `<${pickFrom(['a', 'in', 'missing', '/dev/null'], this.below)}`;
      case 2:
        return `>${pickFrom(['/dev/null', '&2', 'pwn', '/dev/stdout'], this.below)}`;
      case 3:
        return `<<<${this.word(depth)}`;
      case 4:
        return this.payload();
      default:
        return '>/dev/null';
    }
  }

  private simple(depth: number): string {
    const program = pickFrom(PROGRAMS, this.below);
    const words: string[] = [program];
    if (program === 'git') words.push(pickFrom(GIT, this.below));
    if (program === 'test' || program === '[') words.push(this.word(depth));
    for (let count = this.below(4); count > 0; count -= 1) words.push(this.word(depth));
    if (program === '[') words.push(']');
    if (this.below(6) === 0) words.push(this.redirection(depth));
    if (this.below(40) === 0) words.splice(this.below(words.length), 0, this.payload());
    const prefix = pickFrom(
      ['LC_ALL=C', 'x=1', 'TZ=UTC', 'name=$x', 'PATH=1', 'LANG=$x'],
      this.below,
    );
    if (this.below(40) === 0) words.unshift(pickFrom(WRAPPERS, this.below));
    return this.below(12) === 0 ? `${prefix} ${words.join(' ')}` : words.join(' ');
  }

  private hereDocument(depth: number): string {
    const name = pickFrom(['E', 'E', 'E', "'E'", '"E"', '\\E', 'E$x', "'E F'", '$E'], this.below);
    const operator = pickFrom(['<<', '<<', '<<', '<<-'], this.below);
    const end = name.replaceAll(/['"\\]/g, '');
    const body = Array.from({ length: 1 + this.below(3) }, () =>
      this.below(3) === 0 ? this.inner(depth) : this.word(depth),
    ).join(pickFrom([' ', '\n', ''], this.below));
    const behind = this.below(5) === 0 ? ` ${this.word(depth)}` : '';
    return `cat ${operator}${name}${behind}\n${body}\n${end}\n`;
  }

  command(depth: number): string {
    if (depth <= 0) return this.simple(0);
    const next = () => this.command(depth - 1);
    switch (this.below(16)) {
      case 0:
        return `(${next()})`;
      case 1:
        return `{ ${next()}; }`;
      case 2:
        return `if ${next()}; then ${next()}; fi`;
      case 3:
        return `for ${pickFrom(['x', 'f', 'PATH', 'IFS', 'name'], this.below)} in ${this.word(depth)}; do ${next()}; done`;
      case 4:
        return `case ${this.word(depth)} in ${pickFrom(['a', '*', 'x*', '"$x"'], this.below)}) ${next()};; esac`;
      case 5:
        return `! ${next()}`;
      case 6:
      case 7:
        return this.hereDocument(depth - 1);
      case 8:
        return `[[ ${this.word(depth)} ${pickFrom(['=', '-eq', '=~', '<'], this.below)} ${this.word(depth)} ]]`;
      case 9:
        return `${next()} | ${next()}`;
      default:
        return this.simple(depth);
    }
  }

  line(): string {
    const parts = [this.command(3)];
    while (this.below(3) === 0)
      parts.push(pickFrom(OPERATORS.slice(0, 5), this.below), this.command(2));
    return parts.join(' ');
  }
}

/** Endless lines: the same seed, known lines and port make the same ones. */
export function* randomLines(
  seed: number,
  known: readonly string[],
  port: number,
): Generator<string, never> {
  const below = createRandom(seed);
  const grammar = new Grammar(below, port);

  const piece = (): string => {
    switch (below(6)) {
      case 0:
        return grammar.payload();
      case 1:
        return grammar.word(1);
      case 2:
        return pickFrom(WORDS, below);
      default:
        return pickFrom(PIECES, below);
    }
  };

  const soup = (): string => {
    const start = `${pickFrom(PROGRAMS, below)} `;
    return start + Array.from({ length: 2 + below(8) }, piece).join(below(2) === 0 ? '' : ' ');
  };

  const changed = (): string => {
    let line = below(4) === 0 ? grammar.line() : pickFrom(known, below);
    for (let count = 1 + below(3); count > 0; count -= 1) {
      const at = below(line.length + 1);
      const to = Math.min(line.length, at + below(6));
      const before = line.slice(0, at);
      const middle = line.slice(at, to);
      switch (below(6)) {
        case 0:
          line = before + line.slice(to);
          break;
        case 1:
          line = before + middle + line.slice(at);
          break;
        case 2:
          line = before + pickFrom(known, below).slice(below(10)) + line.slice(to);
          break;
        case 3:
          line =
            before +
            middle.replaceAll(/['"`]/g, () => pickFrom(["'", '"', '`', ''], below)) +
            line.slice(to);
          break;
        default:
          line = before + piece() + line.slice(at);
      }
    }
    return line;
  };

  /** Broken up where a shell joins it again, mostly inside of what it then reads as one. */
  const continued = (line: string): string => {
    const marks = [...line.matchAll(/[$<>&|({[=]/g)].map(({ index }) => index + 1);
    const at = marks.length > 0 && below(3) > 0 ? pickFrom(marks, below) : below(line.length + 1);
    return `${line.slice(0, at)}\\\n${line.slice(at)}`;
  };

  while (true) {
    const kind = below(11);
    if (kind === 10) yield continued(below(2) === 0 ? grammar.line() : pickFrom(known, below));
    else yield kind < 4 ? grammar.line() : kind < 6 ? soup() : changed();
  }
}
