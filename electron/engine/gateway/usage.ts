import { DEFAULT_CLIENT } from '../../../shared/states';
import type { GatewayBegin, GatewayBegun, RequestQueue } from '../../ports/gateway';
import type { GatewayEntry, GatewayTaken } from '../../ports/journal/gateway';
import type { Clock } from '../../ports/clock';
import type { Journal } from '../../ports/journal/journal';
import type { UsageReads } from '../../ports/journal/usage';
import type { JournalReads } from '../../ports/journal/reads';
import type { Basics } from '../kernel/basics';
import { unlessRefused } from './budget';

/** Usage of answers through the gateway, from start to end. */
export interface GatewayUsage extends Pick<RequestQueue, 'begin' | 'count'> {
  spentTodayUsd(provider: string): number;
  /** The totals; a running answer does not count as interrupted. */
  usageSince: UsageReads['usageSince'];
}

/** The local day of an instant: `2026-03-24`. */
export function dayOf(atMs: number): string {
  const at = new Date(atMs);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${String(at.getFullYear())}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

const placeOf = (day: string, provider: string, client = DEFAULT_CLIENT): string =>
  JSON.stringify([day, provider, client]);

const takenOf = ({ inputTokens, outputTokens, costUsd }: GatewayTaken): GatewayTaken => ({
  inputTokens,
  outputTokens,
  ...(costUsd === undefined ? {} : { costUsd }),
});

interface GatewayUsageDeps extends Pick<Basics, 'crashPoints' | 'log'> {
  readonly journal: Pick<Journal, 'commit' | 'refusal' | 'onCommitted'>;
  readonly reads: Pick<JournalReads, 'gatewaySpentUsd' | 'usageSince'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

export function createGatewayUsage(deps: GatewayUsageDeps): GatewayUsage {
  /** By provider: amounts that a failed disk write left out of the totals. */
  const unwritten = new Map<string, number>();
  /** Answers in progress, by day, provider and client. */
  const underWay = new Map<string, number>();
  const add = (to: Map<string, number>, key: string, by: number): void => {
    to.set(key, (to.get(key) ?? 0) + by);
  };
  const today = (): string => dayOf(deps.clock.nowMs());

  /** Stays in memory while the disk rejects writes; no answer waits for that. */
  const write = async (
    entry: Extract<GatewayEntry, { readonly day: string }>,
    { client }: GatewayBegin,
    newUsd: number,
  ): Promise<void> => {
    add(unwritten, entry.provider, newUsd);
    const named = client === DEFAULT_CLIENT ? entry : { ...entry, client };
    const written = deps.journal
      .commit([named], { isOutcome: true })
      .catch((error: unknown) => {
        deps.log.warn('gateway.not_counted', { provider: entry.provider, error });
      })
      .finally(() => {
        add(unwritten, entry.provider, -newUsd);
      });
    await unlessRefused(deps.journal, written);
  };

  return {
    async begin(use): Promise<GatewayBegun> {
      const day = today();
      const { provider, costUsd = 0 } = use;
      add(underWay, placeOf(day, provider, use.client), 1);
      deps.crashPoints.hit('gateway.begin.before');
      const place = { day, provider };
      const entry =
        use.isAsked === true
          ? ({ kind: 'gateway.asked', ...place } as const)
          : ({ kind: 'gateway.begun', ...place, ...takenOf(use) } as const);
      await write(entry, use, costUsd);
      deps.crashPoints.hit('gateway.begin.after');
      return { day, use };
    },
    async count({ begun, ...use }) {
      const { provider, isRemembered, isCut, costUsd = 0 } = use;
      const day = begun?.day ?? today();
      deps.crashPoints.hit('gateway.count.before');
      const used = {
        kind: 'gateway.used',
        day,
        provider,
        ...takenOf(use),
        ...(begun === undefined ? {} : { begun: takenOf(begun.use) }),
        isRemembered,
        ...(isCut === true ? { isCut } : {}),
        ...(use.insteadOf === undefined ? {} : { insteadOf: use.insteadOf }),
      } as const;
      const entry =
        use.isRefused === true ? ({ kind: 'gateway.refused', day, provider } as const) : used;
      await write(entry, use, costUsd - (begun?.use.costUsd ?? 0));
      if (begun !== undefined) add(underWay, placeOf(day, provider, use.client), -1);
      deps.crashPoints.hit('gateway.count.after');
    },
    spentTodayUsd: (provider) =>
      deps.reads.gatewaySpentUsd(provider, today()) + (unwritten.get(provider) ?? 0),
    usageSince: (from, options) =>
      deps.reads
        .usageSince(from, options)
        .map((line) => {
          if (line.source !== 'gateway') return line;
          const open = underWay.get(placeOf(line.day, line.provider, line.client)) ?? 0;
          const least = Math.min(open, line.cut);
          return { ...line, count: line.count - least, cut: line.cut - least };
        })
        .filter(
          (line) =>
            line.count + line.inputTokens + line.outputTokens > 0 || (line.costUsd ?? 0) > 0,
        ),
  };
}
