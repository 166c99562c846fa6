/**
 * Replaces this computer's paths in texts that are sent to another computer, and back. Pure. DW-18
 */
import { parsedJson } from '../../../shared/parsed-json';
import type { Hasher } from '../../ports/blobs';

/**
 * Folders whose paths differ on each computer; if two are the same folder, the first one counts.
 */
const PLACES = ['workspace', 'data', 'home'] as const;

/**
 * The spellings of each folder on this computer; the first one is used for incoming texts. Without
 * a spelling the computer has no such folder, for example because it lacks the agent.
 */
export interface Spellings extends Readonly<Record<(typeof PLACES)[number], readonly string[]>> {
  /**
   * Other folders whose paths stay local, each by the `folderId` of its path; a computer with the
   * same folder has the same ID.
   */
  readonly folders?: Readonly<Record<string, readonly string[]>>;
}

/** One of the known places, or the ID of another folder. */
type FolderName = string;
const FOLDER_ID = 'folder-[0-9a-f]{12}';

/**
 * Identifies another folder where its path must not appear. Two spellings of the same path have one
 * ID.
 */
export const folderId = (path: string, hasher: Hasher): string =>
  `folder-${hasher.sha256Hex(sameOf(plainFolder(path))).slice(0, 12)}`;

/**
 * Converts texts between this computer and others. For a text from another computer,
 * `key(in(text))` equals that computer's `key`, whatever folders both have: a hash of it finds a
 * finished step again (S4-10).
 */
export interface PortableTexts {
  /** The portable form: placeholders replace known paths. JSON stays valid JSON. */
  out(text: string): string;
  /** An incoming text with this computer's paths. */
  in(text: string): string;
  /** The same on every computer; for hashes and lengths. */
  key(text: string): string;
}

const OPEN = '{{holdfast:';
/**
 * A separator that no path can cross: prevents text that only looks like one of this computer's
 * paths from being replaced.
 */
const BREAK = `${OPEN}}}`;
const PLACE = new RegExp(
  String.raw`\{\{holdfast:(${PLACES.join('|')}|${FOLDER_ID})(?:\|([/\\]+))?\}\}`,
  'g',
);

interface Root {
  readonly place: FolderName;
  readonly path: string;
}

interface PathMatch {
  /** Undefined: not a path, but what looks like a placeholder. */
  readonly root: Root | undefined;
  readonly separator: string;
  readonly start: number;
  readonly end: number;
}

const isWindows = (path: string): boolean => /^(?:[a-z]:[/\\]|\\\\)/i.test(path);
const literal = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
const segmentsOf = ({ path }: Root): readonly string[] => path.split(isWindows(path) ? '\\' : '/');
/** The next character shows a different folder: `/home/ada` is not the start of `/home/adam`. */
const ENDS = String.raw`(?![\w-]|\.\w)`;

/** How many separators the path starts with: one, none after a drive, two before a server. */
const leadOf = (root: Root): number => segmentsOf(root).findIndex((segment) => segment !== '');

/**
 * Matches a path whose separators may be escaped, as in JSON within a log line; all of them in the
 * same way. A match starts with the first name: the separators before it are only looked back at, so
 * that a text full of separators is not searched from each of them.
 */
function patternOf(root: Root, group: number): string {
  const lead = leadOf(root);
  const [first = '', ...others] = segmentsOf(root).slice(lead).map(literal);
  // Five layers of JSON in text.
  const separator = isWindows(root.path)
    ? String.raw`(\\{0,31}/|\\{1,32})`
    : String.raw`(\\{0,31}/)`;
  const same = `(?:\\${String(group)})`;
  const end = root.path.endsWith('.') ? String.raw`${ENDS}(?!\.)` : ENDS;
  if (lead === 0) return first + separator + others.join(same) + end;
  if (others.length > 0)
    return `${first}(?=${separator})(?<=${same.repeat(lead)}${first})${same}${others.join(same)}${end}`;
  // A folder right below the root, such as /app, is also the end of many other paths.
  const before = lead === 1 ? String.raw`(?<![\w%+./:@~\\-])` : same.repeat(lead - 1);
  return `${first}(?<=${before}${separator}${first})${end}`;
}

const sameOf = (path: string): string => (isWindows(path) ? path.toLowerCase() : path);
/** The path without a trailing separator. */
const plainFolder = (path: string): string =>
  (isWindows(path) ? path.replaceAll('/', '\\') : path).replace(/[/\\]+$/, '');

