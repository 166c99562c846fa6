import type { LeftProcessView } from '../../../shared/types';
import type { InboxRow } from '../../ports/journal/inbox';
import type { LeftProcess, Orphan } from '../../ports/left-processes';
import type { JsonValue } from '../../ports/provider';

/** The inbox notice of a process that outlived Holdfast. */
export interface LeftNotice {
  readonly row: InboxRow;
  readonly process: LeftProcess;
  /** The user's latest answer about it. */
  readonly answer: LeftAnswer | undefined;
}

export type LeftAnswer = 'wait' | 'end' | 'leave';

/** How such a notice was settled; stored, so these texts never change. */
export const LEFT_OUTCOMES = {
  ended: 'the process has ended',
  endedByYou: 'you ended the process',
  endedUnseen: 'the process ended while Holdfast was not running',
  leftRunning: 'you let the process run',
  askedAnew: 'asked again: its command has ended',
} as const;

/** The title of notices from an earlier version, which do not identify their process. */
const OLD_TITLE = /^A command of turn \d+ still runs after the restart$/;

/** A process that lost the pipes of an earlier run is unreachable; its work is in the journal. */
const isHelper = ({ server, browserOf }: Orphan): boolean =>
  server !== undefined || browserOf !== undefined;

/** What a start does with a process that outlived Holdfast. Pure. */
export function planLeft(
  orphan: Orphan,
  turn: {
    /** Its run waits for leftover processes or ends them, by its setting. */
    readonly settlesItself: boolean;
    /** The turn resumes, so the step will run again. */
    readonly goesOn: boolean;
  },
): 'leave' | 'end' | 'tell' {
  if (turn.settlesItself) return 'leave';
  return isHelper(orphan) || turn.goesOn ? 'end' : 'tell';
}

/** Processes found at startup, next to the inbox's notices. */
interface Judged {
  /** Open notices of processes that are gone. */
  readonly gone: readonly number[];
  /** Known ones, still watched. */
  readonly living: readonly LeftNotice[];
  /** Processes without a notice yet. */
  readonly fresh: readonly LeftProcess[];
}

/** Judges every process again at startup; one that the user let run gets no second notice. Pure. */
export function judgeLeft(rows: readonly InboxRow[], found: readonly LeftProcess[]): Judged {
  const isThere = (process: LeftProcess): boolean =>
    found.some((other) => isSameProcess(other, process));
  const notices = rows.map(leftNotice).filter((notice) => notice !== undefined);
  const open = notices.filter(({ row }) => row.settledAtMs === undefined);
  const old = rows.filter(
    (row) => row.settledAtMs === undefined && row.facts === undefined && OLD_TITLE.test(row.title),
  );
  const living = open.filter(({ process }) => isThere(process));
  return {
    gone: [
      ...old.map(({ id }) => id),
      ...open.filter(({ process }) => !isThere(process)).map(({ row }) => row.id),
    ],
    living,
    fresh: found.filter(
      (process) => !notices.some((notice) => isSameProcess(notice.process, process)),
    ),
  };
}

/** A PID alone may be reused; together with boot, start time and run it identifies one process. */
const isSameProcess = (one: LeftProcess, other: LeftProcess): boolean =>
  one.pid === other.pid &&
  one.startTicks === other.startTicks &&
  one.bootId === other.bootId &&
  one.runId === other.runId;

export const leftFacts = (process: LeftProcess): JsonValue => ({
  process: {
    ...process,
    turnId: process.turnId ?? null,
    step: process.step ?? null,
  },
});

/** The notice in an inbox row; undefined if the row is no such notice. */
export function leftNotice(row: InboxRow): LeftNotice | undefined {
  const facts = row.facts as
    | { readonly process?: Readonly<Record<string, unknown>>; readonly answer?: LeftAnswer }
    | undefined;
  const stored = facts?.process;
  if (row.item !== 'problem' || stored === undefined) return undefined;
  const process = {
    ...(stored as unknown as LeftProcess),
    turnId: (stored['turnId'] ?? undefined) as number | undefined,
    step: (stored['step'] ?? undefined) as number | undefined,
  };
  return { row, process, answer: facts?.answer };
}

/** The process's current state. */
export function leftState(
  { row }: Pick<LeftNotice, 'row'>,
  isAlive: boolean,
): LeftProcessView['state'] {
  if (isAlive) return 'running';
  switch (row.outcome) {
    case LEFT_OUTCOMES.ended:
      return 'ended';
    case LEFT_OUTCOMES.endedByYou:
      return 'ended_by_you';
    default:
      return 'ended_unseen';
  }
}
