/**
 * Splits code into pieces, each with its syntax role. Large: load it with `import()`, or through
 * `useCodeColor`. Colors are in the style sheet of the same name; text that is not code stays one
 * plain piece.
 */
import { common, createLowlight } from 'lowlight';
import type { CodeColor, CodePiece, CodeRole } from './use-code-color';
import { table } from '../../shared/table';

const lowlight = createLowlight(common);

/** Above this length the grammar takes too long, so the code stays plain. */
const MAX_CHARS = 20_000;
const MAX_LINE_CHARS = 2_000;
/** The time to match a key grows with the square of its length. */
const MAX_INI_LINE_CHARS = 400;

/** Maps the grammars' tag names to the roles that readers tell apart. */
const ROLES = table<CodeRole>({
  'hljs-keyword': 'keyword',
  'hljs-built_in': 'name',
  'hljs-literal': 'value',
  'hljs-number': 'value',
  'hljs-symbol': 'value',
  'hljs-bullet': 'keyword',
  'hljs-string': 'string',
  'hljs-regexp': 'string',
  'hljs-char': 'string',
  'hljs-comment': 'comment',
  'hljs-quote': 'comment',
  'hljs-doctag': 'comment',
  'hljs-meta': 'comment',
  'hljs-title': 'name',
  'hljs-section': 'name',
  'hljs-type': 'name',
  'hljs-name': 'keyword',
  'hljs-selector-tag': 'keyword',
  'hljs-selector-class': 'name',
  'hljs-selector-id': 'name',
  'hljs-attr': 'name',
  'hljs-attribute': 'name',
  'hljs-property': 'name',
  'hljs-variable': 'value',
  'hljs-template-variable': 'value',
  'hljs-addition': 'string',
  'hljs-deletion': 'value',
});

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

/** File names that identify the language better than their extension. */
const FILES = table<string>({
  dockerfile: 'bash',
  makefile: 'makefile',
  '.bashrc': 'bash',
  '.gitconfig': 'ini',
});
const ENDINGS = table<string>({
  cjs: 'javascript',
  cts: 'typescript',
  htm: 'xml',
  mts: 'typescript',
  toml: 'ini',
  jsonc: 'json',
  conf: 'ini',
});

/** The language of a file by its name; undefined if there is no grammar for it. */
function languageOf(path: string): string | undefined {
  const name = (path.split(/[/\\]/).at(-1) ?? '').toLowerCase();
  const ending = name.includes('.') ? (name.split('.').at(-1) ?? '') : '';
  const language = FILES[name] ?? ENDINGS[ending] ?? ending;
  return language !== '' && lowlight.registered(language) ? language : undefined;
}

/** Lines of `code`. Joined by line feeds, their pieces are exactly the code. */
function linesOf(code: string, language: string | undefined): readonly (readonly CodePiece[])[] {
  const plain = code.split('\n');
  const mostInLine =
    language === 'ini' || language === 'toml' ? MAX_INI_LINE_CHARS : MAX_LINE_CHARS;
  const isTooLong = code.length > MAX_CHARS || plain.some((line) => line.length > mostInLine);
  if (language === undefined || isTooLong || !lowlight.registered(language))
    return plain.map((text) => [{ text }]);
  const lines: CodePiece[][] = [[]];
  const put = (text: string, role: CodeRole | undefined): void => {
    for (const [at, piece] of text.split('\n').entries()) {
      if (at > 0) lines.push([]);
      if (piece !== '')
        lines.at(-1)?.push(role === undefined ? { text: piece } : { text: piece, role });
    }
  };
  const walk = (nodes: readonly Node[], outer: CodeRole | undefined): void => {
    for (const node of nodes) {
      if (node.type === 'text') put(node.value, outer);
      else if (node.type === 'element') {
        const names = node.properties['className'];
        const first = Array.isArray(names) ? names[0] : undefined;
        const role = typeof first === 'string' ? ROLES[first] : undefined;
        walk(node.children, role ?? outer);
      }
    }
  };
  walk(lowlight.highlight(language, code).children, undefined);
  return lines;
}

export const codeColor: CodeColor = { languageOf, linesOf };
