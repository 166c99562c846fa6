/**
 * Checks the ownership of the paths that Holdfast trusts. Reads names and permissions, opens no
 * file.
 */
import { lstatSync, opendirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, join, parse, resolve, sep } from 'node:path';
import {
  faultOfGiven,
  faultOfOwn,
  faultOfWay,
  privateGroupOf,
  rootUidsOf,
  type Account,
  type Finding,
  type SeenPath,
} from './ownership-rules';

const MAX_LINKS = 40;
/** Maximum entries checked per folder. */
const MAX_NAMES = 1_000;

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // Not on this system.
  }
};

let known: Account | undefined;

/** Undefined on Windows, where files have no owner in this sense. */
export function ownAccount(): Account | undefined {
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  if (known?.uid !== uid)
    known = {
      uid,
      privateGid: privateGroupOf(uid, textOf('/etc/passwd'), textOf('/etc/group')),
      rootUids: rootUidsOf(textOf('/proc/self/uid_map'), textOf('/proc/sys/kernel/overflowuid')),
    };
  return known;
}

const kindOf = (stat: Stats): SeenPath['kind'] => {
  if (stat.isSymbolicLink()) return 'link';
  if (stat.isDirectory()) return 'folder';
  return stat.isFile() ? 'file' : 'other';
};

const seenOf = (stat: Stats): SeenPath => ({
  kind: kindOf(stat),
  uid: stat.uid,
  gid: stat.gid,
  mode: stat.mode & 0o7777,
});

/** Checks a path whose stat is already known and that may also be root's. */
export function faultOfGivenPath(path: string, stat: Stats): Finding | undefined {
  const account = ownAccount();
  const fault = account && faultOfGiven(seenOf(stat), account);
  return fault && { path, fault };
}

/** Undefined if missing or unreadable: the code that uses it reports that. */
function seenAt(path: string): SeenPath | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat && seenOf(stat);
  } catch {
    return undefined;
  }
}

/** Checks a path that must be ours: the path itself, without following a link. */
export function faultOfOwnPath(path: string): Finding | undefined {
  const account = ownAccount();
  const seen = account === undefined ? undefined : seenAt(path);
  const fault = account === undefined || seen === undefined ? undefined : faultOfOwn(seen, account);
  return fault && { path, fault };
}

/**
 * The first folder or link on the path that others may change, from the root down; links are
 * followed as the system follows them. The last component is checked only with `isEndToo`, and may
 * then be root's.
 */
export function faultOnTheWay(path: string, isEndToo = false): Finding | undefined {
  const account = ownAccount();
  if (account === undefined) return undefined;
  const { root } = parse(resolve(path));
  const partsOf = (text: string): string[] => text.split(sep).filter((part) => part !== '');
  let rest = partsOf(resolve(path).slice(root.length));
  let at = root;
  let seen = seenAt(root);
  let links = 0;
  for (;;) {
    if (seen === undefined) return undefined;
    const [name, ...after] = rest;
    if (name === undefined && !isEndToo) return undefined;
    const judge = name === undefined ? faultOfGiven : faultOfWay;
    const fault = judge(seen, account);
    if (fault !== undefined) return { path: at, fault };
    if (name === undefined) return undefined;
    rest = after;
    const next = join(at, name);
    const there = seenAt(next);
    if (there?.kind !== 'link') {
      at = next;
      seen = there;
      continue;
    }
    const ofLink = faultOfGiven(there, account);
    if (ofLink !== undefined) return { path: next, fault: ofLink };
    links += 1;
    const target = linkAt(next);
    if (links > MAX_LINKS || target === undefined) return { path: next, fault: { kind: 'link' } };
    if (target.startsWith(sep)) [at, seen] = [root, seenAt(root)];
    rest = [...partsOf(target), ...rest];
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // It was removed meanwhile.
  }
}

/** Names in a folder, up to a limit; empty if it cannot be read. */
function namesIn(folder: string): readonly string[] {
  const names: string[] = [];
  try {
    const opened = opendirSync(folder);
    try {
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync())
        if (names.push(entry.name) >= MAX_NAMES) break;
    } finally {
      opened.closeSync();
    }
  } catch {
    // Missing, not a folder, or not readable: the code that uses it reports that.
  }
  return names.sort();
}

/**
 * Entries of a folder that are not exclusively ours, one level deep; `mayLink` names links that may
 * point elsewhere.
 */
export function faultsWithin(
  folder: string,
  options: {
    readonly isSkipped: (name: string) => boolean;
    readonly mayLink: (name: string) => boolean;
  },
): readonly Finding[] {
  return namesIn(folder)
    .filter((name) => !options.isSkipped(name))
    .flatMap((name) => {
      // Not `join`, which parses the whole path again: a start checks each entry more than once.
      const path = folder + sep + name;
      const found = faultOfOwnPath(path);
      if (found === undefined) return [];
      if (found.fault.kind !== 'link' || !options.mayLink(name)) return [found];
      const through = faultOnTheWay(path, true);
      return through === undefined ? [] : [{ path, fault: { kind: 'link', through } }];
    });
}

/**
 * Problems with a socket before a connection: its path, its folder or the socket itself may belong
 * to another account. Undefined if it is ours, or missing.
 */
export function faultOfSocket(path: string): Finding | undefined {
  const folder = dirname(path);
  return faultOnTheWay(folder) ?? faultOfOwnPath(folder) ?? faultOfOwnPath(path);
}
