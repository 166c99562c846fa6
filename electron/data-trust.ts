/**
 * Whether the data can be trusted. Anything in the data directory that another account may have
 * created, or may change, is rejected before a byte of it is read: settings, skills and hooks run
 * programs. Security K5.
 */
import { resolve, sep } from 'node:path';
import { realpathSync, statSync } from 'node:fs';
import { quoted } from '../shared/shell-quoted';
import { faultOfOwnPath, faultOnTheWay, faultsWithin, ownAccount } from './disk/ownership';
import type { Finding } from './disk/ownership-rules';
import { HoldfastError } from './engine/kernel/errors';

/** The one entry that may be a link: users keep their settings with their other dotfiles. */
const MAY_LINK: ReadonlySet<string> = new Set(['config.json']);
/** A folder for files that Holdfast must ignore; nothing with that name is ever read. */
const SET_ASIDE = '.untrusted';
/** Created by the system if the data directory is a separate disk. */
const OF_THE_SYSTEM: ReadonlySet<string> = new Set(['lost+found']);
/** Small folders that only Holdfast writes: their entries are checked too. */
const SMALL_FOLDERS = ['run', 'secrets', 'logs', 'audit', 'backups', 'drafts', 'watch'];
const MAX_NAMED = 5;

const within = (folder: string): readonly Finding[] =>
  faultsWithin(folder, {
    isSkipped: (name) => name.endsWith(SET_ASIDE) || OF_THE_SYSTEM.has(name),
    mayLink: (name) => MAY_LINK.has(name),
  });

/** Problems with the data in `dataDir`, the nearest to the root first. Reads no content. */
function findingsIn(dataDir: string): readonly Finding[] {
  const onTheWay = faultOnTheWay(dataDir);
  if (onTheWay !== undefined) return [onTheWay];
  const real = realOr(dataDir);
  const own = faultOfOwnPath(real);
  const entries = within(real);
  const isClosed = new Set(entries.map(({ path }) => path));
  const deeper = SMALL_FOLDERS.map((name) => real + sep + name)
    .filter((folder) => !isClosed.has(folder))
    .flatMap((folder) => faultsWithin(folder, { isSkipped: () => false, mayLink: () => false }));
  return [...(own === undefined ? [] : [own]), ...entries, ...deeper];
}

const realOr = (dataDir: string): string => {
  try {
    return realpathSync.native(dataDir);
  } catch {
    return resolve(dataDir); // Does not exist yet.
  }
};

/**
 * Why the data must not be used; undefined if it is ours alone, or missing. A few checks of names
 * and permissions, whatever the data contains.
 */
export function distrustOf(dataDir: string): HoldfastError | undefined {
  const findings = findingsIn(dataDir);
  const [first, ...others] = findings;
  if (first === undefined) return undefined;
  const real = realOr(dataDir);
  if (isOfSomethingElse(real)) return ofSomethingElse(real);
  if (first.path === real) return ofFolder(first, others);
  return first.path.startsWith(`${real}/`) ? ofEntries(real, findings) : ofWay(first, real);
}

/**
 * A file, a system folder or one shared by everyone: advice to make that safe for Holdfast would
 * damage it.
 */
function isOfSomethingElse(real: string): boolean {
  try {
    const stats = statSync(real);
    const isOfEverybody = (stats.mode & STICKY) !== 0;
    return !stats.isDirectory() || isOfEverybody || OF_THE_SYSTEM_ALONE.test(real);
  } catch {
    return false; // Does not exist, or is unreachable.
  }
}
const STICKY = 0o1000;
/** Not every top-level folder: a container has its volumes there. */
const OF_THE_SYSTEM_ALONE =
  /^\/(?:bin|boot|dev|etc|home|lib\w*|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var)?$/;

const ofSomethingElse = (path: string): HoldfastError =>
  unsafe(
    `${path} cannot be the data directory: it is shared with others, or others could change its contents.`,
    'Choose a directory of your own with --data-dir, or omit the option.',
    { path, problem: 'is not for Holdfast data only' },
  );

/** @throws HoldfastError DATA_DIR_UNSAFE */
export function assertOwnData(dataDir: string): void {
  const distrust = distrustOf(dataDir);
  if (distrust !== undefined) throw distrust;
}

/** Why nothing was sent to the address of the control socket. */
export function strangeSocketError({ path, fault }: Finding): HoldfastError {
  const problem = problemOf(fault);
  return new HoldfastError(
    'DATA_DIR_UNSAFE',
    `${path} ${problem}, so it is not the control socket of your Holdfast. Nothing was sent to it.`,
    {
      hint: `Check its owner: ls -ld ${quoted(path)}. A running Holdfast is found without it; to start one: holdfast start --headless`,
      facts: { path, problem },
    },
  );
}

