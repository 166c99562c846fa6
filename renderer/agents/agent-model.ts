/** What the page of agents says about one of them. Pure. */
import { t } from '../../shared/messages';
import type { AgentView, ConfigEntry, ToolView, TurnSummary } from '../../shared/model';
import { parseDuration } from '../../shared/durations';
import { durationText, moneyText } from '../parts/time-model';
import type { ToolRow } from '../parts/tools-table';

const valueOf = (entries: readonly ConfigEntry[], key: string): unknown =>
  entries.find((entry) => entry.key === key)?.value;

/** Where its answers come from, for the list. */
export function sourceText(agent: AgentView): string {
  return agent.executor === 'practice' ? t('practice.noNetwork') : agent.provider;
}

/** Names of the variables that its commands receive, from the settings; never a value. */
export function environmentNames(
  entries: readonly ConfigEntry[],
  agent: string,
): readonly string[] {
  const all = valueOf(entries, 'agents');
  if (all === null || typeof all !== 'object' || !Object.hasOwn(all, agent)) return [];
  const own: unknown = (all as Record<string, unknown>)[agent];
  const env = own !== null && typeof own === 'object' && 'env' in own ? own.env : [];
  return Array.isArray(env) ? env.filter((name) => typeof name === 'string') : [];
}

/** The limits of a turn in one line; undefined until all three are known. */
export function limitsText(entries: readonly ConfigEntry[]): string | undefined {
  const cost = valueOf(entries, 'limits.turn_cost_usd');
  const time = valueOf(entries, 'limits.turn_time');
  const steps = valueOf(entries, 'limits.turn_steps');
  if (typeof cost !== 'number' || typeof steps !== 'number') return undefined;
  const parsed =
    typeof time === 'string' || typeof time === 'number' ? parseDuration(time) : undefined;
  if (parsed?.ok !== true) return undefined;
  return t('agents.limitsText', {
    cost: moneyText(cost),
    time: durationText(parsed.ms),
    count: steps,
  });
}

/** Its tools with what is known of them, in its own order. */
export function ownTools(agent: AgentView, tools: readonly ToolView[]): readonly ToolRow[] {
  return agent.tools.map((name) => tools.find((tool) => tool.name === name) ?? { name });
}

/** Turns of the agent that run now, the oldest first. */
export function runningOf(turns: readonly TurnSummary[], agent: string): readonly TurnSummary[] {
  return turns
    .filter((turn) => turn.agent === agent && turn.state === 'running')
    .toSorted((a, b) => a.id - b.id);
}
