/** Usage by day and agent, with what recovery saved: sums, chart bars, rows. Pure. */
import { t } from '../../shared/messages';
import { providerTitle } from '../../shared/provider-title';
import type { AccountView, BudgetView } from '../../shared/types/budgets';
import type { UsageLine } from '../../shared/types/gateway';
import { clockText, compactText, dayOf, formatsHere, isoDay, moneyText } from '../parts/time-view';
import { agentTitle } from '../agents/agent-titles';

/** The day on which something resets. */
const RESET_DAY = { day: 'numeric', month: 'short' } as const;

export const USAGE_DAYS = [7, 30, 90] as const;

/** Cost if any price is known, or else tokens: without a price, zero cost would be wrong. */
type Measure = 'cost' | 'tokens';

interface Amount {
  readonly turns: number;
  readonly requests: number;
  readonly tokens: number;
  /** Absent if no price is known. */
  readonly costUsd?: number;
  readonly savedTokens: number;
  readonly savedUsd?: number;
  /** Some usage has no price, or was interrupted: the cost is a lower bound. */
  readonly isAtLeast: boolean;
}
export interface Spender extends Amount {
  /** An agent, or a client of the gateway. */
  readonly name: string;
  readonly isClient: boolean;
}
interface UsageDay extends Amount {
  readonly startMs: number;
  readonly day: string;
  /** One value per series of the chart, in their order. */
  readonly parts: readonly number[];
  readonly saved: number;
}
export interface UsageFacts {
  readonly measure: Measure;
  readonly total: Amount;
  /** Largest first. */
  readonly spenders: readonly Spender[];
  /** Names of the series from the bottom of a bar up; the last may combine the others. */
  readonly series: readonly string[];
  readonly days: readonly UsageDay[];
}

/** More series than this cannot be distinguished by their shades. */
const MAX_SERIES = 5;

const sum = (lines: readonly UsageLine[], of: (line: UsageLine) => number): number =>
  lines.reduce((all, line) => all + of(line), 0);

function groupBy(
  lines: readonly UsageLine[],
  of: (line: UsageLine) => string,
): ReadonlyMap<string, readonly UsageLine[]> {
  const groups = new Map<string, UsageLine[]>();
  for (const line of lines) {
    const group = groups.get(of(line));
    if (group === undefined) groups.set(of(line), [line]);
    else group.push(line);
  }
  return groups;
}

/** The sum of the known values; undefined if none is known. */
function known(
  lines: readonly UsageLine[],
  of: (line: UsageLine) => number | undefined,
): number | undefined {
  const priced = lines.flatMap((line) => of(line) ?? []);
  return priced.length === 0 ? undefined : priced.reduce((all, usd) => all + usd, 0);
}

const isLowerBound = (line: UsageLine): boolean =>
  line.cut > 0 || (line.costUsd === undefined && line.inputTokens + line.outputTokens > 0);

