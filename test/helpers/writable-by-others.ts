import { ownAccount } from '../../electron/disk/ownership';

/** Most systems give each user a group of their own: what that group may write to is not open to others. */
export const HAS_PRIVATE_GROUP = ownAccount()?.privateGid === process.getgid?.();

/** Those with which others may write to a new file of this account. */
export const writableByOthers = (...modes: readonly number[]): readonly number[] =>
  modes.filter((mode) => (mode & 0o002) !== 0 || !HAS_PRIVATE_GROUP);
