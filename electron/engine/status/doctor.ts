/**
 * The output of `holdfast doctor`, from facts about the computer, the data and the current state.
 * Pure.
 */
import { errorText } from '../../../shared/error-messages';
import type { VerbOutput } from '../../../shared/contract';
import { withoutOwner } from '../../../shared/owner-words';
import { SETTINGS } from '../../../shared/settings';
import { afterSilence } from '../../../shared/silent-holder';
import type { DoctorCheck, DoctorReport, StatusSnapshot } from '../../../shared/types';
import type { DoctorFacts } from '../../ports/doctor';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { SettingsPort } from '../../ports/settings';

/** Errors older than this are listed without a warning. */
const FRESH_MS = 24 * 3_600_000;
const MAX_ERRORS = 20;
const MAX_ERROR_CHARS = 90;
const MAX_DETAIL = 2000;
/** Below this, new work is rejected. */
const LITTLE_SPACE_MB = 200;

/** The inputs of every check, available even before the first start. */
interface EarlyDoctorDeps {
  readonly version: string;
  readonly facts: DoctorFacts;
  readonly settings: SettingsPort;
  /** Removes every known secret from a text. */
  readonly hide: (text: string) => string;
}

/** The same with data and a running engine. */
export interface DoctorDeps extends EarlyDoctorDeps {
  readonly journal: Pick<Journal, 'seq' | 'appliedSeq'>;
  readonly reads: Pick<JournalReads, 'countByState'>;
  /** State of the guard against commands that only wait. */
  readonly sleepGuard: () => string;
  /** Nothing runs, so a turn that is open as running was interrupted. */
  readonly isOver: () => boolean;
  /** Absent if no process listens for this data: it is only inspected. */
  readonly ports?: StatusSnapshot['ports'];
  readonly present: () => Promise<Present>;
}

/** All inputs of the checks. Desktop facts are absent without a desktop. */
export interface Present {
  readonly status: StatusSnapshot;
  readonly mode: 'app' | 'headless';
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly desktop?: Pick<VerbOutput<'app.info'>, 'tray' | 'notifications'>;
  readonly keyring?: {
    readonly backend: string;
    readonly isEncrypting: boolean;
    readonly problem: string | undefined;
  };
  /** The end of the log, one JSON object each, oldest first. */
  readonly logLines: readonly string[];
}

/** A request to the doctor. */
interface Wish {
  /** Adds the integrity check of the whole database. */
  readonly isFull: boolean;
  /**
   * The report leaves this computer: it must not contain text written by a person, program or
   * provider, a known secret, or anything that names the account. R2, UP-04
   */
  readonly isToShare: boolean;
}

/** Every check. */
export async function runDoctor(
  deps: DoctorDeps,
  { isFull, isToShare }: Wish,
): Promise<DoctorReport> {
  const { facts, settings } = deps;
  const present = await deps.present();
  const folder = facts.folder();
  return reportOf(deps, isToShare, [
    ...machine(deps),
    dataFolder(folder),
    journal(deps.journal, present.status.journal.refusal),
    inForce(settings, isToShare),
    space(folder.freeBytes),
    commandEnvironment(await facts.commandEnvironment()),
    browser(deps, isToShare),
    at('sleep guard', 'ok', deps.sleepGuard()),
    openTurns(deps.reads, deps.isOver()),
    ...watched(deps),
    ...checksOfPresent(present, isToShare),
    ...(isFull ? [integrity(await facts.integrity())] : []),
  ]);
}

/** Checks that work before the first start; they create nothing. */
export async function runEarlyDoctor(
  deps: EarlyDoctorDeps,
  isToShare: boolean,
): Promise<DoctorReport> {
  const folder = deps.facts.folder();
  return reportOf(deps, isToShare, [
    ...machine(deps),
    dataFolder(folder),
    at('journal', 'ok', 'Not found yet: the first start creates it.'),
    inForce(deps.settings, isToShare),
    space(folder.freeBytes),
    commandEnvironment(await deps.facts.commandEnvironment()),
    browser(deps, isToShare),
  ]);
}

