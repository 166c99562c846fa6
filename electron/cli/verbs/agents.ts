/** `holdfast agents list|show|add|edit|remove|test|detect`, `holdfast tools list` and `holdfast mcp` */
import { type Command, Option } from 'commander';
import { commandWords } from '../../../shared/command-words';
import type { VerbInput, VerbOutput } from '../../../shared/contract';
import type { ToolView, ExtView } from '../../../shared/types';
import { HoldfastError, invalidInput } from '../../engine/kernel/errors';
import type { Program, Run } from '../command';
import {
  asks,
  calls,
  does,
  list,
  optional,
  optionalPath,
  shows,
  where,
  withOldNames,
} from '../command';
import { EXIT } from '../exit-codes';
import type { Reach } from '../reach';
import { EFFECT_WORDS } from './turn-text';
import { facts, ifKnown, inertLine, spanText, countText } from '../render';
import { entryOf, table } from '../../../shared/table';

const AFTER_CRASH: Readonly<Record<ToolView['afterCrash'], string>> = {
  held: 'needs review',
  run_again: 'run again',
  asked_again: 're-read',
  skipped: 'skipped',
  discarded: 'turn discarded',
};

/** What the recovery plan does with an interrupted call; for a shell it depends on the command. */
const afterCrashText = ({ afterCrash, afterCrashOfReads }: ToolView): string =>
  afterCrashOfReads === undefined
    ? AFTER_CRASH[afterCrash]
    : `${AFTER_CRASH[afterCrash]}; read-only: ${AFTER_CRASH[afterCrashOfReads]}`;

const TEST_TIMEOUT_MS = 180_000;
const DETECT_TIMEOUT_MS = 60_000;

/** The agent that `agents add` describes: exactly one of a provider and a program. */
function agentOf(run: Run): VerbInput<'agents.add'>['agent'] {
  const provider = optional<string>(run, 'provider');
  const acp = optional<string>(run, 'acp');
  const line = optional<string>(run, 'command');
  const model = optional<string>(run, 'model');
  const workspace = optionalPath(run, 'workspace') ?? '';
  const env = {
    ...where('title', optional<string>(run, 'title')),
    ...where('env', optional<string[]>(run, 'env')),
  };
  if (acp !== undefined && provider === undefined) {
    const [command = '', ...args] = commandWords(acp);
    if (command === '') throw wrong('--acp needs the command that starts the agent.');
    return {
      executor: 'acp',
      command,
      ...(args.length === 0 ? {} : { args }),
      workspace,
      ...where('model', model),
      // Checked by the contract: the answer names what is allowed.
      ...where('ask', optional<'always' | 'policy'>(run, 'ask')),
      ...where('login', optional<string>(run, 'login')),
      ...where('fallback', optional<string[]>(run, 'fallback')),
      ...where('runs_on', optional<string>(run, 'runsOn')),
      ...env,
    };
  }
  if (line !== undefined && acp === undefined && provider === undefined) {
    const [command = '', ...args] = commandWords(line);
    if (command === '') throw wrong('--command needs the command line of the agent.');
    const resume = optional<string>(run, 'resumeArgs');
    return {
      executor: 'command',
      command,
      ...(args.length === 0 ? {} : { args }),
      workspace,
      ...env,
      // Checked by the contract: the answer names what is allowed.
      ...where('prompt_mode', optional<'stdin' | 'argument'>(run, 'promptVia')),
      ...(resume === undefined ? {} : { resume_args: [...commandWords(resume)] }),
      ...where('deadline', optional<string>(run, 'deadline')),
    };
  }
  if (provider === undefined || acp !== undefined || line !== undefined || model === undefined)
    throw wrong('Specify one of: --provider with --model, --acp, or --command.');
  return {
    provider,
    model,
    workspace,
    ...where('instructions', optional<string>(run, 'instructions')),
    ...where('tools', optional<string[]>(run, 'tools')),
    ...where('mcp_servers', optional<string[]>(run, 'mcpServers')),
    ...where('fallback', optional<string[]>(run, 'fallback')),
    ...where('runs_on', optional<string>(run, 'runsOn')),
    ...env,
  };
}

const wrong = (message: string): HoldfastError =>
  invalidInput(message, 'Nothing was changed. "holdfast agents add --help" shows all three ways.');

