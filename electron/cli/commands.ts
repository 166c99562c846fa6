/**
 * Every first word of the command line, once: the app's entry, commander, help, and the tests of the
 * docs read this table. A word that is missing here does not exist anywhere.
 */
import type { Command } from 'commander';
import type { Program } from './command';

type Add = (root: Command, program: Program) => void;

interface Family {
  /** What a person types after `holdfast`, in the order of the help. */
  readonly words: readonly string[];
  /** Loaded with the first command of the family, so that no command pays for the others. */
  readonly load: () => Promise<readonly Add[]>;
}

/** In the order of the help. */
const FAMILIES: readonly Family[] = [
  { words: ['start'], load: async () => [(await import('./verbs/start')).addStart] },
  {
    words: ['status', 'stop', 'doctor', 'logs', 'pause', 'resume'],
    load: async () => [(await import('./verbs/engine')).addEngine],
  },
  { words: ['send'], load: async () => [(await import('./verbs/send')).addSend] },
  { words: ['turns'], load: async () => [(await import('./verbs/turns')).addTurns] },
  {
    // `events publish` stands with the queue that it writes to.
    words: ['events', 'day', 'queue', 'dlq'],
    load: async () => [
      (await import('./verbs/events')).addEvents,
      (await import('./verbs/delivery')).addDelivery,
    ],
  },
  {
    words: ['recovery', 'inbox'],
    load: async () => [(await import('./verbs/recovery')).addRecovery],
  },
  { words: ['skills', 'runs'], load: async () => [(await import('./verbs/skills')).addSkills] },
  { words: ['approvals'], load: async () => [(await import('./verbs/approvals')).addApprovals] },
  { words: ['drafts'], load: async () => [(await import('./verbs/drafts')).addDrafts] },
  { words: ['session'], load: async () => [(await import('./verbs/sessions')).addSessions] },
  {
    words: ['tasks', 'timers', 'heartbeat', 'schedule', 'guard'],
    load: async () => [(await import('./verbs/tasks')).addTasks],
  },
  {
    words: ['activations'],
    load: async () => [(await import('./verbs/activations')).addActivations],
  },
  {
    words: ['orchestrator'],
    load: async () => [(await import('./verbs/orchestrator')).addOrchestrator],
  },
  { words: ['agents', 'tools'], load: async () => [(await import('./verbs/agents')).addAgents] },
  { words: ['hooks', 'watch'], load: async () => [(await import('./verbs/hooks')).addHooks] },
  { words: ['ext'], load: async () => [(await import('./verbs/ext')).addExtensions] },
  { words: ['breakers'], load: async () => [(await import('./verbs/breakers')).addBreakers] },
  { words: ['channels'], load: async () => [(await import('./verbs/channels')).addChannels] },
  { words: ['gateway', 'usage'], load: async () => [(await import('./verbs/gateway')).addGateway] },
  { words: ['mcp'], load: async () => [(await import('./verbs/mcp')).addMcp] },
  { words: ['provider'], load: async () => [(await import('./verbs/providers')).addProviders] },
  { words: ['outage'], load: async () => [(await import('./verbs/outage')).addOutage] },
  { words: ['config'], load: async () => [(await import('./verbs/config')).addConfig] },
  { words: ['demo'], load: async () => [(await import('./verbs/demo')).addDemo] },
];

/** Words that are answered without commander: the hooks of other programs, and its own help. */
const BESIDES = ['hook', 'help'] as const;

/** Every word after which this program is a command line and not the app. */
export const COMMANDS: readonly string[] = [...FAMILIES.flatMap(({ words }) => words), ...BESIDES];

/**
 * Adds the commands that `word` can mean: its family, or all of them for help and for a word that
 * does not exist, so that the answer can suggest one.
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
