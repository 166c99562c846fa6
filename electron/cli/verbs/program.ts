/** `holdfast completion bash|zsh|fish` and `holdfast version` */
import { Argument, type Command } from 'commander';
import type { Program } from '../command';
import { does } from '../command';
import { completionScript, SHELLS, type Shell } from '../completion';

/** The root it is added to has all commands. */
export function addCompletion(root: Command, program: Program): void {
  does(
    program,
    root
      .command('completion')
      .description('Print a shell completion script')
      .addArgument(new Argument('<shell>', 'Shell to complete in').choices(SHELLS)),
    (_run, shell) => {
      const script = completionScript(root, shell as Shell);
      return Promise.resolve({ value: { shell, script }, text: script });
    },
  );
}

export function addVersion(root: Command, program: Program): void {
  does(program, root.command('version').description('Show the version'), (run) =>
    Promise.resolve({
      value: {
        version: run.io.version,
        node: process.versions.node,
        electron: process.versions['electron'] ?? null,
        platform: process.platform,
        arch: process.arch,
      },
      text: run.io.version,
    }),
  );
}
