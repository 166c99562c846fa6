/** `holdfast outage queue|move|probe|list` and `holdfast provider status|ping` */
import type { Command } from 'commander';
import type {
  HeldItem,
  OutageRecord,
  ProviderHealth,
  BreakerView,
} from '../../../shared/types/outage';
import type { VerbOutput } from '../../../shared/contract';
import type { Program, Reply, Run } from '../command';
import { asks, optional, where, wholeNumber } from '../command';
import { EXIT } from '../exit-codes';
import type { Reach } from '../reach';
import { countText, inertLine, spanText, whenText } from '../render';

/** A light request takes 30 s at most. */
const PROBE_TIMEOUT_MS = 60_000;

export function addOutage(root: Command, program: Program): void {
  const outage = root
    .command('outage')
    .description('providers that do not answer, and the turns that wait for them');

  asks(
    program,
    outage
      .command('queue')
      .description('turns that wait for a provider, in the order of their next run')
      .option('--provider <name>', 'only those of one provider'),
    'read',
    async (engine, run) => {
      const value = await engine.call(
        'outage.queue',
        where('provider', optional<string>(run, 'provider')),
      );
      return { value, text: queueText(value, run) };
    },
  );

  asks(
    program,
    outage
      .command('move')
      .description('change the order of what waits; without --before it goes to the end')
      .argument('<turn>', 'its number', wholeNumber)
      .option('--before <turn>', 'the turn that it goes before', wholeNumber),
    'decide',
    async (engine, run, turn) => {
      const value = await engine.call('outage.move', {
        turnId: Number(turn),
        ...where('beforeTurnId', optional<number>(run, 'before')),
      });
      return { value, text: queueText(value, run) };
    },
  );

  asks(
    program,
    outage
      .command('probe')
      .description('ask a provider now whether it is there; costs no model call')
      .argument(
        '[provider]',
        'its name, which also ends its wait for a limit; else each that is down',
      ),
    'running',
    async (engine, run, name) => {
      if (name !== '') return probed(await probe(engine, name), run);
      const { providers } = await engine.call('provider.status', {});
      // A provider that named its time is probed earlier only if the user names it.
      const down = providers.filter(({ state }) => state !== 'answering' && state !== 'quota');
      if (down.length === 0) return { value: { probes: [] }, text: NONE_DOWN };
      const probes = [];
      for (const one of down) probes.push(await probe(engine, one.provider));
      const replies = probes.map((one) => probed(one, run));
      return {
        value: { probes },
        text: replies.map((one) => one.text).join('\n'),
        exitCode: probes.every((one) => one.ok) ? EXIT.ok : EXIT.failed,
      };
    },
  );

  asks(
    program,
    outage
      .command('list')
      .description('outages, newest first')
      .option('--limit <n>', 'how many', wholeNumber),
    'read',
    async (engine, run) => {
      const value = await engine.call('outage.list', where('limit', optional(run, 'limit')));
      const rows = value.outages.map((one) => outageRow(one, run.nowMs));
      return {
        value,
        text:
          run.table(['OUTAGE', 'PROVIDER', 'SINCE', 'FOR', 'TURNS', 'WHY'], rows) || 'No outages.',
      };
    },
  );
}

/** Provider health; the rest of the family is in `providers.ts`. */
export function addProviderStanding(provider: Command, program: Program): void {
  asks(
    program,
    provider
      .command('status')
      .description('how each provider answers: failures, outage, next try, what waits')
      .argument('[name]', 'only this one'),
    'read',
    async (engine, run, name) => {
      const value = await engine.call('provider.status', name === '' ? {} : { provider: name });
      const rows = value.providers.map((one) => healthRow(one, run.nowMs));
      return {
        value,
        text: run.table(
          ['PROVIDER', 'STATE', 'FAILED TURNS', 'BREAKER', 'NEXT TRY', 'WAITING', ''],
          rows,
        ),
      };
    },
  );

  asks(
    program,
    provider
      .command('ping')
      .description('ask a provider as a call would, through its breaker; costs no model call')
      .argument('<name>', 'its name'),
    'running',
    async (engine, run, name) =>
      probed(await engine.call('provider.ping', { provider: name }, PROBE_TIMEOUT_MS), run),
  );
}

const NONE_DOWN = 'No provider is down.';

const probe = (engine: Reach, provider: string): Promise<VerbOutput<'outage.probe'>> =>
  engine.call('outage.probe', { provider }, PROBE_TIMEOUT_MS);

function probed(value: VerbOutput<'outage.probe'>, run: Run): Reply {
  const { health } = value;
  const said = value.ok
    ? `${inertLine(health.provider)} answers (${spanText(value.durationMs)}).`
    : `${inertLine(health.provider)} does not answer: ${inertLine(value.error ?? '')}`;
  return {
    value,
    text: [
      said,
      inertLine(health.sentence),
      `Failed turns ${String(health.failedTurns)} of ${String(health.outageThreshold)}. Breaker ${breakerText(health)}, next try ${whenText(health.nextTryAtMs, run.nowMs)}.`,
    ].join('\n'),
    exitCode: value.ok ? EXIT.ok : EXIT.failed,
  };
}

function breakerText({ breaker }: ProviderHealth): string {
  const count = breaker.state === 'half_open' ? breaker.successes : breaker.failures;
  const of = breaker.state === 'half_open' ? breaker.successThreshold : breaker.failureThreshold;
  return `${breaker.state.replace('_', '-')} ${String(count)}/${String(of)}`;
}

