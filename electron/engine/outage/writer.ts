import { quoted } from '../../../shared/reason';
import type { CallOutcome } from '../../ports/call-outcomes';
import type { JournalEntry } from '../../ports/journal/entries';
import type { ProviderRecord } from '../../ports/journal/outage';
import type { Audit } from '../../ports/log';
import type { OutageState } from './state';
import type { OutagesDeps } from './outage-deps';
import { onDrained, outageOf, type OutageChange } from './plan-outage';
import { declaredNotice, keyNotice, resolvedNotice, type TimeText } from './describe-outage';
import { isUnderLimit } from './waiting-turns';
import { openItem, settle } from '../inbox/entries';

/**
 * The notices of an outage: one when it is declared, and one with counts when it is over; at most
 * one pair in 30 minutes if a provider keeps changing. The inbox stores them and decides whether
 * the desktop shows one. Pure.
 */
const NOTICE_EVERY_MS = 30 * 60_000;

function noticesOf(facts: {
  readonly before: ProviderRecord;
  readonly change: OutageChange;
  readonly nowMs: number;
  readonly waiting: number;
  readonly nextTryAtMs: number | undefined;
  readonly drained: number;
  readonly time: TimeText;
  readonly agentTitle: (agent: string) => string;
  readonly newInboxId: () => number;
}): { readonly record: ProviderRecord; readonly entries: readonly JournalEntry[] } {
  const { before, change, nowMs } = facts;
  let { record } = change;
  const entries: JournalEntry[] = [];
  const { provider } = record;
  const open = (
    item: 'outage' | 'problem',
    words: { readonly title: string; readonly detail: string },
  ): number => {
    const inboxId = facts.newInboxId();
    entries.push(openItem(inboxId, item, { ...words, facts: { provider } }));
    return inboxId;
  };
  const settleNotice = (outcome: string): void => {
    if (record.noticeId === undefined) return;
    entries.push(settle(record.noticeId, outcome));
    const { noticeId: _gone, ...rest } = record;
    record = rest;
  };
  if (change.isRemoved === true) {
    settleNotice('was removed');
    return { record, entries };
  }
  for (const step of change.steps) {
    if (step.kind === 'declared') {
      const isTold =
        record.noticedAtMs !== undefined && nowMs - record.noticedAtMs < NOTICE_EVERY_MS;
      if (isTold) continue;
      settleNotice('a new outage');
      const noticeId = open('outage', declaredNotice({ ...facts, record }));
      record = { ...record, noticedAtMs: nowMs, noticeId };
    }
    if (step.kind === 'resolved' && record.noticeId !== undefined) {
      settleNotice('is back');
      const sinceMs =
        'sinceMs' in before.standing && before.standing.sinceMs !== undefined
          ? before.standing.sinceMs
          : nowMs;
      open('outage', resolvedNotice({ ...facts, provider, downMs: nowMs - sinceMs }));
    }
  }
  if (record.standing.kind === 'key' && before.standing.kind !== 'key') {
    settleNotice('is back');
    record = { ...record, noticeId: open('problem', keyNotice(record)) };
  } else if (before.standing.kind === 'key' && record.standing.kind !== 'key')
    settleNotice('the key was changed');
  return { record, entries };
}

/** Writes changes to disk and updates memory. */
export interface Writer {
  /** Events that have happened: they wait if the disk rejects them. */
  readonly write: (point: Point | undefined, entries: readonly JournalEntry[]) => Promise<unknown>;
  /** Stores the new record and writes the changes. */
  readonly take: (
    change: OutageChange,
    outcome?: Pick<CallOutcome, 'kind' | 'source' | 'turnId'>,
    first?: readonly JournalEntry[],
  ) => void;
  /** Ends the outage once no turn waits. */
  readonly settle: (provider: string) => void;
}

