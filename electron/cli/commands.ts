/**
 * The single list of commands: the app's entry, commander, help, completion and the reference read
 * it. A command that is missing here does not exist.
 */
import type { Command } from 'commander';
import type { Program } from './command';

type Add = (root: Command, program: Program) => void;

/** Headings of the help, in its order. */
const GROUPS = ['Start', 'Work', 'Agents', 'Time', 'Operate', 'Configure', 'Debug'] as const;

interface Family {
  readonly group: (typeof GROUPS)[number];
  /** The commands after `holdfast`, in help order. */
  readonly words: readonly string[];
  /** Loaded with the first command of the family, so that a command loads no other family. */
  readonly load: () => Promise<readonly Add[]>;
  /**
   * By the words after `holdfast`: what may follow them. Each command with arguments has an
   * example.
   */
  readonly examples?: Readonly<Record<string, readonly string[]>>;
  /** Its commands read the whole program, so all families are loaded with it. */
  readonly isAboutAll?: true;
}

/** In the order of the help; the files have the names of the contract's families. */
const FAMILIES: readonly Family[] = [
  {
    group: 'Start',
    words: ['start'],
    load: async () => [(await import('./verbs/instance')).addStart],
    examples: { start: ['', '--headless', '--headless --set gateway.enabled=true'] },
  },
  {
    group: 'Start',
    words: ['status', 'stop'],
    load: async () => [(await import('./verbs/instance')).addEngine],
    examples: { stop: ['', '--when-done'] },
  },
  {
    group: 'Start',
    words: ['restart', 'open', 'reset', 'data'],
    load: async () => [(await import('./verbs/lifecycle')).addLifecycle],
    examples: {
      open: ['', 'inbox', 'session 3'],
      'data export': ['holdfast.tar.gz'],
      'data import': ['holdfast.tar.gz --data-dir ~/copy'],
    },
  },
  {
    group: 'Start',
    words: ['doctor', 'diagnostics', 'logs'],
    load: async () => [(await import('./verbs/history')).addDiagnosis],
    examples: { logs: ['-n 20', '--follow'] },
  },
  {
    group: 'Start',
    words: ['demo'],
    load: async () => [(await import('./demo')).addDemo],
    examples: { demo: ['', 'night'] },
  },
  {
    group: 'Work',
    words: ['send'],
    load: async () => [(await import('./verbs/turns')).addSend],
    examples: {
      send: ['"Fix the failing test" --agent claude --wait', '- --session notes < prompt.txt'],
    },
  },
  {
    group: 'Work',
    words: ['search'],
    load: async () => [(await import('./verbs/search')).addSearch],
    examples: { search: ['disk full', '"connection refused" --agent claude --since 7d'] },
  },
  {
    group: 'Work',
    words: ['turns', 'processes'],
    load: async () => [
      (await import('./verbs/turns')).addTurns,
      (await import('./verbs/decisions')).addReview,
    ],
    examples: {
      'turns show': ['12'],
      'turns step': ['12 3 --full'],
      'turns plan': ['12'],
      'turns retry': ['12'],
      'turns files': ['12', '12 --patch changes.patch', '12 --apply'],
      'turns cancel': ['12', '--all --yes'],
      'turns resume': ['12'],
      'turns resolve': ['12 3 --done', '12 3 --skip'],
      'turns discard': ['12'],
      'processes wait': ['4711'],
      'processes leave': ['4711'],
      'processes end': ['4711'],
    },
  },
  {
    group: 'Work',
    words: ['pause', 'resume', 'let-sleep'],
    load: async () => [(await import('./verbs/instance')).addIntake],
    examples: { pause: ['', '--for 1h'], resume: [''], 'let-sleep': [''] },
  },
  {
    group: 'Work',
    words: ['sessions'],
    load: async () => [
      (await import('./verbs/sessions')).addSessions,
      (await import('./verbs/activity')).addActivity,
    ],
    examples: {
      'sessions create': ['--agent claude --key notes'],
      'sessions status': ['notes'],
      'sessions events': ['notes --follow'],
      'sessions interrupt': ['notes --note "Use the other branch"'],
      'sessions rename': ['notes "Notes of the week"'],
      'sessions pin': ['notes'],
      'sessions unpin': ['notes'],
      'sessions archive': ['notes'],
      'sessions unarchive': ['notes'],
      'sessions fork': ['notes 12'],
      'sessions delete': ['notes --yes'],
      'sessions set-goal': ['notes "All tests pass"'],
      'sessions attach': ['claude', 'claude --id 0f3c --as notes'],
      'sessions detach': ['notes'],
      'sessions activity': ['--session notes --follow'],
    },
  },
  {
    group: 'Work',
    words: ['inbox'],
    load: async () => [(await import('./verbs/decisions')).addInbox],
    examples: { 'inbox dismiss': ['4'] },
  },
  {
    group: 'Work',
    words: ['approvals'],
    load: async () => [(await import('./verbs/approvals')).addApprovals],
    examples: {
      'approvals allow': ['11', '11 --scope session'],
      'approvals deny': ['11 --note "Not on Fridays"'],
      'approvals answer': ['12 --text "480 euros"', '12 --file result.txt'],
    },
  },
  {
    group: 'Work',
    words: ['drafts'],
    load: async () => [(await import('./verbs/drafts')).addDrafts],
    examples: {
      'drafts diff': ['5'],
      'drafts apply': ['5', '--session notes', '5 --only 1,3 --seen 4f1c9a7b20de'],
      'drafts restore': ['5'],
      'drafts discard': ['5 6'],
    },
  },
  {
    group: 'Agents',
    words: ['agents', 'tools'],
    load: async () => [(await import('./verbs/agents')).addAgents],
    examples: {
      'agents show': ['claude'],
      'agents add': [
        'claude --command claude --workspace ~/project',
        'coder --provider anthropic --model claude-sonnet-4-5 --workspace ~/project',
      ],
      'agents edit': ['coder --model claude-opus-4-1', 'claude --deadline ""'],
      'agents remove': ['coder'],
      'agents test': ['coder'],
    },
  },
  {
    group: 'Agents',
    words: ['providers'],
    load: async () => [(await import('./verbs/providers')).addProviders],
    examples: {
      'providers status': ['', 'anthropic'],
      'providers add': ['anthropic --type anthropic --key-env ANTHROPIC_API_KEY'],
      'providers edit': ['office --base-url https://llm.example.com/v1'],
      'providers remove': ['office'],
      'providers set-key': ['anthropic < key.txt', 'anthropic --from-env ANTHROPIC_API_KEY'],
      'providers test': ['anthropic --model claude-haiku-4-5'],
      'providers check': ['', 'anthropic'],
    },
  },
  {
    group: 'Agents',
    words: ['mcp'],
    load: async () => [(await import('./verbs/agents')).addMcp],
    examples: { 'mcp restart': ['calendar'] },
  },
  {
    group: 'Agents',
    words: ['skills', 'runs'],
    load: async () => [(await import('./verbs/skills')).addSkills],
    examples: {
      'skills show': ['release'],
      'runs show': ['4'],
      'runs plan': ['4'],
      'runs discard': ['4', '4 --yes'],
    },
  },
  {
    group: 'Agents',
    words: ['hooks', 'terminals'],
    load: async () => [(await import('./verbs/hooks')).addHooks],
    examples: {
      'hooks install': ['claude --dry-run', 'claude'],
      'hooks remove': ['claude'],
    },
  },
  {
    group: 'Time',
    words: ['tasks', 'timers'],
    load: async () => [(await import('./verbs/schedule')).addTasks],
    examples: {
      'tasks add': [
        '"Tidy downloads" --schedule "daily at 13:00" --agent claude',
        '"Check the build" --schedule "in 30m"',
        '"Look through the log" --schedule "on file ~/logs debounce 1m"',
        '"File the new letters" --schedule "every 10m" --check "command: ls ~/inbox"',
      ],
      'tasks edit': ['3 --schedule "every 2h"', '3 --check ""'],
      'tasks show': ['3'],
      'tasks run': ['3'],
      'tasks next': ['3 --count 10'],
      'tasks history': ['', '3 --limit 10'],
      'tasks cancel': ['3'],
      'tasks pause': ['3', '--all'],
      'tasks resume': ['3', '--all'],
      'tasks preview': ['"0 9 * * 1-5" --tz Europe/Berlin'],
      'timers cancel': ['notes t-1'],
      'timers run': ['notes t-1'],
    },
  },
  {
    group: 'Operate',
    words: ['hosts'],
    load: async () => [
      (await import('./verbs/hosts')).addHosts,
      (await import('./verbs/joined-hosts')).addJoined,
      (await import('./verbs/host-answer')).addHostAnswer,
      (await import('./verbs/host-link')).addHostLink,
      (await import('./verbs/host-transcript')).addHostTranscript,
    ],
    examples: {
      'hosts add': ['box ssh://me@box.example'],
      'hosts remove': ['box'],
      'hosts search': ['disk full'],
    },
  },
  {
    group: 'Operate',
    words: ['outages'],
    load: async () => [(await import('./verbs/outage')).addOutages],
    examples: {
      'outages move': ['12', '12 --before 9'],
      'outages now': ['12'],
      'outages fallback': ['main'],
      'outages hold': ['12'],
    },
  },
  {
    group: 'Operate',
    words: ['budgets'],
    load: async () => [(await import('./verbs/budgets')).addBudgets],
    examples: { 'budgets list': [''], 'budgets allow': ['daily --usd 5'] },
  },
  {
    group: 'Operate',
    words: ['share', 'machines'],
    load: async () => {
      const { addMachines, addShare } = await import('./verbs/share');
      return [addShare, addMachines];
    },
    examples: {
      'share host': ['postgres://holdfast:secret@127.0.0.1:5432/holdfast'],
      'share invite': ['desk-2', 'desk-2 --for 1h'],
      'share join': ['INVITATION'],
      'share admit': ['desk-2'],
      'share revoke': ['desk-2'],
      'share release': ['5f0c3c52-0000-4000-8000-000000000000'],
    },
  },
  {
    group: 'Operate',
    words: ['gateway', 'usage'],
    load: async () => [(await import('./verbs/gateway')).addGateway],
    examples: {
      'gateway token add': ['laptop-codex'],
      'gateway token revoke': ['laptop-codex'],
      usage: ['--days 30', '--by agent,task', '--days 366 --csv'],
    },
  },
  {
    group: 'Operate',
    words: ['channels'],
    load: async () => [(await import('./verbs/channels')).addChannels],
    examples: {
      'channels add': [
        'phone --type telegram --chats 4711 --secret-env BOT_TOKEN',
        'notify --type command --command notify-send --arg Holdfast',
      ],
      'channels edit': ['phone --enabled false'],
      'channels remove': ['phone'],
      'channels set-secret': ['phone --from-env BOT_TOKEN'],
      'channels link': ['browser'],
      'channels test': ['phone'],
    },
  },
  {
    // `events publish` and `events status` are grouped with the event queue.
    group: 'Operate',
    words: ['events', 'day'],
    load: async () => [
      (await import('./verbs/history')).addEvents,
      (await import('./verbs/delivery')).addPublishing,
    ],
    examples: {
      'events list': ['--turn 12', '--source audit --text mail'],
      'events publish': [`orders.paid '{"id": 7}'`, 'orders.paid - < order.json'],
    },
  },
  {
    group: 'Configure',
    words: ['config'],
    load: async () => [(await import('./verbs/config')).addConfig],
    examples: {
      'config list': ['--changed'],
      'config get': ['resilience.recovery', 'limits.turn_steps'],
      'config set': ['resilience.recovery.mode always', 'limits.turn_steps 200'],
      'config unset': ['limits.turn_steps'],
    },
  },
  {
    group: 'Configure',
    words: ['update'],
    load: async () => [(await import('./verbs/update')).addUpdate],
    examples: { 'update install': ['', '--now'] },
  },
  {
    group: 'Configure',
    words: ['completion'],
    load: async () => [(await import('./verbs/program')).addCompletion],
    examples: {
      completion: ['bash > ~/.local/share/bash-completion/completions/holdfast', 'zsh', 'fish'],
    },
    isAboutAll: true,
  },
  {
    group: 'Configure',
    words: ['version'],
    load: async () => [(await import('./verbs/program')).addVersion],
  },
  {
    group: 'Debug',
    words: ['breakers'],
    load: async () => [(await import('./verbs/outage')).addBreakers],
    examples: {
      'breakers show': ['provider.anthropic'],
      'breakers trip': ['provider.anthropic --reason "Maintenance"'],
      'breakers reset': ['provider.anthropic'],
    },
  },
  {
    group: 'Debug',
    words: ['heartbeats'],
    load: async () => [(await import('./verbs/schedule')).addHeartbeats],
    examples: { 'heartbeats stop': ['notes'] },
  },
  {
    group: 'Debug',
    words: ['dlq'],
    load: async () => [(await import('./verbs/delivery')).addLetters],
    examples: {
      'dlq list': ['--topic orders.paid'],
      'dlq replay': ['e1', '--topic orders.paid', '--all'],
      'dlq purge': ['e1', '--older-than 30d --yes', '--all'],
    },
  },
  {
    group: 'Debug',
    words: ['debug'],
    load: async () => [
      (await import('./verbs/orchestrator')).addDebug,
      (await import('./verbs/dry-runs')).addGuard,
    ],
    examples: {
      'debug orchestrator': ['--watch --log'],
      'debug guard': ['"npm test && sleep 60"'],
    },
  },
];

