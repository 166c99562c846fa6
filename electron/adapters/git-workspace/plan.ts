/**
 * Which parts of a repository may move to another computer, and the repository's common name. Pure.
 * DW-20
 */
import { table } from '../../../shared/table';

/** Of all changed and new files together. */
export const MAX_BYTES = 64 * 1024 * 1024;
const MB = 1024 * 1024;

/** A regular file or a link that git lists as changed or new. */
export interface ChangedFile {
  readonly path: string;
  readonly bytes: number;
  /** Target of a symbolic link. */
  readonly link?: string | undefined;
  /** The filter that its attributes name, such as `lfs`. */
  readonly filter?: string | undefined;
  /** It is a Git LFS pointer: the content is stored elsewhere. */
  readonly isPointer?: boolean;
}

const shown = (path: string): string => {
  const plain = path.replaceAll(/[\p{C}\u2028\u2029]/gu, '?');
  return plain.length <= 120 ? plain : `…${plain.slice(-119)}`;
};

/** Keys and login files that someone forgot to ignore. They never leave a computer. DW-18 */
const SECRET_FILE =
  /^(?:\.env(?:\.(?!example$|sample$|template$|dist$).*)?|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)|credentials\.json|.*\.(?:pem|p12|pfx|keystore|jks|kdbx)|.*\.key)$/i;

const isSecretFile = (path: string): boolean =>
  SECRET_FILE.test(path.slice(path.lastIndexOf('/') + 1));

/**
 * Whether a symbolic link points to a place that another computer may not have. `..` after a name
 * counts: the name may be a link itself, and then `..` is the parent of another folder.
 */
export function leadsOut(path: string, target: string): boolean {
  if (target === '' || /^(?:[/\\]|[a-z]:)/i.test(target)) return true;
  const parts = target.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
  const above = parts.filter((part) => part === '..').length;
  return above > path.split('/').length - 1 || parts.lastIndexOf('..') >= above;
}

/** Reason for a repository inside the repository, such as a submodule. */
export const whyNotRepository = (path: string): string =>
  `${shown(path.replace(/\/$/, ''))} is a submodule or another git repository inside this one, and its files do not move with a turn.`;

/** Why these files cannot move, as a sentence; undefined if they can. */
export function whyNotMove(files: readonly ChangedFile[]): string | undefined {
  for (const { path, link, filter, isPointer } of files) {
    if (path.includes('\uFFFD')) return `The name of a changed file is not UTF-8: ${shown(path)}.`;
    if (path.endsWith('/')) return whyNotRepository(path);
    if (isSecretFile(path))
      return `${shown(path)} looks like a key or a login file, and those stay on their computer. Add it to .gitignore.`;
    if (link !== undefined && leadsOut(path, link))
      return `${shown(path)} is a link that leads out of the repository.`;
    if (filter !== undefined && isPointer !== true)
      return `The content of ${shown(path)} is stored by the git filter "${shown(filter)}" and not in the repository.`;
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= MAX_BYTES) return undefined;
  const [largest] = files.toSorted((a, b) => b.bytes - a.bytes);
  return `The changed and new files have ${String(Math.ceil(bytes / MB))} MB, and at most ${String(MAX_BYTES / MB)} MB move with a turn. The largest is ${shown(largest?.path ?? '')}. Commit and push it, or add it to .gitignore.`;
}

/** Git's files that exist only during an unfinished operation. */
export const UNFINISHED = table<string>({
  MERGE_HEAD: 'a merge',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
});

/**
 * The same on every computer with a clone: the address of its remote without user, scheme and
 * suffix. A local path is not a name (DW-18); then the first commit is used.
 */
export function repositoryName(url: string | undefined, firstCommit: string): string {
  const remote = url === undefined ? undefined : remoteName(url);
  return remote ?? firstCommit;
}

const MAX_NAME = 120;

function remoteName(url: string): string | undefined {
  const [, host, path] =
    /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/+(.+)$/i.exec(url) ??
    /^(?:[^/@:]+@)?([^/:]{2,}):(?!\/\/)([^\\]+)$/.exec(url) ??
    [];
  if (host === undefined || path === undefined) return undefined;
  const plain = path.replace(/[/\s]+$/, '').replace(/\.git$/i, '');
  const name = `${host.toLowerCase()}/${plain.replace(/^\/+/, '')}`;
  return name.length <= MAX_NAME && /^[\w.~/-]+$/.test(name) ? name : undefined;
}
