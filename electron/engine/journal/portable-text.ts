/** Paths of one computer in texts that travel to another one, where they are others. Pure. DW-18 */
import type { Hasher } from '../../ports/blobs';

/** Folders whose paths are others on each computer; in this order where two of them are the same. */
const PLACES = ['workspace', 'data', 'home'] as const;

/**
 * How each of them is written on this computer; the first spelling is the one that comes in. Without a
 * spelling it has no such folder, as a computer without the agent.
 */
export interface Spellings extends Readonly<Record<(typeof PLACES)[number], readonly string[]>> {
  /** Other folders whose paths stay here, each by `folderId` of its path: a computer with the same one has it, too. */
  readonly folders?: Readonly<Record<string, readonly string[]>>;
}

/** One of the places, or the ID of another folder. */
type Place = string;
const FOLDER_ID = 'folder-[0-9a-f]{12}';

/** Names another folder where its path may not stand. Two spellings of a path that mean the same have one ID. */
export const folderId = (path: string, hasher: Hasher): string =>
  `folder-${hasher.sha256Hex(sameOf(plainFolder(path))).slice(0, 12)}`;

/**
 * Texts between this computer and others. `key(in(text))` of what another computer has sent is `key` of what
 * it had, whatever folders both have: a hash of it finds a finished step again (S4-10).
 */
export interface PortableTexts {
  /** As it travels: a place stands where the path of one stood. JSON stays JSON. */
  out(text: string): string;
  /** What has traveled, with the paths of this computer. */
  in(text: string): string;
  /** The same on every computer. For hashes and lengths. */
  key(text: string): string;
}

const OPEN = '{{holdfast:';
/** No path goes across it: keeps what only looks like a path of this computer from being taken for one. */
const BREAK = `${OPEN}}}`;
const PLACE = new RegExp(
  String.raw`\{\{holdfast:(${PLACES.join('|')}|${FOLDER_ID})(?:\|([/\\]+))?\}\}`,
  'g',
);

interface Root {
  readonly place: Place;
  readonly path: string;
}

const isWindows = (path: string): boolean => /^(?:[a-z]:[/\\]|\\\\)/i.test(path);
const literal = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
const segmentsOf = ({ path }: Root): readonly string[] => path.split(isWindows(path) ? '\\' : '/');
/** What follows says that it is another folder: `/home/ada` is not the start of `/home/adam`. */
const ENDS = String.raw`(?![\w-]|\.\w)`;

/** A path whose separators may be escaped, as in JSON in a line of a log; all of them in the same way. */
function patternOf(root: Root, group: number): string {
  const [first = '', ...others] = segmentsOf(root);
  const separator = isWindows(root.path) ? String.raw`(\\+|\\*/)` : String.raw`(\\*/)`;
  const rest = others.map((segment, at) =>
    at === 0 ? literal(segment) : `(?:\\${String(group)})${literal(segment)}`,
  );
  // A folder right below the root, such as /app, is also the end of many others.
  const isShort = first === '' && others.length === 1;
  const end = root.path.endsWith('.') ? String.raw`${ENDS}(?!\.)` : ENDS;
  return `${isShort ? String.raw`(?<![\w%+./:@~\\-])` : ''}${literal(first)}${separator}${rest.join('')}${end}`;
}

const sameOf = (path: string): string => (isWindows(path) ? path.toLowerCase() : path);
/** Without what its end or another separator says. */
const plainFolder = (path: string): string =>
  (isWindows(path) ? path.replaceAll('/', '\\') : path).replace(/[/\\]+$/, '');

/** Every spelling, the longest first; one that two places have is that of the first. */
function rootsOf(spellings: Spellings): { readonly all: Root[]; readonly own: Map<Place, string> } {
  const all: Root[] = [];
  const own = new Map<Place, string>();
  const takenBy = (path: string): Place | undefined =>
    all.find((root) => sameOf(root.path) === sameOf(path))?.place;
  const places: readonly (readonly [Place, readonly string[]])[] = [
    ...PLACES.map((place) => [place, spellings[place]] as const),
    ...Object.entries(spellings.folders ?? {}),
  ];
  for (const [place, written] of places) {
    const paths = written
      .map(plainFolder)
      // The folder of folders is no path of this computer.
      .filter((path) => path.length > 2);
    for (const path of paths) if (takenBy(path) === undefined) all.push({ place, path });
    const [first] = paths;
    if (first === undefined) continue;
    // The same folder in another spelling: its place comes back as what it was.
    let path = first;
    while ((takenBy(path) ?? place) !== place) path += isWindows(first) ? String.raw`\.` : '/.';
    if (takenBy(path) === undefined) all.push({ place, path });
    own.set(place, path);
  }
  return { all: all.toSorted((a, b) => b.path.length - a.path.length), own };
}

/** JSON can write a string in several ways: what a way through another computer has changed is written anew. */
const OTHERWISE_WRITTEN = /\\[/u]/;

/**
 * Maps the strings of a text that is JSON, and strings in these in turn; any other text as a whole. With
 * `isOneSpelling` strings that say the same are also written the same.
 */
