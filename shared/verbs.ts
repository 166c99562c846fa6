/**
 * Names of the verbs and events that a window may use, without their schemas: the preload script
 * builds its bridge from these and stays small. `test/contract/verbs.test.ts` and the type below
 * prove that they are exactly those of the contract.
 */
import type { EventName, WindowVerb } from './contract';

export const WINDOW_VERBS = [
  'status.get',
  'turns.list',
  'turns.show',
  'turns.step',
  'turns.plan',
  'turns.cancel',
  'turns.cancelAll',
  'send',
  'recovery.list',
  'recovery.resume',
  'recovery.confirmStep',
  'recovery.skipStep',
  'recovery.discard',
  'approvals.list',
  'approvals.allow',
  'approvals.deny',
  'session.customToolResult',
  'drafts.list',
  'drafts.diff',
  'drafts.promote',
  'drafts.restore',
  'drafts.discard',
  'inbox.list',
  'inbox.dismiss',
  'sessions.list',
  'session.create',
  'session.status',
  'session.events',
  'activations.events',
  'turns.retryNow',
  'session.interrupt',
  'session.adopt',
  'session.handBack',
  'watch.list',
  'agents.list',
  'agents.add',
  'agents.detect',
  'agents.test',
  'tools.list',
  'ext.list',
  'ext.restart',
  'provider.list',
  'provider.set',
  'provider.setKey',
  'provider.test',
  'breakers.list',
  'breakers.show',
  'breakers.trip',
  'breakers.reset',
  'provider.status',
  'outage.queue',
  'outage.move',
  'outage.probe',
  'outage.list',
  'outage.plot',
  'queue.status',
  'dlq.list',
  'dlq.replay',
  'dlq.purge',
  'config.list',
  'config.get',
  'config.set',
  'doctor.run',
  'logs.tail',
  'day.line',
  'events.list',
  'skills.list',
  'skills.show',
  'runs.list',
  'runs.show',
  'runs.plan',
  'runs.discard',
  'intake.pause',
  'intake.resume',
  'practice.kill',
  'app.info',
  'app.remind',
  'app.openFolder',
  'app.openSettings',
  'app.testNotification',
] as const satisfies readonly WindowVerb[];

export const EVENT_NAMES = [
  'status.changed',
  'turn.changed',
  'turn.delta',
  'session.changed',
  'inbox.changed',
  'outage.changed',
  'queue.changed',
  'config.changed',
  'restart.noticed',
  'navigate',
] as const satisfies readonly EventName[];

/** `true` only while both lists are complete; otherwise the missing names, as a type error. */
type Complete<All, Listed> = [Exclude<All, Listed>] extends [never] ? true : Exclude<All, Listed>;
export const VERBS_ARE_COMPLETE: Complete<WindowVerb, (typeof WINDOW_VERBS)[number]> = true;
export const EVENTS_ARE_COMPLETE: Complete<EventName, (typeof EVENT_NAMES)[number]> = true;

/** IPC channel of a verb; only preload and main know it. */
export const verbChannel = (verb: WindowVerb): string => `holdfast:call:${verb}`;
/** IPC channel of an event. */
export const eventChannel = (event: EventName): string => `holdfast:event:${event}`;
