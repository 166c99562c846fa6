/** Content of the decisions page, and the effect of each answer. Pure. */
import { t } from '../../shared/messages';
import type {
  ApprovalView,
  InboxItem,
  LeftProcessView,
  ReplayDecision,
  ResumePlan,
  StepView,
} from '../../shared/types';
import { ON_YOUR_LIST, effectWords, toolOfAgent } from '../../shared/tool-words';
import { valueWords } from '../../shared/value-words';
import { plainName } from '../../shared/tool-id';
import { oneLine } from '../parts/inert-view';
import { firstSentence } from '../parts/title-view';
import { answerText, approvalQuestion, plainTool, wholeApprovalQuestion } from './approval-view';
import { localClocks, moneyText } from '../parts/time-view';
import { agentTitle } from '../agents/agent-titles';

/** A row of the list: an inbox item and, if it has one, its interrupted turn or its approval. */
export interface Entry {
  readonly item: InboxItem;
  readonly decision: ReplayDecision | undefined;
  readonly request?: ApprovalView | undefined;
  /** The command that outlived a crash, if the item is about one. */
  readonly process?: LeftProcessView | undefined;
}

export interface Groups {
  /** Calls that wait for permission, tools that wait for their result: their turn is blocked. */
  readonly approvals: readonly Entry[];
  /** Interrupted by a crash: blocked until answered. */
  readonly replay: readonly Entry[];
  /** A limit was reached. */
  readonly limits: readonly Entry[];
  /** Holdfast gave up after repeated crashes: these are blocked too. */
  readonly parked: readonly Entry[];
  /** Missed tasks, problems: nothing is lost by waiting. */
  readonly later: readonly Entry[];
  readonly settled: readonly Entry[];
}

type OpenGroup = Exclude<keyof Groups, 'settled'>;

function openGroupOf(entry: Entry): OpenGroup {
  const { item, decision } = entry;
  if (item.kind === 'approval') return 'approvals';
  if (item.kind === 'limit') return 'limits';
  if (item.kind === 'replay_decision' && decision?.kind !== 'parked') return 'replay';
  return isUrgent(entry) ? 'parked' : 'later';
}

/** An outage has one row: once the provider is back, the row of its end covers everything. */
const isToldByItsEnd = ({ kind, settledAtMs, outcome }: InboxItem): boolean =>
  kind === 'outage' && settledAtMs !== undefined && outcome === 'is back';

/**
 * Sorts the inbox into groups, each oldest first; resolved ones newest first. Notices are not here.
 */
export function groupEntries(
  items: readonly InboxItem[],
  decisions: readonly ReplayDecision[],
  requests: readonly ApprovalView[] = [],
  processes: readonly LeftProcessView[] = [],
): Groups {
  const byInbox = new Map(decisions.map((decision) => [decision.inboxId, decision]));
  const byNotice = new Map(processes.map((process) => [process.inboxId, process]));
  const byRequest = new Map(requests.map((request) => [request.requestId, request]));
  const entries = items
    .filter((item) => item.kind !== 'restart_notice' && !isToldByItsEnd(item))
    .toSorted((a, b) => a.createdAtMs - b.createdAtMs || a.id - b.id)
    .map((item): Entry => ({
      item,
      decision: byInbox.get(item.id),
      // A question has the ID of its inbox item.
      ...(item.kind === 'approval' ? { request: byRequest.get(item.id) } : {}),
      ...(byNotice.has(item.id) ? { process: byNotice.get(item.id) } : {}),
    }));
  const open = entries.filter(({ item }) => item.settledAtMs === undefined);
  const inGroup = (group: OpenGroup): readonly Entry[] =>
    open.filter((entry) => openGroupOf(entry) === group);
  return {
    approvals: inGroup('approvals'),
    replay: inGroup('replay'),
    limits: inGroup('limits'),
    parked: inGroup('parked'),
    later: inGroup('later'),
    settled: entries
      .filter(({ item }) => item.settledAtMs !== undefined)
      .toSorted((a, b) => (b.item.settledAtMs ?? 0) - (a.item.settledAtMs ?? 0)),
  };
}

