/**
 * Older names of commands: they keep working, and help does not list them. Each rewrites the
 * leading arguments; options and everything after them stay as they are.
 */

/** From older names to ours. If two match, the first one is used. */
export const ALIASES: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['agent', 'session'], ['sessions']],
  [
    ['agent', 'activation-events'],
    ['sessions', 'activity'],
  ],
  [
    ['agent', 'orchestrator'],
    ['debug', 'orchestrator'],
  ],
  [['report'], ['diagnostics']],
  [['agent'], ['agents']],
  [['session'], ['sessions']],
  [['turn'], ['turns']],
  [['approval'], ['approvals']],
  [['draft'], ['drafts']],
  [['provider'], ['providers']],
  [['tool'], ['tools']],
  [['/skill'], ['runs']],
  [
    ['skill', 'discard'],
    ['runs', 'discard'],
  ],
  [['skill'], ['skills']],
  [['run'], ['runs']],
  [['terminal'], ['terminals']],
  [['task'], ['tasks']],
  [['/tasks'], ['tasks']],
  [['timer'], ['timers']],
  [['outage'], ['outages']],
  [['channel'], ['channels']],
  [['event'], ['events']],
  [['breaker'], ['breakers']],
  [['heartbeat'], ['heartbeats']],
  [['process'], ['processes']],
  [
    ['heartbeats', 'status'],
    ['heartbeats', 'list'],
  ],
  [['ext'], ['mcp']],
  [
    ['turns', 'replay'],
    ['turns', 'resume'],
  ],
  [
    ['recovery', 'list'],
    ['turns', 'review'],
  ],
  [
    ['recovery', 'confirm-step'],
    ['turns', 'resolve', '--done'],
  ],
  [
    ['recovery', 'skip-step'],
    ['turns', 'resolve', '--skip'],
  ],
  [
    ['recovery', 'wait-process'],
    ['processes', 'wait'],
  ],
  [
    ['recovery', 'leave-process'],
    ['processes', 'leave'],
  ],
  [
    ['recovery', 'end-process'],
    ['processes', 'end'],
  ],
  [['recovery'], ['turns']],
  [
    ['sessions', 'adopt'],
    ['sessions', 'attach'],
  ],
  [
    ['sessions', 'open-in-terminal'],
    ['sessions', 'detach'],
  ],
  [
    ['sessions', 'define-outcome'],
    ['sessions', 'set-goal'],
  ],
  [
    ['drafts', 'promote'],
    ['drafts', 'apply'],
  ],
  [
    ['tasks', 'update'],
    ['tasks', 'edit'],
  ],
  [
    ['outages', 'probe'],
    ['providers', 'check'],
  ],
  [
    ['config', 'show'],
    ['config', 'list'],
  ],
  [
    ['activations', 'events'],
    ['sessions', 'activity'],
  ],
  [['activations'], ['sessions', 'activity']],
  [['activation-events'], ['sessions', 'activity']],
  [['orchestrator'], ['debug', 'orchestrator']],
  [
    ['guard', 'check'],
    ['debug', 'guard'],
  ],
  [
    ['schedule', 'parse'],
    ['tasks', 'preview'],
  ],
  [
    ['queue', 'status'],
    ['events', 'status'],
  ],
  [['queue'], ['events', 'status']],
  [
    ['watch', 'list'],
    ['terminals', 'list'],
  ],
  [['watch'], ['terminals']],
  [['takeover'], ['start', '--takeover']],
];

/** Options that start the program when no command is named. */
const START_OPTIONS = new Set(['--headless', '--no-restore', '--reset', '--takeover']);

/** Our options that take the next argument as their value. */
const VALUE_OPTIONS = new Set(['--data-dir']);

/** Maximum number of rewrites, because an older name may stand for another older name. */
const MAX_REWRITES = 4;

/** Positions of the arguments that are neither options nor option values. */
export function wordPositions(argv: readonly string[]): number[] {
  const positions: number[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? '';
    if (argument === '--') break;
    if (VALUE_OPTIONS.has(argument)) index += 1;
    else if (!argument.startsWith('-') || argument === '-') positions.push(index);
  }
  return positions;
}

/** Rewrites older names; anything else is unchanged. */
export function resolveAliases(argv: readonly string[]): string[] {
  if (wordPositions(argv).length === 0)
    return argv.some((argument) => START_OPTIONS.has(argument)) ? ['start', ...argv] : [...argv];
  let resolved = [...argv];
  for (let count = 0; count < MAX_REWRITES; count += 1) {
    const next = rewrittenOnce(resolved);
    if (next === undefined) break;
    resolved = next;
  }
  return resolved;
}

function rewrittenOnce(argv: readonly string[]): string[] | undefined {
  const positions = wordPositions(argv);
  // The words must come first and together: `send agent list` is a message, not a command.
  const found = ALIASES.find(([from]) =>
    from.every((word, index) => argv[positions[index] ?? -1] === word),
  );
  if (found === undefined) return undefined;
  const [from, to] = found;
  const replaced = new Set(positions.slice(0, from.length));
  const first = positions[0] ?? 0;
  return argv.flatMap((argument, index) =>
    index === first ? to : replaced.has(index) ? [] : [argument],
  );
}
