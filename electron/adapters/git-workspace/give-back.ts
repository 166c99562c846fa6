/**
 * The file changes of a turn, next to the user's folder: shown, as a patch, or applied to the
 * folder. DW-20
 */
import fs from 'node:fs';
import path from 'node:path';
import { appearInPlace, moveInPlace, removeDurably, writeAside } from '../../disk/durable-file';
import { makeFolder, syncFolder } from '../../disk/durable-folder';
import { temporaryPath } from '../../disk/temporary-names';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { FileStand, MovedFiles, ReturnAct, ReturnedFile } from '../../ports/moved-files';
import { readTree, type WorkTree } from './arrive';
import { MAX_PATCH } from './capture';
import { makeOwn, namesOf, repositoryAt } from './repository';
import type { Git } from './run-git';

type GiveBackOrder = Parameters<MovedFiles['giveBack']>[3] & {
  readonly turn: string;
  readonly folder: string;
  readonly moves: Parameters<MovedFiles['giveBack']>[2];
  readonly scratch: string;
  readonly dataDir: string;
  readonly crashPoints: CrashPoints;
};
type Answer = Awaited<ReturnType<MovedFiles['giveBack']>>;

/** A mode and a content; the mode of a missing file is zero. */
interface State {
  readonly mode: string;
  readonly id: string;
}

interface Changed {
  readonly path: string;
  readonly before: State;
  readonly after: State;
}

interface Judged extends Changed {
  readonly stand: FileStand;
  /** State of the file when it was read. */
  readonly seen: string;
}

const NONE = '000000';
const LINK = '120000';
const ABSENT: State = { mode: NONE, id: '' };
const PATCH = [
  ...['diff-tree', '-p', '--binary', '--full-index', '--no-renames', '--no-ext-diff'],
  ...['--no-textconv', '--no-color', '--src-prefix=a/', '--dst-prefix=b/'],
];
/** A readable diff; binary content is only named. */
const READ = PATCH.filter((arg) => arg !== '--binary' && arg !== '--full-index');
/** More is no reading: it is saved as a patch. */
const MAX_READ = 100_000;
const refused = (why: string): Answer => ({ kind: 'refused', why });

export async function giveBack(git: Git, asked: GiveBackOrder): Promise<Answer> {
  const { scratch, dataDir, act, moves } = asked;
  const from = await repositoryAt(git, asked.folder);
  if (from === undefined)
    return refused('The folder of its agent here is not in a git repository.');
  const { top } = from;
  const { base } = moves.sent;
  const has = await git.inPersons(top, ['cat-file', '-e', `${base}^{commit}`]);
  if (!has.isOk)
    return refused(
      `The commit ${base.slice(0, 12)} is not in the repository of its agent. Fetch it there.`,
    );
  const problem = await makeOwn(git, from, scratch, dataDir);
  if (problem !== undefined) return refused(problem);
  const place = (index: string): WorkTree => ({
    gitDir: scratch,
    workTree: top,
    index: path.join(scratch, index),
  });
  for (const move of [moves.newest, moves.sent]) {
    const why = await readTree(git, place('disk'), { move, piece: asked.piece });
    if (why !== undefined) return refused(why);
  }
  const between = [moves.sent.tree, moves.newest.tree];
  if (act.kind === 'patch') {
    const why = await writePatch(git, place('disk'), between, act);
    if (why !== undefined) return refused(why);
  }
  const judged = await judge(git, place('disk'), moves);
  const lines = await linesOf(git, place('disk'), between);
  const files = (isApplied: boolean): readonly ReturnedFile[] =>
    judged.map(({ path: name, before, after, stand }) => {
      const count = lines.get(name);
      return {
        path: name,
        change: before.mode === NONE ? 'added' : after.mode === NONE ? 'deleted' : 'changed',
        ...(count === undefined ? {} : { lines: count }),
        stand: isApplied ? 'done' : stand,
      };
    });
  if (act.kind === 'patch') return { kind: 'files', top, files: files(false), written: 0 };
  if (act.kind === 'show') {
    const diff = await diffOf(git, place('disk'), between);
    return {
      kind: 'files',
      top,
      files: files(false),
      written: 0,
      ...(diff === undefined ? {} : { diff }),
    };
  }
  const conflicts = judged.filter(({ stand }) => stand === 'conflict');
  if (conflicts.length > 0) return refused(whyConflict(conflicts));
  const unwritten = judged.filter(({ stand }) => stand !== 'done');
  const why = await apply(git, { asked, top, gitDir: from.gitDir, place, between }, unwritten);
  return why === undefined
    ? { kind: 'files', top, files: files(true), written: unwritten.length }
    : refused(why);
}

