import type { FarAddress } from '../../shared/ssh-address';

/** How a command on another computer ended. */
export interface FarEnd {
  /** Of `ssh`, which passes on that of the command; null: it was ended from here. */
  readonly code: number | null;
  /** The end of what it complained about; foreign text, may be empty. */
  readonly lastWords: string;
  /** It was ended because it sent more than is read, or there is no `ssh` to begin with. */
  readonly fault?: 'too_much' | 'no_ssh';
}

/** A command that runs on another computer. */
export interface FarCommand {
  /** Never rejects. */
  readonly ended: Promise<FarEnd>;
  /** Sends a line to its input; one that has ended gets none. */
  say(line: string): void;
  /** Ends it here, at once; nothing changes there. */
  end(): void;
}

/**
 * Runs `holdfast` with `args` on another computer. `onLine` gets each line of its output, bounded in length;
 * foreign text. Never throws.
 */
export type RunFar = (
  address: FarAddress,
  args: readonly string[],
  onLine: (line: string) => void,
) => FarCommand;
