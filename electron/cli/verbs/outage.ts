/** `holdfast outages list|queue|move`, `holdfast providers status|check` and `holdfast breakers` */
import type { Command } from 'commander';
import { breakerTitle } from '../../../shared/breaker-title';
import type {
  HeldItem,
  OutageRecord,
  ProviderHealth,
  BreakerView,
} from '../../../shared/types/outage';
import type { VerbOutput } from '../../../shared/contract';
import type { Program, Reply, Run } from '../command';
import { asks, calls, optional, shows, where, wholeNumber } from '../command';
import { EXIT } from '../exit-codes';
import type { Reach } from '../reach';
import { countText, ifKnown, inertLine, joinParts, spanText } from '../render';

/** A light request takes 30 s at most. */
const PROBE_TIMEOUT_MS = 60_000;

export function addOutages(root: Command, program: Program): void {
  const outage = root
    .command('outages')
    .description('List provider outages and the turns that wait for them');

  asks(
    program,
    outage
      .command('queue')
      .description('List turns that wait for a provider, in order of their next run')
      .option('--provider <name>', 'Only this provider'),
    'read',
    calls('outage.queue', (run) => where('provider', optional<string>(run, 'provider')), queueText),
  );

  asks(
    program,
    outage
      .command('move')
      .description('Move a waiting turn; without --before to the end')
      .argument('<turn>', 'Turn ID', wholeNumber)
      .option('--before <turn>', 'Turn to place it before', wholeNumber),
    'decide',
    calls(
      'outage.move',
      (run, turn) => ({
        turnId: Number(turn),
        ...where('beforeTurnId', optional<number>(run, 'before')),
      }),
      queueText,
    ),
  );

  asks(
    program,
    outage
      .command('now')
      .description('Continue one waiting turn now, without waiting for its provider')
      .argument('<turn>', 'Turn ID', wholeNumber),
    'running',
    async (engine, _run, turn) => ({
      value: await engine.call('outage.now', { turnId: Number(turn) }),
      text: `Turn ${turn} continues now. If its provider rejects it, it waits again.`,
    }),
  );

  asks(
    program,
    outage
      .command('fallback')
      .description("Continue an agent's waiting turns with its next fallback now")
      .argument('<agent>', 'Agent name'),
    'running',
    async (engine, _run, agent) => {
      const value = await engine.call('outage.fallback', { agent });
      const one = value.turnIds.length === 1;
      return {
        value,
        text: `${one ? `Turn ${String(value.turnIds[0])} continues` : `${countText(value.turnIds.length, 'turn')} continue`} with ${inertLine(value.to)}.`,
      };
    },
  );

  asks(
    program,
    outage
      .command('hold')
      .description('Do not continue one waiting turn automatically; it needs review instead')
      .argument('<turn>', 'Turn ID', wholeNumber),
    'decide',
    async (engine, _run, turn) => ({
      value: await engine.call('outage.hold', { turnId: Number(turn) }),
      text: `Turn ${turn} needs review: holdfast inbox list`,
    }),
  );

  asks(
    program,
    outage
      .command('list')
      .description('List outages, newest first')
      .option('--limit <n>', 'Maximum number of results', wholeNumber),
    'read',
    calls('outage.list', (run) => where('limit', optional(run, 'limit')), outagesText),
  );
}

