import type { ExternalAgentId } from '../../ports/external-agent';

/** Facts about a common agent, tested with its releases. */
export interface KnownAgent {
  readonly id: ExternalAgentId;
  readonly name: string;
  /** Ways to start it as an agent, best first: the program on the PATH and its arguments. */
  readonly starts: readonly { readonly program: string; readonly args: readonly string[] }[];
  /** Program that proves that the agent is installed even if its adapter is missing. */
  readonly marker?: string;
  /** What to install if only the marker is found. */
  readonly missing?: string;
  /**
   * Makes it request permission before changes; variables that the user has set are not changed.
   */
  readonly askingEnv: Readonly<Record<string, string>>;
  readonly askingArgs: readonly string[];
  /**
   * The session mode in which it requests permission, instead of modes in which the agent judges
   * its calls itself; some releases open sessions in one of those. Any other mode is not changed.
   */
  readonly askingMode?: { readonly use: string; readonly insteadOf: readonly string[] };
  /** Folders below HOME, or of a variable, where it stores its own session records. */
  readonly records: readonly { readonly home: string; readonly env?: string }[];
  /** Its session file names contain only the minute: two starts in one minute conflict. */
  readonly hasMinuteFiles: boolean;
}

/** Agents with a known start command; any other is started by its configured command. */
export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    id: 'claude',
    name: 'Claude Code',
    starts: [
      { program: 'claude-agent-acp', args: [] },
      { program: 'claude-code-acp', args: [] },
    ],
    marker: 'claude',
    missing: 'Install its adapter: npm install --global @agentclientprotocol/claude-agent-acp',
    askingEnv: {},
    askingArgs: [],
    askingMode: { use: 'default', insteadOf: ['auto'] },
    records: [{ home: '.claude/projects', env: 'CLAUDE_CONFIG_DIR' }],
    hasMinuteFiles: false,
  },
  {
    id: 'codex',
    name: 'Codex',
    starts: [{ program: 'codex-acp', args: [] }],
    marker: 'codex',
    missing: 'Install its adapter: npm install --global @agentclientprotocol/codex-acp',
    askingEnv: {},
    // For Zed's adapter; the one by the protocol's authors reads no arguments and has modes.
    askingArgs: ['-c', 'approval_policy="untrusted"'],
    askingMode: { use: 'read-only', insteadOf: ['agent'] },
    records: [{ home: '.codex/sessions', env: 'CODEX_HOME' }],
    hasMinuteFiles: false,
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    starts: [{ program: 'gemini', args: ['--acp'] }],
    askingEnv: {},
    askingArgs: [],
    records: [{ home: '.gemini/tmp' }],
    hasMinuteFiles: true,
  },
  {
    id: 'opencode',
    name: 'opencode',
    starts: [{ program: 'opencode', args: ['acp'] }],
    askingEnv: {
      OPENCODE_PERMISSION: '{"edit":"ask","bash":"ask","webfetch":"ask"}',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    },
    askingArgs: [],
    records: [{ home: '.local/share/opencode', env: 'XDG_DATA_HOME' }],
    hasMinuteFiles: false,
  },
  {
    id: 'goose',
    name: 'Goose',
    starts: [{ program: 'goose', args: ['acp'] }],
    askingEnv: { GOOSE_MODE: 'approve' },
    askingArgs: [],
    records: [{ home: '.local/share/goose/sessions' }],
    hasMinuteFiles: false,
  },
  {
    id: 'copilot',
    name: 'GitHub Copilot CLI',
    starts: [{ program: 'copilot', args: ['--acp'] }],
    askingEnv: {},
    askingArgs: [],
    records: [{ home: '.copilot/session-state', env: 'COPILOT_HOME' }],
    hasMinuteFiles: false,
  },
  {
    id: 'qwen',
    name: 'Qwen Code',
    starts: [{ program: 'qwen', args: ['--acp'] }],
    askingEnv: {},
    askingArgs: [],
    askingMode: { use: 'default', insteadOf: ['auto'] },
    records: [{ home: '.qwen/projects' }],
    hasMinuteFiles: false,
  },
];

export const knownAgent = (id: ExternalAgentId): KnownAgent | undefined =>
  KNOWN_AGENTS.find((agent) => agent.id === id);
