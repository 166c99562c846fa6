/** Removes from a text whatever names the account that runs Holdfast. Pure. */

interface Owner {
  /** The home folder, in all its spellings. */
  readonly homes: readonly string[];
  /** Name of the account. */
  readonly name: string;
}

/** Replaces the account's name in a path outside its home. */
const ACCOUNT = 'USER';
/** A longer name does not match: `/home/ann` is no part of `/home/anna`. */
const END = '(?![A-Za-z0-9_-]|\\.[A-Za-z0-9_])';

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A path with either slash, also doubled as in JSON, in any case on Windows and macOS. */
const anySlash = (path: string): string => {
  const parts = path.split(/[/\\]+/).map(literal);
  const start = parts[0] === '' ? '[/\\\\]' : '';
  return start + parts.filter((part) => part !== '').join('[/\\\\]{1,2}');
};

/**
 * The text with `~` for the home folder, and without folders named like the account: both identify
 * the user.
 */
export function withoutOwner(text: string, { homes, name }: Owner): string {
  const longestFirst = homes
    .map((home) => home.replace(/[/\\]+$/, ''))
    .filter((home) => home.length > 1)
    .toSorted((one, other) => other.length - one.length);
  const noHome = longestFirst.reduce(
    (left, home) =>
      left.replace(new RegExp(`(?<![A-Za-z0-9_.-])${anySlash(home)}${END}`, 'gi'), '~'),
    text,
  );
  if (name.length < 2) return noHome;
  return noHome.replace(new RegExp(`(?<=[/\\\\])${literal(name)}${END}`, 'gi'), ACCOUNT);
}
