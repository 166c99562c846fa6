/** What a tool may do: its rule, or what follows from the mode of approvals. Pure. S3-06. */
import type { ConfigEntry, ToolView } from '../../shared/model';

export const POLICIES = ['allow', 'ask', 'deny'] as const;
type Policy = (typeof POLICIES)[number];

interface ToolPolicy {
  /** The rule that names this tool; undefined where none does. */
  readonly rule: Policy | undefined;
  /** The name that the rule stands under: the tool, or its host. */
  readonly ruleName: string;
  /** Without a rule: runs, asks where it is risky, asks where it changes something. */
  readonly byMode: 'runs' | 'risky' | 'changes';
}

type Rules = Readonly<Record<string, unknown>>;

function rulesOf(entries: readonly ConfigEntry[]): Rules {
  const value = entries.find((entry) => entry.key === 'approvals.tools')?.value;
  return typeof value === 'object' && value !== null ? (value as Rules) : {};
}

const isPolicy = (value: unknown): value is Policy => POLICIES.some((one) => one === value);

/** The same order as the engine's: the narrower name wins. */
export function policyOf(tool: ToolView, entries: readonly ConfigEntry[]): ToolPolicy {
  const rules = rulesOf(entries);
  const mode = entries.find((entry) => entry.key === 'approvals.mode')?.value;
  const plain = tool.name.slice(tool.name.lastIndexOf('.') + 1);
  const names = [`${tool.host}.${plain}`, tool.name, plain, `${tool.host}.*`];
  const ruleName = names.find((name) => Object.hasOwn(rules, name) && isPolicy(rules[name]));
  const isEffect = tool.purity === 'side_effect' || tool.purity === 'external';
  const found = ruleName === undefined ? undefined : rules[ruleName];
  return {
    rule: isPolicy(found) ? found : undefined,
    ruleName: ruleName ?? tool.name,
    byMode: mode === 'off' || !isEffect ? 'runs' : mode === 'all_effects' ? 'changes' : 'risky',
  };
}

/** All rules with that of one tool changed; undefined takes it back. */
export function withPolicy(
  tool: ToolView,
  entries: readonly ConfigEntry[],
  policy: Policy | undefined,
): Rules {
  const { ruleName } = policyOf(tool, entries);
  // A rule for the whole host stays: this tool gets one of its own beside it.
  const name = ruleName.endsWith('.*') ? `${tool.host}.${tool.name}` : ruleName;
  const { [name]: _before, ...rest } = rulesOf(entries);
  return policy === undefined ? rest : { ...rest, [name]: policy };
}
