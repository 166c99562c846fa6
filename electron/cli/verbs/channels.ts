/** `holdfast channels list|test`; what changes them is in channel-changes.ts */
import type { Command } from 'commander';
import type { ChannelView } from '../../../shared/types/channels';
import type { Program, Run } from '../command';
import { asks } from '../command';
import { EXIT } from '../exit-codes';
import { keyText } from '../keys';
import { addChannelChanges } from './channel-changes';
import { countText, inertLine, spanText, whenText } from '../render';

const TEST_TIMEOUT_MS = 620_000;
const STATE_WORDS = {
  ready: 'ready',
  off: 'switched off',
  not_ready: 'not ready',
  gone: 'removed',
} as const;

const isFailing = (one: ChannelView): boolean =>
  one.state === 'ready' && (one.breaker !== 'closed' || one.failures > 0);

function remarks(one: ChannelView, run: Run): string {
  const parts = [
    ...(one.isDefault ? ['default'] : []),
    ...(one.speaks ? [] : ['only listens']),
    ...(one.key === undefined ? [] : [keyText(one.key)]),
    ...(one.inboundUrl === undefined ? [] : [`hears ${inertLine(one.inboundUrl)}`]),
    ...(one.listenProblem === undefined ? [] : [`does not hear: ${inertLine(one.listenProblem)}`]),
    ...(one.lastError === undefined ? [] : [inertLine(one.lastError)]),
    ...(one.pending > 0 && one.nextTryAtMs !== undefined
      ? [`next try ${whenText(one.nextTryAtMs, run.nowMs)}`]
      : []),
  ];
  return parts.join('; ') || '-';
}

const row = (one: ChannelView, run: Run): string[] => [
  inertLine(one.name),
  one.kind,
  isFailing(one) ? `${countText(one.failures, 'failure')} in a row` : STATE_WORDS[one.state],
  one.pending === 0 ? '-' : countText(one.pending, 'answer'),
  one.deliveredAtMs === undefined
    ? '-'
    : `${String(one.delivered)}, last ${whenText(one.deliveredAtMs, run.nowMs)}`,
  remarks(one, run),
];

export function addChannels(root: Command, program: Program): void {
  const channels = root
    .command('channels')
    .alias('channel')
    .description('channels: where answers go and messages come from');

  asks(
    program,
    channels
      .command('list', { isDefault: true })
      .description('every channel: its state, what waits, what was taken, what failed'),
    'read',
    async (engine, run) => {
      const value = await engine.call('channels.list', {});
      const hears = value.channels.some((one) => one.inboundUrl !== undefined);
      const head = ['CHANNEL', 'KIND', 'STATE', 'WAITS', 'TAKEN', 'REMARKS'];
      const table = run.table(
        head,
        value.channels.map((one) => row(one, run)),
      );
      return {
        value,
        text: hears ? `${table}\nThe token of senders is in ${inertLine(value.tokenPath)}.` : table,
      };
    },
  );

  addChannelChanges(channels, program);

  asks(
    program,
    channels
      .command('test')
      .description('send one test message, now')
      .argument('<name>', 'the channel'),
    'running',
    async (engine, _run, name) => {
      const value = await engine.call('channels.test', { name }, TEST_TIMEOUT_MS);
      return {
        value,
        text: `${value.ok ? 'Taken' : 'Not taken'} (${spanText(value.tookMs)}): ${inertLine(value.message)}`,
        exitCode: value.ok ? EXIT.ok : EXIT.failed,
      };
    },
  );
}