function amountOf(lines: readonly UsageLine[]): Amount {
  const costUsd = known(lines, (line) => line.costUsd);
  const savedUsd = known(lines, (line) => line.savedUsd);
  return {
    turns: sum(lines, ({ source, count }) => (source === 'turns' ? count : 0)),
    requests: sum(lines, ({ source, count }) => (source === 'gateway' ? count : 0)),
    tokens: sum(lines, ({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    savedTokens: sum(lines, (line) => line.savedInputTokens + line.savedOutputTokens),
    isAtLeast: lines.some(isLowerBound),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(savedUsd === undefined ? {} : { savedUsd }),
  };
}

const valueOf = ({ tokens, costUsd = 0 }: Amount, measure: Measure): number =>
  measure === 'cost' ? costUsd : tokens;
const savedOf = ({ savedTokens, savedUsd = 0 }: Amount, measure: Measure): number =>
  measure === 'cost' ? savedUsd : savedTokens;

const spenderOf = (line: UsageLine): string =>
  JSON.stringify(line.source === 'turns' ? ['agent', line.agent ?? ''] : ['client', line.client]);

/** Everything the page shows from the lines of `usage.list` by agent. */
export function usageFacts(
  lines: readonly UsageLine[],
  dayCount: number,
  nowMs: number,
): UsageFacts {
  const total = amountOf(lines);
  const measure: Measure = total.costUsd === undefined ? 'tokens' : 'cost';
  const groups = groupBy(lines, spenderOf);
  const spenders = [...groups.values()]
    .map((own): Spender => {
      const first = own[0];
      const isClient = first?.source === 'gateway';
      return {
        ...amountOf(own),
        name: (isClient ? first.client : first?.agent) ?? '',
        isClient,
      };
    })
    .toSorted((a, b) => valueOf(b, measure) - valueOf(a, measure) || b.tokens - a.tokens);
  const shown = spenders.filter((one) => valueOf(one, measure) > 0);
  const own = shown.slice(0, shown.length > MAX_SERIES ? MAX_SERIES - 1 : MAX_SERIES);
  const hasRest = shown.length > own.length;
  return {
    measure,
    total,
    spenders,
    series: [...own.map(spenderName), ...(hasRest ? [t('usage.others')] : [])],
    days: daysOf(lines, own, hasRest, { measure, dayCount, nowMs }),
  };
}

interface Window {
  readonly measure: Measure;
  readonly dayCount: number;
  readonly nowMs: number;
}

function daysOf(
  lines: readonly UsageLine[],
  own: readonly Spender[],
  hasRest: boolean,
  { measure, dayCount, nowMs }: Window,
): readonly UsageDay[] {
  const today = new Date(nowMs);
  today.setHours(0, 0, 0, 0);
  const byDay = groupBy(lines, ({ day }) => day);
  return Array.from({ length: dayCount }, (_, at): UsageDay => {
    const start = new Date(today);
    start.setDate(start.getDate() - (dayCount - 1 - at));
    const day = isoDay(start);
    const used = byDay.get(day) ?? [];
    const amount = amountOf(used);
    const parts = own.map((spender) =>
      valueOf(
        amountOf(
          used.filter((line) =>
            spender.isClient
              ? line.source === 'gateway' && line.client === spender.name
              : line.source === 'turns' && (line.agent ?? '') === spender.name,
          ),
        ),
        measure,
      ),
    );
    const rest = valueOf(amount, measure) - parts.reduce((all, part) => all + part, 0);
    return {
      ...amount,
      startMs: start.getTime(),
      day,
      parts: hasRest ? [...parts, Math.max(0, rest)] : parts,
      saved: savedOf(amount, measure),
    };
  });
}

/** The name of an agent or a gateway client in the legend and the table. */
export const spenderName = ({ name, isClient }: Pick<Spender, 'name' | 'isClient'>): string =>
  isClient ? t('usage.client', { name }) : name === '' ? t('usage.noAgent') : agentTitle(name);

export const amountText = (value: number, measure: Measure): string =>
  measure === 'cost' ? moneyText(value) : t('usage.tokens', { text: compactText(value) });

/** The headline: the cost, or else the number of tokens. */
export function usageHead({ total, measure }: UsageFacts, days: number): string {
  if (total.tokens === 0 && total.costUsd === undefined) return t('usage.head.none', { days });
  const text = amountText(valueOf(total, measure), measure);
  return t(measure === 'cost' && total.isAtLeast ? 'usage.head.least' : 'usage.head', {
    text,
    days,
  });
}

export function usageSub({ total, measure }: UsageFacts): string {
  const saved = savedOf(total, measure);
  return [
    saved > 0 ? t('usage.saved', { text: amountText(saved, measure) }) : t('usage.savedNone'),
    ...(measure === 'tokens' && total.tokens > 0 ? [t('usage.noPrices')] : []),
    ...(measure === 'cost' && total.isAtLeast ? [t('usage.least')] : []),
  ].join(' ');
}

/** The content of the chart in one sentence. */
export function chartSentence({ days, measure, series }: UsageFacts): string {
  const used = days.filter((day) => valueOf(day, measure) > 0);
  const top = used.toSorted((a, b) => valueOf(b, measure) - valueOf(a, measure))[0];
  if (top === undefined) return t('usage.say.none', { count: days.length });
  return t('usage.say', {
    count: days.length,
    text: amountText(valueOf(top, measure), measure),
    day: top.day,
    name: series.join(', '),
  });
}

interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
interface DayBars {
  readonly day: UsageDay;
  /** The full height of the day, for the pointer. */
  readonly slot: Bar;
  readonly parts: readonly (Bar & { readonly series: number })[];
  readonly saved: Bar | undefined;
}
interface ChartModel {
  readonly lines: readonly { readonly y: number; readonly value: number }[];
  readonly days: readonly DayBars[];
  /** Days whose date is shown under the axis. */
  readonly ticks: readonly { readonly x: number; readonly startMs: number }[];
}

/** A round number that can be halved, at or above the largest bar. */
export function niceTop(value: number): number {
  if (value <= 0) return 1;
  const size = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((step) => step * size >= value * (1 - 1e-9)) ?? 10) * size;
}

const TICK_PX = 76;

/** The bars in pixels: segments from the bottom up, and next to them what recovery saved. */
export function chartModel(
  { days, measure }: Pick<UsageFacts, 'days' | 'measure'>,
  box: {
    readonly width: number;
    readonly height: number;
    readonly left: number;
    /** Room for half of the last date. */
    readonly right: number;
  },
): ChartModel {
  const top = niceTop(
    days.reduce((most, day) => Math.max(most, valueOf(day, measure), day.saved), 0),
  );
  const step = Math.max(0, box.width - box.left - box.right) / Math.max(1, days.length);
  const yOf = (value: number): number => box.height * (1 - value / top);
  const hasSaved = days.some(({ saved }) => saved > 0);
  const room = step * 0.72;
  const savedWidth = hasSaved ? Math.min(9, room * 0.32) : 0;
  const gap = hasSaved ? Math.min(2, room * 0.08) : 0;
  const width = Math.min(34, Math.max(1, room - savedWidth - gap));
  const every = Math.max(1, Math.ceil(TICK_PX / Math.max(1, step)));
  return {
    lines: [top, top / 2, 0].map((value) => ({ value, y: yOf(value) })),
    ticks: days.flatMap(({ startMs }, at) =>
      (days.length - 1 - at) % every === 0 ? [{ startMs, x: box.left + step * (at + 0.5) }] : [],
    ),
    days: days.map((day, at) => {
      const left = box.left + step * at;
      const x = left + (step - width - savedWidth - gap) / 2;
      let foot = 0;
      const parts = day.parts.flatMap((value, series) => {
        if (value <= 0) return [];
        const y = yOf(foot + value);
        const height = yOf(foot) - y;
        foot += value;
        return [{ x, y, width, height, series }];
      });
      const saved =
        day.saved > 0
          ? {
              x: x + width + gap,
              y: yOf(day.saved),
              width: savedWidth,
              height: box.height - yOf(day.saved),
            }
          : undefined;
      return { day, slot: { x: left, y: 0, width: step, height: box.height }, parts, saved };
    }),
  };
}

/** The values of a day under the pointer. */
export function dayReading(day: UsageDay, facts: UsageFacts, date: string): string {
  const parts = day.parts.flatMap((value, at) =>
    value > 0 ? [`${facts.series[at] ?? ''}: ${amountText(value, facts.measure)}`] : [],
  );
  const saved =
    day.saved > 0 ? [t('usage.saved', { text: amountText(day.saved, facts.measure) })] : [];
  return [date, ...(parts.length === 0 ? [t('usage.day.none')] : parts), ...saved].join('\n');
}

/** What a budget counts, as the label of a row. */
export function budgetTitle({
  name,
  scope,
  key,
}: Pick<BudgetView, 'name' | 'scope' | 'key'>): string {
  return key === '' || scope === 'all'
    ? name
    : t('usage.budget.of', { name, what: scope, id: key });
}

export function budgetText(budget: BudgetView): string {
  const { spentUsd, usd, allowedUsd, per, endsAtMs } = budget;
  const sums = { cost: moneyText(spentUsd), text: moneyText(usd + allowedUsd) };
  if (endsAtMs === undefined || (budget.isCredit !== true && budget.resetsOn === undefined))
    return t(`usage.budget.${per}`, sums);
  const kind = budget.isCredit === true ? 'credit' : 'until';
  return t(`usage.budget.${kind}`, { ...sums, day: dayOf(endsAtMs, RESET_DAY) });
}

/** How an account is paid, what it has spent, and what is left: one sentence each. BU-05 */
export function accountLines(account: AccountView, nowMs: number): readonly string[] {
  const { kind, credit, windows, heldUntilMs } = account;
  const cost = costText({ costUsd: account.spentUsd, isAtLeast: account.isAtLeast });
  const spent =
    account.spentUsd === 0 && !account.isAtLeast
      ? t('usage.account.unused')
      : t(kind === 'plan' ? 'usage.account.wouldCost' : 'usage.account.month', { text: cost });
  return [
    ...(credit?.endsAtMs === undefined ? [] : [creditText(credit, credit.endsAtMs)]),
    ...(heldUntilMs === undefined
      ? []
      : [t('usage.account.held', { time: clockText(heldUntilMs, nowMs) })]),
    ...windows.map((window) => windowText(window, nowMs)),
    spent,
  ];
}

const creditText = ({ usd, allowedUsd, spentUsd }: BudgetView, endsAtMs: number): string =>
  t('usage.account.left', {
    cost: moneyText(Math.max(0, usd + allowedUsd - spentUsd)),
    text: moneyText(usd + allowedUsd),
    day: dayOf(endsAtMs, RESET_DAY),
  });

function windowText(
  { window, usedPercent, resetsAtMs }: AccountView['windows'][number],
  nowMs: number,
): string {
  const name = t(`usage.window.${window}`);
  if (usedPercent === undefined)
    return resetsAtMs === undefined
      ? t('usage.account.nearly', { name })
      : t('usage.account.nearlyResets', { name, time: clockText(resetsAtMs, nowMs) });
  return resetsAtMs === undefined
    ? t('usage.account.window', { name, count: usedPercent })
    : t('usage.account.windowResets', {
        name,
        count: usedPercent,
        time: clockText(resetsAtMs, nowMs),
      });
}

/** Readable names of a login and a key; a name from the settings is unchanged. */
export function accountTitle({
  account,
  members,
}: Pick<AccountView, 'account' | 'members'>): string {
  // An account without a key, a login, or a name is named after the provider or agent it pays for.
  if (members.includes(account)) return providerTitle(account, agentTitle);
  const [kind, name = '', ...rest] = account.split(' ').filter((word) => word !== '');
  if (name === '' || (kind !== 'login' && kind !== 'key')) return account;
  const title = kind === 'login' ? providerTitle(name) : name.replace(/^\$/, '');
  return [t(`usage.account.title.${kind}`, { name: title }), ...rest].join(' ');
}

/**
 * Providers by their names, agents by their titles. Undefined if the account's title already names
 * its user.
 */
export function accountUse(account: Pick<AccountView, 'account' | 'members'>): string | undefined {
  const users = account.members.map((name) => providerTitle(name, agentTitle)).join(', ');
  return users === accountTitle(account) ? undefined : t('usage.account.usedBy', { name: users });
}

/** Spent share, 0 to 1. */
export const budgetShare = ({ spentUsd, usd, allowedUsd }: BudgetView): number =>
  Math.min(1, spentUsd / (usd + allowedUsd));

const countOf = new Map<string, Intl.NumberFormat>();
/** Tokens in full, in the locale's format. */
export function tokensText(tokens: number): string {
  const locale = formatsHere() ?? '';
  const format = countOf.get(locale) ?? new Intl.NumberFormat(formatsHere());
  countOf.set(locale, format);
  return format.format(tokens);
}

/** "12 turns", "3 requests", or both. */
export function countText({ turns, requests }: Pick<Amount, 'turns' | 'requests'>): string {
  return [
    ...(turns > 0 || requests === 0 ? [t('usage.turns', { count: turns })] : []),
    ...(requests > 0 ? [t('usage.requests', { count: requests })] : []),
  ].join(', ');
}

/** "$3.10", "at least $3.10", or a dash if no price is known. */
export function costText({ costUsd, isAtLeast }: Pick<Amount, 'costUsd' | 'isAtLeast'>): string {
  if (costUsd === undefined) return '–';
  return isAtLeast ? t('usage.cost.least', { cost: moneyText(costUsd) }) : moneyText(costUsd);
}

export function savedText({ savedTokens, savedUsd }: Amount): string {
  if (savedUsd !== undefined && savedUsd > 0) return moneyText(savedUsd);
  return savedTokens > 0 ? t('usage.tokens', { text: tokensText(savedTokens) }) : '–';
}