function nested(text: string, map: (plain: string) => string, isOneSpelling: boolean): string {
  if (!/^\s*["[{]/.test(text)) return map(text);
  try {
    JSON.parse(text);
  } catch {
    return map(text);
  }
  let mapped = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf('"', at);
    if (start === -1) return mapped + text.slice(at);
    const end = endOfString(text, start);
    const string = text.slice(start, end);
    const value = JSON.parse(string) as string;
    const here = nested(value, map, isOneSpelling);
    const isAsWritten = here === value && !isOneSpelling;
    mapped += text.slice(at, start) + (isAsWritten ? string : JSON.stringify(here));
    at = end;
  }
}

/** Behind the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Maps texts of one computer. Where a place is not on it, what stands for it stays. */
export function createPortableTexts(spellings: Spellings): PortableTexts {
  const { all, own } = rootsOf(spellings);
  const flags = all.some(({ path }) => isWindows(path)) ? 'gi' : 'g';
  const patterns = all.map((root, index) => patternOf(root, index + 1));
  const roots = patterns.length === 0 ? /(?!)/g : new RegExp(patterns.join('|'), flags);
  // What stands for a folder that is not here stays, both ways.
  const ownFolders = [...own.keys()].filter((place) => place.startsWith('folder-'));
  const isOwn = ownFolders.length === 0 ? '' : String.raw`(?!(?:${ownFolders.join('|')})[|}])`;
  const absent = [...PLACES.filter((place) => !own.has(place)), `${isOwn}${FOLDER_ID}`].join('|');
  const isOther = String.raw`(?!:*(?:${absent})(?:\|[/\\]+)?\}\})`;
  const found = new RegExp([...patterns, `${literal(OPEN)}${isOther}`].join('|'), flags);
  const doubled = new RegExp(`${literal(OPEN)}:${isOther}`, 'g');
  const hints = all.map((root) => segmentsOf(root).findLast((part) => part !== '.') ?? '');
  const hasHints = flags === 'g' && hints.every((hint) => /^[ -~]+$/.test(hint));
  const native = flags === 'gi' ? '\\' : '/';

  /** Most texts name no folder: they are only looked through. */
  const mayChange = (text: string): boolean =>
    !hasHints || text.includes(OPEN) || hints.some((hint) => text.includes(hint));

  const outPlain = (text: string, withSeparators: boolean): string => {
    const sent = text
      .split(BREAK)
      .map((part) =>
        part.replaceAll(found, (match: string, ...groups: unknown[]) => {
          const index = groups.findIndex((group) => typeof group === 'string');
          const root = index < all.length ? all[index] : undefined;
          if (root === undefined) return `${match}:`;
          const separator = String(groups[index]);
          const isNative = !withSeparators || separator === native;
          return `${OPEN}${root.place}${isNative ? '' : `|${separator}`}}}`;
        }),
      )
      .join('');
    return withSeparators ? sent : sent.replaceAll(PLACE, `${OPEN}$1}}`);
  };

  const written = (place: Place, separator: string | undefined): string | undefined => {
    const path = own.get(place);
    if (path === undefined || separator === undefined) return path;
    const isHere = native === '\\' || separator.endsWith('/');
    return isHere ? path.split(native).join(separator) : path;
  };

  /** Nothing of it reads as one of this computer. */
  const broken = (text: string): string => {
    // What joined to a break when another one went is text.
    let rest = text.replaceAll(BREAK, `${OPEN}${BREAK}}}`);
    let done = '';
    for (;;) {
      roots.lastIndex = 0;
      const match = roots.exec(rest);
      if (match === null) return done + rest;
      const upTo = match.index + 1;
      done += rest.slice(0, upTo) + BREAK;
      rest = rest.slice(upTo);
    }
  };

  const inPlain = (text: string): string => {
    const join = (plain: (part: string) => string, place: (path: string) => string): string => {
      let joined = '';
      let at = 0;
      for (const match of text.matchAll(PLACE)) {
        const [whole, name, separator] = match;
        const path = written(name ?? '', separator);
        joined += plain(unescaped(text.slice(at, match.index)));
        joined += path === undefined ? whole : place(path);
        at = match.index + whole.length;
      }
      return joined + plain(unescaped(text.slice(at)));
    };
    const same = (part: string): string => part;
    const simple = join(same, same);
    const wanted = text.replaceAll(PLACE, `${OPEN}$1}}`);
    if (outPlain(simple, false) === wanted) return simple;
    return join(broken, (path) => BREAK + path + BREAK);
  };
  const unescaped = (text: string): string => text.replaceAll(doubled, OPEN);

  const through =
    (map: (plain: string) => string, isOneSpelling = false) =>
    (text: string): string =>
      mayChange(text) || (isOneSpelling && OTHERWISE_WRITTEN.test(text))
        ? nested(text, (plain) => (mayChange(plain) ? map(plain) : plain), isOneSpelling)
        : text;
  return {
    out: through((plain) => outPlain(plain, true)),
    in: through(inPlain),
    key: through((plain) => outPlain(plain, false), true),
  };
}
