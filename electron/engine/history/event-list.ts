import type { VerbInput, VerbOutput } from '../../../shared/contract';
import type { HistoryEvent } from '../../../shared/types';
import type { Redactor } from '../../../shared/redact';
import type {
  AuditLine,
  AuditPlace,
  AuditReader,
  HistoryReads,
  HistoryRow,
} from '../../ports/history';
import { HoldfastError } from '../kernel/errors';
import type * as Describe from './describe';
import { createTimeSlicer, type SlicerDeps } from './time-slicer';

type Input = VerbInput<'events.list'>;
type Output = VerbOutput<'events.list'>;

interface EventListDeps extends SlicerDeps {
  readonly history: HistoryReads;
  readonly audit: AuditReader;
  /** Hands what is still in memory to the audit's file. */
  readonly flushAudit: () => Promise<void>;
  readonly sessionOfTurn: (turnId: number) => number | undefined;
  readonly redactor: Pick<Redactor, 'redactText'>;
  /** The sentences of all entries: loaded on first use, not at startup. */
  readonly loadDescribe: () => Promise<typeof Describe>;
  /** Work time of one call in ms; then it returns its results and where to continue. */
  readonly budgetMs?: number;
}

const DEFAULT_BUDGET_MS = 150;
const DEFAULT_LIMIT = 100;
/** Longer than what is shown, so that a secret at the end is seen whole before the text is cut. */
const MAX_SEARCHED = 4000;

/**
 * Lists described entries of the journal or audit, newest first. Each call stays within its budget
 * and works in pieces with pauses, so neither a long history nor a rare search term blocks the
 * process. Secrets are hidden before any comparison or output.
 */
export function createEventList(deps: EventListDeps): (input: Input) => Promise<Output> {
  return async (input) => {
    const { describeAuditLine, describeEntry, hideSecrets } = await deps.loadDescribe();
    const finish = finisher(deps.redactor, input.text, hideSecrets);
    return input.source === 'audit'
      ? auditPage(deps, input, (line) => finish(describeAuditLine(line)))
      : journalPage(deps, input, (row) => finish(describeEntry(row)));
  };
}

type Description = Describe.Description;
type Finish<T> = (found: T) => Description | undefined;

/** Hides secrets, truncates, and drops events without the search terms. */
function finisher(
  redactor: Pick<Redactor, 'redactText'>,
  text: string | undefined,
  hideSecrets: typeof Describe.hideSecrets,
): (found: Description) => Description | undefined {
  const needle = text?.toLowerCase();
  const has = ({ kind, words, detail = '' }: Description): boolean =>
    needle === undefined || `${kind}\n${words}\n${detail}`.toLowerCase().includes(needle);
  return (raw) => {
    const words = raw.words.slice(0, MAX_SEARCHED);
    const detail = raw.detail?.slice(0, MAX_SEARCHED);
    if (!has({ ...raw, words, ...(detail === undefined ? {} : { detail }) })) return undefined;
    const hide = (all: string): string => redactor.redactText(all.slice(0, MAX_SEARCHED));
    const shown = hideSecrets(raw, hide);
    // Checked again without the secrets: a search must not reveal hidden text.
    return has(shown) ? shown : undefined;
  };
}

function sequenceOf(before: string): number {
  if (!before.startsWith('j')) throw wrongSource();
  return Number(before.slice(1));
}

function placeOf(before: string): AuditPlace {
  const found = /^a(\d{4}-\d{2}):(\d+)$/.exec(before);
  if (found === null) throw wrongSource();
  return { month: found[1] ?? '', byte: Number(found[2]) };
}

function wrongSource(): HoldfastError {
  return new HoldfastError('INPUT_INVALID', 'events.list: before: it belongs to another source', {
    hint: 'Nothing was done. Use the nextBefore of an answer with the same source.',
  });
}

