import init from './migrations/0001_init.sql?raw';
import approvals from './migrations/0002_approvals.sql?raw';
import work from './migrations/0003_work.sql?raw';
import skills from './migrations/0004_skills.sql?raw';
import drafts from './migrations/0005_drafts.sql?raw';
import agents from './migrations/0006_agents.sql?raw';
import outage from './migrations/0007_outage.sql?raw';
import delivery from './migrations/0008_delivery.sql?raw';
import schedule from './migrations/0009_schedule.sql?raw';
import gateway from './migrations/0010_gateway.sql?raw';
import channels from './migrations/0011_channels.sql?raw';
import upkeep from './migrations/0013_upkeep.sql?raw';
import heartbeatCall from './migrations/0015_heartbeat_call.sql?raw';
import oldestSlot from './migrations/0018_oldest_slot.sql?raw';
import replyAttempts from './migrations/0019_reply_attempts.sql?raw';
import replyPieces from './migrations/0020_reply_pieces.sql?raw';
import wokenTurns from './migrations/0025_woken_turns.sql?raw';
import sessionCost from './migrations/0026_session_cost.sql?raw';
import gatewayClients from './migrations/0027_gateway_clients.sql?raw';
import missedTold from './migrations/0028_missed_told.sql?raw';
import sessionFamily from './migrations/0031_session_family.sql?raw';
import missedAttempts from './migrations/0034_missed_attempts.sql?raw';
import attempts from './migrations/0035_attempts.sql?raw';
import outageRange from './migrations/0036_outage_range.sql?raw';
import unsent from './migrations/0037_unsent.sql?raw';
import limitWindows from './migrations/0038_limit_windows.sql?raw';
import sessionMenu from './migrations/0039_session_menu.sql?raw';
import sentQuestions from './migrations/0041_sent_questions.sql?raw';
import spend from './migrations/0042_spend.sql?raw';
import taskChecks from './migrations/0049_task_checks.sql?raw';
import reminders from './migrations/0043_reminders.sql?raw';
import goesNow from './migrations/0044_goes_now.sql?raw';
import taskEvents from './migrations/0050_task_events.sql?raw';
import fallbacks from './migrations/0051_fallbacks.sql?raw';
import sharedTurns from './migrations/0054_shared_turns.sql?raw';
import sharedTasks from './migrations/0055_shared_tasks.sql?raw';
import taskEventIds from './migrations/0056_task_event_ids.sql?raw';
import spendPayer from './migrations/0057_spend_payer.sql?raw';
import spendTokensIn from './migrations/0058_spend_tokens_in.sql?raw';

/**
 * Append-only: a published migration is never edited. Its position is its version, starting at 1.
 */
export const MIGRATIONS: readonly string[] = [
  init,
  approvals,
  work,
  skills,
  drafts,
  agents,
  outage,
  delivery,
  schedule,
  gateway,
  channels,
  upkeep,
  heartbeatCall,
  oldestSlot,
  replyAttempts,
  replyPieces,
  wokenTurns,
  sessionCost,
  gatewayClients,
  missedTold,
  sessionFamily,
  missedAttempts,
  attempts,
  outageRange,
  unsent,
  limitWindows,
  sessionMenu,
  sentQuestions,
  spend,
  taskChecks,
  reminders,
  goesNow,
  taskEvents,
  fallbacks,
  sharedTurns,
  sharedTasks,
  taskEventIds,
  spendPayer,
  spendTokensIn,
];