const reportOf = (
  { version, facts, hide }: EarlyDoctorDeps,
  isToShare: boolean,
  checks: DoctorCheck[],
): DoctorReport => ({
  version,
  ok: checks.every(({ level }) => level !== 'fail'),
  checks: checks.map((check) => ({
    ...check,
    detail: isToShare ? withoutOwner(hide(check.detail), facts.machine.owner) : hide(check.detail),
  })),
});

const at = (name: string, level: DoctorCheck['level'], detail: string): DoctorCheck => ({
  name,
  ok: level !== 'fail',
  level,
  detail: detail.slice(0, MAX_DETAIL),
});

function machine({ version, facts }: EarlyDoctorDeps): DoctorCheck[] {
  const { node, electron, platform, arch } = facts.machine;
  const runtime = electron === undefined ? 'without Electron' : `Electron ${electron}`;
  return [
    at('version', 'ok', `Holdfast ${version}, Node ${node}, ${runtime}`),
    at('system', 'ok', `${platform} ${arch}`),
  ];
}

function dataFolder(folder: ReturnType<DoctorFacts['folder']>): DoctorCheck {
  const name = 'data folder';
  const { path, database } = folder;
  if (folder.distrust !== undefined) return at(name, 'fail', folder.distrust);
  if (!folder.isWritable)
    return at(name, 'fail', `${path} cannot be written. Make it writable for your user.`);
  if (database?.isWritable === false)
    return at(name, 'fail', `${database.path} cannot be written. Give the file to your account.`);
  return at(
    name,
    'ok',
    folder.isThere ? path : `${path} does not exist yet: the first start creates it.`,
  );
}

function journal(
  written: DoctorDeps['journal'],
  refusal: StatusSnapshot['journal']['refusal'],
): DoctorCheck {
  if (refusal !== undefined) return at('journal', 'fail', refusal.message);
  const entries = written.seq();
  const behind = entries - written.appliedSeq();
  return at(
    'journal',
    'ok',
    `${String(entries)} ${entries === 1 ? 'entry' : 'entries'} on disk, ${String(behind)} behind`,
  );
}

/**
 * A message quotes the file's content, where a user may have pasted a key, so only its position is
 * shared.
 */
function inForce(settings: SettingsPort, isToShare: boolean): DoctorCheck {
  const problems = settings.problems();
  if (problems.length === 0) return at('settings', 'ok', settings.path);
  if (!isToShare) return at('settings', 'warn', problems.map(({ message }) => message).join(' '));
  const places = problems.map(({ key, line }) =>
    [
      key !== undefined && Object.hasOwn(SETTINGS, key) ? key : 'the file',
      ...(line === undefined ? [] : [`line ${String(line)}`]),
    ].join(', '),
  );
  return at('settings', 'warn', `cannot be used as written: ${places.join('; ')}`);
}

function space(freeBytes: number | undefined): DoctorCheck {
  const name = 'disk space';
  if (freeBytes === undefined)
    return at(name, 'warn', 'The free space of this disk cannot be read.');
  const freeMb = Math.floor(freeBytes / 1_000_000);
  return freeMb < LITTLE_SPACE_MB
    ? at(name, 'warn', `${String(freeMb)} MB free: new work is rejected when the disk is full.`)
    : at(name, 'ok', `${String(freeMb)} MB free`);
}

function commandEnvironment(
  found: Awaited<ReturnType<DoctorFacts['commandEnvironment']>>,
): DoctorCheck {
  const name = 'environment of commands';
  return found.kind === 'login'
    ? at(name, 'ok', `from ${found.shell}, ${String(found.variables)} variables`)
    : at(name, 'warn', `Holdfast's own: ${found.reason}`);
}

