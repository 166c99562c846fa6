import fs from 'node:fs';
import path from 'node:path';
import type { DoctorCheck, DoctorReport, StatusSnapshot } from '../../shared/types';
import { readError } from '../adapters/sqlite/damage';
import { checkIntegrity } from '../adapters/sqlite/maintenance';
import { databasePath } from '../adapters/sqlite/open-database';
import type { FoundBrowser } from '../adapters/browser/find-browser';
import type { LoginEnvironment } from '../adapters/shell/login-environment';
import type { JournalReads } from '../ports/journal/reads';
import type { SettingsPort } from '../ports/settings';
import type { Journal } from '../ports/journal/journal';
import { checksOfPresent, type Present } from './doctor-now';
import { distrustOf } from '../data-trust';
import { sleepGuardWords } from './sleep-guard';

interface DoctorDeps {
  readonly dataDir: string;
  readonly version: string;
  readonly journal: Pick<Journal, 'seq' | 'appliedSeq'>;
  readonly reads: JournalReads;
  readonly settings: SettingsPort;
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly browser: FoundBrowser;
  /** Nothing runs: what is open as running was cut off. */
  readonly isOver: boolean;
  /** Absent where nobody listens for this data: it is only looked at. */
  readonly ports: StatusSnapshot['ports'];
  readonly present: () => Promise<Present>;
}

/** Every check of `holdfast doctor`; `full` adds the integrity check of the whole database. */
export async function runDoctor(deps: DoctorDeps, full: boolean): Promise<DoctorReport> {
  const present = await deps.present();
  const checks: DoctorCheck[] = [
    ...machine(deps.version),
    folder(deps.dataDir),
    journal(deps.journal, present.status.journal.refusal),
    settings(deps.settings),
    space(deps.dataDir),
    login(await deps.loginEnvironment()),
    browser(deps.browser, deps.settings.get('browser.command') !== ''),
    ok('sleep guard', sleepGuardWords(deps.settings.get('shell.sleep_guard'), present.env)),
    open(deps.reads, deps.isOver),
    ...watched(deps),
    ...checksOfPresent(present),
  ];
  if (full) {
    checks.push(integrity(await checkIntegrity(deps.dataDir), deps.dataDir));
  }
  return { version: deps.version, ok: checks.every((check) => check.level !== 'fail'), checks };
}

function integrity(
  report: Awaited<ReturnType<typeof checkIntegrity>>,
  dataDir: string,
): DoctorCheck {
  const name = 'database integrity';
  if (report.isOk) return ok(name, 'The whole database was read: no damage.');
  if (report.isUnread) {
    const { message, hint = '' } = readError(databasePath(dataDir));
    return fail(name, `${message} ${hint}`);
  }
  return fail(
    name,
    `${report.problems.join('; ')}. Stop Holdfast, move holdfast.db away and put the newest file of ${path.join(dataDir, 'backups')} in its place.`,
  );
}

/** What can be checked before the first start; nothing is made by it. */
export async function runEarlyDoctor(
  deps: Pick<DoctorDeps, 'dataDir' | 'version' | 'settings' | 'loginEnvironment' | 'browser'>,
): Promise<DoctorReport> {
  const standing = firstThere(deps.dataDir);
  const checks = [
    ...machine(deps.version),
    folder(standing, deps.dataDir),
    ok('journal', 'Nothing yet: the first start makes it.'),
    settings(deps.settings),
    space(standing),
    login(await deps.loginEnvironment()),
    browser(deps.browser, deps.settings.get('browser.command') !== ''),
  ];
  return { version: deps.version, ok: checks.every((check) => check.level !== 'fail'), checks };
}

/** The folder itself, or the nearest one above it that is there. */
function firstThere(dir: string): string {
  const above = path.dirname(dir);
  return fs.existsSync(dir) || above === dir ? dir : firstThere(above);
}

const machine = (version: string): DoctorCheck[] => [
  ok('version', `Holdfast ${version}, Node ${process.versions.node}, ${runtime()}`),
  ok('system', `${process.platform} ${process.arch}`),
];

const ok = (name: string, detail: string): DoctorCheck => ({ name, ok: true, level: 'ok', detail });
const warn = (name: string, detail: string): DoctorCheck => ({
  name,
  ok: true,
  level: 'warn',
  detail,
});
const fail = (name: string, detail: string): DoctorCheck => ({
  name,
  ok: false,
  level: 'fail',
  detail,
});

