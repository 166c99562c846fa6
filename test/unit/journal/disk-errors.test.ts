import { describe, expect, it, vi } from 'vitest';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import {
  isReadRefusal,
  withDamageNamed,
  withDamageNamedAtStart,
  withReadErrorNamed,
} from '../../../electron/adapters/sqlite/damage';
import { diskCode, refusalError } from '../../../electron/adapters/sqlite/journal/group-commit';
import { tellReadError } from '../../../electron/adapters/sqlite/read-failures';
import { createEvents } from '../../../electron/engine/api/events';
import { createFacade } from '../../../electron/engine/api/create-facade';
import { createStatus } from '../../../electron/engine/status/status';
import {
  answerOf,
  textOf,
  wholeAnswerOf,
  wholeTextOf,
} from '../../../electron/engine/journal/stored-text';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import { VERBS } from '../../../shared/contract';
import { quietSnapshot } from '../../helpers/snapshot';

const sqlite = (code: string): Error => Object.assign(new Error('disk I/O error'), { code });

describe('what the disk says', () => {
  it.each([
    ['SQLITE_FULL', 'DISK_FULL'],
    ['SQLITE_READONLY', 'DISK_READ_ONLY'],
    ['SQLITE_READONLY_DBMOVED', 'DISK_READ_ONLY'],
    ['SQLITE_IOERR', 'DISK_FAILED'],
    ['SQLITE_IOERR_WRITE', 'DISK_FAILED'],
    ['SQLITE_IOERR_FSYNC', 'DISK_FAILED'],
    ['SQLITE_CANTOPEN', 'DISK_FAILED'],
    ['ENOSPC', 'DISK_FULL'],
    ['EROFS', 'DISK_READ_ONLY'],
    ['EACCES', 'DISK_READ_ONLY'],
    ['EIO', 'DISK_FAILED'],
    ['EFBIG', 'DISK_FAILED'],
    ['EMFILE', 'DISK_FAILED'],
    ['SQLITE_CONSTRAINT', undefined],
    ['SQLITE_CORRUPT', undefined],
  ])('R17 a write that ends with %s is refused as %s', (code, expected) => {
    expect(diskCode(sqlite(code))).toBe(expected);
  });

  it.each(['DISK_FULL', 'DISK_READ_ONLY', 'DISK_FAILED'] as const)(
    'R17 %s says that new work is refused, that accepted work is kept, and that it goes on by itself',
    (code) => {
      const { message, hint, retryable } = refusalError(code, undefined);
      expect(message).toMatch(/New work is rejected.*accepted work is saved/);
      expect(hint).toMatch(/continues automatically/);
      expect(retryable).toBe(true);
    },
  );

  it.each([
    [
      'SQLITE_IOERR_READ',
      'DISK_FAILED',
      /^The disk reports an error when \/d\/holdfast\.db is read/,
    ],
    ['SQLITE_IOERR_SHORT_READ', 'DISK_FAILED', /Nothing was changed/],
    ['SQLITE_CORRUPT', 'DATABASE_CORRUPT', /holdfast\.db is damaged/],
    ['SQLITE_NOTADB', 'DATABASE_CORRUPT', /damaged/],
  ])(
    'S4-31 a page that cannot be read (%s) is %s, with the file and what to do',
    (code, name, said) => {
      const named = withReadErrorNamed(sqlite(code), '/d/holdfast.db') as {
        code: string;
        message: string;
        hint: string;
      };
      expect(named.code).toBe(name);
      expect(`${named.message} ${named.hint}`).toMatch(said);
      expect(named.hint).toContain('Nothing was changed');
    },
  );

  it.runIf(process.platform === 'linux').each(['SQLITE_CORRUPT', 'SQLITE_IOERR_CORRUPTFS'])(
    'S4-31 a file that the disk does not give (%s) is not called damaged, and nobody is told to replace it',
    (code) => {
      // Reading it at 0 ends with EIO.
      const file = '/proc/self/mem';
      for (const name of [withDamageNamed, withReadErrorNamed, withDamageNamedAtStart]) {
        const named = name(sqlite(code), file) as { code: string; message: string; hint: string };
        expect(named.code).toBe('DISK_FAILED');
        expect(named.message).toContain(`The disk reports an error when ${file} is read.`);
        expect(named.hint).toMatch(/Try again; .* copy the data directory to another disk/);
        expect(named.hint).not.toMatch(/backups|[Mm]ove it away/);
      }
    },
  );

  it('S4-+05 a text that the disk does not give now is shown as that, with what is safe and what to do, and never as missing; what is sent on is not', async () => {
    const blobs = {
      get: () =>
        Promise.reject(
          new HoldfastError('RESULT_UNREADABLE', '/d/blobs/x cannot be read.', { hint: 'Try.' }),
        ),
    };
    const text = { kind: 'blob', address: 'x', chars: 50_000 } as const;
    const said = '(/d/blobs/x cannot be read. Try.)';
    expect([await textOf(blobs, text), await answerOf(blobs, text)]).toEqual([said, said]);
    expect(await textOf(blobs, { ...text, start: 'begins' })).toBe(
      `begins\n${said}\n(The first 6 of 50000 characters. The whole result is stored until the turn ends.)`,
    );
    for (const read of [wholeTextOf, wholeAnswerOf])
      await expect(read(blobs, text)).rejects.toMatchObject({ code: 'RESULT_UNREADABLE' });
    const broken = { get: () => Promise.reject(new TypeError('a bug')) };
    await expect(textOf(broken, text)).rejects.toThrow('a bug');
  });

  it('R17 S4-31 a question that the disk does not give an answer to is told as DISK_FAILED, and the status says it from there on', async () => {
    const failed = vi.fn();
    const verbs = new Proxy({}, { get: () => () => Promise.reject(sqlite('SQLITE_IOERR_READ')) });
    const { call } = createFacade({
      phase: () => 'running',
      rooms: () => ({ verbs: verbs as never, status: () => quietSnapshot() }),
      starting: () => quietSnapshot(),
      on: createEvents(createSystemClock(), () => undefined).on,
      loadContract: () => Promise.resolve(VERBS),
      named: (error) => tellReadError(error, '/d/holdfast.db', { failed }),
    });
    await expect(call('turns.list', {}, 'cli')).rejects.toMatchObject({ code: 'DISK_FAILED' });
    expect(failed).toHaveBeenCalledTimes(1);
  });

  it('R17 S4-31 the status says what was known last, and that the disk refuses reads, where its own numbers cannot be read', () => {
    const unread = { code: 'DISK_FAILED', of: 'reads', message: 'It fails.', sinceMs: 5 } as const;
    const countByState = vi
      .fn()
      .mockReturnValueOnce({ queued: 3 })
      .mockImplementation(() => {
        throw sqlite('SQLITE_IOERR_READ');
      });
    const deps = {
      self: { version: '1', dataDir: '/d', pid: 1, startedAtMs: 0, ports: undefined },
      phase: () => 'running',
      isAnswering: () => true,
      isProgramChanged: () => false,
      clock: createSystemClock(),
      reads: { countByState, keptSince: () => ({ steps: 0, savedUsd: 0 }) },
      workReads: { countRetrying: () => 0 },
      journal: { seq: () => 1, appliedSeq: () => 1, refusal: () => undefined },
      readRefusal: {
        now: () => undefined,
        of: (error: unknown) => (isReadRefusal(error, '/d/holdfast.db') ? unread : undefined),
      },
      settings: { get: () => [], problems: () => [] },
    };
    const rooms = {
      scheduler: { running: () => [], lostRuns: () => 0, paused: () => undefined },
      awake: { view: () => undefined },
      hosts: { outlook: () => undefined },
      quitWhenDone: { isWanted: () => false },
      outage: { outside: () => undefined, limits: () => undefined },
      inbound: { counts: () => ({ accepted: 0, filtered: 0 }) },
      outbox: { status: () => ({ broker: 'local', depth: 0, deadLetters: 0, shed: 0, fill: 0 }) },
      schedule: { outlook: () => undefined },
      updates: { brief: () => undefined },
      share: { outlook: () => undefined },
    };
    const { status } = createStatus({ ...deps, rooms } as never);
    const before = status();
    expect([before.tray, before.counts.queued, before.journal.refusal]).toEqual([
      'idle',
      3,
      undefined,
    ]);
    const after = status();
    expect([after.tray, after.counts.queued, after.journal.refusal]).toEqual([
      'degraded',
      3,
      unread,
    ]);
  });

  it('S4-31 any other error stays what it is', () => {
    const other = sqlite('SQLITE_BUSY');
    expect(withReadErrorNamed(other, '/d')).toBe(other);
  });
});
