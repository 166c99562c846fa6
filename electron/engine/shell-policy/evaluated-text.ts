/**
 * Text that a shell expands once more: the subscript of a name in `printf -v 'a[$(rm x)]'`, in a
 * test or in arithmetic, and the prompt expansion of `${x@P}`. The commands in it are in quotes,
 * where the parser sees only text.
 */
import { forEachChild } from 'unbash';
import type { ParameterExpansionPart, Script, SyntaxNode, Word, WordPart } from 'unbash';

/** Builtins that take a name with a subscript, or a number that some shells evaluate. */
const BUILTINS: ReadonlySet<string> = new Set(
  (
    'printf read let declare typeset local export readonly integer float test [ mapfile readarray getopts ' +
    'unset wait exit break continue return shift'
  ).split(' '),
);
const NODES: ReadonlySet<SyntaxNode['type']> = new Set([
  'TestCommand',
  'ArithmeticCommand',
  'ArithmeticExpansion',
  'ArithmeticFor',
]);

/** A subscript that runs something. */
const SUBSCRIPT = /\[[^]*(?:\$\(|`|@P)|(?:\$\(|`|@P)[^]*\[/;
const RUNS = /\$\(|`|@P/;
const SUBSCRIPT_OF_ZSH = /\$\w+\[/;
/** Any text that may contain this; most lines are not searched further. */
const MAY_EVALUATE = /\$\(|`|@|\\|\(/;

/**
 * True if a text of the line may be expanded once more and run something. The order of commands is
 * ignored, and a value composed of several is not detected. Pure.
 */
export function mayEvaluateText(command: string, script: Script): boolean {
  if (!MAY_EVALUATE.test(command)) return false;
  const found = { always: false, evaluates: false, reads: false, hasText: false, hasBody: false };
  // zsh treats it as a subscript, even in double quotes and in the body of a here-document.
  found.evaluates = SUBSCRIPT_OF_ZSH.test(command);
  // Quotes in `"${x-$'$(rm x)'}"`, and in a here-document, do not keep a shell from expanding.
  const visit = (node: SyntaxNode, isQuoted: boolean): void => {
    if (NODES.has(node.type)) found.evaluates = true;
    switch (node.type) {
      case 'Command':
        for (const word of [node.name, ...node.args]) {
          if (word?.type !== 'Word' || !BUILTINS.has(word.value)) continue;
          found.evaluates = true;
          found.reads ||= /^(read|mapfile|readarray)$/.test(word.value);
        }
        break;
      case 'ArithmeticWord':
        // Single quotes have no effect in arithmetic: their content is expanded.
        found.always ||= RUNS.test(joined(node.parts ?? []));
        break;
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        found.always ||= isQuoted && RUNS.test(node.value);
        break;
      case 'ArrayValue':
        found.always ||= node.elements.some((one) => one.text.startsWith('[') && runs(one));
        break;
      case 'FileDescriptorVariable':
        found.always ||= RUNS.test(node.name);
        break;
      case 'Assignment':
        if (node.index !== undefined) found.evaluates = true;
        found.always ||= runs(node.index);
        break;
      case 'ParameterExpansion':
        found.always ||= isPrompt(node) || runs(node.index);
        // `${!-$(rm x)}`: the parser does not read what follows.
        found.always ||= node.operation?.type === 'Unknown' && /[(`]/.test(node.text);
        if (node.operation?.type === 'Slice')
          found.always ||= runs(node.operation.offset) || runs(node.operation.length);
        if (isComputed(node)) found.evaluates = true;
        break;
      case 'Word':
        found.hasText ||= SUBSCRIPT.test(literalOf(node));
        break;
      case 'HereDoc':
        found.hasBody ||= SUBSCRIPT.test(node.body.text);
        break;
      default:
    }
    const isBody = /^(?:HereDocBody|DoubleQuoted|LocaleString)$/.test(node.type);
    const isInside = isBody || (isQuoted && node.type !== 'CommandExpansion');
    forEachChild(node, (child) => {
      visit(child, isInside);
    });
  };
  visit(script, false);
  const { always, evaluates, reads, hasText, hasBody } = found;
  return always || (evaluates && (hasText || (reads && hasBody)));
}

/** `${x@P}`, and the flags of zsh: `${(e)x}`. */
const isPrompt = ({ operation, parameter }: ParameterExpansionPart): boolean =>
  (operation?.type === 'Transform' && !/^[QEAaKkuUL]$/.test(operation.operand.value)) ||
  !/^(?:\w+|[#?@*$!-])$/.test(parameter);

/** A subscript, the name that is the value of another, or a position. */
const isComputed = ({ index, prefix, operation }: ParameterExpansionPart): boolean =>
  index !== undefined || prefix === '!' || operation?.type === 'Slice';

/** The text of an argument without the parts that are expanded anyway. */
const literalOf = ({ parts, value }: Word): string => (parts === undefined ? value : joined(parts));

const runs = (word: Word | undefined): boolean => word !== undefined && RUNS.test(literalOf(word));

function joined(parts: readonly WordPart[]): string {
  let text = '';
  for (const part of parts) {
    if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') text += joined(part.parts);
    else if (part.type === 'Literal' || part.type === 'Glob') text += part.value;
    else if (part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') text += part.value;
    else text += ' ';
  }
  return text;
}
