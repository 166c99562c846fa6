/** Changes the rule of one tool in place; it applies to all agents, like the rules in Settings. */
import { NativeSelect } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry, ToolView } from '../../shared/types';
import { useCommand } from '../bridge';
import { TroubleNote } from '../parts/texts';
import { isGrantedPlainly } from '../../shared/own-hosts';
import { ruleNames, type RuleName } from '../../shared/tool-id';

/** What a tool may do: its rule, or what follows from the mode of approvals. Pure. S3-06. */
const POLICIES = ['allow', 'ask', 'deny'] as const;
type Policy = (typeof POLICIES)[number];

interface ToolPolicy {
  /** The rule that names this tool; undefined if none does. */
  readonly rule: Policy | undefined;
  /** The name that the rule is for: the tool, or its host. */
  readonly ruleName: string;
  /** Without a rule: runs, asks if risky, asks if it changes something. */
  readonly byMode: 'runs' | 'risky' | 'changes';
}

type Rules = Readonly<Record<string, unknown>>;

function rulesOf(entries: readonly ConfigEntry[]): Rules {
  const value = entries.find((entry) => entry.key === 'approvals.tools')?.value;
  return typeof value === 'object' && value !== null ? (value as Rules) : {};
}

const isPolicy = (value: unknown): value is Policy => POLICIES.some((one) => one === value);

/** Lists contain Holdfast's tools by their plain names, all others with their host. */
const qualifiedOf = ({ host, name }: ToolView): string =>
  name.startsWith(`${host}.`) ? name : `${host}.${name}`;

const EFFECTS = ':effects';

/** An entry for calls with effects is listed next to its tool, and has its own rules. */
function namesOf(tool: ToolView): readonly RuleName[] {
  const isEffects = tool.name.endsWith(EFFECTS);
  const name = isEffects ? tool.name.slice(0, -EFFECTS.length) : tool.name;
  const names = ruleNames(qualifiedOf({ ...tool, name }), { hasEffects: isEffects });
  return isEffects
    ? names.filter((one) => one.name.endsWith(EFFECTS) || one.name.endsWith('.*'))
    : names;
}

/** The same names in the same order as the engine's: the narrower name wins. */
export function policyOf(tool: ToolView, entries: readonly ConfigEntry[]): ToolPolicy {
  const rules = rulesOf(entries);
  const mode = entries.find((entry) => entry.key === 'approvals.mode')?.value;
  const ruleName = namesOf(tool).find(({ name, isPlain }) => {
    const rule = rules[name];
    if (!Object.hasOwn(rules, name) || !isPolicy(rule)) return false;
    return !isPlain || rule !== 'allow' || isGrantedPlainly(qualifiedOf(tool), false);
  })?.name;
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
  // A rule for more than this tool is not changed: the tool gets a separate rule.
  const isOwn = ruleName === tool.name || ruleName === qualifiedOf(tool);
  const name = isOwn ? ruleName : qualifiedOf(tool);
  const { [name]: _before, ...rest } = rulesOf(entries);
  return policy === undefined ? rest : { ...rest, [name]: policy };
}

export function PolicySelect({
  tool,
  entries,
  onChanged,
}: {
  tool: ToolView;
  entries: readonly ConfigEntry[];
  onChanged: () => void;
}): ReactElement {
  const set = useCommand('config.set');
  const { rule, byMode } = policyOf(tool, entries);
  return (
    <>
      <NativeSelect
        size="xs"
        variant="unstyled"
        aria-label={t('toolRules.ruleOf', { name: tool.name })}
        disabled={set.isBusy}
        value={rule ?? ''}
        data={[
          { value: '', label: t(`policy.${byMode}`) },
          ...POLICIES.map((one) => ({ value: one, label: t(`policy.${one}`) })),
        ]}
        onChange={(event) => {
          const picked = POLICIES.find((one) => one === event.currentTarget.value);
          void set
            .run({ key: 'approvals.tools', value: withPolicy(tool, entries, picked) as never })
            .then(onChanged);
        }}
      />
      <TroubleNote trouble={set.trouble} />
    </>
  );
}