/** Agents work without a browser; a user who configured a missing one needs to know. */
function browser({ facts, settings }: EarlyDoctorDeps, isToShare: boolean): DoctorCheck {
  const found = facts.browser();
  const isNamed = settings.get('browser.command') !== '';
  if (found.kind === 'missing') {
    // The reason quotes the setting.
    const reason = isToShare && isNamed ? 'browser.command names no program.' : found.reason;
    return at('browser', isNamed ? 'warn' : 'ok', `Agents have none. ${reason}`);
  }
  return facts.machine.isRoot
    ? at(
        'browser',
        'warn',
        `${found.path}; it runs without its own sandbox, because Holdfast runs as root. Run Holdfast as a regular user.`,
      )
    : at('browser', 'ok', found.path);
}

function openTurns(reads: DoctorDeps['reads'], isOver: boolean): DoctorCheck {
  const states = Object.entries(reads.countByState()).map(
    ([state, count]) => `${String(count)} ${state === 'running' && isOver ? 'interrupted' : state}`,
  );
  return at('open turns', 'ok', states.length === 0 ? 'none' : states.join(', '));
}

/** Health and metrics while they can be queried; for a busy port, names the one in use. */
function watched({ settings, ports }: DoctorDeps): DoctorCheck[] {
  if (ports === undefined) return [];
  if (!settings.get('observability.enabled'))
    return [at('health and metrics', 'ok', 'switched off')];
  const one = (what: 'health' | 'metrics', target: string): DoctorCheck => {
    const asked = settings.get(`observability.${what}_port`);
    const real = ports[what];
    if (real === undefined)
      return at(what, 'warn', `No port could be opened near ${String(asked)}. See the log.`);
    const address = `http://127.0.0.1:${String(real)}${target}`;
    const isElsewhere = real !== asked && asked !== 0;
    return at(
      what,
      'ok',
      isElsewhere ? `${address} (${String(asked)} is in use by another program)` : address,
    );
  };
  return [one('health', '/ready'), one('metrics', '/metrics')];
}

function integrity({
  isOk,
  unread,
  problems,
  backups,
}: Awaited<ReturnType<DoctorFacts['integrity']>>): DoctorCheck {
  const name = 'database integrity';
  if (isOk) return at(name, 'ok', 'The whole database was read: no damage.');
  return at(
    name,
    'fail',
    unread ??
      `${problems.join('; ')}. Stop Holdfast, move holdfast.db away and put the newest file of ${backups} in its place.`,
  );
}

/**
 * While Holdfast is stopped, checks that need a running one are skipped. If it does not respond,
 * only that is known.
 */
export function checksOfPresent(present: Present, isToShare: boolean): DoctorCheck[] {
  const { status } = present;
  const isUp = status.phase !== 'stopped' && status.phase !== 'silent';
  return [
    ...(status.phase === 'silent' ? [silentOwner(status)] : []),
    ...(status.programChanged ? [programFiles] : []),
    ...(isUp ? [owner(present), ...screen(present), keys(present)] : []),
    outside(status),
    events(status),
    errors(present, isToShare),
  ];
}

function owner({ status, mode }: Present): DoctorCheck {
  const since = new Date(status.startedAtMs).toISOString();
  const how = mode === 'app' ? 'the app' : 'without windows';
  return at(
    'owner',
    'ok',
    `process ${String(status.pid)}, ${how}, ${status.phase}, since ${since}`,
  );
}

const programFiles = at('program files', 'fail', errorText('PROGRAM_CHANGED'));

const silentOwner = ({ pid, startedAtMs, dataDir }: StatusSnapshot): DoctorCheck =>
  at(
    'owner',
    'fail',
    `process ${String(pid ?? 'unknown')}, since ${new Date(startedAtMs).toISOString()}, is using the data and is not responding. ${afterSilence(dataDir, pid)}`,
  );

function screen({ desktop, env }: Present): DoctorCheck[] {
  if (desktop === undefined) return [];
  const kind = [env['XDG_CURRENT_DESKTOP'], env['XDG_SESSION_TYPE']].filter(Boolean).join(', ');
  const lacks = [desktop.tray, desktop.notifications].filter(({ available }) => !available);
  const said =
    lacks.length === 0 ? ['tray icon and notifications'] : lacks.map((one) => one.reason);
  const detail = [...(kind === '' ? [] : [`${kind}:`]), ...said].join(' ');
  return [at('desktop', lacks.length === 0 ? 'ok' : 'warn', detail)];
}

