/** `holdfast mcp`: the tools of Holdfast for agents outside of it. */
import type { Command } from 'commander';
import type { Program } from '../command';
import { does } from '../command';
import { EXIT } from '../exit-codes';

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