/** The stored settings with the changes of `agents edit`; an empty text removes a field. */
function edited(stored: AgentInput, run: Run): AgentInput {
  const kind = stored.executor ?? 'llm';
  const own = EDITABLE[kind];
  const strange = Object.keys(EDIT_OPTIONS).filter(
    (option) => optional(run, option) !== undefined && !own.includes(option),
  );
  if (strange.length > 0)
    throw invalidInput(
      `An agent of type ${kind} has no ${strange.map((one) => EDIT_OPTIONS[one]).join(', ')}.`,
      `Nothing was changed. It has ${own.map((one) => EDIT_OPTIONS[one]).join(', ')}. To change its type, use "holdfast agents add NAME --replace".`,
    );
  const changed = new Map<string, unknown>(Object.entries(stored));
  for (const option of own) {
    const value =
      option === 'workspace' ? optionalPath(run, option) : optional<string | string[]>(run, option);
    if (value === undefined) continue;
    for (const [field, next] of fieldsOf(option, value))
      if (next.length === 0) changed.delete(field);
      else changed.set(field, next);
  }
  // Checked by the contract: the answer names what is wrong.
  return Object.fromEntries(changed) as AgentInput;
}

type AgentInput = VerbInput<'agents.add'>['agent'];

const EDIT_OPTIONS = table<string>({
  title: '--title',
  provider: '--provider',
  acp: '--acp',
  command: '--command',
  model: '--model',
  workspace: '--workspace',
  ask: '--ask',
  login: '--login',
  promptVia: '--prompt-via',
  resumeArgs: '--resume-args',
  deadline: '--deadline',
  instructions: '--instructions',
  tools: '--tools',
  mcpServers: '--mcp-servers',
  fallback: '--fallback',
  runsOn: '--runs-on',
  env: '--env',
});

const EDITABLE: Readonly<Record<'llm' | 'acp' | 'command', readonly string[]>> = {
  llm: [
    'title',
    'provider',
    'model',
    'workspace',
    'instructions',
    'tools',
    'mcpServers',
    'fallback',
    'runsOn',
    'env',
  ],
  acp: ['title', 'acp', 'model', 'workspace', 'ask', 'login', 'fallback', 'runsOn', 'env'],
  command: ['title', 'command', 'workspace', 'promptVia', 'resumeArgs', 'deadline', 'env'],
};

/** Fields that are named otherwise than their option. */
const FIELDS = table<string>({ promptVia: 'prompt_mode', runsOn: 'runs_on' });

/** The settings fields behind an option. */
function fieldsOf(
  option: string,
  value: string | string[],
): readonly (readonly [string, string | readonly string[]])[] {
  if (Array.isArray(value)) return [[option === 'mcpServers' ? 'mcp_servers' : option, value]];
  if (option === 'acp' || option === 'command') {
    const [command = '', ...args] = commandWords(value);
    if (command === '') throw wrong(`--${option} needs the command that starts the agent.`);
    return [
      ['command', command],
      ['args', args],
    ];
  }
  if (option === 'resumeArgs') return [['resume_args', commandWords(value)]];
  return [[FIELDS[option] ?? option, value]];
}

/** An agent's stored settings. */
async function storedAgent(engine: Reach, name: string): Promise<AgentInput> {
  const { value } = await engine.call('config.get', { key: 'agents' });
  const all = (value ?? {}) as Readonly<Record<string, AgentInput>>;
  const stored = entryOf(all, name);
  if (stored !== undefined) return stored;
  throw new HoldfastError('AGENT_UNKNOWN', `The settings have no agent "${name.slice(0, 60)}".`, {
    hint: 'Nothing was changed. List the agents with "holdfast agents list".',
  });
}

/** Describes the change to an agent, and any problem that keeps it from working. */
function told(
  value: VerbOutput<'agents.add'>,
  what: string,
): { readonly value: unknown; readonly text: string } {
  const text = `Agent ${inertLine(value.name)} ${what}`;
  return {
    value,
    text: value.problem === undefined ? text : `${text} ${inertLine(value.problem)}`,
  };
}

export function addAgents(root: Command, program: Program): void {
  const agents = root.command('agents').description('List, add, edit, test and remove agents');

  asks(
    program,
    agents.command('list').description('List agents with their recovery guarantee'),
    'read',
    shows('agents.list', (value, run) => {
      const rows = value.agents.map((agent) => [
        inertLine(agent.name),
        agent.executor,
        inertLine(agent.provider),
        inertLine(agent.model),
        inertLine(agent.problem ?? agent.howExact),
      ]);
      return run.table(['AGENT', 'TYPE', 'PROVIDER', 'MODEL', 'RECOVERY'], rows) || 'No agents.';
    }),
  );

  asks(
    program,
    agents
      .command('show')
      .description('Show an agent: program, environment, recovery guarantee')
      .argument('<name>', 'Agent name'),
    'read',
    calls('agents.show', (_run, name) => ({ name }), setupText, DETECT_TIMEOUT_MS),
  );
  addChanges(agents, program);
  asks(
    program,
    agents
      .command('remove')
      .description('Remove an agent without unfinished work; its sessions stay')
      .argument('<name>', 'Agent name'),
    'set',
    calls(
      'agents.remove',
      (_run, name) => ({ name }),
      ({ name, defaultAgent }) =>
        `Agent ${inertLine(name)} is removed. Its sessions stay readable. Prompts without an agent go to ${inertLine(defaultAgent)}.`,
    ),
  );

  asks(
    program,
    agents
      .command('test')
      .description('Send one small request to test an agent')
      .argument('<name>', 'Agent name'),
    'running',
    async (engine, _run, name) => {
      const value = await engine.call('agents.test', { name }, TEST_TIMEOUT_MS);
      return {
        value,
        text: `${value.ok ? 'OK' : 'Failed'} (${spanText(value.tookMs)}): ${inertLine(value.message)}`,
        exitCode: value.ok ? EXIT.ok : EXIT.failed,
      };
    },
  );

  asks(
    program,
    agents.command('detect').description('Find external agents on this computer'),
    'early',
    shows('agents.detect', detectedText, DETECT_TIMEOUT_MS),
  );
  addTools(root, program);
}

