import type Database from 'better-sqlite3';
import type { EntryKind, JournalEntry } from '../../../ports/journal/entries';
import { createApprovalsFold } from './approvals';
import { createBreakerFold } from './breaker';
import { createChannelsFold } from './channels';
import { createDraftsFold } from './drafts';
import { createGatewayFold } from './gateway';
import { createInboxFold } from './inbox';
import { createOutageFold } from './outage';
import { createExternalFold } from './external';
import { createQuestionsFold } from './questions';
import { createScheduleFold } from './schedule';
import { createSharedFold } from './shared';
import { createSkillsFold } from './skills';
import { createSpendFold } from './spend';
import { createStartsFold } from './starts';
import { applyBy, type Applied, type FoldTable } from './fold-table';
import { createTurnsFold } from './turns';
import { createWorkFold } from './activations';

/** Tables that are a pure fold of the journal, in an order that can be emptied. */
export const FOLD_TABLES = [
  'sessions',
  'session_events',
  'turns',
  'steps',
  'frames',
  'inbox',
  'starts',
  'recoveries',
  'kept_hours',
  'requests',
  'grants',
  'runs',
  'drafts',
  'outside_sessions',
  'outside_calls',
  'breakers',
  'call_tries',
  'attempts',
  'provider_health',
  'outages',
  'held_work',
  'outage_plot',
  'wakes',
  'activation_events',
  'tasks',
  'task_slots',
  'task_events',
  'timers',
  'heartbeats',
  'woken_turns',
  'gateway_usage',
  'gateway_clients',
  'channel_messages',
  'channels',
  'reply_attempts',
  'sent_questions',
  'digests',
  'spend',
  'budget_periods',
  'budget_waits',
  'shared_turns',
] as const;

const nothing = (): void => undefined;

/** Known only to the tables of outages. */
const WAITS = { 'turn.moved': nothing, 'turn.goes': nothing };

type SpendFold = ReturnType<typeof createSpendFold>;

/** Turns and their steps also count toward budgets. */
function withSpend(
  turns: Pick<FoldTable<EntryKind>, 'turn.started' | 'step.ended' | 'call.retried' | 'turn.closed'>,
  breaker: ReturnType<typeof createBreakerFold>,
  spend: SpendFold,
): Omit<SpendFold, 'turn.pruned'> {
  const { 'turn.pruned': _pruned, ...rest } = spend;
  return {
    ...rest,
    'turn.started': (entry, applied) => {
      turns['turn.started'](entry, applied);
      spend['turn.started'](entry, applied);
    },
    'step.ended': (entry, applied) => {
      turns['step.ended'](entry, applied);
      spend['step.ended'](entry, applied);
    },
    'call.retried': (entry, applied) => {
      breaker(entry, applied);
      turns['call.retried'](entry, applied);
      spend['call.retried'](entry, applied);
    },
    'turn.closed': (entry, applied) => {
      turns['turn.closed'](entry, applied);
      spend['turn.closed'](entry, applied);
    },
  };
}

/** One function for every entry about drafts. */
const allDrafts = (drafts: ReturnType<typeof createDraftsFold>) => ({
  'draft.staged': drafts,
  'draft.promoting': drafts,
  'draft.promoted': drafts,
  'draft.kept': drafts,
  'draft.partApplied': drafts,
  'draft.discarded': drafts,
});

/** Every kind of entry, with the tables of its area. A new kind does not compile without a row. */
function createAreas(db: Database.Database): FoldTable<EntryKind> {
  const approvals = createApprovalsFold(db);
  const breaker = createBreakerFold(db);
  const channels = createChannelsFold(db);
  const gateway = createGatewayFold(db);
  const inbox = createInboxFold(db);
  const outside = createExternalFold(db);
  const skills = createSkillsFold(db);
  const spend = createSpendFold(db);
  const turns = createTurnsFold(db, skills);
  return {
    ...turns,
    ...inbox,
    ...createStartsFold(db),
    ...createScheduleFold(db),
    ...createQuestionsFold(db),
    ...createSharedFold(db),
    ...withSpend(turns, breaker, spend),
    'turn.pruned': (entry, applied) => {
      turns['turn.pruned'](entry, applied);
      spend['turn.pruned'](entry, applied);
      outside(entry, applied);
      breaker(entry, applied);
      skills.turnPruned(entry.turnId);
    },
    'reply.delivered': (entry, applied) => {
      turns['reply.delivered'](entry, applied);
      channels(entry, applied);
    },
    'approval.requested': approvals,
    'approval.answered': (entry, applied) => {
      approvals(entry, applied);
      turns['approval.answered'](entry, applied);
    },
    'inbox.opened': (entry, applied) => {
      inbox['inbox.opened'](entry, applied);
      skills.inboxOpened(entry);
    },
    'inbox.settled': (entry, applied) => {
      inbox['inbox.settled'](entry, applied);
      skills.inboxSettled(entry.inboxId);
    },
    'run.started': skills.apply,
    'phase.entered': skills.apply,
    'phase.left': skills.apply,
    'run.ended': skills.apply,
    'run.planned': skills.apply,
    ...allDrafts(createDraftsFold(db)),
    'channel.heard': channels,
    'channel.began': channels,
    'channel.setAside': channels,
    'channel.offset': channels,
    'reply.attempted': channels,
    'reply.piece': channels,
    'reply.missed': channels,
    'gateway.asked': gateway,
    'gateway.refused': gateway,
    'gateway.begun': gateway,
    'gateway.used': gateway,
    'gateway.joined': gateway,
    'gateway.revoked': gateway,
    'outside.session': outside,
    'outside.call': outside,
    'outside.asking': outside,
    'outside.orphans': outside,
    'breaker.moved': breaker,
    'attempts.kept': breaker,
    'attempts.over': breaker,
    // These change only the tables of work and outages.
    'provider.contact': nothing,
    'provider.probed': nothing,
    'outage.declared': nothing,
    'outage.recovering': nothing,
    'outage.resolved': nothing,
    'outage.pruned': nothing,
    ...WAITS,
    'wake.queued': nothing,
    'wake.consumed': nothing,
    'wake.cancelled': nothing,
  };
}

/**
 * Applies one entry to the tables. The same function runs in the commit that writes the entry and
 * when the tables are rebuilt, so that state and journal cannot differ.
 */
export function createFold(db: Database.Database): (entry: JournalEntry, applied: Applied) => void {
  const areas = createAreas(db);
  const work = createWorkFold(db);
  const outage = createOutageFold(db);
  return (entry, applied) => {
    applyBy(areas, entry, applied);
    // Leases, retries and the history of activations result from entries of every room.
    applyBy(work, entry, applied);
    applyBy(outage, entry, applied);
  };
}
