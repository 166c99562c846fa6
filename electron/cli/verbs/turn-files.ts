/** `holdfast turns files TURN [--patch FILE | --apply]` */
import type { Command } from 'commander';
import type { TurnChanges } from '../../../shared/types/share';
import { invalidInput } from '../../engine/kernel/errors';
import type { Program, Run } from '../command';
import { asks, optional, optionalPath, wholeNumber } from '../command';
import { countText, ifKnown, inertLine, joinParts } from '../render';

type FileRow = TurnChanges['files'][number];

const STANDS: Readonly<Record<FileRow['stand'], string>> = {
  open: '',
  edited: 'changed here too; applies',
  done: 'in your folder',
  conflict: 'changed here too; does not apply',
};

const linesText = ({ added, removed }: FileRow): string =>
  added === undefined ? 'binary' : `+${String(added)} -${String(removed ?? 0)}`;

/** What to do next, as far as something is left to do. */
function nextText({ turnId, folder, files, more, inFolder }: TurnChanges): string {
  const total = files.length + more;
  const place = inertLine(folder);
  if (inFolder === total) return `All changes are in ${place} already.`;
  const left = inFolder === 0 ? '' : `${String(inFolder)} of ${String(total)} are in ${place}. `;
  return `${left}To write ${inFolder === 0 ? 'them' : 'the rest'} into ${place}: holdfast turns files ${String(turnId)} --apply`;
}

function appliedText({ folder, written }: TurnChanges): string {
  const place = inertLine(folder);
  return written === 0
    ? `All changes are in ${place} already. Nothing was changed.`
    : `Applied: ${countText(written, 'file')} changed in ${place}. Nothing was committed.`;
}

function changesText(changes: TurnChanges, run: Run, isApply: boolean, patch?: string): string {
  const { turnId, files, more, left } = changes;
  const lost = ifKnown(
    left,
    ({ machine, why }) =>
      `The last changes of the turn are not among them; they are only on ${inertLine(machine)}. ${inertLine(why)}`,
  );
  if (files.length === 0)
    return joinParts([`Turn ${String(turnId)} changed no files of the repository.`, lost]);
  const end = isApply
    ? appliedText(changes)
    : patch === undefined
      ? nextText(changes)
      : `Written: ${inertLine(patch)}`;
  const rows = files.map((file) => [
    inertLine(file.path),
    file.change,
    linesText(file),
    STANDS[file.stand],
  ]);
  return joinParts([
    run.table(['FILE', 'CHANGE', 'LINES', 'HERE'], rows),
    more === 0 ? undefined : `${String(more)} more files.`,
    lost,
    end,
  ]);
}

export function addTurnFiles(turns: Command, program: Program): void {
  asks(
    program,
    turns
      .command('files')
      .description(
        'Show what a shared turn changed in the files that moved with it, or apply it here',
      )
      .argument('<turn>', 'Turn ID', wholeNumber)
      .option('--patch <file>', 'Write the changes as a patch into this new file')
      .option('--apply', 'Write the changes into the folder of the agent; commits nothing'),
    'running',
    async (engine, run, turn) => {
      const turnId = Number(turn);
      const patchFile = optionalPath(run, 'patch');
      const isApply = optional<boolean>(run, 'apply') === true;
      if (patchFile === '' || (isApply && patchFile !== undefined))
        throw invalidInput('Specify --apply, or --patch with a file.');
      const value = await engine.call('share.files', {
        turnId,
        ...(patchFile === undefined ? {} : { act: 'patch' as const, patchFile }),
        ...(isApply ? { act: 'apply' as const } : {}),
      });
      return { value, text: changesText(value, run, isApply, patchFile) };
    },
  );
}
