/** `holdfast agents list|show|add|edit|remove|test|detect` and `holdfast tools list` */
import type { Command } from 'commander';
import { commandWords } from '../../../shared/command-words';
import type { VerbInput, VerbOutput } from '../../../shared/contract';
import type { ToolView, ExtView } from '../../../shared/types';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Program, Run } from '../command';
import { asks, list, optional, optionalPath, where, does } from '../command';
import { EXIT } from '../exit-codes';
import type { Reach } from '../reach';
import { facts, inertLine, spanText, countText, whenText } from '../render';

const AFTER_CRASH: Readonly<Record<ToolView['afterCrash'], string>> = {
  held: 'held for you',
  run_again: 'run again',
  asked_again: 'asked again',
  skipped: 'skipped',
  discarded: 'its turn is discarded',
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
  const env = where('env', optional<string[]>(run, 'env'));
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
      ...where('prompt_mode', optional<'stdin' | 'argument'>(run, 'prompt')),
      ...(resume === undefined ? {} : { resume_args: [...commandWords(resume)] }),
      ...where('deadline', optional<string>(run, 'deadline')),
    };
  }
  if (provider === undefined || acp !== undefined || line !== undefined || model === undefined)
    throw wrong('Name one of --provider with --model, --acp, or --command.');
  return {
    provider,
    model,
    workspace,
    ...where('instructions', optional<string>(run, 'instructions')),
    ...where('tools', optional<string[]>(run, 'tools')),
    ...where('mcp_servers', optional<string[]>(run, 'mcpServers')),
    ...env,
  };
}

const wrong = (message: string): HoldfastError =>
  new HoldfastError('INPUT_INVALID', message, {
    hint: 'Nothing was changed. "holdfast agents add --help" shows both ways.',
  });

