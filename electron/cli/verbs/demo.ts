/** `holdfast demo`: the story of one crash, told by the real engine. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { RecoveryMode } from '../demo';
import { runDemo } from '../demo';
import type { Program } from '../command';
import { does } from '../command';

export function addDemo(root: Command, program: Program): void {
  does(
    program,
    root
      .command('demo')
      .description(
        'kill the engine in the middle of a task and watch nothing get lost; needs no key',
      )
      .addOption(
        new Option('--mode <mode>', 'what happens after the crash')
          .choices(['safe_only', 'always', 'never'])
          .default('safe_only'),
      ),
    (run) => runDemo(run.io, { mode: run.options['mode'] as RecoveryMode, isJson: run.isJson }),
  );
}
