/**
 * "Go to definition" ends at a port, and at a function that a later room fills: the doc comment says
 * which file is behind it.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { sourcesOf } from './source-texts';

const ELECTRON = path.resolve(import.meta.dirname, '../../../electron');

type Named = ts.Statement & (ts.InterfaceDeclaration | ts.TypeAliasDeclaration);

const statementsOf = (file: string): readonly ts.Statement[] => [
  ...ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true).statements,
];
const isNamed = (node: ts.Statement): node is Named =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);

const commentOf = (node: ts.Node): string =>
  node.getFullText().slice(0, node.getStart() - node.getFullStart());

/** The files that a comment names, which may be of any part. */
const filesNamedIn = (text: string): readonly string[] =>
  [...text.replace(/\n\s*\*(?!\/)/g, '').matchAll(/Implemented by ([^]*?\.ts)\.(?=\s)/g)].flatMap(
    ([, list = '']) => list.match(/[\w./-]+\.ts/g) ?? [],
  );

const typesOfPorts = sourcesOf(`${ELECTRON}/ports`).flatMap(statementsOf).filter(isNamed);

/** Ports that do something; the others are facts. */
const doers: ReadonlySet<string> = new Set(
  typesOfPorts
    .filter((node) => ts.isInterfaceDeclaration(node) && node.members.some(ts.isMethodSignature))
    .map(({ name }) => name.text),
);

/** The paths after "Implemented by" in the doc comment of each type in ports/. */
const named: ReadonlyMap<string, readonly string[]> = new Map(
  typesOfPorts.map((node) => [node.name.text, filesNamedIn(commentOf(node))] as const),
);

/** Ports that exported functions of adapters and of the desktop return, with the files of these. */
function returned(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of ['adapters', 'shell'].flatMap((part) => sourcesOf(`${ELECTRON}/${part}`))) {
    const statements = statementsOf(file);
    const portsOf = new Map(
      statements.filter(isPortImport).flatMap((node) => {
        const names = node.importClause?.namedBindings;
        return names !== undefined && ts.isNamedImports(names)
          ? names.elements.map(({ name }) => [name.text, name.text] as const)
          : [];
      }),
    );
    // An adapter may return more than its port.
    for (const node of statements.filter(ts.isInterfaceDeclaration)) {
      const own = node.heritageClauses?.flatMap(({ types }) => types.map((type) => type.getText()));
      const port = own?.map((name) => portsOf.get(name)).find((name) => name !== undefined);
      if (port !== undefined) portsOf.set(node.name.text, port);
    }
    for (const node of statements.filter(ts.isFunctionDeclaration)) {
      const isExported = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
      const type = node.type?.getText().replace(/^Promise<(.*)>$/, '$1') ?? '';
      const port = portsOf.get(type);
      if (isExported !== true || port === undefined || !doers.has(port)) continue;
      found.set(port, [...(found.get(port) ?? []), path.relative(ELECTRON, file)]);
    }
  }
  return found;
}

const isPortImport = (node: ts.Statement): node is ts.ImportDeclaration =>
  ts.isImportDeclaration(node) && /\/ports\//.test(node.moduleSpecifier.getText());

const namedInEngine = sourcesOf(`${ELECTRON}/engine`).flatMap((file) =>
  filesNamedIn(readFileSync(file, 'utf8')).map((behind) => ({
    at: path.relative(ELECTRON, file),
    file: behind,
  })),
);

describe('the doc comment of a function that another room fills', () => {
  it.each(namedInEngine)('names a file that is there: $at, $file', ({ file }) => {
    expect(existsSync(`${ELECTRON}/${file}`)).toBe(true);
  });
});

describe('the doc comment of a port', () => {
  const paths = [...named].flatMap(([port, files]) => files.map((file) => ({ port, file })));

  it('says of at least 60 ports where they are implemented', () => {
    expect(paths.length).toBeGreaterThanOrEqual(60);
  });

  it.each(paths)('names a file that is there: $port, $file', ({ file }) => {
    expect(existsSync(`${ELECTRON}/${file}`)).toBe(true);
  });

  it.each([...returned()])('names a file that returns it: %s', (port, files) => {
    expect(files.filter((file) => named.get(port)?.includes(file))).not.toEqual([]);
  });
});
