/**
 * The single list of commands: the app's entry, commander, help, and the docs tests read it. A
 * command that is missing here does not exist.
 */
import type { Command } from 'commander';
import type { Program } from './command';

type Add = (root: Command, program: Program) => void;

interface Family {
  /** The commands after `holdfast`, in help order. */
  readonly words: readonly string[];
  /** Loaded with the first command of the family, so that no command pays for the others. */
  readonly load: () => Promise<readonly Add[]>;
}

/** In the order of the help; the files have the names of the contract's families. */
const FAMILIES: readonly Family[] = [
  { words: ['start'], load: async () => [(await import('./verbs/instance')).addStart] },
  { words: ['status', 'stop'], load: async () => [(await import('./verbs/instance')).addEngine] },
  { words: ['doctor', 'logs'], load: async () => [(await import('./verbs/history')).addDiagnosis] },
  { words: ['pause', 'resume'], load: async () => [(await import('./verbs/instance')).addIntake] },
  { words: ['send'], load: async () => [(await import('./verbs/turns')).addSend] },
  { words: ['turns'], load: async () => [(await import('./verbs/turns')).addTurns] },
  {
    // `events publish` is grouped with the queue that it writes to.
    words: ['events', 'day', 'queue', 'dlq'],
    load: async () => [
      (await import('./verbs/history')).addEvents,
      (await import('./verbs/delivery')).addDelivery,
    ],
  },
  {
    words: ['recovery', 'inbox'],
    load: async () => [(await import('./verbs/decisions')).addRecovery],
  },
  { words: ['skills', 'runs'], load: async () => [(await import('./verbs/skills')).addSkills] },
  { words: ['approvals'], load: async () => [(await import('./verbs/decisions')).addApprovals] },
  { words: ['drafts'], load: async () => [(await import('./verbs/drafts')).addDrafts] },
  { words: ['session'], load: async () => [(await import('./verbs/sessions')).addSessions] },
  {
    words: ['tasks', 'timers', 'heartbeat', 'schedule', 'guard'],
    load: async () => [(await import('./verbs/schedule')).addTasks],
  },
  {
    words: ['activations'],
    load: async () => [(await import('./verbs/sessions')).addActivations],
  },
  {
    words: ['orchestrator'],
    load: async () => [(await import('./verbs/orchestrator')).addOrchestrator],
  },
  { words: ['agents', 'tools'], load: async () => [(await import('./verbs/agents')).addAgents] },
  { words: ['hooks', 'watch'], load: async () => [(await import('./verbs/hooks')).addHooks] },
  { words: ['ext'], load: async () => [(await import('./verbs/agents')).addExtensions] },
  { words: ['breakers'], load: async () => [(await import('./verbs/outage')).addBreakers] },
  { words: ['channels'], load: async () => [(await import('./verbs/channels')).addChannels] },
  {
    words: ['gateway', 'usage'],
    load: async () => [(await import('./verbs/providers')).addGateway],
  },
  { words: ['mcp'], load: async () => [(await import('./verbs/agents')).addMcp] },
  { words: ['provider'], load: async () => [(await import('./verbs/providers')).addProviders] },
  { words: ['outage'], load: async () => [(await import('./verbs/outage')).addOutage] },
  { words: ['config'], load: async () => [(await import('./verbs/config')).addConfig] },
  { words: ['demo'], load: async () => [(await import('./demo')).addDemo] },
];

/** Commands handled without commander: hooks of other programs, and commander's help. */
const BESIDES = ['hook', 'help'] as const;

/** Every first argument that makes this a command instead of the app. */
export const COMMANDS: readonly string[] = [...FAMILIES.flatMap(({ words }) => words), ...BESIDES];

/**
 * Adds the commands that `word` can select: its family, or all of them for help and for an unknown
 * command, so that the answer can suggest one.
 */
export async function addCommands(
  root: Command,
  program: Program,
  word: string | undefined,
): Promise<void> {
  const meant = FAMILIES.filter(({ words }) => words.includes(word ?? ''));
  for (const { load } of meant.length === 0 ? FAMILIES : meant)
    for (const add of await load()) add(root, program);
}

/**
 * Names from the documents that select a command of this program. Each rewrites the leading
 * arguments; options and everything after them stay as they are.
 */

/** From the documents' names to ours, longest first. */
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

/** Rewrites the documents' names; anything else is unchanged. */
export function resolveAliases(argv: readonly string[]): string[] {
  const positions = wordPositions(argv);
  if (positions.length === 0) {
    return argv.some((argument) => START_OPTIONS.has(argument)) ? ['start', ...argv] : [...argv];
  }
  for (const [from, to] of ALIASES) {
    // The words must come first and together: `send agent list` is a message, not a command.
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
