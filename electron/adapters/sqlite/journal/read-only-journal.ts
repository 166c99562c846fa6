import type Database from 'better-sqlite3';
import { isFoldBehind } from '../applied';
import type { GroupCommit } from './group-commit';
import { HoldfastError } from '../../../engine/kernel/errors';

/** For reading while nothing runs: it knows the state and rejects writes. */
export function readOnlyJournal(db: Database.Database): GroupCommit {
  const read = (query: string): number => Number(db.prepare(query).pluck().get() ?? 0);
  const refuse = (): HoldfastError =>
    new HoldfastError('NOT_RUNNING', 'Holdfast is not running: data can only be read.', {
      hint: 'Nothing was changed. Start Holdfast and try again.',
    });
  return {
    commit: () => Promise.reject(refuse()),
    run: () => Promise.reject(refuse()),
    allocate: () => {
      throw refuse();
    },
    isOfEarlier: () => true,
    seq: () => read('SELECT max(seq) FROM journal'),
    appliedSeq: () =>
      read(isFoldBehind(db) ? 'SELECT applied_seq FROM fold' : 'SELECT max(seq) FROM journal'),
    refusal: () => undefined,
    onCommitted: () => () => undefined,
    refold: () => 0,
    close: () => Promise.resolve(),
  };
}
