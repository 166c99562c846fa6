/**
 * What running commands have printed so far: the end of it, in memory only. The whole output is the
 * result of the step, and only that is on disk.
 */
import { showText } from '../journal/show-text';

/** Most characters shown of one command. */
export const MAX_LIVE_CHARS = 4_000;
/** Commands at once; with more, the ones that printed longest ago are no longer shown. */
const MAX_COMMANDS = 200;

/** Names a running step. */
interface LiveStep {
  readonly turnId: number;
  readonly step: number;
}

export interface LiveOutput {
  /** The end of what a command has printed, or undefined once it has ended. */
  take(command: LiveStep, tail: string | undefined): void;
  /** The end of what a running command has printed, escaped for display. */
  of(command: LiveStep): string | undefined;
}

/** `onOutput` gets each new end; the text is escaped for display. */
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