/** Everything that is open, group by group. */
export const openEntries = ({
  approvals,
  replay,
  limits,
  parked,
  later,
}: Groups): readonly Entry[] => [...approvals, ...replay, ...limits, ...parked, ...later];

/** A turn is blocked until the user answers; for other entries nothing is lost by waiting. */
export const isUrgent = ({ item, decision }: Entry): boolean =>
  decision !== undefined ||
  item.kind === 'replay_decision' ||
  item.kind === 'limit' ||
  item.kind === 'approval';

/** Number of turns that are blocked until the user answers, as Home and the badge show it. */
export function standStill(groups: Groups): number {
  const still = openEntries(groups).filter(isUrgent);
  return new Set(still.map(({ item }) => item.turnId ?? `item ${item.id}`)).size;
}

/** The shown row: the requested one, otherwise the first urgent one. */
export function pickEntry(
  groups: Groups,
  wanted: { readonly turnId?: number | undefined; readonly itemId?: number | undefined },
): Entry | undefined {
  const open = openEntries(groups);
  const all = [...open, ...groups.settled];
  return (
    (wanted.itemId === undefined ? undefined : all.find(({ item }) => item.id === wanted.itemId)) ??
    (wanted.turnId === undefined
      ? undefined
      : all.find(({ item }) => item.turnId === wanted.turnId)) ??
    open[0]
  );
}

/** One line of "Before you press". */
interface PlanLine {
  readonly kind: 'reused' | 'reissued' | 'answer' | 'run';
  readonly count: number;
  readonly label: string;
  readonly about: string;
}

/**
 * The plan in at most four lines; empty lines are left out, except what will run. `unknownTool`:
 * the one tool whose outcome is unknown; its own texts are used.
 */
export function planLines(plan: ResumePlan, unknownTool?: string): readonly PlanLine[] {
  const words = unknownTool === undefined ? undefined : effectWords(unknownTool);
  const saved = plan.savedUsage.costUsd;
  const lines: PlanLine[] = [
    {
      kind: 'reused',
      count: plan.reused,
      label: t('plan.reused', { count: plan.reused }),
      about:
        saved === undefined || saved === 0
          ? t('plan.reusedAbout')
          : t('plan.reusedAboutCost', { cost: moneyText(saved) }),
    },
    {
      kind: 'reissued',
      count: plan.reissued,
      label: t('plan.reissued', { count: plan.reissued }),
      about: t('plan.reissuedAbout'),
    },
    {
      kind: 'answer',
      count: plan.ambiguous.length,
      label: t('plan.answer', { count: plan.ambiguous.length }),
      about:
        words === undefined ? t('plan.answerAbout') : t('plan.answerAboutOf', { what: words.done }),
    },
    {
      kind: 'run',
      count: plan.toRun,
      label: t('plan.run', { count: plan.toRun }),
      about: t('plan.runAbout'),
    },
  ];
  return lines.filter((line) => line.count > 0 || line.kind === 'run');
}

/** A possible answer of the user. */
export type Answering =
  | { readonly kind: 'confirm'; readonly step: number }
  | { readonly kind: 'skip'; readonly step: number }
  | { readonly kind: 'resume' }
  | { readonly kind: 'discard' };

export interface Offer {
  readonly answering: Answering;
  readonly label: string;
  /** The consequence in one short line below the button. */
  readonly short: string;
  /** The detailed consequence; the description of the button. */
  readonly effect: string;
}

type Ambiguous = ReplayDecision['ambiguous'][number];