/** Note of a skill that another account may have written: it is not used. */
export const untrustedWords = (finding: Finding): string =>
  `It is not used: ${finding.path} ${problemOf(finding.fault)}. Its instructions would be followed as if you had written them, so check its contents before you trust it, then run: ${fixOf(finding)}`;

function problemOf(fault: Finding['fault']): string {
  switch (fault.kind) {
    case 'owner':
      return `belongs to another account (uid ${String(fault.uid)}, not ${String(ownAccount()?.uid)})`;
    case 'writable':
      return fault.by === 'everyone'
        ? 'can be written to by everyone'
        : `can be written to by its group (gid ${String(fault.gid)})`;
    case 'link':
      return fault.through === undefined
        ? 'is a symbolic link'
        : `is a symbolic link that leads through ${fault.through.path}, which ${problemOf(fault.through.fault)}`;
    default:
      return fault satisfies never;
  }
}

/** The command that fixes the fault, after a check by the user. */
function fixOf({ path, fault }: Finding): string {
  switch (fault.kind) {
    case 'owner':
      return `sudo chown -h ${String(ownAccount()?.uid)} ${quoted(path)}`;
    case 'writable':
      return `chmod go-w ${quoted(path)}`;
    case 'link':
      return `rm ${quoted(path)}`;
    default:
      return fault satisfies never;
  }
}

const LOOK =
  'check its contents before you trust it: settings, skills and hooks run programs as you';

function unsafe(
  message: string,
  hint: string,
  facts: Readonly<Record<string, string>>,
): HoldfastError {
  return new HoldfastError('DATA_DIR_UNSAFE', `${message} Nothing was started or changed.`, {
    hint,
    facts,
  });
}

/**
 * The data directory itself. Its entries are listed with it, because the user has to check them.
 */
function ofFolder({ path, fault }: Finding, entries: readonly Finding[]): HoldfastError {
  const problem = problemOf(fault);
  const isOwner = fault.kind === 'owner';
  const fix = isOwner
    ? `sudo chown -R ${String(ownAccount()?.uid)} ${quoted(path)}`
    : `chmod 700 ${quoted(path)}`;
  const suspects = entries.filter((entry) => !isOwner || entry.fault.kind === 'owner');
  const listed = isOwner || suspects.length === 0 ? '' : ` In it: ${listOf(path, suspects)}.`;
  const hint = isOwner
    ? `Choose a directory of your own with --data-dir. Only if this one is meant to be yours: ${LOOK} (ls -lA ${quoted(path)}). Then run: ${fix}`
    : `Others could have put files there: ${LOOK} (ls -lA ${quoted(path)}).${listed} Then run: ${fix}`;
  return unsafe(
    `${path} ${problem}, so other accounts could read or change what your agents do.`,
    hint,
    { path, problem, fix, entries: pathsOf(suspects) },
  );
}

const pathsOf = (findings: readonly Finding[]): string =>
  findings
    .slice(0, MAX_NAMED)
    .map(({ path }) => path)
    .join(', ');

function listOf(folder: string, findings: readonly Finding[]): string {
  const named = findings
    .slice(0, MAX_NAMED)
    .map(({ path, fault }) => `${path.replace(`${folder}/`, '')} ${problemOf(fault)}`);
  const more = findings.length - named.length;
  return [...named, ...(more > 0 ? [`and ${String(more)} more`] : [])].join('; ');
}

/** Entries of the data directory that are not ours, or that others could write. */
function ofEntries(folder: string, findings: readonly Finding[]): HoldfastError {
  const [first] = findings as readonly [Finding];
  const named = findings.slice(0, MAX_NAMED);
  const aside = named
    .map(({ path }) => `mv ${quoted(path)} ${quoted(`${path}${SET_ASIDE}`)}`)
    .join('; ');
  const fix = named.map(fixOf).join('; ');
  return unsafe(
    `Another account may have added or changed entries in ${folder}: ${listOf(folder, findings)}.`,
    `For each, ${LOOK}. To continue without it, run: ${aside}. Only if it is meant to be yours, run: ${fix}`,
    {
      path: first.path,
      problem: problemOf(first.fault),
      fix,
      entries: pathsOf(findings),
    },
  );
}

/** A folder above the data directory, or a link that leads there. */
function ofWay(finding: Finding, dataDir: string): HoldfastError {
  const { path } = finding;
  const problem = problemOf(finding.fault);
  const fix = fixOf(finding);
  const isMendable = finding.fault.kind === 'writable';
  return unsafe(
    `${path} ${problem}, so another account could replace your data in ${dataDir}.`,
    isMendable
      ? `Check that ${dataDir} still belongs to you, then run: ${fix}. Or choose another directory with --data-dir.`
      : `Choose a directory of your own with --data-dir. Check its owner: ls -ld ${quoted(path)}`,
    { path, problem, fix },
  );
}
