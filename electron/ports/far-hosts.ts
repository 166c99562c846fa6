import type { FarAddress } from '../../shared/ssh-address';

/** How a command on another computer ended. */
export interface FarEnd {
  /** Exit code of `ssh`, which passes on the command's; null: it was ended from here. */
  readonly code: number | null;
  /** The last part of its error output; untrusted, may be empty. */
  readonly lastWords: string;
  /** It was ended because it sent too much, or `ssh` is not installed. */
  readonly fault?: 'too_much' | 'no_ssh';
}

/** A command that runs on another computer. */
export interface FarCommand {
  /** Never rejects. */
  readonly ended: Promise<FarEnd>;
  /** Sends a line to its input; ignored if it has ended. */
  say(line: string): void;
  /** Ends the connection here, at once; nothing changes there. */
  end(): void;
}

/**
 * Runs `holdfast` with `args` on another computer. `onLine` gets each line of its output, bounded
 * in length; untrusted text. Never throws.
 * Implemented by adapters/hosts/ssh-command.ts.
 */
export type RunFar = (
  address: FarAddress,
  args: readonly string[],
  onLine: (line: string) => void,
) => FarCommand;