/** Provider health; the rest of the family is in `providers.ts`. */
export function addProviderHealth(provider: Command, program: Program): void {
  asks(
    program,
    provider
      .command('status')
      .description('Show provider health: failures, outages, waiting turns')
      .argument('[name]', 'Provider name (default: all)'),
    'read',
    calls(
      'provider.status',
      (_run, name) => (name === '' ? {} : { provider: name }),
      ({ providers }, run) =>
        run.table(
          ['PROVIDER', 'STATE', 'FAILED TURNS', 'BREAKER', 'NEXT CHECK', 'WAITING', ''],
          providers.map((one) => healthRow(one, run)),
        ),
    ),
  );

  asks(
    program,
    provider
      .command('ping', { hidden: true })
      .description('Check a provider through its circuit breaker, without a model request')
      .argument('<name>', 'Provider name'),
    'running',
    async (engine, run, name) =>
      probed(await engine.call('provider.ping', { provider: name }, PROBE_TIMEOUT_MS), run),
  );

  asks(
    program,
    provider
      .command('check')
      .description('Check whether a provider is reachable, without a model request')
      .argument(
        '[name]',
        'Provider to check; also clears its rate-limit wait (default: all that are down)',
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
}

const NONE_DOWN = 'No provider is down.';

const probe = (engine: Reach, provider: string): Promise<VerbOutput<'outage.probe'>> =>
  engine.call('outage.probe', { provider }, PROBE_TIMEOUT_MS);

function probed(value: VerbOutput<'outage.probe'>, run: Run): Reply {
  const { health } = value;
  const said = value.ok
    ? `${inertLine(health.provider)} is up (${spanText(value.durationMs)}).`
    : `${inertLine(health.provider)} is down: ${inertLine(value.error ?? '')}`;
  return {
    value,
    text: [
      said,
      inertLine(health.sentence),
      `Consecutive failed turns: ${String(health.failedTurns)} of ${String(health.outageThreshold)}. Circuit breaker: ${breakerText(health)}. Next check: ${run.when(health.nextTryAtMs)}.`,
    ].join('\n'),
    exitCode: value.ok ? EXIT.ok : EXIT.failed,
  };
}

function breakerText({ breaker }: ProviderHealth): string {
  const count = breaker.state === 'half_open' ? breaker.successes : breaker.failures;
  const of = breaker.state === 'half_open' ? breaker.successThreshold : breaker.failureThreshold;
  return `${breaker.state.replace('_', '-')} ${String(count)}/${String(of)}`;
}

const HEALTH_WORDS: Readonly<Record<ProviderHealth['state'], string>> = {
  answering: 'up',
  failing: 'degraded',
  down: 'down',
  trying: 'checking',
  recovering: 'recovering',
  quota: 'usage limit',
  key: 'API key rejected',
};

const healthRow = (health: ProviderHealth, run: Run): string[] => [
  inertLine(health.provider),
  HEALTH_WORDS[health.state],
  `${String(health.failedTurns)}/${String(health.outageThreshold)}`,
  breakerText(health),
  run.when(health.nextTryAtMs),
  String(health.waiting),
  health.state === 'answering' ? '' : inertLine(health.lastError ?? health.sentence),
];

function queueText({ items, total }: VerbOutput<'outage.queue'>, run: Run): string {
  if (total === 0) return 'No turns are waiting for a provider.';
  const more = items.length < total ? `\n${String(total - items.length)} more are waiting.` : '';
  return (
    run.table(
      ['#', 'TURN', 'PROVIDER', 'SINCE', 'REASON', 'PROMPT'],
      items.map((item) => itemRow(item, run)),
    ) + more
  );
}

function itemRow(item: HeldItem, run: Run): string[] {
  const why = [
    item.isCanary ? 'probing' : item.cause.replace('_', ' '),
    ifKnown(item.untilMs, (atMs) => run.when(atMs)),
    item.merged === 0 ? undefined : `${countText(item.merged, 'run')} merged`,
  ];
  return [
    String(item.position),
    String(item.turnId),
    inertLine(item.provider),
    run.when(item.sinceMs),
    joinParts(why, ', '),
    inertLine(item.promptStart).slice(0, 60),
  ];
}

function outagesText({ outages }: VerbOutput<'outage.list'>, run: Run): string {
  const head = ['OUTAGE', 'PROVIDER', 'SINCE', 'DURATION', 'TURNS', 'REASON'];
  const rows = outages.map((one) => outageRow(one, run));
  return run.table(head, rows) || 'No provider has been down yet.';
}

const outageRow = (outage: OutageRecord, run: Run): string[] => [
  String(outage.outageId),
  inertLine(outage.provider),
  run.when(outage.startedAtMs),
  spanText((outage.resolvedAtMs ?? run.nowMs) - outage.startedAtMs) +
    (outage.resolvedAtMs === undefined ? ' so far' : ''),
  String(outage.drained),
  inertLine(outage.reason).slice(0, 80),
];

// `holdfast breakers list|show|trip|reset`

const STATE_WORDS = { closed: 'closed', open: 'open', half_open: 'half-open' } as const;

function breakerLines(breaker: BreakerView, run: Run): string {
  const { counters } = breaker;
  return [
    `${inertLine(breakerTitle(breaker.name))} (${inertLine(breaker.name)}): ${STATE_WORDS[breaker.state]}`,
    inertLine(breaker.explanation),
    `Consecutive failures: ${String(breaker.failures)} of ${String(breaker.failureThreshold)}; successful probes: ${String(breaker.successes)} of ${String(breaker.successThreshold)}`,
    `Backoff: ${seconds(breaker.backoffMs)}, maximum ${seconds(breaker.maxBackoffMs)}${nextText(breaker, run)}`,
    `Requests since the start: ${String(counters.allowed)} allowed, ${String(counters.refused)} rejected; ${String(counters.succeeded)} succeeded, ${String(counters.failed)} failed, ${String(counters.ignored)} ignored`,
  ].join('\n');
}

function nextText(breaker: BreakerView, run: Run): string {
  return breaker.nextTrialAtMs === undefined
    ? ''
    : `; next probe ${run.when(breaker.nextTrialAtMs)}`;
}

function seconds(ms: number): string {
  return `${String(ms / 1000)} s`;
}

export function addBreakers(root: Command, program: Program): void {
  const breakers = root.command('breakers').description('List, trip and reset circuit breakers');

  asks(
    program,
    breakers.command('list').description('List circuit breakers with their state'),
    'read',
    shows('breakers.list', (value, run) => {
      const rows = value.breakers.map((breaker) => [
        inertLine(breaker.name),
        inertLine(breakerTitle(breaker.name)),
        STATE_WORDS[breaker.state],
        `${String(breaker.failures)}/${String(breaker.failureThreshold)}`,
        breaker.nextTrialAtMs === undefined ? '-' : run.when(breaker.nextTrialAtMs),
        inertLine(breaker.explanation),
      ]);
      const head = ['BREAKER', 'OF', 'STATE', 'FAILED', 'NEXT PROBE', 'REASON'];
      return run.table(head, rows) || 'No circuit breakers yet: no external service was called.';
    }),
  );

  asks(
    program,
    breakers
      .command('show')
      .description('Show a circuit breaker with its counters')
      .argument('<name>', 'Breaker name, such as provider.anthropic'),
    'read',
    calls('breakers.show', (_run, name) => ({ name }), breakerLines),
  );

  asks(
    program,
    breakers
      .command('trip')
      .description('Open a circuit breaker: nothing is sent until its probe succeeds')
      .argument('<name>', 'Breaker name, such as provider.anthropic')
      .option('--reason <text>', 'Reason, for the audit log'),
    'decide',
    calls(
      'breakers.trip',
      (run, name) => ({ name, ...where('reason', optional<string>(run, 'reason')) }),
      breakerLines,
    ),
  );

  asks(
    program,
    breakers
      .command('reset')
      .description('Close a circuit breaker: waiting turns resume')
      .argument('<name>', 'Breaker name, such as provider.anthropic'),
    'decide',
    calls('breakers.reset', (_run, name) => ({ name }), breakerLines),
  );
}