function detectedText({ agents }: VerbOutput<'agents.detect'>, run: Run): string {
  const rows = agents.map((agent) => [
    inertLine(agent.name),
    inertLine(agent.version ?? ''),
    agent.isInstalled ? inertLine(agent.command ?? '') : '',
    inertLine(agent.missing ?? agent.path ?? ''),
  ]);
  return `${run.table(['AGENT', 'VERSION', 'ADD WITH --acp', 'FOUND'], rows)}\nAdd one: holdfast agents add NAME --acp 'COMMAND' --workspace DIR`;
}

function setupText({ agent, program, env, withheld }: VerbOutput<'agents.show'>): string {
  const names = (all: readonly string[]): string => all.map(inertLine).join(', ') || 'none';
  return facts([
    ['Agent', `${inertLine(agent.name)}, type ${agent.executor}`],
    ['Provider', program === undefined ? inertLine(agent.provider) : undefined],
    ['Command', ifKnown(program?.line, inertLine)],
    ['Program', ifKnown(program, programLine)],
    ['Model', agent.model === '' ? "the agent's own default" : inertLine(agent.model)],
    ['Workspace', inertLine(agent.workspace)],
    ['Environment', names(env.map(({ name, isSet }) => (isSet ? name : `${name} (not set)`)))],
    [
      'Not passed',
      withheld.length === 0
        ? 'nothing'
        : `${names(withheld)} (they look like secrets; pass one with --env)`,
    ],
    ['Recovery', inertLine(agent.howExact)],
    ['Problem', ifKnown(agent.problem, inertLine)],
  ]);
}

function programLine({
  name,
  path,
  version,
}: NonNullable<VerbOutput<'agents.show'>['program']>): string {
  if (path === undefined)
    return `${inertLine(name)} was not found on the PATH of your login shell or in its folder`;
  return inertLine(version === undefined ? path : `${path}, version ${version}`);
}

const FALLBACK =
  'Fallback models during an outage or usage limit, in order, comma-separated: PROVIDER/MODEL; for an ACP agent, other ACP agents';

const withPromptVia = (command: Command): Command =>
  withOldNames(
    command,
    new Option('--prompt-via <how>', 'With --command: stdin (default) or argument'),
    '--prompt <how>',
  );

const RUNS_ON =
  'Where its shared turns run: any (default), this, a label such as label:gpu, or repository, with its files';

