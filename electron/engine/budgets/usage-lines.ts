/** What was used, in the lines that people read: by day and by who is paid for it. Pure. */
import type { UsagePart } from '../../../shared/states';
import type { UsageLine } from '../../../shared/types/gateway';
import type { UsageRow } from '../../ports/journal/usage';

interface UsageNames {
  /** Whom a turn is charged to. */
  readonly payingName: (provider: string, agent: string) => string;
  /** The login or key behind it. */
  readonly accountOf: (payingName: string) => string;
}

/** One line for each day, provider and client, split by what was asked for; newest first. BU-05 */
export function usageLines(
  rows: readonly UsageRow[],
  by: readonly UsagePart[],
  { payingName, accountOf }: UsageNames,
): UsageLine[] {
  const named = rows.map(({ agent = '', ...row }): UsageLine => {
    const provider = row.source === 'turns' ? payingName(row.provider, agent) : row.provider;
    return {
      ...row,
      provider,
      ...(by.includes('agent') && row.source === 'turns' ? { agent } : {}),
      ...(by.includes('account') ? { account: accountOf(provider).slice(0, 300) } : {}),
    };
  });
  return merged(named).toSorted(
    (a, b) =>
      b.day.localeCompare(a.day) ||
      a.provider.localeCompare(b.provider) ||
      (a.client ?? '').localeCompare(b.client ?? '') ||
      (a.agent ?? '').localeCompare(b.agent ?? '') ||
      (a.taskId ?? 0) - (b.taskId ?? 0),
  );
}

function merged(lines: readonly UsageLine[]): UsageLine[] {
  const sums = new Map<string, UsageLine>();
  for (const line of lines) {
    const { day, source, provider, client, agent, taskId } = line;
    const key = JSON.stringify([day, source, provider, client, agent, taskId]);
    const known = sums.get(key);
    const costUsd = sumOf(known?.costUsd, line.costUsd);
    const savedUsd = sumOf(known?.savedUsd, line.savedUsd);
    sums.set(key, {
      ...line,
      count: line.count + (known?.count ?? 0),
      remembered: line.remembered + (known?.remembered ?? 0),
      cut: line.cut + (known?.cut ?? 0),
      inputTokens: line.inputTokens + (known?.inputTokens ?? 0),
      outputTokens: line.outputTokens + (known?.outputTokens ?? 0),
      ...(costUsd === undefined ? {} : { costUsd }),
      savedInputTokens: line.savedInputTokens + (known?.savedInputTokens ?? 0),
      savedOutputTokens: line.savedOutputTokens + (known?.savedOutputTokens ?? 0),
      ...(savedUsd === undefined ? {} : { savedUsd }),
    });
  }
  return [...sums.values()];
}

/** Known when one of them is. */
function sumOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}
