/** `holdfast session adopt|open-in-terminal`: a conversation goes on in one place at a time. */
import type { Command } from 'commander';
import { quoted } from '../../../shared/shell-quoted';
import type { Program } from '../command';
import { asks, optional, where } from '../command';
import { inertLine, whenText } from '../render';

/** The agent may have to be started, and to read a long conversation. */
const ASK_MS = 200_000;

export function addAdoption(session: Command, program: Program): void {
  asks(
    program,
    session
      .command('adopt')
      .description('go on here with a conversation from a terminal; without --id: which there are')
      .argument('<agent>', 'who goes on with it')
      .option('--id <ref>', "the program's own number of the conversation")
      .option('--session <key>', 'name of the new session'),
    'running',
    async (engine, run, agent) => {
      const value = await engine.call(
        'session.adopt',
        {
          agent,
          ...where('ref', optional<string>(run, 'id')),
          ...where('key', optional<string>(run, 'session')),
        },
        ASK_MS,
      );
      if (value.session !== undefined) {
        const key = inertLine(value.session.key);
        return {
          value,
          text: `Session ${key} goes on with it: holdfast send --session ${key} "..."`,
        };
      }
      const rows = value.conversations.map((one) => [
        inertLine(one.ref),
        one.lastUsedAtMs === undefined ? '-' : whenText(one.lastUsedAtMs, run.nowMs),
        inertLine(one.session ?? '') || '-',
        inertLine(one.folder),
        inertLine(one.firstWords),
      ]);
      const table = run.table(['ID', 'LAST', 'SESSION', 'FOLDER', 'BEGINS WITH'], rows);
      return { value, text: [table, inertLine(value.note)].filter(Boolean).join('\n') };
    },
  );

  asks(
    program,
    session
      .command('open-in-terminal')
      .description('hand the conversation of a session back: prints the command that opens it')
      .argument('<session>', 'key or number'),
    'running',
    async (engine, run, name) => {
      const value = await engine.call('session.handBack', { session: name });
      if (!run.isJson) {
        run.note(
          `Turns of this session wait until you take it over again: holdfast session adopt ${quoted(inertLine(value.agent))} --id ${quoted(inertLine(value.ref))}`,
        );
      }
      return { value, text: inertLine(value.command) };
    },
  );
}