function addChanges(agents: Command, program: Program): void {
  asks(
    program,
    withPromptVia(
      agents
        .command('add')
        .description('Add an agent')
        .argument('<name>', 'Agent name')
        .option('--provider <name>', 'Built-in agent: model provider (see holdfast providers list)')
        .option('--acp <command>', 'External agent: its ACP command (see holdfast agents detect)')
        .option('--command <line>', 'Command-line agent: the command of every turn')
        .option('--model <model>', 'Model name as the provider or agent lists it')
        .requiredOption('--workspace <dir>', 'Folder the agent works in')
        .option('--title <text>', 'Display name in windows')
        .option('--replace', 'Replace an existing agent of this name')
        .option(
          '--ask <when>',
          'With --acp: when to ask you about permission requests: policy (default) or always',
        )
        .option('--login <id>', 'With --acp: auth method ID')
        .option('--resume-args <args>', 'With --command: arguments that resume {session}')
        .option('--deadline <time>', 'With --command: maximum run time, such as 20m')
        .option('--instructions <text>', 'Instructions for every turn')
        .option('--tools <names>', 'Allowed tools, comma-separated (default: all)', list)
        .option('--mcp-servers <names>', 'MCP servers to use, comma-separated (default: all)', list)
        .option('--fallback <list>', FALLBACK, list)
        .option('--runs-on <where>', RUNS_ON)
        .option('--env <names>', 'Environment variables to pass, comma-separated', list),
    ),
    'set',
    async (engine, run, name) => {
      const value = await engine.call('agents.add', {
        name,
        agent: agentOf(run),
        ...where('replace', optional<boolean>(run, 'replace')),
      });
      return told(value, 'is saved.');
    },
  );

  asks(
    program,
    withPromptVia(
      agents
        .command('edit')
        .description('Update an agent. Omitted options stay; pass "" to clear one')
        .argument('<name>', 'Agent name')
        .option('--provider <name>', 'Model provider')
        .option('--acp <command>', 'ACP command of an external agent')
        .option('--command <line>', 'Command line of every turn')
        .option('--model <model>', 'Model name as the provider or agent lists it')
        .option('--workspace <dir>', 'Folder the agent works in')
        .option('--title <text>', 'Display name in windows')
        .option('--ask <when>', 'When to ask you: policy or always')
        .option('--login <id>', 'Auth method ID (ACP authMethods)')
        .option('--resume-args <args>', 'Arguments that resume {session}')
        .option('--deadline <time>', 'Maximum run time, such as 20m')
        .option('--instructions <text>', 'Instructions for every turn')
        .option('--tools <names>', 'Allowed tools, comma-separated', list)
        .option('--mcp-servers <names>', 'MCP servers to use, comma-separated', list)
        .option('--fallback <list>', FALLBACK, list)
        .option('--runs-on <where>', RUNS_ON)
        .option('--env <names>', 'Environment variables to pass, comma-separated', list),
    ),
    'set',
    async (engine, run, name) => {
      if (Object.keys(EDIT_OPTIONS).every((option) => optional(run, option) === undefined))
        throw invalidInput(
          'Nothing to change.',
          'Specify at least one option: see "holdfast agents edit --help".',
        );
      const agent = edited(await storedAgent(engine, name), run);
      const value = await engine.call('agents.edit', { name, agent });
      return told(value, 'is updated. The change applies from its next turn.');
    },
  );
}

function addTools(root: Command, program: Program): void {
  const tools = root.command('tools').description('List the tools that agents can use');
  asks(
    program,
    tools
      .command('list')
      .description('List tools with their effect and what happens to them after a crash'),
    'read-fixed',
    shows('tools.list', (value, run) => {
      const rows = value.tools.map((tool) => [
        inertLine(tool.name),
        inertLine(tool.host),
        EFFECT_WORDS[tool.purity],
        tool.isListed ? 'listed' : tool.isProposed ? 'proposed' : '',
        afterCrashText(tool),
        inertLine(tool.about),
      ]);
      const head = ['TOOL', 'FROM', 'EFFECT', 'SIDE-EFFECT LIST', 'AFTER A CRASH', 'ABOUT'];
      return run.table(head, rows) || 'No tools.';
    }),
  );
}

// `holdfast mcp list|restart|serve`

/** Time limit for ending the old server, starting the new one, and its first answer. */
const RESTART_TIMEOUT_MS = 120_000;

export function addMcp(root: Command, program: Program): void {
  const mcp = root
    .command('mcp')
    .description('List and restart MCP servers, or serve Holdfast as one');

  asks(
    program,
    mcp.command('list').description('List MCP servers with their state'),
    'read',
    shows('ext.list', (value, run) => {
      const rows = value.servers.map((server) => [
        inertLine(server.name),
        stateText(server, run),
        String(server.tools.length),
        inertLine(server.about),
        inertLine(server.reason),
      ]);
      return (
        run.table(['SERVER', 'STATE', 'TOOLS', 'PROGRAM', 'WHY'], rows) ||
        'No MCP servers. Add them to config.json under mcp.servers: "holdfast config path" shows where it is'
      );
    }),
  );

  asks(
    program,
    mcp.command('restart').description('Restart an MCP server').argument('<name>', 'Server name'),
    'running',
    async (engine, run, name) => {
      const value = await engine.call('ext.restart', { name }, RESTART_TIMEOUT_MS);
      const isUp = value.state === 'running';
      const tools = isUp ? ` with ${countText(value.tools.length, 'tool')}` : '';
      const why = value.reason === '' ? '' : ` ${inertLine(value.reason)}`;
      return {
        value,
        text: `${inertLine(value.name)} is ${stateText(value, run)}${tools}.${why}`,
        exitCode: isUp ? EXIT.ok : EXIT.failed,
      };
    },
  );

  does(
    program,
    mcp.command('serve').description("Serve Holdfast's tools over standard input and output (MCP)"),
    async (run) => {
      const { serveMcp } = await import('../mcp-server');
      await serveMcp(run.io, run.dataDir);
      return EXIT.ok;
    },
  );
}

function stateText(server: ExtView, run: Run): string {
  return server.nextAtMs === undefined
    ? server.state
    : `${server.state} (${run.when(server.nextAtMs)})`;
}