/** Possible answers about one unknown step. */
export function stepOffers(step: Ambiguous): { readonly confirm: Offer; readonly skip: Offer } {
  const words = effectWords(step.tool);
  return {
    confirm: {
      answering: { kind: 'confirm', step: step.index },
      label:
        words === undefined ? t('decide.confirm') : t('decide.confirmOf', { what: words.done }),
      short: t('decide.confirmShort'),
      effect: t('decide.confirmEffect', { step: step.index, tool: plainName(step.tool) }),
    },
    skip: {
      answering: { kind: 'skip', step: step.index },
      label: t('decide.skip'),
      short: t('decide.skipShort'),
      effect: t('decide.skipEffect', { step: step.index, tool: plainName(step.tool) }),
    },
  };
}

/** Continuing without an open step, worded by the reason why the turn is blocked. */
const GO_ON = {
  held: { label: 'decide.goOn', short: 'decide.goOnShort', effect: 'decide.goOnEffect' },
  stale: { label: 'decide.goOn', short: 'decide.goOnShort', effect: 'decide.goOnEffect' },
  parked: {
    label: 'decide.tryAgain',
    short: 'decide.tryAgainShort',
    effect: 'decide.tryAgainEffect',
  },
  limit: {
    label: 'decide.goOnLimit',
    short: 'decide.goOnLimitShort',
    effect: 'decide.goOnLimitEffect',
  },
} as const satisfies Record<ReplayDecision['kind'], object>;

function againLabel(unknown: readonly Ambiguous[]): string {
  const [first] = unknown;
  if (unknown.length !== 1 || first === undefined)
    return t('decide.againAll', { count: unknown.length });
  const words = effectWords(first.tool);
  return words === undefined
    ? t('decide.again')
    : t('decide.againOf', { what: words.again, count: words.areMany ? 2 : 1 });
}

/** True if all that is known is that the one call was sent and that its tool is listed. */
export const isPlainlyUnknown = ({ ambiguous, reason }: ReplayDecision): boolean =>
  ambiguous.length === 1 && ambiguous[0]?.isListed === true && reason.endsWith(ON_YOUR_LIST);

/** Why the question exists: when the one call was sent, and other known facts. */
export function whyAsked(decision: ReplayDecision, timeOf: (atMs: number) => string): string {
  const [only, ...others] = decision.ambiguous;
  if (only === undefined || others.length > 0) return localClocks(decision.reason);
  const left = t('decide.whyOne', { time: timeOf(only.startedAtMs) });
  return `${left} ${
    isPlainlyUnknown(decision)
      ? t('decide.whyListed', { tool: plainName(toolOfAgent(decision.agent, only.tool)) })
      : localClocks(decision.reason)
  }`;
}

/** Possible answers about the turn as a whole. */
export function turnOffers(
  decision: Pick<ReplayDecision, 'kind' | 'ambiguous'> & {
    readonly plan: Pick<ResumePlan, 'reused'>;
  },
): {
  readonly resume: Offer;
  readonly discard: Offer;
} {
  const unknown = decision.ambiguous;
  const first = unknown[0];
  const resume: Offer = first
    ? {
        answering: { kind: 'resume' },
        label: againLabel(unknown),
        short:
          unknown.length === 1 && first.isIdempotent
            ? t('decide.againIdempotentShort')
            : t('decide.againShort'),
        effect:
          unknown.length > 1
            ? t('decide.againAllEffect', { count: unknown.length })
            : first.isIdempotent
              ? t('decide.againIdempotentEffect', { tool: plainName(first.tool) })
              : t('decide.againEffect', { tool: plainName(first.tool) }),
      }
    : {
        answering: { kind: 'resume' },
        label: t(GO_ON[decision.kind].label),
        short: t(GO_ON[decision.kind].short, { reused: decision.plan.reused }),
        effect: t(GO_ON[decision.kind].effect, { reused: decision.plan.reused }),
      };
  return {
    resume,
    discard: {
      answering: { kind: 'discard' },
      label: t('decide.discard'),
      short: t('decide.discardShort'),
      effect: t('decide.discardEffect'),
    },
  };
}

