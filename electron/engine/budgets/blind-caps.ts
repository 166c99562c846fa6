/** Budgets that can stop nothing, because the cost of their turns is never known. Pure. BU-03 */
import { BUDGET_SETTINGS, type BudgetSettings } from '../../../shared/settings/budgets';
import { HoldfastError } from '../kernel/errors';

/** An agent of which no cost is ever known, and the provider that bills it. */
export interface UnpricedAgent {
  readonly agent: string;
  readonly provider: string;
  /** Its provider can have prices in the settings: then each answer has a cost. */
  readonly canHavePrices: boolean;
}

type Caps = Readonly<Record<string, BudgetSettings>>;

/** The budgets in a change of the settings; undefined for any other change. */
export function capsIn(key: string, value: unknown): Caps | undefined {
  const written =
    key === 'budgets' && typeof value === 'object' && value !== null && 'caps' in value
      ? value.caps
      : key === 'budgets.caps'
        ? value
        : undefined;
  const found = BUDGET_SETTINGS['budgets.caps'].schema.safeParse(written);
  return found.success ? found.data : undefined;
}

/**
 * Rejects budgets for one agent or provider whose cost is never known. A budget that also counts
 * others is kept, and the list of budgets marks whom it cannot stop. Budgets that are already in
 * the settings stay. @throws CONFIG_INVALID
 */
export function refuseBlindCaps(
  caps: Caps,
  before: Caps,
  unpriced: readonly UnpricedAgent[],
): void {
  for (const [name, cap] of Object.entries(caps)) {
    if (JSON.stringify(before[name]) === JSON.stringify(cap)) continue;
    const blind = unpriced.find(
      ({ agent, provider }) =>
        cap.of !== undefined && cap.of === (cap.scope === 'agent' ? agent : provider),
    );
    if (blind === undefined || (cap.scope !== 'agent' && cap.scope !== 'provider')) continue;
    throw new HoldfastError(
      'CONFIG_INVALID',
      `The budget "${name}" could not stop anything: "${blind.agent}" reports no cost.`,
      { hint: `Nothing was changed. ${insteadOf(blind)}` },
    );
  }
}

const insteadOf = ({ provider, canHavePrices }: UnpricedAgent): string =>
  canHavePrices
    ? `Set price_input_per_million_usd and price_output_per_million_usd of the provider "${provider}", then add the budget.`
    : 'Let the agent use the gateway with a provider that has prices, and add a budget for that provider.';
