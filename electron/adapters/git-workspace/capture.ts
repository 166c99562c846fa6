/** The current files of a repository, as a patch on a commit that other computers have. DW-20 */
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { CapturedFiles } from '../../ports/moved-files';
import { MAX_BYTES, whyNotMove, whyNotRepository, type ChangedFile } from './plan';
import { baseOf, makeOwn, nameOf, namesOf, repositoryAt, textOf, unfinishedIn } from './repository';
import type { Repository } from './repository';
import type { Git } from './run-git';

const pack = promisify(gzip);
/** Maximum characters per text in the store. */
const PIECE_CHARS = 512 * 1024;
/** Binary content is written with five characters for four bytes. */
export const MAX_PATCH = 2 * MAX_BYTES;
const POINTER = 'version https://git-lfs.github.com/spec/';
const MAX_POINTER = 1_024;

interface IndexedTree {
  readonly gitDir: string;
  readonly workTree: string;
  readonly index: string;
}

interface Refused {
  readonly kind: 'refused';
  readonly why: string;
}

const refused = (why: string): Refused => ({ kind: 'refused', why });

/** Uses our own repository in `scratch`: the user's index, branches and objects are only read. */
export async function capture(
  git: Git,
  folder: string,
  scratch: string,
  dataDir: string,
): Promise<{ readonly kind: 'captured'; readonly files: CapturedFiles } | Refused> {
  const from = await repositoryAt(git, folder);
  if (from === undefined)
    return refused(`${folder} is not in a git repository, or git does not trust it.`);
  const unfinished = await unfinishedIn(git, from);
  if (unfinished !== undefined)
    return refused(`The repository is in the middle of ${unfinished}. Finish it first.`);
  const base = await baseOf(git, from);
  const repository = base === undefined ? undefined : await nameOf(git, from);
  if (base === undefined || repository === undefined)
    return refused('The repository has no commit yet.');
  const problem = await makeOwn(git, from, scratch, dataDir);
  if (problem !== undefined) return refused(problem);
  const place = { gitDir: scratch, workTree: from.top, index: path.join(scratch, 'index') };
  const tree = await treeOf(git, from, place, base);
  if (tree.kind === 'refused') return tree;
  const { prefix } = from;
  if (prefix !== '') {
    const there = await git.inOurs(place, ['cat-file', '-e', `${tree.id}:${prefix.slice(0, -1)}`]);
    if (!there.isOk) return refused(`Git tracks no file in ${folder}.`);
  }
  const patch = await patchOf(git, place, base, tree.id);
  if (patch.kind === 'refused') return patch;
  return {
    kind: 'captured',
    files: { base, tree: tree.id, prefix, repository, texts: patch.texts },
  };
}

/**
 * Captures files again on the same commit. `scratch` keeps what was seen of them, so only later
 * changes are read.
 */
export async function recapture(
  git: Git,
  folder: string,
  more: { readonly base: string; readonly scratch: string; readonly dataDir: string },
): Promise<
  { readonly kind: 'captured'; readonly files: Pick<CapturedFiles, 'tree' | 'texts'> } | Refused
> {
  const { base, scratch, dataDir } = more;
  const from = await repositoryAt(git, folder);
  if (from === undefined) return refused('The folder of the turn is no longer a git repository.');
  const place = { gitDir: scratch, workTree: from.top, index: path.join(scratch, 'index') };
  const isSeen = fs.existsSync(place.index);
  const problem = isSeen ? undefined : await makeOwn(git, from, scratch, dataDir);
  if (problem !== undefined) return refused(problem);
  const tree = await treeOf(git, from, place, base);
  if (tree.kind === 'refused') return tree;
  const patch = await patchOf(git, place, base, tree.id);
  return patch.kind === 'refused'
    ? patch
    : { kind: 'captured', files: { tree: tree.id, texts: patch.texts } };
}

type Tree = { readonly kind: 'tree'; readonly id: string } | Refused;

/**
 * The tree that a commit of everything would have. @returns its name, or why some of it cannot move
 */
