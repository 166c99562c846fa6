/**
 * Programs that the arguments of another program name: `some-wrapper rm x`, `--on-end='rm x'`. No
 * table can list all programs that run others; a rule about one of those named may apply.
 */
import type { Text } from './shell-words';
import { plainName } from './wrapped-programs';

/** Their arguments are names of files, targets or topics, and text. */
const TAKE_NAMES: ReadonlySet<string> = new Set(
  (
    'mkdir touch cp mv ln tee install tar zip unzip gzip make gmake ninja just task rake node tsx ' +
    'ts-node python python3 perl ruby php awk gawk mawk nawk sed pytest jest vitest mocha eslint ' +
    'prettier ruff black mypy tsc man info whatis apropos tldr help hash ag ack zgrep less more bat ' +
    'nano vi vim nvim code open xdg-open export local declare typeset readonly read unset set ' +
    'journalctl getent pidof pushd'
  ).split(' '),
);
/** The value of an option or a variable, and text that a program runs. */
const VALUE = /^(?:-{0,2}[\w:.+-]*=(?:\\?[!|])?|\\?[!|])\s*(.+)$/s;
const PROGRAM = /^["'(]*((?:\/(?:usr\/(?:local\/)?)?s?bin\/)?[A-Za-z][\w.+-]*)["')]*(?:\s|$)/;

/** `isKnown`: a table has the program, so its plain arguments are understood. Pure. */
export function programsNamed(
  program: string,
  args: readonly Text[],
  isKnown: boolean,
): readonly string[] {
  const takesNames = isKnown || TAKE_NAMES.has(program);
  const found = new Set<string>();
  for (const arg of args) {
    const text = VALUE.exec(arg ?? '')?.[1] ?? (takesNames ? '' : (arg ?? ''));
    const [, path = ''] = PROGRAM.exec(text) ?? [];
    if (path !== '') found.add(plainName(path.slice(path.lastIndexOf('/') + 1).toLowerCase()));
  }
  return [...found];
}
