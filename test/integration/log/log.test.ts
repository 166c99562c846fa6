import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import type { FileAudit } from '../../../electron/adapters/log/audit';
import type { FileLog, LogOptions } from '../../../electron/adapters/log/log';
import { createAudit } from '../../../electron/adapters/log/audit';
import { createLog } from '../../../electron/adapters/log/log';
import type { Clock } from '../../../electron/ports/clock';
import { createRedactor } from '../../../shared/redact';
import { mountSmallDisk } from '../../helpers/small-disk';

const START_MS = Date.UTC(2025, 0, 31, 23, 59, 0);
let dir: string;
let nowMs: number;
const clock: Clock = {
  nowMs: () => nowMs,
  monotonicMs: () => nowMs,
  sleep: () => Promise.resolve(),
};
const logs: FileLog[] = [];
const audits: FileAudit[] = [];
const unmounts: (() => void)[] = [];

beforeEach(() => {
  nowMs = START_MS;
  dir = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
});

afterEach(async () => {
  for (const log of logs.splice(0)) log.close();
  for (const audit of audits.splice(0)) await audit.close();
  for (const unmount of unmounts.splice(0)) unmount();
  rmSync(dir, { recursive: true, force: true });
});

function openLog(options: Partial<LogOptions> = {}): FileLog {
  const log = createLog({ dir: join(dir, 'logs'), level: 'info', clock, ...options });
  logs.push(log);
  return log;
}

function openAudit(log = openLog()): FileAudit {
  const audit = createAudit({ dir: join(dir, 'audit'), clock, log });
  audits.push(audit);
  return audit;
}

