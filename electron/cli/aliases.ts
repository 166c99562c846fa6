/**
 * Names of the documents that mean a command of this program. Each is a rewrite of the
 * leading words; options and everything after the words stay as they are.
 */

/** From the words of the documents to ours, longest first. */
export const ALIASES: readonly (readonly [readonly string[], readonly string[]])[] = [
  [
    ['agent', 'session', 'create'],
    ['session', 'create'],
  ],
  [
    ['agent', 'session', 'list'],
    ['session', 'list'],
  ],
  [
    ['agent', 'session', 'status'],
    ['session', 'status'],
  ],
  [
    ['agent', 'session', 'events'],
    ['session', 'events'],
  ],
  [
    ['agent', 'activation-events'],
    ['activations', 'events'],
  ],
  [['agent', 'orchestrator'], ['orchestrator']],
  [['activation-events'], ['activations', 'events']],
  [
    ['agent', 'session', 'interrupt'],
    ['session', 'interrupt'],
  ],
  [
    ['agent', 'session', 'confirm-tool'],
    ['session', 'confirm-tool'],
  ],
  [
    ['agent', 'session', 'custom-tool-result'],
    ['session', 'custom-tool-result'],
  ],
  [
    ['agent', 'list'],
    ['agents', 'list'],
  ],
  [
    ['agent', 'add'],
    ['agents', 'add'],
  ],
  [
    ['agent', 'test'],
    ['agents', 'test'],
  ],
  [['sessions'], ['session']],
  [['task'], ['tasks']],
  [['/tasks'], ['tasks']],
  [['timer'], ['timers']],
  [['providers'], ['provider']],
  [['breaker'], ['breakers']],
  [['turn'], ['turns']],
  [['tool'], ['tools']],
  [
    ['turns', 'replay'],
    ['recovery', 'resume'],
  ],
  [
    ['turns', 'resume'],
    ['recovery', 'resume'],
  ],
  [
    ['turns', 'discard'],
    ['recovery', 'discard'],
  ],
  [
    ['skill', 'list'],
    ['runs', 'list'],
  ],
  [
    ['skill', 'discard'],
    ['runs', 'discard'],
  ],
  [
    ['/skill', 'list'],
    ['runs', 'list'],
  ],
  [
    ['/skill', 'discard'],
    ['runs', 'discard'],
  ],
  [
    ['providers', 'status'],
    ['provider', 'status'],
  ],
  [
    ['config', 'show'],
    ['config', 'list'],
  ],
  [['takeover'], ['start', '--takeover']],
];

/** Options that start the program when no command is named. */
const START_OPTIONS = new Set(['--headless', '--no-restore', '--reset', '--takeover']);

/** Options of ours that take the next argument. */
const VALUE_OPTIONS = new Set(['--data-dir']);

/** Positions of the arguments that are words, not options or their values. */
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

/** Rewrites the names of the documents; what is not one of them comes back unchanged. */
export function resolveAliases(argv: readonly string[]): string[] {
  const positions = wordPositions(argv);
  if (positions.length === 0) {
    return argv.some((argument) => START_OPTIONS.has(argument)) ? ['start', ...argv] : [...argv];
  }
  for (const [from, to] of ALIASES) {
    // The words must lead and stand together: `send agent list` is a message, not a command.
    const matches = from.every((word, index) => argv[positions[index] ?? -1] === word);
    if (!matches) continue;
    const replaced = new Set(positions.slice(0, from.length));
    const first = positions[0] ?? 0;
    const rewritten = argv.flatMap((argument, index) =>
      index === first ? to : replaced.has(index) ? [] : [argument],
    );
    // `turn discard` becomes `turns discard`, which is itself a name of the documents.
    return from.length === 1 && to.length === 1 ? resolveAliases(rewritten) : rewritten;
  }
  return [...argv];
}