/** The stored settings with the changes of `agents edit`; an empty text removes a field. */
function edited(stored: AgentInput, run: Run): AgentInput {
  const kind = stored.executor ?? 'llm';
  const own = EDITABLE[kind];
  const strange = Object.keys(EDIT_OPTIONS).filter(
    (option) => optional(run, option) !== undefined && !own.includes(option),
  );
  if (strange.length > 0)
    throw new HoldfastError(
      'INPUT_INVALID',
      `An agent that runs as ${kind} has no ${strange.map((one) => EDIT_OPTIONS[one]).join(', ')}.`,
      {
        hint: `Nothing was changed. It has ${own.map((one) => EDIT_OPTIONS[one]).join(', ')}. To change what it runs as, use "holdfast agents add NAME --replace".`,
      },
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

const EDIT_OPTIONS: Readonly<Record<string, string>> = {
  provider: '--provider',
  acp: '--acp',
  command: '--command',
  model: '--model',
  workspace: '--workspace',
  ask: '--ask',
  login: '--login',
  prompt: '--prompt',
  resumeArgs: '--resume-args',
  deadline: '--deadline',
  instructions: '--instructions',
  tools: '--tools',
  mcpServers: '--mcp-servers',
  env: '--env',
};

const EDITABLE: Readonly<Record<'llm' | 'acp' | 'command', readonly string[]>> = {
  llm: ['provider', 'model', 'workspace', 'instructions', 'tools', 'mcpServers', 'env'],
  acp: ['acp', 'model', 'workspace', 'ask', 'login', 'env'],
  command: ['command', 'workspace', 'prompt', 'resumeArgs', 'deadline', 'env'],
};

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
  return [[option === 'prompt' ? 'prompt_mode' : option, value]];
}

/** An agent's stored settings. */
async function storedAgent(engine: Reach, name: string): Promise<AgentInput> {
  const { value } = await engine.call('config.get', { key: 'agents' });
  const all = (value ?? {}) as Readonly<Record<string, AgentInput>>;
  const stored = Object.hasOwn(all, name) ? all[name] : undefined;
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
  const agents = root.command('agents').description('Agents and how exact their recovery is');

  asks(program, agents.command('list').description('every agent'), 'read', async (engine, run) => {
    const value = await engine.call('agents.list', {});
    const rows = value.agents.map((agent) => [
      inertLine(agent.name),
      agent.executor,
      inertLine(agent.provider),
      inertLine(agent.model),
      inertLine(agent.problem ?? agent.howExact),
    ]);
    return {
      value,
      text: run.table(['AGENT', 'RUNS AS', 'PROVIDER', 'MODEL', 'HOW EXACT'], rows) || 'No agents.',
    };
  });

  addShow(agents, program);
  addChanges(agents, program);
  asks(
    program,
    agents
      .command('remove')
      .description('remove an agent without open work; its sessions stay')
      .argument('<name>', 'its name'),
    'set',
    async (engine, _run, name) => {
      const value = await engine.call('agents.remove', { name });
      return {
        value,
        text: `Agent ${inertLine(value.name)} is removed. Its sessions stay and can be read. What names no agent goes to ${inertLine(value.defaultAgent)}.`,
      };
    },
  );

  asks(
    program,
    agents
      .command('test')
      .description('one small request to its provider')
      .argument('<name>', 'its name'),
    'running',
    async (engine, _run, name) => {
      const value = await engine.call('agents.test', { name }, TEST_TIMEOUT_MS);
      return {
        value,
        text: `${value.ok ? 'It answers' : 'It does not answer'} (${spanText(value.tookMs)}): ${inertLine(value.message)}`,
        exitCode: value.ok ? EXIT.ok : EXIT.failed,
      };
    },
  );

  asks(
    program,
    agents.command('detect').description('known agents of other programs on this computer'),
    'early',
    async (engine, run) => {
      const value = await engine.call('agents.detect', {}, DETECT_TIMEOUT_MS);
      const rows = value.agents.map((agent) => [
        inertLine(agent.name),
        inertLine(agent.version ?? ''),
        agent.isInstalled ? inertLine(agent.command ?? '') : '',
        inertLine(agent.missing ?? agent.path ?? ''),
      ]);
      return {
        value,
        text: `${run.table(['AGENT', 'VERSION', 'ADD WITH --acp', 'FOUND'], rows)}\nAdd one: holdfast agents add NAME --acp 'COMMAND' --workspace DIR`,
      };
    },
  );
  addTools(root, program);
}

function addShow(agents: Command, program: Program): void {
  asks(
    program,
    agents
      .command('show')
      .description('one agent: where its program is, which variables it gets and does not get')
      .argument('<name>', 'its name'),
    'read',
    async (engine, _run, name) => {
      const value = await engine.call('agents.show', { name }, DETECT_TIMEOUT_MS);
      return { value, text: facts(setupFacts(value)) };
    },
  );
}

function setupFacts({
  agent,
  program,
  env,
  withheld,
}: VerbOutput<'agents.show'>): readonly (readonly [string, string])[] {
  const names = (all: readonly string[]): string => all.map(inertLine).join(', ') || 'none';
  return [
    ['Agent', `${inertLine(agent.name)}, runs as ${agent.executor}`],
    program === undefined
      ? ['Provider', inertLine(agent.provider)]
      : ['Command', inertLine(program.line)],
    ...(program === undefined ? [] : [['Program', programLine(program)] as const]),
    ['Model', agent.model === '' ? 'as set in the agent itself' : inertLine(agent.model)],
    ['Folder', inertLine(agent.workspace)],
    ['Gets', names(env.map(({ name, isSet }) => (isSet ? name : `${name} (not set)`)))],
    [
      'Kept from it',
      withheld.length === 0
        ? 'nothing'
        : `${names(withheld)}: they look like secrets; pass one with --env`,
    ],
    ['How exact', inertLine(agent.howExact)],
    ...(agent.problem === undefined ? [] : [['Problem', inertLine(agent.problem)] as const]),
  ];
}

function programLine({
  name,
  path,
  version,
}: NonNullable<VerbOutput<'agents.show'>['program']>): string {
  if (path === undefined)
    return `${inertLine(name)} is not there: neither on the PATH of your login shell nor in its folder`;
  return inertLine(version === undefined ? path : `${path}, version ${version}`);
}

function addChanges(agents: Command, program: Program): void {
  asks(
    program,
    agents
      .command('add')
      .description('Add an agent')
      .argument('<name>', 'its name')
      .option('--provider <name>', 'who answers: see holdfast provider list')
      .option('--acp <command>', 'an agent of another program: see holdfast agents detect')
      .option('--command <line>', 'an agent that is one command line for every turn')
      .option('--model <model>', 'model of that provider or program')
      .requiredOption('--workspace <dir>', 'folder it works in')
      .option('--replace', 'replace the agent of this name')
      .option('--ask <when>', 'with --acp: policy (default) or always')
      .option('--login <id>', 'with --acp: its way to log in')
      .option('--prompt <how>', 'with --command: stdin (default) or argument')
      .option('--resume-args <args>', 'with --command: goes on with {session}')
      .option('--deadline <time>', 'with --command: longest run, such as 20m')
      .option('--instructions <text>', 'what it is told before every turn')
      .option('--tools <names>', 'tools it may use, separated by commas (default: all)', list)
      .option('--mcp-servers <names>', 'MCP servers whose tools it has (default: all)', list)
      .option('--env <names>', 'environment variables its shell commands receive', list),
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
    agents
      .command('edit')
      .description('change an agent; what is not named stays, an empty text takes it away')
      .argument('<name>', 'its name')
      .option('--provider <name>', 'who answers')
      .option('--acp <command>', 'the command of an agent of another program')
      .option('--command <line>', 'the command line of every turn')
      .option('--model <model>', 'model of that provider or program')
      .option('--workspace <dir>', 'folder it works in')
      .option('--ask <when>', 'policy or always')
      .option('--login <id>', 'its way to log in')
      .option('--prompt <how>', 'stdin or argument')
      .option('--resume-args <args>', 'goes on with {session}')
      .option('--deadline <time>', 'longest run, such as 20m')
      .option('--instructions <text>', 'what it is told before every turn')
      .option('--tools <names>', 'tools it may use, separated by commas', list)
      .option('--mcp-servers <names>', 'MCP servers whose tools it has', list)
      .option('--env <names>', 'environment variables that it receives', list),
    'set',
    async (engine, run, name) => {
      if (Object.keys(EDIT_OPTIONS).every((option) => optional(run, option) === undefined))
        throw new HoldfastError('INPUT_INVALID', 'Nothing was named to change.', {
          hint: 'Name at least one option: see "holdfast agents edit --help".',
        });
      const agent = edited(await storedAgent(engine, name), run);
      const value = await engine.call('agents.edit', { name, agent });
      return told(value, 'is changed. Its next turn takes it.');
    },
  );
}

function addTools(root: Command, program: Program): void {
  const tools = root.command('tools').description('Tools with their purity class');
  asks(program, tools.command('list').description('every tool'), 'read', async (engine, run) => {
    const value = await engine.call('tools.list', {});
    const rows = value.tools.map((tool) => [
      inertLine(tool.name),
      inertLine(tool.host),
      tool.purity.replace('_', ' '),
      tool.isListed ? 'listed' : tool.isProposed ? 'proposed' : '',
      afterCrashText(tool),
      inertLine(tool.about),
    ]);
    return {
      value,
      text:
        run.table(['TOOL', 'FROM', 'PURITY', 'SIDE-EFFECT LIST', 'AFTER A CRASH', 'ABOUT'], rows) ||
        'No tools.',
    };
  });
}

// `holdfast ext list|restart`

/** Ending the old one, starting the new one, its first answer. */
const RESTART_TIMEOUT_MS = 120_000;

export function addExtensions(root: Command, program: Program): void {
  const ext = root.command('ext').description('MCP servers: tools of other programs');

  asks(
    program,
    ext.command('list').description('every server: whether it runs, and if not, why'),
    'read',
    async (engine, run) => {
      const value = await engine.call('ext.list', {});
      const rows = value.servers.map((server) => [
        inertLine(server.name),
        stateText(server, run.nowMs),
        String(server.tools.length),
        inertLine(server.about),
        inertLine(server.reason),
      ]);
      return {
        value,
        text:
          run.table(['SERVER', 'STATE', 'TOOLS', 'PROGRAM', 'WHY'], rows) ||
          'No MCP servers. Name them in the settings: mcp.servers',
      };
    },
  );

  asks(
    program,
    ext
      .command('restart')
      .description('start a server afresh; looks anew for what it needs')
      .argument('<name>', 'its name'),
    'running',
    async (engine, run, name) => {
      const value = await engine.call('ext.restart', { name }, RESTART_TIMEOUT_MS);
      const isUp = value.state === 'running';
      const tools = isUp ? ` with ${countText(value.tools.length, 'tool')}` : '';
      const why = value.reason === '' ? '' : ` ${inertLine(value.reason)}`;
      return {
        value,
        text: `${inertLine(value.name)} is ${stateText(value, run.nowMs)}${tools}.${why}`,
        exitCode: isUp ? EXIT.ok : EXIT.failed,
      };
    },
  );
}

function stateText(server: ExtView, nowMs: number): string {
  return server.nextAtMs === undefined
    ? server.state
    : `${server.state} (${whenText(server.nextAtMs, nowMs)})`;
}

// `holdfast mcp`: Holdfast's tools for external agents.

export function addMcp(root: Command, program: Program): void {
  does(
    program,
    root
      .command('mcp')
      .description('serve the tools of Holdfast over standard input and output (MCP)'),
    async (run) => {
      const { serveMcp } = await import('../mcp-server');
      await serveMcp(run.io, run.dataDir);
      return EXIT.ok;
    },
  );
}
