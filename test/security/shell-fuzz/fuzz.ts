/** Judges random command lines and runs those that count as read-only. */
import { hasShellEffects } from '../../../electron/engine/shell-policy/shell-effects';
import { LINES_WITH_EFFECTS, READ_ONLY_LINES } from '../../helpers/shell-lines';
import { randomLines } from './lines';
import { Listener, Sandbox } from './sandbox';

export interface Figures {
  readonly lines: number;
  readonly accepted: number;
  /** Accepted lines that were run, each text once. */
  readonly run: number;
  readonly changed: readonly { readonly line: string; readonly change: string }[];
}

/** Runs what is accepted of `lines` random lines in as many sandboxes at a time as `sandboxes`. */
export async function fuzz(options: {
  readonly seed: number;
  readonly lines: number;
  readonly sandboxes: number;
  readonly shell: string;
}): Promise<Figures> {
  const listener = new Listener();
  // The lines of a seed are the same each time, but for the number of the port.
  const port = await listener.listen();
  const lines = randomLines(options.seed, [...READ_ONLY_LINES, ...LINES_WITH_EFFECTS], port);
  const seen = new Set<string>();
  const changed: { line: string; change: string }[] = [];
  let drawn = 0;
  let accepted = 0;

  const nextAccepted = (): string | undefined => {
    while (drawn < options.lines) {
      drawn += 1;
      const line = lines.next().value;
      if (hasShellEffects(line)) continue;
      accepted += 1;
      if (seen.has(line)) continue;
      seen.add(line);
      return line;
    }
    return undefined;
  };

  const work = async (): Promise<void> => {
    const sandbox = new Sandbox();
    try {
      for (let line = nextAccepted(); line !== undefined; line = nextAccepted()) {
        const change = await sandbox.changeOf(options.shell, line);
        if (change !== undefined) changed.push({ line, change });
      }
    } finally {
      sandbox.remove();
    }
  };

  try {
    await Promise.all(Array.from({ length: options.sandboxes }, work));
  } finally {
    listener.close();
  }
  if (listener.count > 0) {
    changed.push({
      line: '(one of those that ran)',
      change: `${String(listener.count)} connections`,
    });
  }
  return { lines: drawn, accepted, run: seen.size, changed };
}
