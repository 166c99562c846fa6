/** Facts about a user's repository, by read-only queries, and repositories of our own. */
import fs from 'node:fs';
import path from 'node:path';
import { writeDurablySync } from '../../disk/durable-file';
import { makeFolderSync } from '../../disk/durable-folder';
import { repositoryName, UNFINISHED } from './plan';
import type { Git } from './run-git';

/** A user's repository with something checked out. */
export interface Repository {
  readonly top: string;
  readonly gitDir: string;
  /** Folder of its objects; for a worktree, that of the repository it belongs to. */
  readonly commonDir: string;
  /** The requested folder, relative to the top. */
  readonly prefix: string;
  readonly format: string;
}

export const textOf = (out: Buffer): string => out.toString('utf8').replace(/\n$/, '');
export const namesOf = (out: Buffer): string[] => out.toString('utf8').split('\0').slice(0, -1);

/** Undefined if the folder is not in a repository, or in one that git does not trust. */
export async function repositoryAt(git: Git, folder: string): Promise<Repository | undefined> {
  if (!fs.existsSync(folder)) return undefined;
  const asked = await git.inPersons(folder, [
    ...['rev-parse', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'],
    ...['--show-object-format', '--show-prefix'],
  ]);
  if (!asked.isOk) return undefined;
  const [top = '', gitDir = '', commonDir = '', format = '', prefix = '', ...more] = textOf(
    asked.out,
  ).split('\n');
  // A name with a line break in it would read as two.
  if (more.length > 0 || top === '') return undefined;
  return { top, gitDir, commonDir: path.resolve(folder, commonDir), format, prefix };
}

/** The git operation in progress, such as a merge. Undefined if there is none. */
export async function unfinishedIn(
  git: Git,
  { top, gitDir }: Repository,
): Promise<string | undefined> {
  const found = Object.entries(UNFINISHED).find(([name]) => fs.existsSync(path.join(gitDir, name)));
  if (found !== undefined) return found[1];
  const conflicts = await git.inPersons(top, ['ls-files', '--unmerged']);
  return conflicts.out.length > 0 ? 'conflicts' : undefined;
}

/** The first commit of a line of commits: only those that no remote of it has are looked through. */
const MAX_UNPUSHED = 1_000;

/**
 * The newest commit that another computer is likely to have: the parent of the oldest commit that
 * is on no remote yet. Undefined without a commit.
 */
export async function baseOf(git: Git, { top }: Repository): Promise<string | undefined> {
  const head = await git.inPersons(top, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (!head.isOk) return undefined;
  const here = textOf(head.out);
  const remotes = await git.inPersons(top, ['for-each-ref', '--count=1', 'refs/remotes']);
  if (remotes.out.length === 0) return here;
  const ahead = await git.inPersons(top, [
    ...['rev-list', '--first-parent', `--max-count=${String(MAX_UNPUSHED)}`],
    ...['HEAD', '--not', '--remotes'],
  ]);
  const unpushed = textOf(ahead.out).split('\n');
  const last = unpushed.at(-1) ?? '';
  if (!ahead.isOk || last === '' || unpushed.length === MAX_UNPUSHED) return here;
  const before = await git.inPersons(top, ['rev-parse', '--verify', '--quiet', `${last}^1`]);
  return before.isOk ? textOf(before.out) : here;
}

/** Its name on every computer; undefined before its first commit. */
export async function nameOf(git: Git, { top }: Repository): Promise<string | undefined> {
  const remotes = textOf((await git.inPersons(top, ['remote'])).out).split('\n');
  const remote = remotes.includes('origin') ? 'origin' : (remotes[0] ?? '');
  const url = await git.inPersons(top, ['remote', 'get-url', '--', remote]);
  const byUrl = url.isOk ? repositoryName(textOf(url.out), '') : '';
  if (byUrl !== '') return byUrl;
  const first = await git.inPersons(top, ['rev-list', '--max-parents=0', 'HEAD']);
  return first.isOk ? textOf(first.out).split('\n').at(-1) : undefined;
}

/** Settings about how files are read and written on this computer; none of them names a program. */
const KEPT = /^core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|longpaths)$/;

/** Its settings that affect how files look on this disk, as lines of a config file. */
async function filesSettings(git: Git, { top }: Repository): Promise<string> {
  const listed = await git.inPersons(top, ['config', '--list', '-z']);
  return namesOf(listed.out)
    .map((entry) => entry.split('\n'))
    .filter(([key = '', value = '']) => KEPT.test(key) && /^\w+$/.test(value))
    .map(([key = '', value = '']) => `\t${key.slice('core.'.length)} = ${value}\n`)
    .join('');
}

/** More than any list of rules needs: it is read as a whole. */
const MAX_RULES_BYTES = 1_000_000;

/** Empty if it is missing or no file; undefined if it is too long, because no rule may be left out. */
function rulesIn(file: string): string | undefined {
  if (fs.statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return '';
  const fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const bytes = Buffer.alloc(MAX_RULES_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0; length += read)
      read = fs.readSync(fd, bytes, length, bytes.length - length, null);
    return length > MAX_RULES_BYTES ? undefined : bytes.toString('utf8', 0, length);
  } finally {
    fs.closeSync(fd);
  }
}

/** The user's global ignore rules, which apply before the repository's own. */
async function ignoreFileOf(git: Git, { top }: Repository): Promise<string> {
  const said = await git.inPersons(top, ['config', '--type=path', '--get', 'core.excludesFile']);
  return said.isOk ? textOf(said.out) : git.ignoreFile;
}

/**
 * Creates our own repository in `gitDir` that reads the objects of the user's and writes none
 * there. It has
 * none of its settings except how files look, so none of its filters, hooks or helpers can run.
 * @returns why that is impossible; undefined when it exists
 */
export async function makeOwn(
  git: Git,
  from: Repository,
  gitDir: string,
  dataDir: string,
): Promise<string | undefined> {
  const objects = path.join(from.commonDir, 'objects');
  if (/[\n"]/.test(objects)) return 'The folder of the repository has a line break or a quote.';
  for (const one of ['objects/info', 'refs/heads', 'info'])
    makeFolderSync(path.join(gitDir, one), dataDir);
  const isOther = from.format !== 'sha1';
  const format = isOther ? `[extensions]\n\tobjectformat = ${from.format}\n` : '';
  const settings = await filesSettings(git, from);
  const write = (name: string, text: string): void => {
    writeDurablySync(path.join(gitDir, name), text);
  };
  write('HEAD', 'ref: refs/heads/none\n');
  write(
    'config',
    `[core]\n\trepositoryformatversion = ${isOther ? '1' : '0'}\n\tbare = false\n${settings}${format}`,
  );
  write('objects/info/alternates', `${objects}\n`);
  const info = path.join(from.commonDir, 'info');
  const rules: string[] = [];
  for (const file of [
    await ignoreFileOf(git, from),
    path.join(info, 'exclude'),
    path.join(info, 'attributes'),
  ]) {
    const text = rulesIn(file);
    if (text === undefined) return `${file} is larger than 1 MB, so its rules are not read.`;
    rules.push(text);
  }
  const [everywhere = '', own = '', attributes = ''] = rules;
  write('info/exclude', `${everywhere}\n${own}`);
  write('info/attributes', attributes);
  return undefined;
}
