/** What `holdfast doctor` says about this moment: owner, desktop, keys, the outside, latest errors. Pure. */
import type { VerbOutput } from '../../shared/contract';
import type { DoctorCheck, StatusSnapshot } from '../../shared/types';
import { afterSilence } from '../../shared/silent-holder';

/** Errors older than this are listed without a warning. */
const FRESH_MS = 24 * 3_600_000;
const MAX_ERRORS = 20;
const MAX_ERROR_CHARS = 90;

/** All that is looked at. Facts of the desktop are absent where there is none. */
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

/**
 * Nobody owns the data while Holdfast is stopped: what depends on a running one is left out. Of one
 * that does not answer only that is known.
 */
export function checksOfPresent(present: Present): DoctorCheck[] {
  const { status } = present;
  const isUp = status.phase !== 'stopped' && status.phase !== 'silent';
  return [
    ...(status.phase === 'silent' ? [silentOwner(status)] : []),
    ...(isUp ? [owner(present), ...screen(present), keys(present)] : []),
    outside(status),
    events(status),
    errors(present),
  ];
}

const at = (name: string, level: DoctorCheck['level'], detail: string): DoctorCheck => ({
  name,
  ok: level !== 'fail',
  level,
  detail: detail.slice(0, 2000),
});

function owner({ status, mode }: Present): DoctorCheck {
  const since = new Date(status.startedAtMs).toISOString();
  const how = mode === 'app' ? 'the app' : 'without windows';
  return at(
    'owner',
    'ok',
    `process ${String(status.pid)}, ${how}, ${status.phase}, since ${since}`,
  );
}

const silentOwner = ({ pid, startedAtMs, dataDir }: StatusSnapshot): DoctorCheck =>
  at(
    'owner',
    'fail',
    `process ${String(pid ?? 'not known which')}, since ${new Date(startedAtMs).toISOString()}, holds the data and does not answer. ${afterSilence(dataDir, pid)}`,
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
    return at(
      'keys',
      'ok',
      'from the environment or from files; a keyring is read by the app only',
    );
  if (keyring.isEncrypting && keyring.problem !== undefined)
    return at(
      'keys',
      'warn',
      `${keyring.backend} ${keyring.problem}. The keys that it keeps are not lost; unlock it, then try again.`,
    );
  return keyring.isEncrypting
    ? at('keys', 'ok', `kept by ${keyring.backend}`)
    : at(
        'keys',
        'warn',
        `${keyring.backend} does not encrypt, so keys entered here are kept in memory only. Use an environment variable or a file of mode 0600.`,
      );
}

function outside({ outside: state }: StatusSnapshot): DoctorCheck {
  const open = state?.openBreakers ?? [];
  return open.length === 0
    ? at('breakers', 'ok', 'none is open: calls to the outside go through')
    : at('breakers', 'warn', `not closed: ${open.join(', ')}. See: holdfast breakers list`);
}

function events({ delivery, counts }: StatusSnapshot): DoctorCheck {
  const turns = `${String(counts.queued)} turns queued, ${String(counts.waiting)} waiting`;
  if (delivery === undefined) return at('queues', 'ok', turns);
  const { broker, depth, deadLetters, shed } = delivery;
  const told = `${turns}; events: ${broker === 'local' ? 'no broker is set up' : `broker ${broker}`}, ${String(depth)} on their way, ${String(deadLetters)} dead letters, ${String(shed)} of them shed at the limit`;
  // Of a time when there was a broker: nobody sends them.
  const isStranded = broker === 'local' && depth > 0;
  return at('queues', deadLetters === 0 && !isStranded ? 'ok' : 'warn', told);
}

/** The log is written through the redactor, so its lines can be shown. R1 */
function errors({ logLines, status }: Present): DoctorCheck {
  const found = logLines.flatMap(readError).slice(-MAX_ERRORS);
  if (found.length === 0) return at('latest errors', 'ok', 'none in the log');
  const isFresh = found.some(({ time }) => status.nowMs - Date.parse(time) < FRESH_MS);
  const listed = found.map(({ text, time }) => `${time} ${text}`.slice(0, MAX_ERROR_CHARS));
  return at('latest errors', isFresh ? 'warn' : 'ok', listed.join('; '));
}

function readError(line: string): { readonly time: string; readonly text: string }[] {
  let entry: { level?: unknown; time?: unknown; event?: unknown; facts?: unknown };
  try {
    entry = JSON.parse(line) as typeof entry;
  } catch {
    return []; // Cut off by the end of what was read.
  }
  if (entry.level !== 'error' || typeof entry.time !== 'string') return [];
  const { code, message } = (entry.facts ?? {}) as { code?: unknown; message?: unknown };
  const words = [entry.event, code, message].filter((one) => typeof one === 'string');
  return [{ time: entry.time, text: words.join(' ') }];
}
