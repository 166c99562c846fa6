/** `holdfast gateway status`, `holdfast usage` */
import type { Command } from 'commander';
import type { GatewayStatus, UsageLine } from '../../../shared/model/gateway';
import type { Program, Run } from '../command';
import { asks, optional, where, wholeNumber } from '../command';
import { countText, facts, inertLine } from '../render';

const money = (usd: number | undefined): string => (usd === undefined ? '-' : `$${usd.toFixed(4)}`);

function headline(status: GatewayStatus): string {
  const why = status.problem === undefined ? '' : `: ${inertLine(status.problem)}`;
  switch (status.state) {
    case 'listening':
      return `The gateway listens on 127.0.0.1:${String(status.port ?? 0)}.`;
    case 'not_listening':
      return `The gateway does not listen${why}`;
    case 'off':
      return 'The gateway is off. Switch it on: holdfast config set gateway.enabled true';
  }
}

function statusText(status: GatewayStatus, run: Run): string {
  const rows: [string, string][] = [
    ['token', `in ${inertLine(status.tokenPath)}; agents show it as their key`],
    ...(status.isOtherPort
      ? [['port', 'another program has the one of the settings'] as [string, string]]
      : []),
    ...(status.waiting === 0
      ? []
      : [
          ['waiting', countText(status.waiting, 'request waits', 'requests wait')] as [
            string,
            string,
          ],
        ]),
  ];
  const providers = status.providers.map((one) => [
    inertLine(one.name),
    one.kind,
    one.baseUrl ?? '-',
    `${money(one.spentTodayUsd)}${one.budgetUsd === undefined ? '' : ` of ${money(one.budgetUsd)}`}${one.hasPrices ? '' : ' (no prices)'}`,
  ]);
  return [
    run.paint(status.state === 'not_listening' ? 'warn' : 'strong', headline(status)),
    facts(rows),
    run.table(['PROVIDER', 'KIND', 'BASE ADDRESS FOR AGENTS', 'TODAY'], providers),
  ].join('\n');
}

const usageRow = (line: UsageLine): string[] => [
  line.day,
  inertLine(line.provider),
  line.source === 'turns'
    ? countText(line.count, 'turn')
    : `${countText(line.count, 'request')}, ${String(line.remembered)} unpaid`,
  String(line.inputTokens),
  String(line.outputTokens),
  money(line.costUsd),
];

export function addGateway(root: Command, program: Program): void {
  asks(
    program,
    root
      .command('gateway')
      .description('a gateway for agents of other programs')
      .command('status')
      .description('its address for each provider, its token file, what was spent today'),
    'read',
    async (engine, run) => {
      const value = await engine.call('gateway.status', {});
      return { value, text: statusText(value, run) };
    },
  );

  asks(
    program,
    root
      .command('usage')
      .description('tokens and cost by day and provider')
      .option('--days <n>', 'how many days (default 7)', wholeNumber),
    'read',
    async (engine, run) => {
      const value = await engine.call('usage.list', where('days', optional<number>(run, 'days')));
      const head = ['DAY', 'PROVIDER', 'BY', 'IN', 'OUT', 'COST'];
      return {
        value,
        text: run.table(head, value.lines.map(usageRow)) || 'Nothing was used in these days.',
      };
    },
  );
}
