/** `holdfast agents list|add|test` and `holdfast tools list` */
import type { Command } from 'commander';
import type { Program } from '../command';
import { asks, list, optional, where } from '../command';
import { EXIT } from '../exit-codes';
import { inertLine, spanText } from '../render';

const TEST_TIMEOUT_MS = 180_000;

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

  asks(
    program,
    agents
      .command('add')
      .description('add or change an agent')
      .argument('<name>', 'its name')
      .requiredOption('--provider <name>', 'who answers: see holdfast provider list')
      .requiredOption('--model <model>', 'model of that provider')
      .requiredOption('--workspace <dir>', 'folder it works in; absolute')
      .option('--instructions <text>', 'what it is told before every turn')
      .option('--tools <names>', 'tools it may use, separated by commas (default: all)', list)
      .option('--env <names>', 'environment variables its shell commands receive', list),
    'decide',
    async (engine, run, name) => {
      const value = await engine.call('agents.add', {
        name,
        agent: {
          provider: String(run.options['provider']),
          model: String(run.options['model']),
          workspace: String(run.options['workspace']),
          ...where('instructions', optional<string>(run, 'instructions')),
          ...where('tools', optional<string[]>(run, 'tools')),
          ...where('env', optional<string[]>(run, 'env')),
        },
      });
      const text = `Agent ${inertLine(value.name)} is saved.`;
      return {
        value,
        text: value.problem === undefined ? text : `${text} ${inertLine(value.problem)}`,
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

  const tools = root.command('tools').description('Tools with their purity class');
  asks(program, tools.command('list').description('every tool'), 'read', async (engine, run) => {
    const value = await engine.call('tools.list', {});
    const rows = value.tools.map((tool) => [
      inertLine(tool.name),
      inertLine(tool.host),
      tool.purity.replace('_', ' '),
      tool.isListed ? 'held after a crash' : tool.isProposed ? 'proposed' : '',
      inertLine(tool.about),
    ]);
    return {
      value,
      text: run.table(['TOOL', 'FROM', 'PURITY', 'SIDE-EFFECT LIST', 'ABOUT'], rows) || 'No tools.',
    };
  });
}