async function journalPage(
  deps: EventListDeps,
  input: Input,
  wordsOf: Finish<HistoryRow>,
): Promise<Output> {
  const { history } = deps;
  const { limit = DEFAULT_LIMIT } = input;
  const filter = {
    ...(input.kinds === undefined
      ? {}
      : { kinds: input.kinds.filter((kind) => history.isKind(kind)) }),
    ...(input.turnId === undefined ? {} : { turnId: input.turnId }),
    ...(input.sessionId === undefined ? {} : { sessionId: input.sessionId }),
  };
  const { firstSeq, lastSeq } = history.bounds(filter);
  let high = lastSeq;
  if (input.before !== undefined) high = Math.min(high, sequenceOf(input.before) - 1);
  if (input.untilMs !== undefined) high = Math.min(high, history.seqAt(input.untilMs + 1) - 1);

  const slicer = createTimeSlicer(deps);
  const events: HistoryEvent[] = [];
  while (high >= firstSeq) {
    const low = Math.max(firstSeq - 1, high - slicer.size());
    const room = limit - events.length;
    const top = high;
    const found = await slicer.piece(
      () => history.rows(low, top, filter, input.text === undefined ? room : top - low),
      (row) => {
        const words = wordsOf(row);
        return words === undefined ? [] : [eventOf(row, words)];
      },
    );
    events.push(...found.flat().slice(0, room));
    const last = events.at(-1);
    if (events.length === limit && last !== undefined) {
      const reachedSeq = sequenceOf(last.id);
      return reachedSeq > firstSeq ? { events, nextBefore: last.id } : { events };
    }
    // Old steps are removed, so the next row may be far below.
    const next = history.rowBefore(low);
    if (next === undefined || next.seq < firstSeq) break;
    high = next.seq;
    if (slicer.workedMs() >= (deps.budgetMs ?? DEFAULT_BUDGET_MS))
      return { events, nextBefore: `j${String(high + 1)}`, searchedBackToMs: next.atMs };
    await slicer.rest();
  }
  return { events };
}

function eventOf(row: HistoryRow, words: Description): HistoryEvent {
  return {
    id: `j${String(row.seq)}`,
    atMs: row.atMs,
    ...words,
    ...(row.turnId === undefined ? {} : { turnId: row.turnId }),
    ...(isId(row.sessionId) ? { sessionId: row.sessionId } : {}),
    ...(isId(row.step) ? { step: row.step } : {}),
  };
}

const isId = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;

async function auditPage(
  deps: EventListDeps,
  input: Input,
  wordsOf: Finish<AuditLine>,
): Promise<Output> {
  const { limit = DEFAULT_LIMIT } = input;
  if (input.before === undefined) await deps.flushAudit();
  let place: AuditPlace | undefined =
    input.before !== undefined
      ? placeOf(input.before)
      : input.untilMs !== undefined
        ? await deps.audit.endAt(input.untilMs)
        : await deps.audit.end();

  const kinds = input.kinds === undefined ? undefined : new Set(input.kinds);
  const sessions = new Map<number, number | undefined>();
  const sessionOf = (facts: AuditLine['facts']): number | undefined => {
    if (isId(facts['sessionId'])) return facts['sessionId'];
    const turnId = facts['turnId'];
    if (!isId(turnId)) return undefined;
    if (!sessions.has(turnId)) sessions.set(turnId, deps.sessionOfTurn(turnId));
    return sessions.get(turnId);
  };
  const eventOfLine = (line: AuditLine): HistoryEvent | undefined => {
    const { facts } = line;
    if (input.untilMs !== undefined && line.atMs > input.untilMs) return undefined;
    if (kinds !== undefined && !kinds.has(line.event)) return undefined;
    if (input.turnId !== undefined && facts['turnId'] !== input.turnId) return undefined;
    const session = sessionOf(facts);
    if (input.sessionId !== undefined && session !== input.sessionId) return undefined;
    const words = wordsOf(line);
    if (words === undefined) return undefined;
    return {
      id: `a${line.place.month}:${String(line.place.byte)}`,
      atMs: line.atMs,
      ...words,
      kind: words.kind.slice(0, 200),
      ...(words.outcome === undefined ? {} : { outcome: words.outcome.slice(0, 60) }),
      ...(isId(facts['turnId']) ? { turnId: facts['turnId'] } : {}),
      ...(session === undefined ? {} : { sessionId: session }),
      ...(isId(facts['step']) ? { step: facts['step'] } : {}),
    };
  };

  const slicer = createTimeSlicer(deps);
  const events: HistoryEvent[] = [];
  while (place !== undefined) {
    const { lines, next } = await deps.audit.back(place);
    for (let at = 0; at < lines.length; at += PIECE) {
      const piece = lines.slice(at, at + PIECE);
      const found = await slicer.piece(() => piece, eventOfLine);
      events.push(...found.filter((event) => event !== undefined));
      if (events.length >= limit) break;
      await slicer.rest();
    }
    if (events.length >= limit) {
      const page = events.slice(0, limit);
      const last = page.at(-1)?.id;
      return { events: page, ...(last === undefined ? {} : { nextBefore: last }) };
    }
    place = next;
    const oldest = lines.at(-1);
    if (place !== undefined && slicer.workedMs() >= (deps.budgetMs ?? DEFAULT_BUDGET_MS))
      return {
        events,
        nextBefore: `a${place.month}:${String(place.byte)}`,
        ...(oldest === undefined ? {} : { searchedBackToMs: oldest.atMs }),
      };
  }
  return { events };
}

/** Lines of one piece of work. */
const PIECE = 200;
