/** Arguments that a line computes: `s=sleep; $s 60`, `"$(echo sleep)" 60`, `sl?ep 60`. */
import { forEachChild } from 'unbash';
import type { Command, Script, SyntaxNode, Word, WordPart } from 'unbash';
import { fieldsOf, textOf, type Text } from './shell-words';

/** Values of variables that the line itself has set, by name. */
export type Values = ReadonlyMap<string, string>;

/** Longer patterns match no relevant name. */
const MAX_PATTERN_CHARS = 60;

/** Maximum length of a computed text: `s=$s$s` doubles each time. */
const MAX_TEXT_CHARS = 2_000;

/** All assignments of the line. An approximation: order is ignored. */
export function valuesIn(script: Script): Values {
  const values = new Map<string, string>();
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Assignment' && node.value.type === 'Word') {
      const text = foldedText(node.value, values);
      if (text !== undefined) values.set(node.name, text);
    }
    if (node.type === 'For') {
      const [first] = node.wordlist ?? [];
      const text = first === undefined ? undefined : foldedText(first, values);
      if (text !== undefined) values.set(node.name.value, text);
    }
    forEachChild(node, visit);
  };
  visit(script);
  return values;
}

/** A command's arguments as its program receives them, as far as the line reveals them. */
export function foldedFields(node: Command, values: Values): readonly Text[] {
  const { name, args } = node;
  if (name === undefined) return [];
  return [name, ...args].flatMap((arg, at): readonly Text[] => {
    if (arg.type !== 'Word') return [undefined];
    const isBraced = (arg.parts ?? []).some((part) => part.type === 'BraceExpansion');
    if (isBraced) return fieldsOf({ name: arg, args: [] });
    const text = textOf(arg) ?? (at === 0 ? matchedBy(arg) : undefined) ?? foldedText(arg, values);
    const isOne =
      arg.parts === undefined ||
      arg.parts.some(
        (part) =>
          part.type !== 'SimpleExpansion' &&
          part.type !== 'CommandExpansion' &&
          part.type !== 'ParameterExpansion',
      );
    // Without quotes a value is split at its blanks.
    return text === undefined || isOne ? [text] : text.split(/\s+/).filter(Boolean);
  });
}

/** An argument's value after substituting the line's variables and the output of `echo`. */
export function foldedText(word: Word, values: Values): Text {
  if (word.parts === undefined) return word.value;
  return joined(word.parts, values);
}

function joined(parts: readonly WordPart[], values: Values): Text {
  let text = '';
  for (const part of parts) {
    const one = ofPart(part, values);
    if (one === undefined) return undefined;
    text += one;
    if (text.length > MAX_TEXT_CHARS) return undefined;
  }
  return text;
}

function ofPart(part: WordPart, values: Values): Text {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return joined(part.parts, values);
    case 'SimpleExpansion':
      return values.get(part.text.slice(1));
    case 'ParameterExpansion': {
      if (part.prefix !== undefined || part.index !== undefined) return undefined;
      const { operation } = part;
      const value = values.get(part.parameter);
      if (operation === undefined) return value;
      const isDefault = operation.type === 'Default' && /^:?[-=]$/.test(operation.operator);
      return isDefault ? (value ?? foldedText(operation.operand, values)) : undefined;
    }
    case 'CommandExpansion':
      return part.script === undefined ? undefined : printedBy(part.script, values);
    default:
      return undefined;
  }
}

function printedBy(script: Script, values: Values): Text {
  const [only, second] = script.commands;
  const command = only?.command;
  return second === undefined && command?.type === 'Command'
    ? printedByCommand(command, values)
    : undefined;
}

/** The output of `echo` and `printf` with known arguments; unknown for other commands. */
export function printedByCommand(command: Command, values: Values): Text {
  if (command.redirects.length > 0) return undefined;
  const [name, ...words] = foldedFields(command, values);
  const args = words.filter((word) => word !== undefined);
  if (args.length < words.length) return undefined;
  if (name === 'echo') {
    const at = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
    return at < 0 ? '' : unescaped(args.slice(at).join(' '));
  }
  return name === 'printf' ? printedByPrintf(args[0] === '--' ? args.slice(1) : args) : undefined;
}

function printedByPrintf([given = '', ...rest]: readonly string[]): Text {
  const format = unescaped(given);
  if (format === undefined || /^-/.test(format) || /%/.test(format.replace(/%[s%]/g, '')))
    return undefined;
  const takes = (format.replaceAll('%%', '').match(/%s/g) ?? []).length;
  let text = '';
  // The format repeats while arguments are left.
  do {
    text += format.replace(/%([s%])/g, (_, one) => (one === '%' ? '%' : (rest.shift() ?? '')));
    if (text.length > MAX_TEXT_CHARS) return undefined;
  } while (takes > 0 && rest.length > 0);
  return text;
}

/** Other escapes may spell any character, and shells read them in different ways. */
function unescaped(text: string): Text {
  const lines = text.replaceAll('\\n', '\n');
  return lines.includes('\\') ? undefined : lines;
}

/**
 * `sl?ep` and `/bin/sl*` as the name that the guard searches for; undefined if it is a different
 * one.
 */
function matchedBy(word: Word): Text {
  const isPattern = (word.parts ?? []).every(
    (part) => part.type === 'Glob' || part.type === 'Literal' || part.type === 'SingleQuoted',
  );
  if (!isPattern || word.text.length > MAX_PATTERN_CHARS) return undefined;
  const [folder = '', name = ''] = /^(.*\/)?([^/]*)$/s.exec(word.value)?.slice(1) ?? [];
  if (!/[*?[]/.test(word.value) || /^[*?]+$/.test(name)) return undefined;
  const pattern = name
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.')
    .replaceAll('[!', '[^');
  try {
    return new RegExp(`^(?:${pattern})$`).test('sleep') ? `${folder}sleep` : undefined;
  } catch {
    return undefined;
  }
}
