/**
 * The one contract: every verb of IPC, the control socket and the CLI, and every event.
 *
 * One object in, one value out; `strictObject` and bounded strings everywhere; no paths chosen by
 * the renderer, no verb that returns a secret. `danger: 'confirm'` verbs carry the hash of the
 * exact request that the user saw. Source: I1, I4, I5.
 */
import type { z } from 'zod';
import { AGENT_VERBS } from './contract/agents';
import { DECISION_VERBS } from './contract/decisions';
import { DELIVERY_VERBS } from './contract/delivery';
import { DRAFT_VERBS } from './contract/drafts';
import { HISTORY_VERBS } from './contract/history';
import { HOST_VERBS } from './contract/hosts';
import { INSTANCE_VERBS } from './contract/instance';
import { OUTAGE_VERBS } from './contract/outage';
import { PROVIDER_VERBS } from './contract/providers';
import { SCHEDULE_VERBS } from './contract/schedule';
import { SEARCH_VERBS } from './contract/search';
import { SESSION_VERBS } from './contract/sessions';
import { SHARE_VERBS } from './contract/share';
import { SKILL_VERBS } from './contract/skills';
import { TURN_VERBS } from './contract/turns';
import { UNSENT_VERBS } from './contract/unsent';
import { UPDATE_VERBS } from './contract/updates';
import { EVENTS } from './contract/events';

export { MAX_PROMPT_CHARS, type VerbSpec } from './contract/base';
export { EVENTS };

/** Every verb, by family; a test checks that no two families have the same one. */
export const VERBS = {
  ...TURN_VERBS,
  ...DECISION_VERBS,
  ...DRAFT_VERBS,
  ...SESSION_VERBS,
  ...AGENT_VERBS,
  ...PROVIDER_VERBS,
  ...OUTAGE_VERBS,
  ...DELIVERY_VERBS,
  ...SCHEDULE_VERBS,
  ...SKILL_VERBS,
  ...SHARE_VERBS,
  ...HOST_VERBS,
  ...HISTORY_VERBS,
  ...SEARCH_VERBS,
  ...INSTANCE_VERBS,
  ...UNSENT_VERBS,
  ...UPDATE_VERBS,
} as const;

/** Name of a verb. */
export type Verb = keyof typeof VERBS;
/** Input of a verb, validated. */
export type VerbInput<V extends Verb> = z.infer<ReturnType<(typeof VERBS)[V]['input']>>;
/** Output of a verb. */
export type VerbOutput<V extends Verb> = z.infer<ReturnType<(typeof VERBS)[V]['output']>>;

/** The answer format of every transport. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly hint?: string };

export type EventName = keyof typeof EVENTS;
export type EventPayload<E extends EventName> = z.infer<(typeof EVENTS)[E]>;

/** Verbs a window may call. */
export type WindowVerb = {
  [V in Verb]: (typeof VERBS)[V]['surface'] extends 'control' ? never : V;
}[Verb];

/**
 * The whole surface of the preload script (`window.holdfast`): one function per verb and one
 * subscription per event, frozen; no function takes a channel name (W2).
 */
export interface HoldfastBridge {
  readonly call: {
    readonly [V in WindowVerb]: (input: VerbInput<V>) => Promise<Answer<VerbOutput<V>>>;
  };
  /** Each returns the function that removes exactly that listener. */
  readonly on: {
    readonly [E in EventName]: (listener: (payload: EventPayload<E>) => void) => () => void;
  };
}
