import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeMissingFolders } from '../../disk/missing-folders';
import type { Redactor } from '../../../shared/redact';
import { createRedactor, isSecretKey } from '../../../shared/redact';
import type { Basics } from '../../engine/kernel/basics';
import type { Audit, LogFacts } from '../../ports/log';
import { escapeLine } from './log';

/** The audit of a data directory. */
export interface FileAudit extends Audit {
  /** Lines that never reached the disk since the start. */
  lost(): number;
  /** Flushes and closes. */
  close(): Promise<void>;
}

interface AuditOptions extends Pick<Basics, 'clock' | 'log'> {
  /** `D/audit`; created with the first record. */
  readonly dir: string;
  /** The redactor that knows the secrets; by default a new one. */
  readonly redactor?: Redactor;
}

/** Never through a link, which could lead to another account's file. Windows has no such flag. */
const APPEND =
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_RDWR |
  ((constants as Partial<typeof constants>).O_NOFOLLOW ?? 0);

/** Lines that may wait for the disk; more are counted as lost. */
const MAX_PENDING = 10_000;
const BATCH = 500;
/**
 * Records that arrive within this time share one write; under load that is hundreds. A kill loses
 * no more than these: the actions are in the journal, which recovery reads.
 */
const GATHER_MS = 50;
/** Characters of a batch searched for secrets between two pauses. */
const PIECE_CHARS = 64 * 1024;
/** Maximum texts remembered as checked. */
const MAX_TRIED = 1_000;
/** Texts up to this length need no cutting. */
const PLAIN_TEXT_CHARS = 200;

/**
 * A queued record. It becomes text when it is written: a batch costs a fraction of single records,
 * between the steps of a turn.
 */
interface Pending {
  readonly atMs: number;
  readonly event: string;
  /** Unchanged if few and short; otherwise already redacted and truncated. */
  readonly facts: unknown;
  readonly isRedacted: boolean;
  /** Records that found the queue full after this one. */
  lostAfter: number;
}

/**
 * `<YYYY-MM>.jsonl`, one line per record: `{"n":…,"at":…,"event":…,"facts":{…}}`. `n` keeps
 * counting across restarts and months; a gap in it is a lost line, and `audit.lines_lost` has the
 * number. Append-only: nothing here ever shortens or removes a file. Row S4-33.
 */
