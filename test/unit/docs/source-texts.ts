/** The texts in the sources that a person can read. */
import { readdirSync, statSync } from 'node:fs';
import ts from 'typescript';

/** Every TypeScript source below a folder, or the file itself. */
export function sourcesOf(place: string): readonly string[] {
  if (statSync(place).isFile()) return [place];
  return readdirSync(place)
    .flatMap((name) => sourcesOf(`${place}/${name}`))
    .filter((file) => /\.tsx?$/.test(file));
}

/** Every text of a source that a person could read: string and template literals, no imports. */
export function literalsOf(source: string, name = 'a.tsx'): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) found.push(node.text);
    else if (ts.isTemplateMiddle(node) || ts.isTemplateTail(node) || ts.isJsxText(node))
      found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true));
  return found;
}
