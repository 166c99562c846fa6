/** Whether another account may have created, or may change, what is at a path. Pure. */

/** A path as `lstat` sees it. */
export interface SeenPath {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly uid: number;
  readonly gid: number;
  /** All permission bits, including the sticky one. */
  readonly mode: number;
}

/** Why a path is not exclusively ours. */
type OwnershipFault =
  | { readonly kind: 'owner'; readonly uid: number }
  | { readonly kind: 'writable'; readonly by: 'everyone' | 'group'; readonly gid: number }
  /** A link that is not allowed there, or one of ours whose target is not ours. */
  | { readonly kind: 'link'; readonly through?: Finding };

/** A path that is not exclusively ours. */
export interface Finding {
  readonly path: string;
  readonly fault: OwnershipFault;
}

/** The account of this process, as far as it affects whom it trusts. */
export interface Account {
  readonly uid: number;
  /** The group whose only member is this account; undefined if unknown. */
  readonly privateGid: number | undefined;
  /** Uids that count as root: 0, and in a namespace without root its overflow number. */
  readonly rootUids: readonly number[];
}

const STICKY = 0o1000;

/** Who besides the owner may write there. An access control list shows in the group bits. */
function othersWhoWrite(
  { mode, gid }: SeenPath,
  { privateGid }: Account,
): OwnershipFault | undefined {
  if ((mode & 0o002) !== 0) return { kind: 'writable', by: 'everyone', gid };
  const isOfGroup = (mode & 0o020) !== 0 && gid !== privateGid;
  return isOfGroup ? { kind: 'writable', by: 'group', gid } : undefined;
}

/** Checks a path that must be ours: not a link, owned by this account, and writable only by it. */
export function faultOfOwn(seen: SeenPath, account: Account): OwnershipFault | undefined {
  if (seen.uid !== account.uid) return { kind: 'owner', uid: seen.uid };
  return seen.kind === 'link' ? { kind: 'link' } : othersWhoWrite(seen, account);
}

const isTrustedOwner = (uid: number, account: Account): boolean =>
  uid === account.uid || account.rootUids.includes(uid);

/** Checks a path that root may also have created for us, such as the target of our link. */
export function faultOfGiven(seen: SeenPath, account: Account): OwnershipFault | undefined {
  if (!isTrustedOwner(seen.uid, account)) return { kind: 'owner', uid: seen.uid };
  return seen.kind === 'link' ? undefined : othersWhoWrite(seen, account);
}

/**
 * A folder on the path: anyone who may write to it can replace the next component. The sticky bit
 * prevents that for entries owned by us or root.
 */
export function faultOfWay(seen: SeenPath, account: Account): OwnershipFault | undefined {
  const fault = faultOfGiven(seen, account);
  return fault?.kind === 'writable' && (seen.mode & STICKY) !== 0 ? undefined : fault;
}

/**
 * The private group of an account, as systems create one for each user, with files that it may
 * write. Undefined if the account is root, is missing from the files, or shares the group.
 */
export function privateGroupOf(uid: number, passwd: string, group: string): number | undefined {
  if (uid === 0) return undefined;
  const accounts = linesOf(passwd).map(([name = '', , id, gid]) => ({ name, id, gid }));
  const own = accounts.filter(({ id }) => id === String(uid));
  const [first] = own;
  if (first?.gid === undefined || !/^\d{1,10}$/.test(first.gid) || first.gid === '0')
    return undefined;
  const { gid } = first;
  if (accounts.some((one) => one.gid === gid && one.id !== first.id)) return undefined;
  const names = new Set(own.map(({ name }) => name));
  const groups = linesOf(group).filter(([, , id]) => id === gid);
  const isAlone = groups.every(([, , , members = '']) =>
    members.split(',').every((member) => member === '' || names.has(member)),
  );
  return groups.length > 0 && isAlone ? Number(gid) : undefined;
}

const linesOf = (file: string): readonly (readonly string[])[] =>
  file.split('\n').map((line) => line.trim().split(':'));

/**
 * Uids that count as root. In a user namespace that does not map 0, files of root show the overflow
 * number, as do those of every other account outside the namespace.
 */
export function rootUidsOf(uidMap: string, overflow: string): readonly number[] {
  const rows = uidMap
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((row) => row.length === 3 && row.every(Number.isSafeInteger));
  const isRootMapped = rows.length === 0 || rows.some(([, outside]) => outside === 0);
  const stand = Number(overflow.trim());
  return isRootMapped || !Number.isSafeInteger(stand) || overflow.trim() === '' ? [0] : [0, stand];
}
