/** Texts of the agents page about one agent. Pure. */
import { t } from '../../shared/messages';
import type { AgentView, ConfigEntry, ToolView, TurnSummary } from '../../shared/types';
import { parseDuration } from '../../shared/durations';
import { titleOf } from '../outages/outages-view';
import { storedUnder, valuesOf } from '../parts/named-values';
import { durationText, moneyText } from '../parts/time-view';
import type { ToolRow } from '../parts/tools-table';
import type { AgentInput } from './external-form-view';

const valueOf = (entries: readonly ConfigEntry[], key: string): unknown =>
  entries.find((entry) => entry.key === key)?.value;

/** Source of its answers, for the list. */
export function sourceText(agent: AgentView): string {
  if (agent.executor === 'practice') return t('practice.noNetwork');
  return agent.executor === 'llm' ? titleOf(agent.provider) : agent.provider;
}

/** Its recovery guarantee, without what a chip next to it already shows about a script. */
export const exactOf = (agent: AgentView): string =>
  agent.executor === 'practice'
    ? agent.howExact.replace(t('practice.chip'), '').trim()
    : agent.howExact;

/** The same in a word or two for lists: "Exact recovery"; the sentence is in the pane. */
export function exactWord(agent: AgentView): string {
  const [, word] = /^(\p{L}+): /u.exec(exactOf(agent)) ?? [];
  return word === undefined ? exactOf(agent) : t('agents.exactWord', { text: word });
}

/** What runs an agent, in the words of the reference. */
export const executorText = ({ executor }: Pick<AgentView, 'executor'>): string =>
  t(`executor.${executor}`);

/** True if an external program does the work of the agent. */
export const isOutside = (agent: AgentView): boolean =>
  agent.executor === 'acp' || agent.executor === 'command';

/** The settings of an agent; empty if there are none. */
const storedOf = (entries: readonly ConfigEntry[], agent: string): ReturnType<typeof valuesOf> =>
  valuesOf(storedUnder(entries, 'agents', agent));

/** The settings of an agent as its form needs them; undefined if the settings do not contain it. */
export function storedAgent(
  entries: readonly ConfigEntry[],
  agent: string,
): AgentInput | undefined {
  const stored = storedOf(entries, agent);
  // Main parsed it with the schema: a stored value is a valid agent.
  return Object.keys(stored).length === 0 ? undefined : (stored as unknown as AgentInput);
}

/**
 * True if no turn waits automatically for a provider that is down, whatever its agent's setting.
 */
export const isWaitOffForAll = (entries: readonly ConfigEntry[]): boolean =>
  valueOf(entries, 'resilience.auto_wait') === false;

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** The provider, or the complete command, of which the list shows only the start. */
export function programText(entries: readonly ConfigEntry[], agent: AgentView): string {
  const { command, args } = storedOf(entries, agent.name);
  if (!isOutside(agent) || typeof command !== 'string') return sourceText(agent);
  return [command, ...textsOf(args)].join(' ');
}

/**
 * Who answers the permission requests of an agent that makes them by protocol; undefined for
 * others.
 */
export function askingOf(
  entries: readonly ConfigEntry[],
  agent: AgentView,
): 'policy' | 'always' | undefined {
  if (agent.executor !== 'acp') return undefined;
  return storedOf(entries, agent.name)['ask'] === 'always' ? 'always' : 'policy';
}

/** Names of the variables that its commands receive, from the settings; never a value. */
export function environmentNames(
  entries: readonly ConfigEntry[],
  agent: string,
): readonly string[] {
  return textsOf(storedOf(entries, agent)['env']);
}

/**
 * The limits of a turn in one line; undefined until all three are known. The cost of an external
 * agent is known only if it reports it.
 */
export function limitsText(
  entries: readonly ConfigEntry[],
  isOfOtherProgram: boolean,
): string | undefined {
  const cost = valueOf(entries, 'limits.turn_cost_usd');
  const time = durationOf(valueOf(entries, 'limits.turn_time'));
  const steps = valueOf(entries, 'limits.turn_steps');
  if (typeof cost !== 'number' || typeof steps !== 'number' || time === undefined) return undefined;
  return t(isOfOtherProgram ? 'agents.limitsTextOutside' : 'agents.limitsText', {
    cost: moneyText(cost),
    time,
    count: steps,
  });
}

/** How often a failed model call is tried again, and when; undefined until all of it is known. */
export function requeueText(entries: readonly ConfigEntry[]): string | undefined {
  const count = valueOf(entries, 'work.max_requeues');
  const first = durationOf(valueOf(entries, 'work.requeue_delay'));
  const most = durationOf(valueOf(entries, 'work.requeue_max_delay'));
  return typeof count === 'number' && first !== undefined && most !== undefined
    ? t('taskForm.more.triesText', { duration: first, text: most, count })
    : undefined;
}

function durationOf(value: unknown): string | undefined {
  const parsed =
    typeof value === 'string' || typeof value === 'number' ? parseDuration(value) : undefined;
  return parsed?.ok === true ? durationText(parsed.ms) : undefined;
}

/** Its tools with their facts, in its own order. */
export function ownTools(agent: AgentView, tools: readonly ToolView[]): readonly ToolRow[] {
  return agent.tools.map((name) => tools.find((tool) => tool.name === name) ?? { name });
}

/** Turns of the agent that run now, the oldest first. */
export function runningOf(turns: readonly TurnSummary[], agent: string): readonly TurnSummary[] {
  return turns
    .filter((turn) => turn.agent === agent && turn.state === 'running')
    .toSorted((a, b) => a.id - b.id);
}
