import type { Delivery } from '../../ports/channel';
import { runCommand } from '../shell/run-command';
import { down } from './channel-errors';
import type { ChannelDeps, CreateChannel } from './channel-deps';

/** Maximum characters of the program's output in an error. */
const SHOWN = 300;

/**
 * Runs the program with the message on its standard input; exit code 0 means accepted. The
 * recipient and the id, the same for every attempt, are in its environment. A program that did not
 * exit on its own may have sent it.
 */
export const createCommand: CreateChannel<'command'> = (deps) => ({
  deliver: (delivery, signal) => runChannelCommand(deps, delivery, signal),
});

async function runChannelCommand(
  deps: ChannelDeps<'command'>,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<void> {
  const { name, spec } = deps;
  const env = await deps.program.environment(spec.env ?? [], {
    HOLDFAST_DELIVERY_ID: delivery.deliveryId,
    HOLDFAST_DELIVERY_KIND: delivery.kind,
    HOLDFAST_CHANNEL: name,
    HOLDFAST_PEER: inEnvironment(delivery.peer),
    HOLDFAST_SESSION: inEnvironment(delivery.sessionKey),
  });
  const end = await runCommand({
    argv: [spec.command, ...(spec.args ?? [])],
    cwd: spec.cwd ?? env['HOME'] ?? env['USERPROFILE'] ?? '/',
    env,
    timeoutMs: deps.timeoutMs,
    capBytes: 4_096,
    signal,
    input: [delivery.repeatNote ?? [], delivery.text].flat().join('\n\n'),
  });
  const hide = (text: string): string => deps.program.hide(text);
  switch (end.kind) {
    case 'exited':
      if (end.code === 0) return;
      throw down(`${name}: the program ended with ${String(end.code)}${wordsOf(hide(end.output))}`);
    case 'killed':
      throw down(
        end.by === 'timeout'
          ? `${name}: the program did not end in time${wordsOf(hide(end.output))}`
          : `${name}: the program was ended by ${end.signal}.`,
        { mayHaveArrived: true },
      );
    case 'not_started':
      throw down(`${name}: the program cannot be started (${end.reason.slice(0, SHOWN)}).`);
  }
}

/** A variable cannot contain NUL: with one, the program would never start. */
const inEnvironment = (text: string): string => text.replaceAll('\0', '\ufffd');

function wordsOf(output: string): string {
  const last = output.trim().split('\n').at(-1)?.trim() ?? '';
  return last === '' ? '.' : `: ${last.slice(0, SHOWN)}`;
}