type Line = {
  n: number;
  level: string;
  time: string;
  at: string;
  event: string;
  facts: Record<string, unknown>;
};
const lines = (path: string): Line[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

/** Without what was cut off in the middle. */
const wholeLines = (path: string): Line[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line);

/** A disk that can be filled to the last byte at `<dir>/disk`; where there can be none it skips. */
function smallDiskOr(context: TestContext) {
  const at = join(dir, 'disk');
  mkdirSync(at);
  const disk = mountSmallDisk(at, 256);
  if (disk.kind === 'refused') return context.skip(`no tmpfs here: ${disk.problem}`);
  unmounts.push(disk.unmount);
  const filler = join(at, 'filler');
  return {
    at,
    fill() {
      const fd = openSync(filler, 'w');
      try {
        for (;;) writeSync(fd, Buffer.alloc(4096));
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
      } finally {
        closeSync(fd);
      }
    },
    empty() {
      unlinkSync(filler);
    },
  };
}

describe('log', () => {
  it('R4 writes one JSON line per event with level, time, event and facts, mode 0600', () => {
    const log = openLog();
    expect(existsSync(log.path)).toBe(false);
    log.info('turn.started', { turnId: 7, tokens_used: 12 });
    log.warn('plain');
    expect(lines(log.path)).toEqual([
      {
        level: 'info',
        time: '2025-01-31T23:59:00.000Z',
        facts: { turnId: 7, tokens_used: 12 },
        event: 'turn.started',
      },
      { level: 'warn', time: '2025-01-31T23:59:00.000Z', event: 'plain' },
    ]);
    expect(statSync(log.path).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'logs')).mode & 0o777).toBe(0o700);
  });

  it('R4 takes back permissions that an older file gives to others', () => {
    mkdirSync(join(dir, 'logs'));
    writeFileSync(join(dir, 'logs', 'holdfast.log'), '');
    chmodSync(join(dir, 'logs', 'holdfast.log'), 0o644);
    const log = openLog();
    log.info('x');
    expect(statSync(log.path).mode & 0o777).toBe(0o600);
  });

  it('applies a changed level at once', () => {
    const log = openLog();
    log.debug('before');
    log.setLevel('debug');
    log.debug('after');
    log.setLevel('error');
    log.warn('quiet');
    expect(lines(log.path).map((line) => line.event)).toEqual(['after']);
  });

  it('R4 no text can start a line, color a terminal or forge a field', () => {
    const log = openLog();
    const hostile =
      'a\n{"level":"error","event":"forged"}\r\u001b[2J\u009b31m\u2028\u202egnp.exe\u200b\u0000%s%o';
    log.info(hostile, {
      text: hostile,
      level: 'fatal',
      time: 'never',
      event: 'forged',
      [hostile]: 1,
    });
    const raw = readFileSync(log.path, 'utf8');
    expect(raw.trimEnd().split('\n')).toHaveLength(1);
    expect(raw.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e\u200b]/);
    const [line] = lines(log.path);
    expect(line?.level).toBe('info');
    expect(line?.event).toBe(hostile);
    expect(line?.facts['text']).toBe(hostile);
  });

  it('R4 caps a field at 8 KB and a line at 10,000 characters, still JSON', async () => {
    const log = openLog();
    log.info('one', { text: 'x'.repeat(1_000_000) });
    log.info(
      'many',
      Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${String(n)}`, 'y'.repeat(8000)])),
    );
    log.info('e'.repeat(5000));
    const raw = readFileSync(log.path, 'utf8').trimEnd().split('\n');
    for (const line of raw) expect(line.length).toBeLessThan(10_000);
    const [one, many, long] = lines(log.path);
    expect((one?.facts['text'] as string).length).toBeLessThan(8300);
    expect(many?.facts['characters']).toBeGreaterThan(10_000);
    expect(long?.event).toHaveLength(200);
    expect((await log.tail(5)).map((line) => (JSON.parse(line) as Line).event.slice(0, 4))).toEqual(
      ['one', 'many', 'eeee'],
    );
  });

  it('R4 rotates at the size: 5 files of at most 2,000 bytes, the newest lines kept, all 0600', async () => {
    const log = openLog({ rotation: { maxBytes: 2000, files: 5 } });
    for (let n = 0; n < 300; n += 1) log.info('tick', { n });
    const names = readdirSync(join(dir, 'logs')).sort();
    expect(names).toEqual([
      'holdfast.1.log',
      'holdfast.2.log',
      'holdfast.3.log',
      'holdfast.4.log',
      'holdfast.log',
    ]);
    const numbers: unknown[] = [];
    for (const n of [4, 3, 2, 1, 0]) {
      const path = join(dir, 'logs', n === 0 ? 'holdfast.log' : `holdfast.${String(n)}.log`);
      expect(statSync(path).size).toBeLessThanOrEqual(2000);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      numbers.push(...lines(path).map((line) => line.facts['n']));
    }
    expect(numbers).toEqual(
      Array.from({ length: numbers.length }, (_, n) => 300 - numbers.length + n),
    );
    expect(numbers.length).toBeGreaterThan(90);
    const tail = (await log.tail(60)).map((line) => (JSON.parse(line) as Line).facts['n']);
    expect(tail).toEqual(Array.from({ length: 60 }, (_, n) => 240 + n));
    expect(await log.tail(0)).toEqual([]);
  });

  it('R4 at default a file ends before 10,000,000 bytes, and 5 are kept', () => {
    const current = join(dir, 'logs', 'holdfast.log');
    const sizes = (): readonly number[] =>
      readdirSync(join(dir, 'logs')).map((name) => statSync(join(dir, 'logs', name)).size);
    for (let start = 0; start < 7; start += 1) {
      const log = openLog();
      log.info('first', { start });
      log.close();
      // A file with a hole is as long as a full one and costs nothing.
      truncateSync(current, 9_999_990);
    }
    expect(sizes()).toEqual([9_999_990, 9_999_990, 9_999_990, 9_999_990, 9_999_990]);
    truncateSync(current, 9_000_000);
    const log = openLog();
    log.info('fits');
    log.close();
    expect(sizes().filter((size) => size !== 9_999_990)).toEqual([expect.any(Number)]);
  });

  it('goes on in the same file after a restart, within the same bounds', () => {
    const rotation = { maxBytes: 1000, files: 2 };
    for (let start = 0; start < 10; start += 1) {
      const log = openLog({ rotation });
      for (let n = 0; n < 5; n += 1) log.info('tick', { start, n });
      log.close();
    }
    expect(statSync(join(dir, 'logs', 'holdfast.log')).size).toBeLessThanOrEqual(1000);
    expect(readdirSync(join(dir, 'logs'))).toHaveLength(2);
  });

  it('makes a new file within 5 s of the old one being removed', () => {
    const log = openLog();
    log.info('one');
    unlinkSync(log.path);
    nowMs += 5000;
    log.info('two');
    expect(lines(log.path).map((line) => line.event)).toEqual(['two']);
  });

  it('K5 a link put in its place while it runs is not written through: at its next look, and at a rotation', () => {
    const log = openLog();
    const theirs = join(dir, 'theirs');
    writeFileSync(theirs, 'kept\n');
    log.info('one');
    unlinkSync(log.path);
    symlinkSync(theirs, log.path);
    nowMs += 5000;
    log.info('two');
    expect([readFileSync(theirs, 'utf8'), log.lost()]).toEqual(['kept\n', 1]);
    unlinkSync(log.path);
    log.info('three');
    expect(lines(log.path).map((line) => line.event)).toEqual(['log.lines_lost', 'three']);
  });

  it('a disk that takes nothing costs lines, which are counted and reported when it does again', () => {
    const log = openLog();
    mkdirSync(join(dir, 'logs'));
    symlinkSync('/dev/full', log.path);
    for (let n = 0; n < 3; n += 1) log.error('lost', { n });
    expect(log.lost()).toBe(3);
    unlinkSync(log.path);
    log.info('works');
    expect(lines(log.path).map((line) => [line.event, line.facts])).toEqual([
      ['log.lines_lost', { lost: 3 }],
      ['works', undefined],
    ]);
  });

  it('S4-17 on a disk that is full (ENOSPC) lines are lost, also one that fits in part; they are counted, and reported when it has space again', (context) => {
    const disk = smallDiskOr(context);
    const log = openLog({ dir: join(disk.at, 'logs') });
    log.info('first');
    disk.fill();
    // What is left of the page of the first line takes some more, and the last one in part.
    let fitted = -1;
    for (; log.lost() === 0; fitted += 1) log.error('more', { text: 'x y '.repeat(200) });
    for (let n = 0; n < 2; n += 1) log.error('lost', { n });
    expect(log.lost()).toBe(3);
    expect(readFileSync(log.path, 'utf8').endsWith('\n')).toBe(false);
    disk.empty();
    log.info('works');
    expect(wholeLines(log.path).map((line) => line.event)).toEqual([
      'first',
      ...Array.from({ length: fitted }, () => 'more'),
      'log.lines_lost',
      'works',
    ]);
    expect(wholeLines(log.path).at(-2)?.facts).toEqual({ lost: 3 });
  });

  it('a log folder that cannot be made hurts nobody', async () => {
    writeFileSync(join(dir, 'logs'), 'a file in its place');
    const log = openLog();
    log.error('lost', { error: new Error('x') });
    expect(log.lost()).toBe(1);
    expect(await log.tail(10)).toEqual([]);
  });
});

describe('audit', () => {
  const file = (month: string): string => join(dir, 'audit', `${month}.jsonl`);

  it('S4-33 keeps 2,000 records in order with a counter, in one file per month, mode 0600', async () => {
    const audit = openAudit();
    for (let n = 0; n < 1000; n += 1) audit.record('turn.step', { turnId: n });
    nowMs += 120_000;
    for (let n = 1000; n < 2000; n += 1) audit.record('turn.step', { turnId: n });
    await audit.flush();
    expect(readdirSync(join(dir, 'audit')).sort()).toEqual(['2025-01.jsonl', '2025-02.jsonl']);
    const all = [...lines(file('2025-01')), ...lines(file('2025-02'))];
    expect(all.map((line) => line.n)).toEqual(Array.from({ length: 2000 }, (_, n) => n + 1));
    expect(all.map((line) => line.facts['turnId'])).toEqual(
      Array.from({ length: 2000 }, (_, n) => n),
    );
    expect(lines(file('2025-01'))).toHaveLength(1000);
    expect(all[0]?.at).toBe('2025-01-31T23:59:00.000Z');
    expect(statSync(file('2025-01')).mode & 0o777).toBe(0o600);
  });

  it('S4-33 counts on after a restart, only ever appends, and closes a line that a crash cut', async () => {
    const first = openAudit();
    first.record('a', {});
    first.record('b', {});
    await first.close();
    const before = readFileSync(file('2025-01'), 'utf8');
    writeFileSync(file('2025-01'), `${before}{"n":3,"at":"2025-`);
    const second = openAudit();
    second.record('c', {});
    await second.flush();
    const after = readFileSync(file('2025-01'), 'utf8');
    expect(after.startsWith(`${before}{"n":3,"at":"2025-\n`)).toBe(true);
    const whole = after
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as Line);
    expect(whole.map((line) => [line.n, line.event])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [4, 'c'],
    ]);
    nowMs += 120_000;
    const third = openAudit();
    third.record('d', {});
    await third.flush();
    expect(lines(file('2025-02')).map((line) => line.n)).toEqual([5]);
  });

  it('K5 a link in the place of the file of a month is not written through', async () => {
    mkdirSync(join(dir, 'audit'));
    const theirs = join(dir, 'theirs');
    writeFileSync(theirs, 'kept\n');
    symlinkSync(theirs, file('2025-01'));
    const audit = openAudit();
    audit.record('lost', {});
    await audit.flush();
    expect([readFileSync(theirs, 'utf8'), audit.lost()]).toEqual(['kept\n', 1]);
  });

  it('S4-33 S4-17 on a disk that is full (ENOSPC) records are lost, also one that fits in part; they are counted, and said in the file and once in the log', async (context) => {
    const disk = smallDiskOr(context);
    const log = createLog({ dir: join(dir, 'elsewhere'), level: 'info', clock });
    logs.push(log);
    const audit = createAudit({ dir: join(disk.at, 'audit'), clock, log });
    audits.push(audit);
    const path = join(disk.at, 'audit', '2025-01.jsonl');
    audit.record('first', {});
    await audit.flush();
    disk.fill();
    let fitted = -1;
    for (; audit.lost() === 0; fitted += 1) {
      audit.record('more', { text: 'x y '.repeat(200) });
      await audit.flush();
    }
    for (let n = 0; n < 4; n += 1) {
      audit.record('lost', { n });
      await audit.flush();
    }
    expect(audit.lost()).toBe(5);
    expect(readFileSync(path, 'utf8').endsWith('\n')).toBe(false);
    disk.empty();
    audit.record('kept', {});
    await audit.flush();
    const whole = wholeLines(path).map((line) => [line.n, line.event]);
    expect(whole).toEqual([
      [1, 'first'],
      ...Array.from({ length: fitted }, (_, n) => [n + 2, 'more']),
      [fitted + 7, 'audit.lines_lost'],
      [fitted + 8, 'kept'],
    ]);
    expect(wholeLines(path).at(-2)?.facts).toEqual({ lost: 5 });
    expect(lines(log.path).map((line) => line.event)).toEqual(['audit.write_failed']);
  });

  it('S4-33 survives a disk that takes nothing: the lost lines are counted, and said in the file and once in the log', async () => {
    const log = openLog();
    mkdirSync(join(dir, 'audit'));
    symlinkSync('/dev/full', file('2025-01'));
    const audit = openAudit(log);
    for (let n = 0; n < 5; n += 1) {
      audit.record('lost', { n });
      await audit.flush();
    }
    expect(audit.lost()).toBe(5);
    unlinkSync(file('2025-01'));
    audit.record('kept', {});
    audit.record('kept too', {});
    await audit.flush();
    expect(lines(file('2025-01')).map((line) => [line.n, line.event, line.facts])).toEqual([
      [6, 'audit.lines_lost', { lost: 5 }],
      [7, 'kept', {}],
      [8, 'kept too', {}],
    ]);
    expect(lines(log.path).map((line) => line.event)).toEqual(['audit.write_failed']);
  });

  it('S4-33 loses lines instead of memory when the disk hangs: 10,000 wait, the rest is counted', async () => {
    const audit = openAudit();
    for (let n = 0; n < 10_500; n += 1) audit.record('burst', { n });
    expect(audit.lost()).toBe(500);
    await audit.flush();
    audit.record('after', {});
    await audit.flush();
    const last = lines(file('2025-01')).slice(-2);
    expect(last.map((line) => [line.n, line.event])).toEqual([
      [10_501, 'audit.lines_lost'],
      [10_502, 'after'],
    ]);
  });

  it('keeps facts as they were when they were recorded', async () => {
    const audit = openAudit();
    const facts = { count: 1 };
    audit.record('x', facts);
    facts.count = 2;
    await audit.flush();
    expect(lines(file('2025-01'))[0]?.facts).toEqual({ count: 1 });
  });

  it('R4 a batch of long facts is searched in pieces: others get their turn in between', async () => {
    const real = createRedactor();
    let chars = 0;
    let most = 0;
    const redactor = {
      ...real,
      redactText(text: string) {
        chars += text.length;
        most = Math.max(most, chars);
        return real.redactText(text);
      },
    };
    const audit = createAudit({ dir: join(dir, 'audit'), clock, log: openLog(), redactor });
    audits.push(audit);
    const text = '\\u0073=3D%3D&#37;41'.repeat(400);
    for (let n = 0; n < 300; n += 1) audit.record('step.ended', { n, text });
    let isOver = false;
    const turn = (): void => {
      chars = 0;
      if (!isOver) setImmediate(turn);
    };
    turn();
    await audit.flush();
    isOver = true;
    const written = lines(file('2025-01'));
    expect(written.map(({ facts }) => facts['n'])).toEqual([...Array(300).keys()]);
    expect(written.map(({ n }) => n)).toEqual([...Array(300).keys()].map((n) => n + 1));
    // A piece, and the line that it ends with.
    expect(most).toBeLessThan(64 * 1024 + 2 * text.length);
  });

  it('R1 hides a secret from the moment it is learned, in a text too that had nothing to hide before', async () => {
    const redactor = createRedactor();
    const audit = createAudit({ dir: join(dir, 'audit'), clock, log: openLog(), redactor });
    audits.push(audit);
    const record = async (): Promise<void> => {
      audit.record('step.ended', { tool: 'plain-horse-battery' });
      await audit.flush();
    };
    await record();
    await record();
    redactor.learn('plain-horse-battery');
    await record();
    expect(lines(file('2025-01')).map(({ facts }) => facts['tool'])).toEqual([
      'plain-horse-battery',
      'plain-horse-battery',
      '[redacted]',
    ]);
  });
});
