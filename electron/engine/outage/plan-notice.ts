/**
 * Which notices an outage gives: one when it is declared, one with counts when it is over; at most
 * one such pair in 30 minutes where a provider flaps. The inbox has them; whether the
 * desktop shows one is decided there. Pure.
 */
import type { JournalEntry } from '../../ports/journal/entries';
import type { ProviderRecord } from '../../ports/journal/outage';
import type { OutageChange } from './plan-outage';
import { declaredNotice, keyNotice, resolvedNotice, type TimeText } from './describe-outage';
import { openItem, settle } from '../inbox/entries';

const NOTICE_EVERY_MS = 30 * 60_000;

export function noticesOf(facts: {
  readonly before: ProviderRecord;
  readonly change: OutageChange;
  readonly nowMs: number;
  readonly waiting: number;
  readonly nextTryAtMs: number | undefined;
  readonly drained: number;
  readonly time: TimeText;
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
      settleNotice('answers again');
      const sinceMs =
        'sinceMs' in before.standing && before.standing.sinceMs !== undefined
          ? before.standing.sinceMs
          : nowMs;
      open('outage', resolvedNotice({ provider, downMs: nowMs - sinceMs, drained: facts.drained }));
    }
  }
  if (record.standing.kind === 'key' && before.standing.kind !== 'key') {
    settleNotice('answers again');
    record = { ...record, noticeId: open('problem', keyNotice(record)) };
  } else if (before.standing.kind === 'key' && record.standing.kind !== 'key')
    settleNotice('the key was changed');
  return { record, entries };
}
