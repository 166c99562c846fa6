/** `holdfast breakers list|show|trip|reset` */
import type { Command } from 'commander';
import type { BreakerView } from '../../../shared/types/outage';
import type { Program, Run } from '../command';
import { asks, optional, where } from '../command';
import { inertLine, whenText } from '../render';

const STATE_WORDS = { closed: 'closed', open: 'open', half_open: 'half-open' } as const;

function breakerText(breaker: BreakerView, run: Run): string {
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
      return { value, text: breakerText(value, run) };
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
      return { value, text: breakerText(value, run) };
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
      return { value, text: breakerText(value, run) };
    },
  );
}