/** Every spelling, the longest first; one shared by two places belongs to the first. */
function rootsOf(spellings: Spellings): {
  readonly all: Root[];
  readonly own: Map<FolderName, string>;
} {
  const all: Root[] = [];
  const own = new Map<FolderName, string>();
  const takenBy = (path: string): FolderName | undefined =>
    all.find((root) => sameOf(root.path) === sameOf(path))?.place;
  const places: readonly (readonly [FolderName, readonly string[]])[] = [
    ...PLACES.map((place) => [place, spellings[place]] as const),
    ...Object.entries(spellings.folders ?? {}),
  ];
  for (const [place, written] of places) {
    const paths = written
      .map(plainFolder)
      // The root folder does not count as a path of this computer.
      .filter((path) => path.length > 2);
    for (const path of paths) if (takenBy(path) === undefined) all.push({ place, path });
    const [first] = paths;
    if (first === undefined) continue;
    // A different spelling of the same folder, so that the original text can be restored.
    let path = first;
    while ((takenBy(path) ?? place) !== place) path += isWindows(first) ? String.raw`\.` : '/.';
    if (takenBy(path) === undefined) all.push({ place, path });
    own.set(place, path);
  }
  return { all: all.toSorted((a, b) => b.path.length - a.path.length), own };
}

/**
 * JSON can write a string in several ways: strings that another computer may have changed are
 * written again.
 */
const OTHERWISE_WRITTEN = /\\[/u]/;

/**
 * Maps the strings of a JSON text, and JSON within these strings; any other text as a whole. With
 * `isOneSpelling`, equal strings are also written the same way.
 */
function nested(text: string, map: (plain: string) => string, isOneSpelling: boolean): string {
  if (!/^\s*["[{]/.test(text)) return map(text);
  if (parsedJson(text) === undefined) return map(text);
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

/** Position after the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/**
 * Maps one computer's texts. A placeholder for a path that does not exist on this computer stays.
 */
export function createPortableTexts(spellings: Spellings): PortableTexts {
  const { all, own } = rootsOf(spellings);
  const flags = all.some(({ path }) => isWindows(path)) ? 'gi' : 'g';
  const patterns = all.map((root, index) => patternOf(root, index + 1));
  const roots = patterns.length === 0 ? /(?!)/g : new RegExp(patterns.join('|'), flags);
  // A placeholder for a folder that does not exist here stays, both ways.
  const ownFolders = [...own.keys()].filter((place) => place.startsWith('folder-'));
  const isOwn = ownFolders.length === 0 ? '' : String.raw`(?!(?:${ownFolders.join('|')})[|}])`;
  const absent = [...PLACES.filter((place) => !own.has(place)), `${isOwn}${FOLDER_ID}`].join('|');
  const isOther = String.raw`(?!:*(?:${absent})(?:\|[/\\]+)?\}\})`;
  const found = new RegExp([...patterns, `${literal(OPEN)}${isOther}`].join('|'), flags);
  const doubled = new RegExp(`${literal(OPEN)}:${isOther}`, 'g');
  const hints = all.map((root) => segmentsOf(root).findLast((part) => part !== '.') ?? '');
  const hasHints = flags === 'g' && hints.every((hint) => /^[ -~]+$/.test(hint));
  const native = flags === 'gi' ? '\\' : '/';

  /** Most texts name no folder, so a quick search is enough for them. */
  const mayChange = (text: string): boolean =>
    !hasHints || text.includes(OPEN) || hints.some((hint) => text.includes(hint));

  const foundOf = (match: RegExpExecArray): PathMatch => {
    const [whole, ...groups] = match;
    const index = groups.findIndex((group) => typeof group === 'string');
    const root = all[index];
    const separator = groups[index] ?? '';
    const before = root === undefined ? 0 : leadOf(root) * separator.length;
    const { index: at } = match;
    return { root, separator, start: at - before, end: at + whole.length };
  };
  const replaced = (text: string, by: (one: PathMatch) => string): string => {
    let done = '';
    let at = 0;
    for (const match of text.matchAll(found)) {
      const one = foundOf(match);
      done += text.slice(at, one.start) + by(one);
      at = one.end;
    }
    return done + text.slice(at);
  };

  const outPlain = (text: string, withSeparators: boolean): string => {
    const sent = text
      .split(BREAK)
      .map((part) =>
        replaced(part, ({ root, separator, start, end }) => {
          if (root === undefined) return `${part.slice(start, end)}:`;
          const isNative = !withSeparators || separator === native;
          return `${OPEN}${root.place}${isNative ? '' : `|${separator}`}}}`;
        }),
      )
      .join('');
    return withSeparators ? sent : sent.replaceAll(PLACE, `${OPEN}$1}}`);
  };

  const written = (place: FolderName, separator: string | undefined): string | undefined => {
    const path = own.get(place);
    if (path === undefined || separator === undefined) return path;
    const isHere = native === '\\' || separator.endsWith('/');
    return isHere ? path.split(native).join(separator) : path;
  };

  /** Prevents the text from reading as a path of this computer. */
  const broken = (text: string): string => {
    // Text that combined with a break after another break was removed is ordinary text.
    let rest = text.replaceAll(BREAK, `${OPEN}${BREAK}}}`);
    let done = '';
    for (;;) {
      roots.lastIndex = 0;
      const match = roots.exec(rest);
      if (match === null) return done + rest;
      const upTo = foundOf(match).start + 1;
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
