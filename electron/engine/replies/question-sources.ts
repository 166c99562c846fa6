/** Open questions, and how a question ended, from the modules that ask them. */
import { agentTitleIn } from '../../../shared/agent-title';
import type { Redactor } from '../../../shared/redact';
import { eachAlone } from '../kernel/each-alone';
import { HoldfastError } from '../kernel/errors';
import type { SettingsPort } from '../../ports/settings';
import type { QuestionMessage, QuestionRules } from '../../ports/channel';
import type { Hasher } from '../../ports/blobs';
import type { JournalReads } from '../../ports/journal/reads';
import type { InboxRow } from '../../ports/journal/inbox';
import { offerOf } from '../fallback/questions';
import { isDecision } from '../inbox/entries';
import type { Approvals } from '../permissions/approvals';
import type { Decisions } from '../recovery/decisions';
import { missedTask } from '../schedule/task-message';
import { missedTimer } from '../schedule/timers';
import { closedMessage, type OpenQuestion } from './question-text';

interface QuestionSourcesDeps {
  readonly reads: Pick<JournalReads, 'inbox' | 'inboxItem' | 'turn' | 'waitingForBudget'>;
  readonly hasher: Hasher;
  readonly approvals: Pick<Approvals, 'view'>;
  readonly decisions: Pick<Decisions, 'of'>;
  readonly settings: Pick<SettingsPort, 'get'>;
  readonly redactor: Pick<Redactor, 'redactText'>;
}

/** The open questions of the inbox. */
export interface QuestionSources {
  /** Everything that needs a decision, oldest first. */
  open(): Promise<readonly OpenQuestion[]>;
  /** Items that stay open until more is allowed: spent budgets with waiting turns. */
  budgets(): readonly string[];
  /** Undefined if it is decided, or not a question. */
  of(inboxId: number): Promise<OpenQuestion | undefined>;
  /** The message once it is decided; undefined if it is not a question. */
  closed(inboxId: number, rules: QuestionRules): Promise<QuestionMessage | undefined>;
}

const MOST = 1_000;

export function createQuestionSources(deps: QuestionSourcesDeps): QuestionSources {
  const { reads } = deps;
  const hide = (text: string): string => deps.redactor.redactText(text);
  const nameOf = (agent: string): string => agentTitleIn(deps.settings.get('agents'), agent);

  const questionOf = async (item: InboxRow): Promise<OpenQuestion | undefined> => {
    if (item.settledAtMs !== undefined) return undefined;
    if (item.item === 'approval') {
      const view = await deps.approvals.view(item.id).catch(unlessUnknown);
      return view === undefined || view.answer !== undefined
        ? undefined
        : { kind: 'approval', view, name: nameOf(view.agent), hide };
    }
    if (isDecision(item)) {
      const decision = await deps.decisions.of(item.turnId ?? 0);
      return decision?.inboxId === item.id
        ? { kind: 'decision', decision, name: nameOf(decision.agent), hide }
        : undefined;
    }
    const hashed = () =>
      deps.hasher.sha256Hex(JSON.stringify([item.id, item.createdAtMs, item.title]));
    const offer = offerOf(item.facts);
    if (offer !== undefined) {
      const { agent, to } = offer;
      return { kind: 'fallback', item, agent, to, hash: hashed(), hide };
    }
    const taskId = missedTask(item.facts);
    if (taskId === undefined && missedTimer(item.facts) === undefined) return undefined;
    return {
      kind: 'missed',
      item,
      ...(taskId === undefined ? {} : { taskId }),
      hash: hashed(),
      hide,
    };
  };

  return {
    async open() {
      const items = reads.inbox({ includeSettled: false, limit: MOST });
      return eachAlone(items, questionOf);
    },
    budgets() {
      const waits = reads.waitingForBudget();
      if (waits.length === 0) return [];
      return reads.inbox({ includeSettled: false, limit: MOST }).flatMap(({ title, facts }) => {
        const spent = spentBudget(facts);
        const count = waits.filter(
          (one) => one.budget === spent?.budget && one.key === spent.key,
        ).length;
        if (count === 0) return [];
        return [`${hide(title)}: ${String(count)} ${count === 1 ? 'turn waits' : 'turns wait'}`];
      });
    },
    async of(inboxId) {
      const item = reads.inboxItem(inboxId);
      return item === undefined ? undefined : questionOf(item);
    },
    async closed(inboxId, rules) {
      const item = reads.inboxItem(inboxId);
      if (item === undefined) return undefined;
      if (item.item === 'approval') {
        const view = await deps.approvals.view(inboxId).catch(unlessUnknown);
        return view === undefined
          ? undefined
          : closedMessage({ kind: 'approval', view, name: nameOf(view.agent), hide }, rules);
      }
      const taskId = missedTask(item.facts);
      const isMissed = taskId !== undefined || missedTimer(item.facts) !== undefined;
      const isOffer = offerOf(item.facts) !== undefined;
      if (!isMissed && !isOffer && !isDecision(item)) return undefined;
      // A timer belongs to a session's turn, but its notice is not a question about that turn.
      const turnId = isMissed ? undefined : item.turnId;
      const agent = turnId === undefined ? '' : nameOf(reads.turn(turnId)?.agent ?? '');
      return closedMessage(
        { kind: 'other', item: { ...item, turnId }, agent, taskId, isOffer, hide },
        rules,
      );
    },
  };
}

/** The spent budget that an item reports. */
function spentBudget(
  facts: InboxRow['facts'],
): { readonly budget: unknown; readonly key: unknown } | undefined {
  if (typeof facts !== 'object' || facts === null || Array.isArray(facts)) return undefined;
  const { budget, key, level } = facts as Readonly<Record<string, unknown>>;
  return level === 'spent' ? { budget, key } : undefined;
}

/** An inbox item whose request is missing: nothing to ask. */
function unlessUnknown(error: unknown): undefined {
  if (error instanceof HoldfastError && error.code === 'REQUEST_UNKNOWN') return undefined;
  throw error;
}