export function createAudit(options: AuditOptions): FileAudit {
  const { dir, clock, log } = options;
  const redactor = options.redactor ?? createRedactor();
  const pending: Pending[] = [];
  let pump: Promise<void> | undefined;
  /** Ends the gathering of the running pump at once. */
  let hurry: (() => void) | undefined;
  /** A caller waits for the file: batching is off until the pump has ended. */
  let isHurried = false;
  let timeText = { ms: Number.NaN, at: '' };
  const plainKeys = new Map<string, boolean>();
  /** Texts without anything to hide, as known now: forgotten with every new secret. */
  const cleanTexts = new Map<string, boolean>();
  let secretsKnown = 0;
  let next: number | undefined;
  let file: { readonly month: string; readonly handle: FileHandle } | undefined;
  let isTorn = false;
  let lost = 0;
  /** Lost lines that the file does not mention yet. */
  let owed = 0;
  let isFailing = false;

  function timeOf({ atMs }: Pending): string {
    if (atMs !== timeText.ms) timeText = { ms: atMs, at: new Date(atMs).toISOString() };
    return timeText.at;
  }

  const monthOf = (record: Pending): string => timeOf(record).slice(0, 7);

  /** `value` may be a secret because of its sibling name, and `…tokens` because of its content. */
  function isPlainKey(key: string): boolean {
    const known = plainKeys.get(key);
    if (known !== undefined) return known;
    const isNow = key !== 'value' && !/tokens$/i.test(key) && !isSecretKey(key);
    if (plainKeys.size < 1_000) plainKeys.set(key, isNow);
    return isNow;
  }

  function isPlainText(text: string): boolean {
    return cleanTexts.get(text) ?? (text.length <= PLAIN_TEXT_CHARS && !/["\\]/.test(text));
  }

  /**
   * True for flat facts with nothing to hide by key, to truncate or to escape: the redactor then
   * only needs to check the values and the finished line. Two of three records are of this kind,
   * one before and one after each step.
   */
  function isPlain(facts: LogFacts): boolean {
    for (const key in facts) {
      const value = facts[key];
      const fits =
        typeof value === 'string'
          ? isPlainText(value)
          : typeof value === 'number'
            ? Number.isFinite(value)
            : typeof value === 'boolean';
      if (!fits || !isPlainKey(key)) return false;
    }
    return true;
  }

  /**
   * True for a text that may be written unchanged. It is also tried as a name before a value,
   * because some patterns match a name and hide what follows it.
   */
  function isCleanText(text: string): boolean {
    const known = cleanTexts.get(text);
    if (known !== undefined) return known;
    const tried = `"${text}":"0000000000"`;
    const isNow = escapeLine(redactor.redactText(tried)) === tried;
    cleanTexts.set(text, isNow);
    return isNow;
  }

  /** Results are cached until a new secret is learned: a batch is a few lines on a slow disk. */
  function forgetTried(): void {
    const isSame = secretsKnown === redactor.known() && cleanTexts.size < MAX_TRIED;
    if (isSame) return;
    secretsKnown = redactor.known();
    cleanTexts.clear();
  }

  /** Most lines contain recurring texts and small numbers, which need no search. */
  function isClean(event: string, facts: LogFacts): boolean {
    if (!isCleanText(event)) return false;
    for (const key in facts) {
      const value = facts[key];
      if (!isCleanText(key)) return false;
      if (typeof value === 'string' && !isCleanText(value)) return false;
      // Shorter than any secret that the redactor learns.
      if (typeof value === 'number' && !(Number.isInteger(value) && Math.abs(value) < 100_000))
        return false;
    }
    return true;
  }

  function pendingOf(event: string, facts: LogFacts): Pending {
    const isKept = isShort(facts);
    return {
      atMs: clock.nowMs(),
      event: event.slice(0, 200),
      facts: isKept ? { ...facts } : redactor.redact(facts),
      isRedacted: !isKept,
      lostAfter: 0,
    };
  }

  function lineOf(record: Pending, number: number): string {
    const { event, isRedacted } = record;
    const facts = record.facts as LogFacts;
    const isFlat = !isRedacted && isPlain(facts);
    const shown = isFlat || isRedacted ? facts : redactor.redact(facts);
    const json = JSON.stringify({ n: number, at: timeOf(record), event, facts: shown });
    // A line that may contain a secret by value, or an active character, is redacted as a whole.
    return isFlat && isClean(event, facts) ? json : escapeLine(redactor.redactText(json));
  }

  /** With pauses: the facts of a whole batch may be crafted to be slow to search for secrets. */
  async function linesOf(records: readonly Pending[], first: number): Promise<readonly string[]> {
    const lines: string[] = [];
    let chars = 0;
    forgetTried();
    for (const record of records) {
      if (chars >= PIECE_CHARS) {
        await new Promise((resolve) => setImmediate(resolve));
        // A secret may have been learned in between.
        forgetTried();
        chars = 0;
      }
      const line = lineOf(record, first + lines.length);
      chars += line.length;
      lines.push(line);
    }
    return lines;
  }

  async function fileFor(month: string): Promise<FileHandle> {
    if (file?.month === month) return file.handle;
    await closeFile();
    makeMissingFolders(dir);
    next ??= (await lastNumber(dir)) + 1;
    const handle = await open(join(dir, `${month}.jsonl`), APPEND, 0o600);
    file = { month, handle };
    const facts = await handle.stat();
    if (facts.isFile() && (facts.mode & 0o077) !== 0) await handle.chmod(0o600);
    isTorn = false;
    // A process that died during a write leaves half a line, so the next line starts separately.
    if (facts.isFile() && facts.size > 0) {
      const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, facts.size - 1);
      isTorn = buffer[0] !== 0x0a;
    }
    return handle;
  }

  async function closeFile(): Promise<void> {
    const handle = file?.handle;
    file = undefined;
    // The lines are with the operating system already; a failing close changes nothing.
    await handle?.close().catch(() => undefined);
  }

  async function writeBatch(month: string, batch: readonly Pending[]): Promise<void> {
    const missing = owed;
    const reports = missing > 0 ? 1 : 0;
    let bytes = Buffer.alloc(0);
    let done = 0;
    let wasTorn = isTorn;
    // Lost lines keep their numbers, so the gap is as long as reported.
    let firstNumber = 0;
    try {
      const handle = await fileFor(month);
      wasTorn = isTorn;
      firstNumber = (next ?? 1) + missing;
      const report = reports === 1 ? [pendingOf('audit.lines_lost', { lost: missing })] : [];
      const lines = await linesOf([...report, ...batch], firstNumber);
      bytes = Buffer.from(`${wasTorn ? '\n' : ''}${lines.join('\n')}\n`);
      while (done < bytes.length) done += (await handle.write(bytes, done)).bytesWritten;
      isTorn = false;
      owed -= missing;
      next = firstNumber + lines.length;
      isFailing = false;
    } catch (error) {
      // Never an input to recovery, so never a reason to stop: count, report once, continue.
      const ends = bytes.subarray(0, done).toString('utf8').split('\n').length - 1;
      const whole = Math.max(0, ends - (wasTorn ? 1 : 0));
      if (whole > 0) {
        owed -= missing;
        next = firstNumber + whole;
      }
      if (done > 0) isTorn = bytes[done - 1] !== 0x0a;
      const gone = batch.length - Math.max(0, whole - reports);
      lost += gone;
      owed += gone;
      await closeFile();
      if (!isFailing) log.warn('audit.write_failed', { error, lost });
      isFailing = true;
    }
  }

  /** Resolves after a moment, or as soon as a caller waits for the file. */
  function gathered(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS);
      hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function run(): Promise<void> {
    for (;;) {
      // Each round batches: otherwise steady work would cost one write per line.
      if (!isHurried && pending.length < BATCH) await gathered();
      const first = pending[0];
      if (first === undefined) break;
      const month = monthOf(first);
      const end = pending.findIndex(
        (record, index) =>
          index >= BATCH || monthOf(record) !== month || (pending[index - 1]?.lostAfter ?? 0) > 0,
      );
      const batch = pending.splice(0, end === -1 ? pending.length : end);
      await writeBatch(month, batch);
      owed += batch.at(-1)?.lostAfter ?? 0;
    }
    pump = undefined;
    isHurried = false;
  }

  async function finish(): Promise<void> {
    while (pump !== undefined) {
      isHurried = true;
      hurry?.();
      await pump;
    }
  }

  return {
    record(event, facts) {
      const last = pending.at(-1);
      if (last !== undefined && pending.length >= MAX_PENDING) {
        last.lostAfter += 1;
        lost += 1;
        return;
      }
      pending.push(pendingOf(event, facts));
      pump ??= run();
    },
    async flush() {
      await finish();
    },
    lost: () => lost,
    async close() {
      await finish();
      await closeFile();
    },
  };
}

/** True for facts that may be queued unchanged: nothing in them is long or can change meanwhile. */
function isShort(facts: LogFacts): boolean {
  for (const key in facts) {
    const value = facts[key];
    if (typeof value === 'string' ? value.length > PLAIN_TEXT_CHARS : isOpen(value)) return false;
  }
  return true;
}

const isOpen = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The number of the last complete line of the newest file, 0 if there is none. */
async function lastNumber(dir: string): Promise<number> {
  const names = (await readdir(dir)).filter((name) => /^\d{4}-\d{2}\.jsonl$/.test(name)).sort();
  for (const name of names.reverse()) {
    const handle = await open(join(dir, name), 'r');
    try {
      const facts = await handle.stat();
      if (!facts.isFile()) continue;
      const length = Math.min(facts.size, 262_144);
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, facts.size - length);
      const found = buffer
        .toString('utf8')
        .split('\n')
        .map((line) => /^\{"n":(\d{1,15}),/.exec(line)?.[1])
        .findLast((n) => n !== undefined);
      if (found !== undefined) return Number(found);
    } finally {
      await handle.close();
    }
  }
  return 0;
}
