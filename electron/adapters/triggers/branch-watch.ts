import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  statSync,
  watch,
  type FSWatcher,
} from 'node:fs';
import path from 'node:path';

/** One path is in each of them. The folder's owner decides on their size. */
const MAX_BYTES = 65_536;

/**
 * Reports that a branch or tag may have moved. Git writes each of them to a file below `refs`, and
 * sometimes all of them to `packed-refs`. Other writes of git in its folder, such as those of every
 * `git status`, are ignored. Undefined if the place is not a repository on this computer.
 */
export function watchBranch(
  place: string,
  ref: string,
  onHint: () => void,
): { stop(): void } | undefined {
  const folder = gitFolder(place);
  if (folder === undefined) return undefined;
  const short = ref.replace(/^refs\/(heads|tags)\//, '');
  const names = new Set(['packed-refs', 'HEAD', path.basename(short)]);
  const folders = ['', 'refs/heads', 'refs/tags'].map((below) => path.join(folder, below));
  const nested = path.dirname(short);
  if (nested !== '.')
    folders.push(path.join(folder, 'refs/heads', nested), path.join(folder, 'refs/tags', nested));
  const watchers = folders.flatMap((one) => watcherOf(one, names, onHint));
  return watchers.length === 0 ? undefined : { stop: () => watchers.forEach((one) => one.close()) };
}

function watcherOf(folder: string, names: ReadonlySet<string>, onHint: () => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      // Git writes a file under another name first; this is its final name.
      if (name === null || names.has(name)) onHint();
    });
    watcher.on('error', () => {
      watcher.close();
    });
    return [watcher];
  } catch {
    return []; // A branch of a folder that is not there yet: found by the next look.
  }
}

/**
 * The folder that contains the branches of a repository: `.git`, the folder that `.git` points to
 * in a worktree, or the bare repository itself.
 */
function gitFolder(place: string): string | undefined {
  const dotGit = path.join(place, '.git');
  try {
    if (statSync(dotGit).isDirectory()) return dotGit;
    const own = path.resolve(place, /^gitdir: (.+)$/m.exec(read(dotGit))?.[1] ?? '');
    return path.resolve(own, read(path.join(own, 'commondir')).trim());
  } catch {
    return isFile(path.join(place, 'HEAD')) && isFile(path.join(place, 'config'))
      ? place
      : undefined;
  }
}

/** Reading a pipe would block forever. @throws if it is not a file of that size */
function read(file: string): string {
  if (!isFile(file)) throw new Error('not a file');
  const fd = openSync(
    file,
    constants.O_RDONLY | ((constants as Partial<typeof constants>).O_NONBLOCK ?? 0),
  );
  try {
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    const length = fstatSync(fd).isFile() ? readSync(fd, bytes) : bytes.length;
    if (length > MAX_BYTES) throw new Error('not a small file');
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(fd);
  }
}
const isFile = (file: string): boolean =>
  statSync(file, { throwIfNoEntry: false })?.isFile() === true;