function runtime(): string {
  const { electron } = process.versions;
  return electron === undefined ? 'without Electron' : `Electron ${electron}`;
}

function folder(standing: string, dataDir = standing): DoctorCheck {
  const database = databasePath(standing);
  const distrust = distrustOf(dataDir);
  if (distrust !== undefined)
    return fail('data folder', `${distrust.message} ${distrust.hint ?? ''}`.trim().slice(0, 2000));
  try {
    fs.accessSync(standing, fs.constants.W_OK);
    if (fs.existsSync(database) && !isWritable(database))
      return fail('data folder', `${database} cannot be written. Give the file to your account.`);
    return ok(
      'data folder',
      standing === dataDir ? dataDir : `${dataDir} is not there yet: the first start makes it.`,
    );
  } catch {
    return fail('data folder', `${dataDir} cannot be written. Make it writable for your user.`);
  }
}

function isWritable(target: string): boolean {
  try {
    fs.accessSync(target, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function journal(
  written: DoctorDeps['journal'],
  refusal: StatusSnapshot['journal']['refusal'],
): DoctorCheck {
  if (refusal !== undefined) return fail('journal', refusal.message);
  const entries = written.seq();
  const behind = entries - written.appliedSeq();
  return ok(
    'journal',
    `${String(entries)} ${entries === 1 ? 'entry' : 'entries'} on disk, ${String(behind)} behind`,
  );
}

function settings(port: SettingsPort): DoctorCheck {
  const problems = port.problems();
  if (problems.length === 0) return ok('settings', port.path);
  return warn(
    'settings',
    problems
      .map((problem) => problem.message)
      .join(' ')
      .slice(0, 2000),
  );
}

function space(dataDir: string): DoctorCheck {
  try {
    const stat = fs.statfsSync(dataDir);
    const freeMb = Math.floor((stat.bavail * stat.bsize) / 1_000_000);
    return freeMb < 200
      ? warn('disk space', `${String(freeMb)} MB free: new work is refused when it is full.`)
      : ok('disk space', `${String(freeMb)} MB free`);
  } catch {
    return warn('disk space', 'The free space of this disk cannot be read.');
  }
}

function login(environment: LoginEnvironment): DoctorCheck {
  return environment.kind === 'login'
    ? ok(
        'environment of commands',
        `from ${environment.shell}, ${String(Object.keys(environment.env).length)} variables`,
      )
    : warn('environment of commands', `Holdfast's own: ${environment.reason}`);
}

/** Agents do without one; a person who named one that is not there wants to know. */
function browser(found: FoundBrowser, isNamed: boolean): DoctorCheck {
  if (found.kind === 'missing')
    return (isNamed ? warn : ok)('browser', `Agents have none. ${found.reason}`);
  return process.getuid?.() === 0
    ? warn(
        'browser',
        `${found.path}; it runs without its own sandbox, because Holdfast runs as root. Run Holdfast as a plain user.`,
      )
    : ok('browser', found.path);
}

function open(reads: JournalReads, isOver: boolean): DoctorCheck {
  const states = Object.entries(reads.countByState()).map(([state, n]) => [
    state === 'running' && isOver ? 'cut off' : state,
    n,
  ]);
  return ok(
    'open turns',
    states.length === 0
      ? 'none'
      : states.map(([state, n]) => `${String(n)} ${String(state)}`).join(', '),
  );
}

/** Health and metrics while they can be asked; a busy port is named with the one that is used. */
function watched({ settings: port, ports }: DoctorDeps): DoctorCheck[] {
  if (ports === undefined) return [];
  if (!port.get('observability.enabled')) return [ok('health and metrics', 'switched off')];
  const one = (what: 'health' | 'metrics', target: string): DoctorCheck => {
    const asked = port.get(`observability.${what}_port`);
    const real = ports[what];
    if (real === undefined)
      return warn(what, `No port could be opened for it near ${String(asked)}. See the log.`);
    const address = `http://127.0.0.1:${String(real)}${target}`;
    return real === asked || asked === 0
      ? ok(what, address)
      : ok(what, `${address} (${String(asked)} is taken by another program)`);
  };
  return [one('health', '/ready'), one('metrics', '/metrics')];
}
