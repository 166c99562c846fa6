/** `holdfast sessions rename|pin|unpin|archive|unarchive|fork|delete`: the menu of a session. */
import type { Command } from 'commander';
import type { SessionView } from '../../../shared/types';
import type { Program } from '../command';
import { asks, optional, wholeNumber, yesOption } from '../command';
import { confirm } from '../input';
import { inertLine } from '../render';

const nameOf = ({ key, title }: SessionView): string =>
  title === '' ? inertLine(key) : `${inertLine(key)} (${inertLine(title)})`;

/** Marks of a session, each with its opposite. */
const MARKS = [
  ['pin', 'Pin a session to the top of the list', { isPinned: true }, 'Pinned'],
  ['unpin', 'Unpin a session', { isPinned: false }, 'Unpinned'],
  ['archive', 'Hide a session from the list; nothing is deleted', { isArchived: true }, 'Archived'],
  [
    'unarchive',
    'Show an archived session in the list again',
    { isArchived: false },
    'Listed again',
  ],
] as const;

export function addSessionEdits(session: Command, program: Program): void {
  asks(
    program,
    session
      .command('rename')
      .description('Change the title of a session; its name for commands stays')
      .argument('<session>', 'Session name or ID')
      .argument('<title>', 'New title'),
    'running',
    async (engine, run, name, title = '') => {
      const value = await engine.call('session.edit', { session: name, title });
      return { value, text: `Renamed: ${nameOf(value)}` };
    },
  );
  for (const [verb, about, change, said] of MARKS) {
    asks(
      program,
      session.command(verb).description(about).argument('<session>', 'Session name or ID'),
      'running',
      async (engine, run, name) => {
        const value = await engine.call('session.edit', { session: name, ...change });
        return { value, text: `${said}: ${nameOf(value)}` };
      },
    );
  }
  asks(
    program,
    session
      .command('fork')
      .description('Start a session that continues after a completed turn of another one')
      .argument('<session>', 'Session name or ID')
      .argument('<turn>', 'Turn ID', wholeNumber),
    'running',
    async (engine, run, name, turn) => {
      const value = await engine.call('session.fork', { session: name, turnId: Number(turn) });
      return { value, text: `Session ${nameOf(value)} continues after turn ${turn ?? ''}.` };
    },
  );
  asks(
    program,
    session
      .command('delete')
      .description('Delete a session and erase its prompts, answers and steps')
      .argument('<session>', 'Session name or ID')
      .addOption(yesOption()),
    'running',
    async (engine, run, name) => {
      // A slip in the name is told before anything is asked about it.
      const { session: found } = await engine.call('session.status', { session: name });
      await confirm(
        run.io,
        optional<boolean>(run, 'yes') === true,
        `This permanently erases every prompt, answer and step of session ${nameOf(found)}.`,
        {
          message: 'Not confirmed. Nothing was deleted.',
          hint: `To delete it without a question: holdfast sessions delete ${String(found.id)} --yes`,
        },
      );
      const value = await engine.call('session.delete', { session: name });
      return { value, text: `Deleted: ${inertLine(name)}` };
    },
  );
}