/** Commands handled without commander: hooks of other programs, and commander's help. */
const BESIDES = ['hook', 'help'] as const;

/** Every first argument that makes this a command instead of the app. */
export const COMMANDS: readonly string[] = [...FAMILIES.flatMap(({ words }) => words), ...BESIDES];

/** Examples by the words of their command, without `holdfast`. */
export const EXAMPLES: ReadonlyMap<string, readonly string[]> = new Map(
  FAMILIES.flatMap(({ examples = {} }) => Object.entries(examples)),
);

/**
 * Adds the commands that `word` can select: its family, or all of them for help and for an unknown
 * command, so that the error can suggest one.
 */
export async function addCommands(
  root: Command,
  program: Program,
  word: string | undefined,
): Promise<void> {
  const found = FAMILIES.find(({ words }) => words.includes(word ?? ''));
  const meant = found === undefined || found.isAboutAll === true ? FAMILIES : [found];
  for (const { group, load } of meant) {
    const before = root.commands.length;
    for (const add of await load()) add(root, program);
    for (const command of root.commands.slice(before)) {
      command.helpGroup(`${group}:`);
      addExamples(command, command.name());
    }
  }
}

/** Writes the examples below the help of a command and of its own commands. */
function addExamples(command: Command, path: string): void {
  const lines = (EXAMPLES.get(path) ?? []).map((rest) => `  holdfast ${path} ${rest}`.trimEnd());
  if (lines.length > 0) command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
  for (const child of command.commands) addExamples(child, `${path} ${child.name()}`);
}
