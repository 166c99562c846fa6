/** Views of outages and waiting turns. Reads only. */
import type { VerbOutput } from '../../../shared/contract';
import type { HeldItem, OutagePlot, PlotRange, ProviderHealth } from '../../../shared/types/outage';
import type { StatusSnapshot } from '../../../shared/types';
import type { Breakers } from '../../ports/breakers';
import type { HeldRow, PlotPoint } from '../../ports/journal/outage';
import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { MadeByTimeReads } from '../../ports/journal/schedule';
import type { WorkReads } from '../../ports/journal/work';
import type { Outages } from './outages';

const RANGE_MS: Readonly<Record<PlotRange, number>> = {
  '30m': 30 * 60_000,
  '6h': 6 * 3_600_000,
  '7d': 7 * 86_400_000,
};

/** `14:02` today, `Mon 14:02` otherwise: the local time of this computer. */
export function timeText(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const clockText = at.toTimeString().slice(0, Math.abs(atMs - nowMs) < 120_000 ? 8 : 5);
  return at.toDateString() === new Date(nowMs).toDateString()
    ? clockText
    : `${at.toDateString().slice(0, 10)} ${clockText}`;
}

/** Providers and breakers with problems, for the status; undefined if all are up. */
export function outsideOf(
  room: Pick<Outages, 'troubled' | 'health'>,
  breakers: Pick<Breakers, 'list'>,
): StatusSnapshot['outside'] {
  const providers = room
    .troubled()
    .map((provider) => room.health(provider))
    .filter((one) => one.state !== 'answering' || one.waiting > 0)
    .toSorted((a, b) => weight(a) - weight(b))
    .slice(0, 50)
    .map(({ provider, state, downSinceMs, nextTryAtMs, waiting, sentence }) => ({
      provider,
      state,
      ...(downSinceMs === undefined ? {} : { downSinceMs }),
      ...(nextTryAtMs === undefined ? {} : { nextTryAtMs }),
      waiting,
      sentence,
    }));
  const openBreakers = breakers
    .list()
    .filter((one) => one.state !== 'closed')
    .map((one) => one.name)
    .slice(0, 200);
  return providers.length + openBreakers.length === 0 ? undefined : { providers, openBreakers };
}

/** Providers with an outage come first. */
const WEIGHTS: readonly ProviderHealth['state'][] = [
  'down',
  'trying',
  'recovering',
  'key',
  'quota',
  'failing',
  'answering',
];
const weight = (health: ProviderHealth): number => WEIGHTS.indexOf(health.state);

interface QueueReads {
  readonly reads: Pick<JournalReads, 'heldTurns' | 'turn' | 'steps'>;
  readonly scheduleReads: MadeByTimeReads;
  readonly workReads: Pick<WorkReads, 'wakeOfTurn'>;
}

/** Waiting turns in queue order. */
export function waitingQueue(
  from: QueueReads,
  room: Pick<Outages, 'isCanary'>,
  {
    provider,
    limit = 1000,
  }: { readonly provider?: string | undefined; readonly limit?: number | undefined },
): VerbOutput<'outage.queue'> {
  const rows = from.reads
    .heldTurns(provider === undefined ? {} : { provider })
    .filter((row) => !row.isOut || room.isCanary(row));
  return {
    items: rows.slice(0, limit).flatMap((row, index) => itemOf(from, room, row, index + 1)),
    total: rows.length,
  };
}

function itemOf(
  from: QueueReads,
  room: Pick<Outages, 'isCanary'>,
  row: HeldRow,
  position: number,
): HeldItem[] {
  const turn = from.reads.turn(row.turnId);
  if (turn === undefined) return [];
  return [
    {
      position,
      turnId: row.turnId,
      sessionId: turn.sessionId,
      sessionKey: turn.sessionKey.slice(0, 200),
      provider: row.provider,
      agent: turn.agent,
      channel: turn.channel,
      ...sourceOf(from, row.turnId),
      promptStart: turn.promptStart.slice(0, 300),
      cause: row.cause,
      sinceMs: row.sinceMs,
      ...(row.untilMs === undefined ? {} : { untilMs: row.untilMs }),
      keptSteps: keptSteps(from.reads, turn),
      isCanary: room.isCanary(row),
    },
  ];
}

/** What started a turn that waits for its provider: a timer, the session or the user. */
function sourceOf(
  { scheduleReads, workReads }: QueueReads,
  turnId: number,
): Pick<HeldItem, 'source' | 'merged'> {
  const made = scheduleReads.madeBy(turnId)?.kind;
  if (made === 'task' || made === 'heartbeat')
    return {
      source: made === 'task' ? 'schedule' : 'heartbeat',
      merged: scheduleReads.mergedInto(turnId),
    };
  const isWake = made === 'timer' || workReads.wakeOfTurn(turnId) !== undefined;
  return { source: isWake ? 'wake' : 'user', merged: 0 };
}

function keptSteps(reads: Pick<JournalReads, 'steps'>, turn: TurnRow): number {
  if (turn.stepCount === 0) return 0;
  return reads
    .steps(turn.id)
    .filter(({ state }) => state === 'completed' || state === 'confirmed' || state === 'skipped')
    .length;
}

/** A provider's health over a time range, for its chart. */
export function outagePlot(
  reads: Pick<JournalReads, 'plotPoints'>,
  { provider, range, nowMs }: { provider: string; range: PlotRange; nowMs: number },
): OutagePlot {
  const fromMs = nowMs - RANGE_MS[range];
  const points: readonly PlotPoint[] = reads.plotPoints(provider, fromMs);
  const states = points.filter((one) => one.what === 'state').slice(-4_999);
  const first = states[0];
  return {
    provider,
    fromMs,
    nowMs,
    states: [
      ...(first === undefined || first.atMs > fromMs
        ? [{ atMs: fromMs, state: 'answering' as const }]
        : []),
      ...states.map(({ atMs, state }) => ({ atMs, state })),
    ],
    waiting: points
      .filter((one) => one.what === 'waiting')
      .slice(-10_000)
      .map(({ atMs, count }) => ({ atMs, count })),
    calls: points
      .flatMap((one) => ('ok' in one ? [{ atMs: one.atMs, what: one.what, ok: one.ok }] : []))
      .slice(-10_000),
    declaredAtMs: points
      .filter((one) => one.what === 'declared')
      .slice(-1_000)
      .map(({ atMs, failedTurns }) => ({ atMs, failedTurns })),
  };
}