const healthRow = (health: ProviderHealth, nowMs: number): string[] => [
  inertLine(health.provider),
  health.state,
  `${String(health.failedTurns)}/${String(health.outageThreshold)}`,
  breakerText(health),
  whenText(health.nextTryAtMs, nowMs),
  String(health.waiting),
  health.state === 'answering' ? '' : inertLine(health.lastError ?? health.sentence),
];

function queueText({ items, total }: VerbOutput<'outage.queue'>, run: Run): string {
  if (total === 0) return 'No turn waits for a provider.';
  const more =
    items.length < total ? `\n${String(total - items.length)} more wait behind them.` : '';
  return (
    run.table(
      ['#', 'TURN', 'PROVIDER', 'SINCE', 'WHY', 'MESSAGE'],
      items.map((item) => itemRow(item, run.nowMs)),
    ) + more
  );
}

function itemRow(item: HeldItem, nowMs: number): string[] {
  const why = [
    item.isCanary ? 'tries it now' : item.cause.replace('_', ' '),
    ...(item.untilMs === undefined ? [] : [whenText(item.untilMs, nowMs)]),
    ...(item.merged === 0 ? [] : [`${countText(item.merged, 'run')} merged`]),
  ];
  return [
    String(item.position),
    String(item.turnId),
    inertLine(item.provider),
    whenText(item.sinceMs, nowMs),
    why.join(', '),
    inertLine(item.promptStart).slice(0, 60),
  ];
}

const outageRow = (outage: OutageRecord, nowMs: number): string[] => [
  String(outage.outageId),
  inertLine(outage.provider),
  whenText(outage.startedAtMs, nowMs),
  spanText((outage.resolvedAtMs ?? nowMs) - outage.startedAtMs) +
    (outage.resolvedAtMs === undefined ? ', goes on' : ''),
  String(outage.drained),
  inertLine(outage.reason).slice(0, 80),
];

// `holdfast breakers list|show|trip|reset`

const STATE_WORDS = { closed: 'closed', open: 'open', half_open: 'half-open' } as const;

function breakerLines(breaker: BreakerView, run: Run): string {
  const { counters } = breaker;
  return [
    `${inertLine(breaker.name)} (${breaker.dependency}): ${STATE_WORDS[breaker.state]}`,
    inertLine(breaker.explanation),
    `Failures in a row: ${String(breaker.failures)} of ${String(breaker.failureThreshold)}; successful trials: ${String(breaker.successes)} of ${String(breaker.successThreshold)}`,
    `Wait: ${seconds(breaker.backoffMs)}, at most ${seconds(breaker.maxBackoffMs)}${nextText(breaker, run)}`,
    `Calls since the start: ${String(counters.allowed)} let through, ${String(counters.refused)} refused; ${String(counters.succeeded)} succeeded, ${String(counters.failed)} failed, ${String(counters.ignored)} without a verdict`,
  ].join('\n');
}

function nextText(breaker: BreakerView, run: Run): string {
  return breaker.nextTrialAtMs === undefined
    ? ''
    : `; next trial ${whenText(breaker.nextTrialAtMs, run.nowMs)}`;
}

function seconds(ms: number): string {
  return `${String(ms / 1000)} s`;
}

export function addBreakers(root: Command, program: Program): void {
  const breakers = root
    .command('breakers')
    .description('breakers: whether calls to the outside go through');

  asks(
    program,
    breakers
      .command('list', { isDefault: true })
      .description('every breaker: its state, and why it is not closed'),
    'read',
    async (engine, run) => {
      const value = await engine.call('breakers.list', {});
      const rows = value.breakers.map((breaker) => [
        inertLine(breaker.name),
        STATE_WORDS[breaker.state],
        `${String(breaker.failures)}/${String(breaker.failureThreshold)}`,
        breaker.nextTrialAtMs === undefined ? '-' : whenText(breaker.nextTrialAtMs, run.nowMs),
        inertLine(breaker.explanation),
      ]);
      return {
        value,
        text:
          run.table(['BREAKER', 'STATE', 'FAILED', 'NEXT TRIAL', 'WHY'], rows) ||
          'No breakers: nothing outside has been called yet.',
      };
    },
  );

  asks(
    program,
    breakers
      .command('show')
      .description('one breaker with its counters')
      .argument('<name>', 'its name, as provider.anthropic'),
    'read',
    async (engine, run, name) => {
      const value = await engine.call('breakers.show', { name });
      return { value, text: breakerLines(value, run) };
    },
  );

  asks(
    program,
    breakers
      .command('trip')
      .description('open it at once: nothing is sent until its trial succeeds')
      .argument('<name>', 'its name, as provider.anthropic')
      .option('--reason <text>', 'why, for the record'),
    'decide',
    async (engine, run, name) => {
      const value = await engine.call('breakers.trip', {
        name,
        ...where('reason', optional<string>(run, 'reason')),
      });
      return { value, text: breakerLines(value, run) };
    },
  );

  asks(
    program,
    breakers
      .command('reset')
      .description('close it at once: what waits goes on')
      .argument('<name>', 'its name, as provider.anthropic'),
    'decide',
    async (engine, run, name) => {
      const value = await engine.call('breakers.reset', { name });
      return { value, text: breakerLines(value, run) };
    },
  );
}