function keys({ keyring }: Present): DoctorCheck {
  if (keyring === undefined)
    return at('keys', 'ok', 'from the environment or from files; only the app reads a keyring');
  if (keyring.isEncrypting && keyring.problem !== undefined)
    return at(
      'keys',
      'warn',
      `${keyring.backend} ${keyring.problem}. Its stored API keys are not lost; unlock it, then try again.`,
    );
  return keyring.isEncrypting
    ? at('keys', 'ok', `stored in ${keyring.backend}`)
    : at(
        'keys',
        'warn',
        `${keyring.backend} does not encrypt, so API keys entered here are stored in memory only. Use an environment variable or a file of mode 0600.`,
      );
}

function outside({ outside: state }: StatusSnapshot): DoctorCheck {
  const open = state?.openBreakers ?? [];
  return open.length === 0
    ? at('breakers', 'ok', 'all closed: calls to external services go through')
    : at('breakers', 'warn', `not closed: ${open.join(', ')}. See: holdfast breakers list`);
}

function events({ delivery, counts }: StatusSnapshot): DoctorCheck {
  const turns = `${String(counts.queued)} turns queued, ${String(counts.waiting)} waiting`;
  if (delivery === undefined) return at('queues', 'ok', turns);
  const { broker, depth, deadLetters, shed } = delivery;
  const told = `${turns}; events: ${broker === 'local' ? 'no event broker is configured' : `broker ${broker}`}, ${String(depth)} queued, ${String(deadLetters)} dead letters, ${String(shed)} of them dropped because the queue was full`;
  // Events from when a broker was configured: these are no longer sent.
  const isStranded = broker === 'local' && depth > 0;
  return at('queues', deadLetters === 0 && !isStranded ? 'ok' : 'warn', told);
}

/** The log is written through the redactor, so its lines can be shown. R1 */
function errors({ logLines, status }: Present, isToShare: boolean): DoctorCheck {
  const found = logLines.flatMap((line) => readError(line, isToShare)).slice(-MAX_ERRORS);
  if (found.length === 0) return at('latest errors', 'ok', 'none in the log');
  const isFresh = found.some(({ time }) => status.nowMs - Date.parse(time) < FRESH_MS);
  const listed = found.map(({ text, time }) => `${time} ${text}`.slice(0, MAX_ERROR_CHARS));
  return at('latest errors', isFresh ? 'warn' : 'ok', listed.join('; '));
}

/** A word chosen by this program: an event name, a code, the name of an error. */
const isOwnWord = (word: unknown): word is string =>
  typeof word === 'string' && /^[A-Za-z][A-Za-z_.]{0,60}$/.test(word);

function readError(
  line: string,
  isToShare: boolean,
): { readonly time: string; readonly text: string }[] {
  let entry: { level?: unknown; time?: unknown; event?: unknown; facts?: unknown };
  try {
    entry = JSON.parse(line) as typeof entry;
  } catch {
    return []; // Truncated by the end of the part that was read.
  }
  if (entry.level !== 'error' || typeof entry.time !== 'string') return [];
  const facts = (entry.facts ?? {}) as Record<'code' | 'message' | 'error', unknown>;
  const { code, message } = facts;
  if (isToShare) {
    // The message may quote a provider, a program or a prompt.
    const error = (facts.error ?? {}) as Record<'code' | 'name', unknown>;
    const own = [entry.event, code, error.name, error.code].filter(isOwnWord);
    const isTime = !Number.isNaN(Date.parse(entry.time));
    return isTime ? [{ time: new Date(entry.time).toISOString(), text: own.join(' ') }] : [];
  }
  const words = [entry.event, code, message].filter((one) => typeof one === 'string');
  return [{ time: entry.time, text: words.join(' ') }];
}
