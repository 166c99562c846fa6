/**
 * ```
 * ready -> stopping -> starting -> done
 *             |            |
 *             v            v (did not come up)
 *        interrupted   rolling_back -> rolled_back
 * ```
 */
import type { UpdateMode } from '../../../shared/settings/updates';
import type { InstallKind } from '../../../shared/types/updates';
import type { UpdateNote } from '../../ports/updates';

/** Numbers of a version, and the part after a dash. */
const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,40}))?$/;

/**
 * Below 0 if `a` is older, above 0 if it is newer, by semantic versioning; undefined if one of them
 * is not a version.
 */
export function compareVersions(a: string, b: string): number | undefined {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)];
  if (left === null || right === null) return undefined;
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part]) - Number(right[part]);
    if (difference !== 0) return difference;
  }
  return comparePreliminary(left[4], right[4]);
}

function comparePreliminary(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  // A release is newer than its pre-releases.
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  const [left, right] = [a.split('.'), b.split('.')];
  for (const [at, one] of left.entries()) {
    const other = right[at];
    if (other === undefined) return 1;
    if (one === other) continue;
    const [x, y] = [Number(one), Number(other)];
    if (Number.isNaN(x) && Number.isNaN(y)) return one < other ? -1 : 1;
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
    return x - y;
  }
  return -1;
}

/** What a signed list means for this version. `stale`: the server sent an older list again. */
type OfferVerdict = 'newer' | 'current' | 'stale' | 'unreadable';

/**
 * A list that names an older version than one already seen is rejected: its signature is valid, but
 * it would bring back fixed bugs. UP-02
 */
export function judgeOffer(
  version: string,
  current: string,
  seen: string | undefined,
): OfferVerdict {
  const toCurrent = compareVersions(version, current);
  if (toCurrent === undefined) return 'unreadable';
  if (seen !== undefined && (compareVersions(version, seen) ?? 0) < 0) return 'stale';
  if (toCurrent < 0) return 'stale';
  return toCurrent === 0 ? 'current' : 'newer';
}

/**
 * What happens automatically with a newer version. One that was rolled back needs a user's
 * decision.
 */
export function planAfterCheck(facts: {
  readonly mode: UpdateMode;
  readonly canInstall: boolean;
  readonly isRolledBack: boolean;
}): { readonly download: boolean; readonly install: boolean } {
  const isWanted = facts.canInstall && !facts.isRolledBack;
  const { mode } = facts;
  return {
    download: isWanted && (mode === 'download' || mode === 'install'),
    install: isWanted && mode === 'install',
  };
}

/** When a downloaded version is installed. `drain`: no step starts, the running ones finish. */
export function planInstall(
  wanted: 'idle' | 'now' | undefined,
  runningTurns: number,
): 'rest' | 'drain' {
  if (wanted === undefined) return 'rest';
  return wanted === 'now' || runningTurns === 0 ? 'drain' : 'rest';
}

/** Detects the kind of installation. */
export function installKind(facts: {
  readonly mode: 'app' | 'headless';
  readonly platform: string;
  readonly program: string;
  /** The AppImage variable in this program's environment. */
  readonly appImage: string | undefined;
  readonly isCheckout: boolean;
}): InstallKind {
  if (facts.isCheckout) return 'checkout';
  if (facts.mode === 'headless') return 'server';
  if (facts.platform === 'darwin') return 'mac';
  if (facts.platform === 'win32') return 'windows';
  if (facts.appImage !== undefined && facts.appImage === facts.program) return 'appimage';
  return /^\/(opt|usr)\//.test(facts.program) ? 'deb' : 'archive';
}

/** This installation. */
export interface InstalledSelf {
  readonly version: string;
  readonly kind: InstallKind;
  /** The file that is replaced, and the arguments that start it as it runs now. */
  readonly program: string;
  readonly args: readonly string[];
  /** Why it cannot be replaced although its kind could be; undefined if it can. */
  readonly fixed: string | undefined;
}

/** What is installed here, and how it is started as it runs. */
export function installedSelf(here: {
  readonly version: string;
  readonly mode: 'app' | 'headless';
  readonly platform: string;
  readonly program: string;
  /** What precedes our own arguments. */
  readonly leading: readonly string[];
  readonly appImage: string | undefined;
  readonly whyFixed: (program: string) => string | undefined;
}): InstalledSelf {
  const { version, mode, program, leading } = here;
  const kind = installKind({ ...here, isCheckout: isCheckout(leading) });
  return {
    version,
    kind,
    program,
    args: [...leading, 'start', mode === 'app' ? '--hidden' : '--headless'],
    fixed: kind === 'appimage' ? here.whyFixed(program) : undefined,
  };
}

/** In a checkout something precedes our own arguments: the app folder, or an entry on Node. */
export const isCheckout = (args: readonly string[]): boolean =>
  args.some((one) => !one.startsWith('-') && !/[\\/]node_modules[\\/]/.test(one));

/** The file of a list that is for this kind, by the end of its name. */
export const fileEnding = (kind: InstallKind): string => ENDINGS[kind];

const ENDINGS: Readonly<Record<InstallKind, string>> = {
  appimage: '.AppImage',
  deb: '.deb',
  mac: '.dmg',
  windows: '.exe',
  archive: '.tar.gz',
  checkout: '.tar.gz',
  server: '.tar.gz',
};

/** What a start does about the update in its note. The start holds the instance lock. */
type StartVerdict =
  | 'continue'
  /** The first start of the new version. */
  | 'first_start'
  /** Killed before the program was replaced: nothing was changed. */
  | 'interrupted'
  /** The new version was started before and did not come up: the old program is restored. */
  | 'go_back'
  /** The old program is back: the data is restored next. */
  | 'restore_data';

export function judgeStart(
  note: Pick<UpdateNote, 'phase' | 'from' | 'to' | 'attempts'> | undefined,
  version: string,
): StartVerdict {
  if (note === undefined) return 'continue';
  switch (note.phase) {
    case 'stopping':
      return 'interrupted';
    case 'starting':
      if (version !== note.to) return 'interrupted';
      return note.attempts === 0 ? 'first_start' : 'go_back';
    case 'rolling_back':
      return version === note.to ? 'go_back' : 'restore_data';
    case 'none':
    case 'ready':
    case 'done':
    case 'rolled_back':
    case 'interrupted':
      return 'continue';
    default:
      return note.phase satisfies never;
  }
}

/**
 * Whether the data is restored together with the program. `refuse`: the new version has worked on
 * the data, and its side effects would be repeated from the older data.
 */
export function planDataRestore(
  before: { readonly version: number; readonly seq: number } | undefined,
  now: { readonly version: number; readonly hasWorked: boolean },
): 'keep' | 'restore' | 'refuse' {
  if (before === undefined || now.version <= before.version) return 'keep';
  return now.hasWorked ? 'refuse' : 'restore';
}

/** Kinds of journal entries without external effect: verdicts of a start can be repeated. */
export const isHarmlessEntry = (kind: string): boolean =>
  /^(marker\.|inbox\.|turn\.recovered$|turn\.state$|run\.planned$|breaker\.)/.test(kind);
