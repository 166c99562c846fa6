/**
 * Files from another computer, in a separate folder. Their patch is untrusted until it is checked.
 */
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FilesMove } from '../../ports/moved-files';
import { MAX_PATCH } from './capture';
import { leadsOut, MAX_BYTES } from './plan';
import { makeOwn, namesOf, repositoryAt, textOf, type Repository } from './repository';
import type { Git } from './run-git';

const unpack = promisify(gunzip);

interface Arriving {
  readonly move: FilesMove;
  /** An agent's folder in the repository that the files belong to. */
  readonly from: string;
  /** Created here: `files`, next to the received changes. */
  readonly part: string;
  readonly dataDir: string;
  /** @throws SHARE_UNREACHABLE */
  readonly piece: (hash: string) => Promise<string | undefined>;
}

const ARRIVED_OTHER = 'The files that arrived are not the ones that were sent.';

/**
 * Creates `part/files`. @returns why that is impossible; undefined when everything is there and
 * checked
 */
export async function makeArrived(git: Git, asked: Arriving): Promise<string | undefined> {
  const { move, part, dataDir } = asked;
  const from = await repositoryAt(git, asked.from);
  if (from === undefined) return 'The folder of its agent there is not in a git repository.';
  const has = await git.inPersons(from.top, ['cat-file', '-e', `${move.base}^{commit}`]);
  if (!has.isOk)
    return `The commit ${move.base.slice(0, 12)} is not in the repository of its agent. Fetch it there.`;
  const files = path.join(part, 'files');
  const gitDir = path.join(files, '.git');
  const problem = await makeOwn(git, from, gitDir, dataDir);
  if (problem !== undefined) return problem;
  const place = { gitDir, workTree: files };
  const ours = (...args: readonly string[]) => git.inOurs(place, args);
  await ours('update-ref', '--no-deref', 'HEAD', move.base);
  const why = await readTree(git, place, asked);
  if (why !== undefined) return why;
  const written = await ours('checkout-index', '-a', '-q');
  if (!written.isOk) return `The files cannot be written: ${written.said}.`;
  if ((await treeOfFolder(git, files, move.base)) !== move.tree) return ARRIVED_OTHER;
  if (!isOwnFolder(files, move.prefix)) return `The folder ${move.prefix} is a link.`;
  await asCheckedOut(git, from, place, move.base);
  return undefined;
}

/**
 * Applies the received patch to the index of our own repository, and checks it; no file is written.
 * @returns why that is impossible; undefined when the index has the tree that was sent
 */
export async function readTree(
  git: Git,
  place: WorkTree,
  asked: Pick<Arriving, 'move' | 'piece'>,
): Promise<string | undefined> {
  const { move } = asked;
  await git.inOurs(place, ['read-tree', move.base]);
  const patch = await patchOf(asked);
  if (patch === undefined) return ARRIVED_OTHER;
  if (patch.length > 0) {
    // In the index only: git rejects paths that lead outside, and no file is written yet.
    const applied = await git.inOurs(place, ['apply', '--cached', '--whitespace=nowarn', '-'], {
      input: patch,
    });
    if (!applied.isOk) return `The changes do not apply: ${applied.said}.`;
  }
  const { out } = await git.inOurs(place, ['write-tree']);
  return textOf(out) === move.tree ? whyNotWrite(git, place, move) : ARRIVED_OTHER;
}

/** The tree that is really on disk, read from its files. */
export async function treeOfFolder(git: Git, files: string, base: string): Promise<string> {
  const gitDir = path.join(files, '.git');
  const place = { gitDir, workTree: files, index: path.join(gitDir, 'holdfast-index') };
  fs.rmSync(place.index, { force: true });
  await git.inOurs(place, ['read-tree', base]);
  await git.inOurs(place, ['-c', 'core.safecrlf=false', 'add', '-A', '-f', '.']);
  const { out } = await git.inOurs(place, ['write-tree']);
  fs.rmSync(place.index, { force: true });
  return textOf(out);
}

/** Undefined if it is damaged, or larger than any that is sent. @throws SHARE_UNREACHABLE */
async function patchOf({
  move,
  piece,
}: Pick<Arriving, 'move' | 'piece'>): Promise<Buffer | undefined> {
  const texts: string[] = [];
  for (const hash of move.pieces) {
    const text = await piece(hash);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  if (texts.length === 0) return Buffer.alloc(0);
  return unpack(Buffer.from(texts.join(''), 'base64'), { maxOutputLength: MAX_PATCH }).catch(
    () => undefined,
  );
}

export interface WorkTree {
  readonly gitDir: string;
  readonly workTree: string;
  /** Absent: git's default index. */
  readonly index?: string;
}

/** New content must stay within its folder and size limit; the commit's content was here before. */
async function whyNotWrite(
  git: Git,
  place: WorkTree,
  move: FilesMove,
): Promise<string | undefined> {
  const { out } = await git.inOurs(place, [
    ...['diff-tree', '-r', '--raw', '--no-renames', '--no-abbrev', '-z', move.base, move.tree],
  ]);
  const fields = namesOf(out);
  const changed = Array.from({ length: fields.length / 2 }, (_, at) => {
    const [, mode = '', , id = ''] = (fields[2 * at] ?? '').slice(1).split(' ');
    return { mode, id, name: fields[2 * at + 1] ?? '' };
  }).filter(({ mode }) => mode !== '000000');
  if (changed.some(({ mode }) => mode === '160000')) return 'They belong to another repository.';
  const blobs = changed.map(({ id }) => `${id}\n`).join('');
  const asked = await git.inOurs(place, ['cat-file', '--batch-check=%(objectsize)'], {
    input: blobs,
  });
  const bytes = textOf(asked.out)
    .split('\n')
    .reduce((sum, line) => sum + Number(line), 0);
  if (Number.isNaN(bytes) || bytes > 2 * MAX_BYTES) return 'They are too large to send.';
  for (const { mode, id, name } of changed) {
    if (mode !== '120000') continue;
    const target = (await git.inOurs(place, ['cat-file', 'blob', id])).out.toString('utf8');
    if (leadsOut(name, target)) return `The link ${name.slice(0, 200)} leads out of their folder.`;
  }
  return undefined;
}

/** No part of the path to it is a link. */
function isOwnFolder(files: string, prefix: string): boolean {
  const folder = path.join(files, prefix);
  try {
    return (
      path.relative(fs.realpathSync(files), fs.realpathSync(folder)) ===
      path
        .normalize(prefix || '.')
        .replace(/[/\\]$/, '')
        .replace(/^\.$/, '')
    );
  } catch {
    return false;
  }
}

/**
 * Leaves the folder as after a checkout of the commit with these changes in its files, made by the
 * user of this computer.
 */
async function asCheckedOut(
  git: Git,
  from: Repository,
  place: WorkTree,
  base: string,
): Promise<void> {
  await git.inOurs(place, ['read-tree', base]);
  await git.inOurs(place, ['update-index', '-q', '--refresh']);
  const { out } = await git.inPersons(from.top, ['config', '--local', '--list', '-z']);
  for (const entry of namesOf(out)) {
    const at = entry.indexOf('\n');
    const [key, value] = [entry.slice(0, at), entry.slice(at + 1)];
    if (at > 0 && /^(?:remote\..+\.(?:url|pushurl|fetch)|user\.(?:name|email))$/.test(key))
      await git.inOurs(place, ['config', '--local', '--add', key, value]);
  }
}