/** How the user could find out whether it happened. */
export function checkFirst(step: Ambiguous): string {
  if (step.hasStatusCheck && step.isIdempotent) return t('decide.checkBoth');
  if (step.hasStatusCheck) return t('decide.checkStatus');
  if (step.isIdempotent) return t('decide.checkIdempotent');
  switch (step.keyIn) {
    case 'environment':
      return t('decide.checkKeyEnvironment');
    case 'request':
      return t('decide.checkKeyRequest');
    case 'none':
      return t('decide.checkNone');
    case undefined:
      return t('decide.checkUnknown');
  }
}

const SHOWN_BEFORE = 3;

/** The last ended steps before the one in question, oldest first. */
export function stepsBefore(
  steps: readonly StepView[],
  beforeStep: number | undefined,
): readonly StepView[] {
  return steps
    .filter((step) => step.state !== 'started')
    .filter((step) => beforeStep === undefined || step.index < beforeStep)
    .toSorted((a, b) => a.index - b.index)
    .slice(-SHOWN_BEFORE);
}

/** Details of an item; the button next to it does what the last sentence tells terminal users. */
export const detailOf = ({ detail }: InboxItem): string =>
  detail.replace(/ Run it now with "holdfast tasks run \d+"\.$/, '');

/** The question of an entry, else its subject. */
export function entryTitle({ item, decision, request }: Entry): string {
  if (decision) return decision.question;
  if (request) return approvalQuestion(request);
  // An item about a turn has its prompt as title.
  return item.turnId === undefined ? item.title : firstSentence(item.title);
}

/** The full text, for the row's tooltip. */
export const wholeTitle = (entry: Entry): string =>
  entry.decision === undefined && entry.request !== undefined
    ? wholeApprovalQuestion(entry.request)
    : oneLine(entryTitle(entry), 300);

/** Display name of the asking agent; undefined if no agent asks. */
export function askerOf({ decision, request }: Entry): string | undefined {
  const agent = decision?.agent ?? request?.agent;
  return agent === undefined || agent === '' ? undefined : agentTitle(agent);
}

/** Below the question: agent and tool that ask, or the outcome. */
export function entrySecond({ item, decision, request }: Entry): string {
  if (item.settledAtMs !== undefined)
    return request?.answer === undefined
      ? valueWords(item.outcome ?? item.detail)
      : answerText(request);
  if (request)
    return [
      agentTitle(request.agent),
      plainTool(toolOfAgent(request.agent, request.tool)),
      ...titled(request.promptStart),
    ].join(' · ');
  if (!decision) return detailOf(item);
  // The server is shown on the question's page: here is space for one word.
  const tools = decision.ambiguous.map(({ tool }) => plainName(toolOfAgent(decision.agent, tool)));
  return [
    agentTitle(decision.agent),
    ...new Set(tools.length > 0 ? tools : decision.listedTools),
    ...titled(decision.promptStart),
  ].join(' · ');
}

const titled = (prompt: string): readonly string[] => {
  const title = firstSentence(prompt);
  return title === '' ? [] : [title];
};

/**
 * True if a search in the list of decisions matches the entry: all words, anywhere in its texts.
 */
export function matchesSearch(entry: Entry, search: string): boolean {
  const { item, decision, request } = entry;
  const text = [
    entryTitle(entry),
    request?.agent ?? '',
    request?.tool ?? '',
    request?.hint ?? '',
    request?.promptStart ?? '',
    item.title,
    item.detail,
    valueWords(item.outcome ?? ''),
    decision?.question ?? '',
    decision?.agent ?? '',
    decision?.promptStart ?? '',
    ...(decision?.listedTools ?? []),
    ...(decision?.ambiguous.map((step) => step.tool) ?? []),
  ]
    .join(' ')
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