async function treeOf(git: Git, from: Repository, place: IndexedTree, base: string): Promise<Tree> {
  const ours = (...args: readonly string[]) => git.inOurs(place, args);
  const isSeen = fs.existsSync(place.index);
  const read = isSeen ? undefined : await ours('read-tree', base);
  if (read?.isOk === false)
    return refused(`Git could not read the commit ${base.slice(0, 12)}: ${read.said}.`);
  const submodule = await submoduleIn(git, place);
  if (submodule !== undefined) return refused(whyNotRepository(submodule));
  await ours('update-index', '-q', '--really-refresh');
  const staged = await git.inPersons(from.top, [
    ...['diff-index', '--cached', '--name-only', '--no-renames', '--diff-filter=A'],
    ...['--ignore-submodules=dirty', '-z', base],
  ]);
  const listed = await ours('ls-files', '-z', '-m', '-o', '-d', '--exclude-standard');
  if (!listed.isOk || !staged.isOk)
    return refused(
      `Git could not list the changed files: ${listed.isOk ? staged.said : listed.said}.`,
    );
  // A file that was added although it is ignored.
  const forced = namesOf(staged.out).filter(
    (name) => fs.lstatSync(path.join(from.top, name), { throwIfNoEntry: false }) !== undefined,
  );
  const files = await changedFiles(git, place, [...new Set([...namesOf(listed.out), ...forced])]);
  const why = whyNotMove(files);
  if (why !== undefined) return refused(why);
  const added = await ours('-c', 'core.safecrlf=false', 'add', '-A', '.');
  const more =
    forced.length === 0
      ? added
      : await git.inOurs(place, ['add', '-f', '--pathspec-from-file=-', '--pathspec-file-nul'], {
          input: forced.map((name) => `${name}\0`).join(''),
        });
  const failed = [added, more].find(({ isOk }) => !isOk);
  if (failed !== undefined) return refused(`Git could not read the files: ${failed.said}.`);
  const written = await ours('write-tree');
  return written.isOk
    ? { kind: 'tree', id: textOf(written.out) }
    : refused(`Git could not read the files: ${written.said}.`);
}

/** A submodule with files. In a fresh clone it is an empty folder. */
async function submoduleIn(git: Git, place: IndexedTree): Promise<string | undefined> {
  const { out } = await git.inOurs(place, ['ls-files', '-s', '-z']);
  return namesOf(out)
    .filter((line) => line.startsWith('160000 '))
    .map((line) => line.slice(line.indexOf('\t') + 1))
    .find((name) => {
      const folder = path.join(place.workTree, name);
      const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
      return stat?.isDirectory() === true ? fs.readdirSync(folder).length > 0 : stat !== undefined;
    });
}

async function changedFiles(
  git: Git,
  place: IndexedTree,
  names: readonly string[],
): Promise<readonly ChangedFile[]> {
  const filters = await filtersOf(git, place, names);
  return names.flatMap((name): ChangedFile[] => {
    const file = path.join(place.workTree, name);
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    // Deleted. A name that is not UTF-8 is not found either, and is rejected.
    if (stat === undefined) return name.includes('\uFFFD') ? [{ path: name, bytes: 0 }] : [];
    if (stat.isDirectory()) return [{ path: name.replace(/\/?$/, '/'), bytes: 0 }];
    if (stat.isSymbolicLink()) return [{ path: name, bytes: 0, link: fs.readlinkSync(file) }];
    const filter = filters.get(name);
    const isSmall = stat.isFile() && stat.size < MAX_POINTER;
    const isPointer = filter !== undefined && isSmall && isPointerFile(file);
    return [{ path: name, bytes: stat.size, filter, isPointer }];
  });
}

const isPointerFile = (file: string): boolean => fs.readFileSync(file, 'utf8').startsWith(POINTER);

async function filtersOf(
  git: Git,
  place: IndexedTree,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { out } = await git.inOurs(place, ['check-attr', '--stdin', '-z', 'filter'], {
    input: names.map((name) => `${name}\0`).join(''),
  });
  const fields = namesOf(out);
  const found = new Map<string, string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [name = '', , value = ''] = fields.slice(at, at + 3);
    if (value !== 'unspecified' && value !== 'unset') found.set(name, value);
  }
  return found;
}

async function patchOf(
  git: Git,
  place: IndexedTree,
  base: string,
  tree: string,
): Promise<{ readonly kind: 'patch'; readonly texts: readonly string[] } | Refused> {
  const made = await git.inOurs(
    place,
    [
      ...['diff-tree', '-p', '--binary', '--full-index', '--no-renames', '--no-ext-diff'],
      ...['--no-textconv', '--no-color', '--src-prefix=a/', '--dst-prefix=b/', base, tree],
    ],
    { mostBytes: MAX_PATCH },
  );
  if (!made.isOk) return refused(`Git could not write the patch: ${made.said}.`);
  if (made.out.length === 0) return { kind: 'patch', texts: [] };
  const packed = (await pack(made.out)).toString('base64');
  const count = Math.ceil(packed.length / PIECE_CHARS);
  const texts = Array.from({ length: count }, (_, at) =>
    packed.slice(at * PIECE_CHARS, (at + 1) * PIECE_CHARS),
  );
  return { kind: 'patch', texts };
}
