/** The texts in the sources that people read: literals and comments. */
import { readdirSync, statSync } from 'node:fs';
import ts from 'typescript';

/** Every source below a folder, or the file itself: TypeScript, or the given kinds. */
export function sourcesOf(place: string, kinds = /\.tsx?$/): readonly string[] {
  if (statSync(place).isFile()) return [place];
  return readdirSync(place)
    .flatMap((name) => sourcesOf(`${place}/${name}`, kinds))
    .filter((file) => kinds.test(file));
}

/** String and template literals without those of imports; comments on one line each. */
export interface SourceTexts {
  readonly literals: readonly string[];
  readonly comments: readonly string[];
}

/** A comment, or line comments below each other. */
const COMMENT = /\/\*[^]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g;

/** Prose of a comment, without the code that it quotes. */
const proseOf = (comment: string): string =>
  comment
    .replace(/^\/\*+|\*\/$|^\/\//g, '')
    .replace(/\n\s*(?:\*|\/\/)?/g, ' ')
    .replace(/`[^`]*`|@(?:type|typedef|param|returns)\s+\{.*?\}+(?:\s+\w+)?/g, '…')
    .replace(/\s+/g, ' ')
    .trim();

/** Every text of a source that a person could read. */
export function textsOf(source: string, name = 'a.tsx'): SourceTexts {
  const literals: string[] = [];
  // Literals are blanked out, because a comment cannot start in them.
  let code = '';
  let end = 0;
  const visit = (node: ts.Node, isImport: boolean): void => {
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node);
    if (isText && !isImport) literals.push(node.text);
    if (isText || ts.isRegularExpressionLiteral(node)) {
      const from = ts.isJsxText(node) ? node.pos : node.getStart();
      code += `${source.slice(end, from)} `;
      end = node.end;
    }
    const isLink = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
    ts.forEachChild(node, (child) => {
      visit(child, isImport || isLink);
    });
  };
  visit(ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true), false);
  code += source.slice(end);
  return { literals, comments: [...code.matchAll(COMMENT)].map(([comment]) => proseOf(comment)) };
}