export function createWriter(
  deps: OutagesDeps,
  state: OutageState,
  on: {
    readonly nextTryAtMs: (record: ProviderRecord) => number | undefined;
    readonly freeSoon: () => void;
  },
): Writer {
  const { clock, journal, reads } = deps;
  const { recordOf, keep, waitingInAccount } = state.providers;
  const { waitingOf, outOf } = state.turns;

  const write = (point: Point | undefined, entries: readonly JournalEntry[]): Promise<unknown> => {
    const [before, after] = point === undefined ? [] : POINTS[point];
    if (before !== undefined) deps.crashPoints.hit(before);
    return journal.commit(entries, { isOutcome: true }).then(
      () => {
        if (after !== undefined) deps.crashPoints.hit(after);
      },
      (error: unknown) => {
        deps.log.error('outage.write.failed', { error });
      },
    );
  };

  const take = (
    change: OutageChange,
    outcome?: Pick<CallOutcome, 'kind' | 'source' | 'turnId'>,
    first: readonly JournalEntry[] = [],
  ): void => {
    const { provider } = change.record;
    const before = recordOf(provider);
    if (change.record === before && change.steps.length === 0 && first.length === 0) return;
    const notices = noticesOf({
      before,
      change,
      nowMs: clock.nowMs(),
      waiting: waitingOf(provider),
      nextTryAtMs: on.nextTryAtMs(change.record),
      drained: drainedOf(before),
      time: deps.time,
      agentTitle: deps.agents.titleOf,
      newInboxId: () => journal.allocate('inbox'),
    });
    const { record } = notices;
    keep(record);
    const entries: JournalEntry[] = first.map((entry) =>
      entry.kind === 'provider.probed' ? { ...entry, record } : entry,
    );
    for (const step of change.steps) {
      // A probe has an entry of its own.
      if (step.kind === 'contact' && first.length > 0) continue;
      entries.push(entryOf(step, record, outcome));
      tellAudit(deps.audit, step, record);
    }
    entries.push(...notices.entries);
    if (entries.length > 0) void write(pointOf(entries), entries);
    on.freeSoon();
  };

  const drainedOf = (record: ProviderRecord): number => {
    const outageId = outageOf(record);
    if (outageId === undefined) return 0;
    const gone = reads.outage(outageId)?.drained ?? 0;
    // Turns that are running now have also waited.
    return gone + outOf(record.provider);
  };

  const settleProvider = (provider: string): void => {
    const record = recordOf(provider);
    const waiting = isUnderLimit(record) ? waitingInAccount(provider) : waitingOf(provider);
    if (record.standing.kind === 'draining' && waiting === 0) take(onDrained(record));
  };

  return { write, take, settle: settleProvider };
}

type OutageStep = OutageChange['steps'][number];

function entryOf(
  step: OutageStep,
  record: ProviderRecord,
  outcome: Pick<CallOutcome, 'kind' | 'source' | 'turnId'> | undefined,
): JournalEntry {
  const { provider } = record;
  switch (step.kind) {
    case 'contact':
      return {
        kind: 'provider.contact',
        provider,
        contact: outcome?.kind ?? 'success',
        source: outcome?.source ?? 'turn',
        ...(outcome?.turnId === undefined ? {} : { turnId: outcome.turnId }),
        record,
      };
    case 'declared': {
      const { outageId, reason } = step;
      const { failedTurns } = record;
      return {
        kind: 'outage.declared',
        provider,
        outageId,
        failedTurns,
        reason: quoted(reason),
        record,
      };
    }
    case 'recovering':
      return { kind: 'outage.recovering', provider, phase: step.phase, record };
    case 'resolved':
      return { kind: 'outage.resolved', provider, outageId: step.outageId, record };
    case 'quota':
      return { kind: 'provider.contact', provider, contact: 'quota', source: 'turn', record };
  }
}

function tellAudit(audit: Audit, step: OutageStep, record: ProviderRecord): void {
  const { provider, failedTurns } = record;
  if (step.kind === 'declared') audit.record('outage_declared', { provider, failedTurns });
  if (step.kind === 'resolved')
    audit.record('outage_resolved', { provider, outageId: step.outageId });
  if (step.kind === 'quota') audit.record('provider_quota', { provider, untilMs: step.untilMs });
}

const POINTS = {
  'provider.contact': ['provider.contact.before', 'provider.contact.after'],
  'provider.probe': ['provider.probe.before', 'provider.probe.after'],
  'outage.declare': ['outage.declare.before', 'outage.declare.after'],
  'outage.recover': ['outage.recover.before', 'outage.recover.after'],
  'outage.resolve': ['outage.resolve.before', 'outage.resolve.after'],
  'turn.wait': ['turn.wait.before', 'turn.wait.after'],
} as const;
type Point = keyof typeof POINTS;
/** The most important entry determines the crash point. */
function pointOf(entries: readonly JournalEntry[]): Point | undefined {
  const has = (kind: JournalEntry['kind']): boolean => entries.some((one) => one.kind === kind);
  if (has('outage.resolved')) return 'outage.resolve';
  if (has('outage.declared')) return 'outage.declare';
  if (has('outage.recovering')) return 'outage.recover';
  if (has('provider.probed')) return 'provider.probe';
  return has('provider.contact') ? 'provider.contact' : undefined;
}
