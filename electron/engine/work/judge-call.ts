import type { Purity } from '../../../shared/model';
import type { CallRisk } from '../../ports/tools';

/** Whether a call may be made: from the settings `approvals.mode` and `approvals.tools`. */
export type ToolRule = 'allow' | 'ask' | 'deny';
export type ApprovalMode = 'risky' | 'all_effects' | 'off';

export interface ApprovalRules {
  readonly mode: ApprovalMode;
  /** By plain name, `host.tool`, `host.*`, `<tool>:effects`, or `host.tool git push`. */
  readonly tools: Readonly<Record<string, ToolRule>>;
}

/** What is known of a call before it is made. */
export interface CallFacts {
  /** `host.tool`. */
  readonly tool: string;
  readonly purity: Purity;
  /** False only where the call is known to change nothing. */
  readonly hasEffects: boolean;
  readonly risk: CallRisk | undefined;
}

export type Verdict =
  | { readonly kind: 'allow'; readonly by: 'rule' | 'session' | 'default' }
  | { readonly kind: 'ask'; readonly reason: string }
  | { readonly kind: 'deny'; readonly reason: string };

/** What leave for a session covers: the tool, or the part of it that its risk names. */
export function grantOf(facts: Pick<CallFacts, 'tool' | 'risk'>): string {
  const covers = facts.risk?.covers ?? '';
  return covers === '' ? facts.tool : `${facts.tool} ${covers}`;
}

/**
 * Decides a call: a rule that denies wins; then what a person has allowed for the session; then
 * the rule; then the mode. By default what cannot be undone or leaves the computer is asked about
 * and nothing else, so that the questions that come are read. Pure. Source: S3-06.
 */
export function judgeCall(
  facts: CallFacts,
  rules: ApprovalRules,
  grants: ReadonlySet<string>,
): Verdict {
  const rule = ruleOf(facts, rules.tools);
  if (rule?.does === 'deny')
    return { kind: 'deny', reason: `Your rule for ${rule.name} does not allow it.` };
  if (grants.has(grantOf(facts)) || grants.has(facts.tool)) return { kind: 'allow', by: 'session' };
  if (rule?.does === 'allow') return { kind: 'allow', by: 'rule' };
  if (rule?.does === 'ask')
    return { kind: 'ask', reason: `Your rule for ${rule.name}: always ask.` };
  const isEffect = facts.purity === 'side_effect' || facts.purity === 'external';
  if (rules.mode === 'off') return { kind: 'allow', by: 'default' };
  if (facts.risk?.isRisky === true) return { kind: 'ask', reason: facts.risk.reason };
  if (rules.mode === 'all_effects' && isEffect && facts.hasEffects)
    return { kind: 'ask', reason: 'You are asked about everything that changes something.' };
  return { kind: 'allow', by: 'default' };
}

/** The narrowest rule wins: `host.tool git push` (a part that its risk names), `host.tool:effects`, `tool:effects`, `host.tool`, `tool`, `host.*`. */
function ruleOf(
  facts: CallFacts,
  tools: ApprovalRules['tools'],
): { readonly name: string; readonly does: ToolRule } | undefined {
  const dot = facts.tool.indexOf('.');
  const host = facts.tool.slice(0, dot);
  const plain = facts.tool.slice(dot + 1);
  const names = [
    grantOf(facts),
    ...(facts.hasEffects ? [`${facts.tool}:effects`, `${plain}:effects`] : []),
    facts.tool,
    plain,
    `${host}.*`,
  ];
  for (const name of names) {
    const does = Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (does !== undefined) return { name, does };
  }
  return undefined;
}
