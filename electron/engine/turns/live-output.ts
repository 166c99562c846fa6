/**
 * The last output of running commands, in memory only. A command's whole output becomes the step's
 * result, and only that is on disk.
 */
import { showText } from '../journal/show-text';

/** Maximum characters shown per command. */
export const MAX_LIVE_CHARS = 4_000;
/** Maximum number of commands; beyond it, those with the oldest output are dropped. */
const MAX_COMMANDS = 200;

/** Names a running step. */
interface LiveStep {
  readonly turnId: number;
  readonly step: number;
}

export interface LiveOutput {
  /** Takes a command's latest output, or undefined once it has ended. */
  take(command: LiveStep, tail: string | undefined): void;
  /** The latest output of a running command, escaped for display. */
  of(command: LiveStep): string | undefined;
}

/** `onOutput` receives each new output, escaped for display. */
export function createLiveOutput(
  onOutput: (output: LiveStep & { readonly text: string }) => void,
): LiveOutput {
  const tails = new Map<string, string>();
  const keyOf = ({ turnId, step }: LiveStep): string => `${String(turnId)}:${String(step)}`;
  return {
    take(command, tail) {
      const key = keyOf(command);
      tails.delete(key);
      if (tail === undefined) return;
      const text = showText(tail.slice(-MAX_LIVE_CHARS), Infinity).text.slice(-MAX_LIVE_CHARS);
      tails.set(key, text);
      const [oldest] = tails.keys();
      if (tails.size > MAX_COMMANDS && oldest !== undefined) tails.delete(oldest);
      onOutput({ turnId: command.turnId, step: command.step, text });
    },
    of: (command) => tails.get(keyOf(command)),
  };
}
