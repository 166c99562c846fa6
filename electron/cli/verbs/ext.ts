/** `holdfast ext list|restart` */
import type { Command } from 'commander';
import type { ExtView } from '../../../shared/types';
import type { Program } from '../command';
import { asks } from '../command';
import { EXIT } from '../exit-codes';
import { countText, inertLine, whenText } from '../render';

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