function whyConflict(conflicts: readonly Changed[]): string {
  const names = conflicts.slice(0, 3).map(({ path: name }) => name.slice(0, 120));
  const more = conflicts.length > 3 ? ` and ${String(conflicts.length - 3)} more` : '';
  return `The folder has changed too, and the changes of the turn do not apply to ${names.join(', ')}${more}.`;
}

/** @returns why it was not written */
async function writePatch(
  git: Git,
  place: WorkTree,
  between: readonly string[],
  { file, mayReplace }: Extract<ReturnAct, { kind: 'patch' }>,
): Promise<string | undefined> {
  const made = await git.inOurs(place, [...PATCH, ...between], { mostBytes: MAX_PATCH });
  if (!made.isOk) return `Git could not write the patch: ${made.said}.`;
  const isThereAlready = `${file} already exists and was not overwritten.`;
  if (mayReplace === undefined && fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    return isThereAlready;
  const temporary = temporaryPath(file);
  try {
    await writeAside(temporary, made.out);
    await (mayReplace === undefined ? appearInPlace : moveInPlace)(temporary, file);
    await syncFolder(path.dirname(file));
    return undefined;
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'EEXIST' ? isThereAlready : `${file} cannot be written: ${message}.`;
  }
}

/** @returns undefined if it is too long */
async function diffOf(
  git: Git,
  place: WorkTree,
  between: readonly string[],
): Promise<string | undefined> {
  const made = await git.inOurs(place, [...READ, ...between], { mostBytes: MAX_READ });
  return made.isOk ? made.out.toString('utf8') : undefined;
}

async function linesOf(git: Git, place: WorkTree, between: readonly string[]) {
  const { out } = await git.inOurs(place, [
    ...['diff-tree', '-r', '--numstat', '--no-renames', '--no-textconv', '--no-ext-diff', '-z'],
    ...between,
  ]);
  return new Map(
    namesOf(out).flatMap((line) => {
      const [, added = '', removed = '', name = ''] = /^(\S+)\t(\S+)\t([^]*)$/.exec(line) ?? [];
      const count = { added: Number(added), removed: Number(removed) };
      return Number.isNaN(count.added) ? [] : [[name, count] as const];
    }),
  );
}

/**
 * State in the folder of each file that the turn changed. The index has the files that were sent.
 */
async function judge(
  git: Git,
  place: WorkTree,
  { sent, newest }: GiveBackOrder['moves'],
): Promise<readonly Judged[]> {
  const { out } = await git.inOurs(place, [
    ...['diff-tree', '-r', '--raw', '--no-renames', '--no-abbrev', '-z', sent.tree, newest.tree],
  ]);
  const fields = namesOf(out);
  const changed = Array.from({ length: fields.length / 2 }, (_, at): Changed => {
    const [was = '', is = '', wasId = '', isId = ''] = (fields[2 * at] ?? '').slice(1).split(' ');
    return {
      path: fields[2 * at + 1] ?? '',
      before: was === NONE ? ABSENT : { mode: was, id: wasId },
      after: is === NONE ? ABSENT : { mode: is, id: isId },
    };
  });
  const seen = new Map(changed.map((one) => [one.path, seenAt(place.workTree, one.path)]));
  const readable = changed.filter((one) => seen.get(one.path) !== undefined);
  const read = await git.inOurs(
    place,
    [
      ...['-c', 'core.safecrlf=false', 'update-index', '--add', '--remove', '--replace'],
      ...['-z', '--stdin'],
    ],
    { input: readable.map((one) => `${one.path}\0`).join('') },
  );
  const now = read.isOk ? await statesIn(git, place) : undefined;
  const judged: Judged[] = [];
  for (const one of changed) {
    const state = seen.get(one.path);
    const stand =
      now === undefined || state === undefined
        ? 'conflict'
        : await standOf(git, place, { sent, newest }, one, now.get(one.path) ?? ABSENT);
    judged.push({ ...one, stand, seen: state ?? '' });
  }
  return judged;
}

/**
 * Fingerprint that shows whether a file was changed; undefined if it cannot be one: a folder, or
 * behind a link.
 */
function seenAt(top: string, name: string): string | undefined {
  const parts = name.split('/');
  for (let at = 1; at < parts.length; at += 1) {
    const folder = fs.lstatSync(path.join(top, ...parts.slice(0, at)), { throwIfNoEntry: false });
    if (folder === undefined) return 'absent';
    if (folder.isSymbolicLink()) return undefined;
    if (!folder.isDirectory()) return 'absent';
  }
  const stat = fs.lstatSync(path.join(top, name), { throwIfNoEntry: false, bigint: true });
  if (stat === undefined) return 'absent';
  if (!stat.isFile() && !stat.isSymbolicLink()) return undefined;
  return [stat.ino, stat.mode, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
}

async function statesIn(git: Git, place: WorkTree): Promise<ReadonlyMap<string, State>> {
  const { out } = await git.inOurs(place, ['ls-files', '-s', '-z']);
  return new Map(
    namesOf(out).map((line) => {
      const [mode = '', id = ''] = line.split(' ');
      return [line.slice(line.indexOf('\t') + 1), { mode, id }];
    }),
  );
}

const isSame = (one: State, other: State): boolean =>
  one.mode === other.mode && one.id === other.id;
const isText = ({ mode }: State): boolean => mode.startsWith('100');

async function standOf(
  git: Git,
  place: WorkTree,
  { sent, newest }: GiveBackOrder['moves'],
  { path: name, before, after }: Changed,
  now: State,
): Promise<FileStand> {
  if (isSame(now, after)) return 'done';
  if (isSame(now, before)) return before.mode.startsWith('16') ? 'conflict' : 'open';
  if (![before, after, now].every(isText)) return 'conflict';
  const patch = await patchFor(git, place, [sent.tree, newest.tree], name);
  const applies = async (...more: readonly string[]): Promise<boolean> =>
    (await git.inOurs(place, [...APPLY, '--check', ...more, '-'], { input: patch })).isOk;
  const [canDo, isDone] = [await applies(), await applies('-R')];
  // If both apply, it is unclear which of two identical places was meant.
  return canDo === isDone ? 'conflict' : isDone ? 'done' : 'edited';
}

const APPLY = ['apply', '--cached', '--whitespace=nowarn'];

async function patchFor(
  git: Git,
  place: WorkTree,
  between: readonly string[],
  name: string,
): Promise<Buffer> {
  const args = [...PATCH, ...between, '--', name];
  return (await git.inOurs(place, args, { mostBytes: MAX_PATCH })).out;
}

interface Applying {
  readonly asked: GiveBackOrder;
  readonly top: string;
  readonly gitDir: string;
  readonly place: (index: string) => WorkTree;
  readonly between: readonly string[];
}

/**
 * Creates all files in the user's `.git`, which is on the same disk as the folder and out of sight,
 * then renames each into its place. @returns why it failed, and how far it came
 */
async function apply(
  git: Git,
  applying: Applying,
  unwritten: readonly Judged[],
): Promise<string | undefined> {
  if (unwritten.length === 0) return undefined;
  const { asked, top } = applying;
  const laid = path.join(applying.gitDir, `holdfast-files-${asked.turn}`);
  const drop = (): void => {
    fs.rmSync(laid, { recursive: true, force: true });
  };
  drop(); // Left by a killed process.
  let placed = 0;
  try {
    fs.mkdirSync(laid, { mode: 0o700 });
    const why = (await lay(git, applying, unwritten, laid)) ?? whyNotPlace(top, laid, unwritten);
    if (why !== undefined) return why;
    asked.crashPoints.hit('share.files.laid');
    // Removed files make room for new ones.
    for (const one of unwritten.toSorted((a, b) => Number(isThere(a)) - Number(isThere(b)))) {
      // A deleted file may have been where a folder will be.
      if (seenAt(top, one.path) !== one.seen) throw new Error(changedSince(one.path));
      await put(top, laid, one);
      placed += 1;
      asked.crashPoints.hit('share.files.placed');
    }
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return placed === 0
      ? why
      : `${why} ${String(placed)} of ${String(unwritten.length)} files were written before that. Repeat the command for the rest.`;
  } finally {
    drop();
  }
}

const isThere = ({ after }: Changed): boolean => after.mode !== NONE;
const changedSince = (name: string): string =>
  `${name.slice(0, 120)} was changed while the changes were applied.`;

/** @returns why they cannot be created */
async function lay(
  git: Git,
  { place, between }: Applying,
  unwritten: readonly Judged[],
  laid: string,
): Promise<string | undefined> {
  const disk = place('disk');
  for (const { path: name, stand } of unwritten) {
    if (stand !== 'edited') continue;
    const patch = await patchFor(git, disk, between, name);
    const applied = await git.inOurs(disk, [...APPLY, '-'], { input: patch });
    if (!applied.isOk) return `The changes do not apply to ${name.slice(0, 120)}.`;
  }
  const lines = unwritten
    .filter(({ stand }) => stand === 'open')
    .map(({ path: name, before, after }) =>
      after.mode === NONE ? `0 ${before.id}\t${name}\0` : `${after.mode} ${after.id}\t${name}\0`,
    )
    .toSorted((a, b) => Number(!a.startsWith('0 ')) - Number(!b.startsWith('0 ')));
  const set = await git.inOurs(disk, ['update-index', '-z', '--index-info'], {
    input: lines.join(''),
  });
  const comes = unwritten.filter(isThere).map(({ path: name }) => `${name}\0`);
  const made = await git.inOurs(
    disk,
    ['checkout-index', '-q', '-f', '-z', '--stdin', `--prefix=${laid}/`],
    { input: comes.join('') },
  );
  const failed = [set, made].find(({ isOk }) => !isOk);
  return failed === undefined ? undefined : `The files cannot be written: ${failed.said}.`;
}

/** Makes the files durable and like those they replace. @returns why they cannot be put in place */
function whyNotPlace(top: string, laid: string, unwritten: readonly Judged[]): string | undefined {
  const disk = fs.lstatSync(laid).dev;
  for (const one of unwritten) {
    if (seenAt(top, one.path) !== one.seen) return changedSince(one.path);
    let folder = path.dirname(path.join(top, one.path));
    while (!fs.existsSync(folder)) folder = path.dirname(folder);
    if (fs.lstatSync(folder).dev !== disk)
      return `${one.path.slice(0, 120)} is on another disk than the repository.`;
    fs.accessSync(folder, fs.constants.W_OK);
    if (one.after.mode === NONE || one.after.mode === LINK) continue;
    const file = path.join(laid, one.path);
    const was = fs.lstatSync(path.join(top, one.path), { throwIfNoEntry: false });
    const isProgram = one.after.mode === '100755';
    if (was?.isFile() === true && ((was.mode & 0o100) !== 0) === isProgram)
      fs.chmodSync(file, was.mode & 0o777);
    const fd = fs.openSync(file, 'r');
    fs.fsyncSync(fd);
    fs.closeSync(fd);
  }
  return undefined;
}

async function put(top: string, laid: string, one: Judged): Promise<void> {
  const target = path.join(top, one.path);
  const folder = path.dirname(target);
  if (isThere(one)) {
    await makeFolder(folder, top, 0o777);
    await moveInPlace(path.join(laid, one.path), target);
    await syncFolder(folder);
    return;
  }
  await removeDurably(target);
  // Like git: no folder without a file.
  for (let at = folder; at !== top && fs.readdirSync(at).length === 0; at = path.dirname(at))
    fs.rmdirSync(at);
}
