/** The documents of the project, and how tests read them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const at = (path: string): string => join(root, path);
export const read = (path: string): string => readFileSync(at(path), 'utf8');

/** Every file below a folder, as paths of the project. */
export function filesIn(folder: string): string[] {
  if (!existsSync(at(folder))) return [];
  return readdirSync(at(folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => statSync(at(path)).isFile());
}

export const roomReadmes = filesIn('electron').filter((path) => path.endsWith('/README.md'));

/** Everything that a person reads. */
export const documents: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'LICENSE',
  ...filesIn('docs').filter((path) => path.endsWith('.md')),
  'build/holdfast.service',
  ...roomReadmes,
];

/** `inline code` of a document, blocks in fences left out. */
export function inlineCode(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map((found) => found[1] ?? '');
}

/** The lines inside fences. */
export function blocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].flatMap((found) =>
    (found[1] ?? '').split('\n'),
  );
}

/** Cells of every table row; heads and rules included, padding left out. */
export function tableRows(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

/** The part of a document under a heading, up to the next heading of the same or a higher level. */
export function section(markdown: string, heading: string): string {
  const lines = markdown.split('\n');
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`no heading "${heading}"`);
  const level = /^#+/.exec(heading)?.[0].length ?? 1;
  const end = lines.findIndex(
    (line, index) => index > start && new RegExp(`^#{1,${String(level)}} `).test(line),
  );
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n');
}

/** First cells of the table under a heading, without backticks. */
export function firstColumn(markdown: string, heading: string): string[] {
  return tableRows(section(markdown, heading))
    .slice(2)
    .map((cells) => (cells[0] ?? '').replaceAll('`', ''));
}

/** True where git knows the file; undefined where there is no git here. */
export function isTracked(path: string): boolean | undefined {
  try {
    const out = execFileSync('git', ['ls-files', '--', path], { cwd: root, encoding: 'utf8' });
    return out.trim() !== '';
  } catch {
    return undefined; // an unpacked archive of the sources
  }
}
