import type { Verb, VerbInput, VerbOutput } from '../../../shared/contract';
import type { AGENT_VERBS } from '../../../shared/contract/agents';
import type { DECISION_VERBS } from '../../../shared/contract/decisions';
import type { DELIVERY_VERBS } from '../../../shared/contract/delivery';
import type { DRAFT_VERBS } from '../../../shared/contract/drafts';
import type { HISTORY_VERBS } from '../../../shared/contract/history';
import type { HOST_VERBS } from '../../../shared/contract/hosts';
import type { INSTANCE_VERBS } from '../../../shared/contract/instance';
import type { OUTAGE_VERBS } from '../../../shared/contract/outage';
import type { PROVIDER_VERBS } from '../../../shared/contract/providers';
import type { SCHEDULE_VERBS } from '../../../shared/contract/schedule';
import type { SEARCH_VERBS } from '../../../shared/contract/search';
import type { SESSION_VERBS } from '../../../shared/contract/sessions';
import type { SHARE_VERBS } from '../../../shared/contract/share';
import type { SKILL_VERBS } from '../../../shared/contract/skills';
import type { TURN_VERBS } from '../../../shared/contract/turns';
import type { UNSENT_VERBS } from '../../../shared/contract/unsent';
import type { UPDATE_VERBS } from '../../../shared/contract/updates';
import type { CallOrigin } from './facade';

/** A handler per verb; input is validated before it is called. */
export type Handlers<V extends Verb = Verb> = {
  readonly [K in V]: (input: VerbInput<K>, origin: CallOrigin) => Promise<VerbOutput<K>>;
};

/**
 * The contract's families: `shared/contract/drafts.ts` declares the verbs that
 * `engine/api/drafts.ts` answers. A verb without a handler does not compile.
 */
export interface Families {
  readonly turns: Handlers<keyof typeof TURN_VERBS>;
  readonly decisions: Handlers<keyof typeof DECISION_VERBS>;
  readonly drafts: Handlers<keyof typeof DRAFT_VERBS>;
  readonly sessions: Handlers<keyof typeof SESSION_VERBS>;
  readonly agents: Handlers<keyof typeof AGENT_VERBS>;
  readonly providers: Handlers<keyof typeof PROVIDER_VERBS>;
  readonly outage: Handlers<keyof typeof OUTAGE_VERBS>;
  readonly delivery: Handlers<keyof typeof DELIVERY_VERBS>;
  readonly schedule: Handlers<keyof typeof SCHEDULE_VERBS>;
  readonly skills: Handlers<keyof typeof SKILL_VERBS>;
  readonly share: Handlers<keyof typeof SHARE_VERBS>;
  readonly hosts: Handlers<keyof typeof HOST_VERBS>;
  readonly history: Handlers<keyof typeof HISTORY_VERBS>;
  readonly search: Handlers<keyof typeof SEARCH_VERBS>;
  readonly instance: Handlers<keyof typeof INSTANCE_VERBS>;
  readonly unsent: Handlers<keyof typeof UNSENT_VERBS>;
  readonly updates: Handlers<keyof typeof UPDATE_VERBS>;
}

/** Every verb of the contract. */
export const joinFamilies = (families: Families): Handlers => ({
  ...families.turns,
  ...families.decisions,
  ...families.drafts,
  ...families.sessions,
  ...families.agents,
  ...families.providers,
  ...families.outage,
  ...families.delivery,
  ...families.schedule,
  ...families.skills,
  ...families.share,
  ...families.hosts,
  ...families.history,
  ...families.search,
  ...families.instance,
  ...families.unsent,
  ...families.updates,
});
