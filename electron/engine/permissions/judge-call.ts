import type { Purity } from '../../../shared/types';
import { isGrantedPlainly } from '../../../shared/own-hosts';
import { ruleNames, spelledEntry, toolId } from '../../../shared/tool-id';
import type { SettingsPort } from '../../ports/settings';
import type { CallRisk } from '../../ports/tool-call';
import { partRuleOf, type PartRule } from './part-rules';

/** Verdict of a rule, from the settings `approvals.mode` and `approvals.tools`. */
type ToolRule = 'allow' | 'ask' | 'deny';
type ApprovalMode = 'risky' | 'all_effects' | 'off';

export interface ApprovalRules {
  readonly mode: ApprovalMode;
  /** By plain name, `host.tool`, `host.*`, `<tool>:effects`, or `host.tool git push`. */
  readonly tools: Readonly<Record<string, ToolRule>>;
}

/** Read at each decision, so that a changed rule applies to the next call. */
export const rulesBySettings =
  (settings: Pick<SettingsPort, 'get'>): (() => ApprovalRules) =>
  () => ({ mode: settings.get('approvals.mode'), tools: settings.get('approvals.tools') });

/** Facts about a call before it is made. */
export interface CallFacts {
  /** `host.tool`. */
  readonly tool: string;
  /** Tools that its name may also mean: what restricts one of them restricts this call. */
  readonly mayBe?: readonly string[];
  /** An external agent reports it as a built-in tool. */
  readonly isOfAgent?: boolean;
  readonly purity: Purity;
  /** False only if the call is known to change nothing. */
  readonly hasEffects: boolean;
  readonly risk: CallRisk | undefined;
  /** The target address, if this computer knows it. */
  readonly goesTo?: string | undefined;
}

export type PermissionVerdict =
  /** `isBound`: only for the call's target address. */
  | {
      readonly kind: 'allow';
      readonly by: 'rule' | 'session' | 'default';
      readonly isBound?: true;
    }
  | { readonly kind: 'ask'; readonly reason: string }
  /** `told`: the exact text for the agent. */
  | { readonly kind: 'deny'; readonly reason: string; readonly told?: string };

/**
 * What a session approval covers: the tool, or the part that its risk names, plus the target if
 * known: `shell.shell git push to git@git.example:x.git`.
 */
export function grantOf(facts: Pick<CallFacts, 'tool' | 'risk' | 'goesTo'>): string {
  return [fullName(facts.tool), ...partsOf(facts).slice(0, 1)].join(' ');
}

/** The parts of the tool that this call matches, the narrowest first. */
function partsOf({ risk, goesTo }: Pick<CallFacts, 'risk' | 'goesTo'>): readonly string[] {
  const covers = risk?.covers ?? '';
  if (covers === '') return [];
  return goesTo === undefined ? [covers] : [`${covers} to ${goesTo}`, covers];
}

/** True if an approval of this name includes the call's address. */
const isBoundName = (name: string, facts: CallFacts): boolean =>
  facts.goesTo !== undefined &&
  partsOf(facts).length === 2 &&
  name === spelledEntry(grantOf(facts));

/** The name in the characters that rules and grants use. */
const fullName = (tool: string): string => {
  const { host, name } = toolId(tool);
  return host === '' ? name : `${host}.${name}`;
};

/**
 * Decides a call: a deny rule wins, then a session approval, then the rule, then the mode. By
 * default only calls that cannot be undone or that leave the computer need approval, so users read
 * the questions that come. Pure. Source: S3-06.
 */
export function judgeCall(
  facts: CallFacts,
  rules: ApprovalRules,
  isGranted: (what: string) => boolean,
): PermissionVerdict {
  const refused = facts.risk?.refused;
  if (refused !== undefined) return { kind: 'deny', reason: refused, told: refused };
  const rule = strictestRule(facts, rules.tools);
  if (rule?.does === 'deny')
    return { kind: 'deny', reason: `Your rule for ${rule.name} does not allow it.` };
  if (rule?.does === 'allow') {
    return { kind: 'allow', by: 'rule', ...(isBoundName(rule.name, facts) ? BOUND : {}) };
  }
  const asked = askedBecause(facts, rules, rule);
  if (asked === undefined) return { kind: 'allow', by: 'default' };
  // Approval for the whole tool does not cover what a rule may restrict.
  const isOpen = rule?.isOpen === true;
  const wide = grantOf({ tool: facts.tool, risk: facts.risk });
  const isPart = (facts.risk?.covers ?? '') !== '';
  const isEnough = isGranted(wide) && (!isOpen || isPart);
  if (isEnough || (!isOpen && isGranted(fullName(facts.tool))))
    return { kind: 'allow', by: 'session' };
  return isPart && isGranted(grantOf(facts))
    ? { kind: 'allow', by: 'session', ...BOUND }
    : { kind: 'ask', reason: asked };
}

const BOUND = { isBound: true } as const;

function askedBecause(
  facts: CallFacts,
  rules: ApprovalRules,
  rule: ReturnType<typeof ruleOf>,
): string | undefined {
  if (rule?.isOpen === true)
    return `Your rule for ${rule.name} may apply: the command does not show what it would run.`;
  if (rule?.does === 'ask') return `Your rule for ${rule.name}: always ask.`;
  if (rules.mode === 'off') return undefined;
  if (facts.risk?.isRisky === true) return facts.risk.reason;
  const isEffect = facts.purity === 'side_effect' || facts.purity === 'external';
  return rules.mode === 'all_effects' && isEffect && facts.hasEffects
    ? 'Your approval is required for everything that changes something.'
    : undefined;
}

/** An allow rule counts only for the tool itself. */
function strictestRule(facts: CallFacts, tools: ApprovalRules['tools']): PartRule | undefined {
  const own = ruleOf(facts, tools);
  if (facts.mayBe === undefined) return own;
  const all = [own, ...facts.mayBe.map((tool) => ruleOf({ ...facts, tool }, tools))];
  const first = (does: ToolRule) => all.find((rule) => rule?.does === does);
  return first('deny') ?? first('ask') ?? own;
}

/**
 * The narrowest rule wins: first one for a command of the call, then in the order of {@link
 * ruleNames}. An allow rule must name this exact tool; a restricting rule applies to all tools of
 * its name.
 */
function ruleOf(facts: CallFacts, tools: ApprovalRules['tools']): PartRule | undefined {
  // Runs for every call, and most users have no rules.
  const entries = Object.entries(tools);
  if (entries.length === 0) return undefined;
  const rules = new Map(entries.map(([name, does]) => [spelledEntry(name), does]));
  const ofParts = partRuleOf(fullName(facts.tool), facts.risk?.parts ?? [], rules);
  if (ofParts?.does === 'deny') return ofParts;
  const covers = partsOf(facts);
  const names = ruleNames(facts.tool, { hasEffects: facts.hasEffects, covers });
  for (const [at, { name, isPlain }] of names.entries()) {
    // An approval of exactly this line takes precedence over rules for its parts.
    if (at === covers.length && ofParts !== undefined) return ofParts;
    const does = rules.get(name);
    if (does === undefined) continue;
    const isPermission = does === 'allow' && isPlain;
    if (isPermission && !isGrantedPlainly(facts.tool, facts.isOfAgent === true)) continue;
    return { name, does };
  }
  return undefined;
}
