import type { Purity } from '../../../shared/model';
import { isGrantedPlainly } from '../../../shared/own-hosts';
import { ruleNames, spelledEntry, toolId } from '../../../shared/tool-id';
import type { CallRisk } from '../../ports/tools';
import { partRuleOf, type PartRule } from './part-rules';

/** Whether a call may be made: from the settings `approvals.mode` and `approvals.tools`. */
type ToolRule = 'allow' | 'ask' | 'deny';
type ApprovalMode = 'risky' | 'all_effects' | 'off';

export interface ApprovalRules {
  readonly mode: ApprovalMode;
  /** By plain name, `host.tool`, `host.*`, `<tool>:effects`, or `host.tool git push`. */
  readonly tools: Readonly<Record<string, ToolRule>>;
}

/** What is known of a call before it is made. */
export interface CallFacts {
  /** `host.tool`. */
  readonly tool: string;
  /** An agent of another program reports it as a tool of its own. */
  readonly isOfAgent?: boolean;
  readonly purity: Purity;
  /** False only where the call is known to change nothing. */
  readonly hasEffects: boolean;
  readonly risk: CallRisk | undefined;
}

export type Verdict =
  | { readonly kind: 'allow'; readonly by: 'rule' | 'session' | 'default' }
  | { readonly kind: 'ask'; readonly reason: string }
  /** `told`: the agent is told exactly this. */
  | { readonly kind: 'deny'; readonly reason: string; readonly told?: string };

/** What leave for a session covers: the tool, or the part of it that its risk names. */
export function grantOf(facts: Pick<CallFacts, 'tool' | 'risk'>): string {
  const covers = facts.risk?.covers ?? '';
  return covers === '' ? fullName(facts.tool) : `${fullName(facts.tool)} ${covers}`;
}

/** In the letters that rules and grants use. */
const fullName = (tool: string): string => {
  const { host, name } = toolId(tool);
  return host === '' ? name : `${host}.${name}`;
};

/**
 * Decides a call: a rule that denies wins; then what a person has allowed for the session; then
 * the rule; then the mode. By default what cannot be undone or leaves the computer is asked about
 * and nothing else, so that the questions that come are read. Pure. Source: S3-06.
 */
export function judgeCall(
  facts: CallFacts,
  rules: ApprovalRules,
  isGranted: (what: string) => boolean,
): Verdict {
  const refused = facts.risk?.refused;
  if (refused !== undefined) return { kind: 'deny', reason: refused, told: refused };
  const rule = ruleOf(facts, rules.tools);
  if (rule?.does === 'deny')
    return { kind: 'deny', reason: `Your rule for ${rule.name} does not allow it.` };
  if (rule?.does === 'allow') return { kind: 'allow', by: 'rule' };
  const asked = askedBecause(facts, rules, rule);
  if (asked === undefined) return { kind: 'allow', by: 'default' };
  // Leave for the whole tool is no leave for what a rule may be meant to keep from it.
  const isEnough =
    isGranted(grantOf(facts)) && (rule?.isOpen !== true || (facts.risk?.covers ?? '') !== '');
  return isEnough || (rule?.isOpen !== true && isGranted(fullName(facts.tool)))
    ? { kind: 'allow', by: 'session' }
    : { kind: 'ask', reason: asked };
}

function askedBecause(
  facts: CallFacts,
  rules: ApprovalRules,
  rule: ReturnType<typeof ruleOf>,
): string | undefined {
  if (rule?.isOpen === true)
    return `Your rule for ${rule.name} may be meant: what it would run cannot be told from the command.`;
  if (rule?.does === 'ask') return `Your rule for ${rule.name}: always ask.`;
  if (rules.mode === 'off') return undefined;
  if (facts.risk?.isRisky === true) return facts.risk.reason;
  const isEffect = facts.purity === 'side_effect' || facts.purity === 'external';
  return rules.mode === 'all_effects' && isEffect && facts.hasEffects
    ? 'You are asked about everything that changes something.'
    : undefined;
}

/**
 * The narrowest rule wins: one for a command of the call, then in the order of {@link ruleNames}. One
 * that gives leave has to be for this very tool; one that takes it counts for all tools of its name.
 */
function ruleOf(facts: CallFacts, tools: ApprovalRules['tools']): PartRule | undefined {
  // Asked at each call, and most people have no rule.
  const entries = Object.entries(tools);
  if (entries.length === 0) return undefined;
  const rules = new Map(entries.map(([name, does]) => [spelledEntry(name), does]));
  const ofParts = partRuleOf(fullName(facts.tool), facts.risk?.parts ?? [], rules);
  if (ofParts?.does === 'deny') return ofParts;
  const covers = facts.risk?.covers ?? '';
  const names = ruleNames(facts.tool, {
    hasEffects: facts.hasEffects,
    covers: covers === '' ? [] : [spelledEntry(covers)],
  });
  for (const [at, { name, isPlain }] of names.entries()) {
    // Leave that was given to exactly this line stands before the rules for what is in it.
    if (at === (covers === '' ? 0 : 1) && ofParts !== undefined) return ofParts;
    const does = rules.get(name);
    if (does === undefined) continue;
    const isLeave = does === 'allow' && isPlain;
    if (isLeave && !isGrantedPlainly(facts.tool, facts.isOfAgent === true)) continue;
    return { name, does };
  }
  return undefined;
}
