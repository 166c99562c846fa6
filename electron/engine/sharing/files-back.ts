import type { FilesMove, MovedFiles, ReturnAct, ReturnedFile } from '../../ports/moved-files';
import type { SharedStore } from '../../ports/shared-store';
import { HoldfastError, invalidInput } from '../kernel/errors';
import { createKeyedMutex } from '../kernel/keyed-mutex';
import type { RecoverDeps } from '../recovery/recover-at-start';
import { planFiles } from './turn-files';
import { readWires, type WireTexts } from './wire';

interface FilesBackDeps {
  readonly files: Pick<MovedFiles, 'giveBack'>;
  readonly store: Pick<SharedStore, 'entries' | 'getText'>;
  readonly texts: Pick<WireTexts, 'portableIn'>;
  readonly recovery: { readonly reads: Pick<RecoverDeps['reads'], 'turn' | 'sharedTurn'> };
  /** Workspace of an agent on this computer. Undefined if the agent does not exist here. */
  readonly workspaceOf: (agent: string) => string | undefined;
}

/** File changes of a shared turn, next to the agent's workspace on this computer. */
export interface TurnChanges {
  /** Root of the repository on this computer. */
  readonly top: string;
  readonly files: readonly ReturnedFile[];
  /** Number of files that this call changed in the workspace. */
  readonly written: number;
  /** Text diff, if the changes are only shown. Absent if it is too long. */
  readonly diff?: string;
  /** Set if later changes did not leave the computer that made them. */
  readonly left: { readonly machine: string; readonly why: string } | undefined;
}

/**
 * Shows, writes or applies the file changes of a shared turn that has ended. Applying again after a
 * kill writes what is missing. @throws TURN_UNKNOWN, TURN_STATE, INPUT_INVALID, SHARE_UNREACHABLE
 */
export type GiveBack = (turnId: number, act: ReturnAct) => Promise<TurnChanges>;

/** Returns the file changes of shared turns to the user. DW-20 */
export function createFilesBack(deps: FilesBackDeps): GiveBack {
  const { reads } = deps.recovery;

  const movedOf = (turnId: number) => {
    const turn = reads.turn(turnId);
    if (turn === undefined)
      throw new HoldfastError('TURN_UNKNOWN', `There is no turn ${String(turnId)}.`);
    const row = reads.sharedTurn(turnId);
    const sent = row?.ask?.files;
    if (row === undefined || sent === undefined)
      throw invalidInput(
        `Turn ${String(turnId)} ran without moved files; its changes are on the computer where it ran.`,
      );
    if (turn.endedAtMs === undefined)
      throw new HoldfastError(
        'TURN_STATE',
        `Turn ${String(turnId)} has not ended: its files may still change.`,
        { hint: 'Nothing was changed. Try again when it has ended.' },
      );
    const folder = deps.workspaceOf(turn.agent);
    if (folder === undefined)
      throw invalidInput(`The folder of "${turn.agent}" cannot be used here.`);
    return { uid: row.uid, sent, folder };
  };

  const newestOf = async (turnId: number, uid: string, sent: FilesMove) => {
    const rows = await deps.store.entries(uid, 0);
    const { wires, by } = readWires(deps.texts.portableIn(''), rows);
    if (!wires.some(({ k }) => k === 'close'))
      throw invalidInput(
        `The shared store does not contain the end of turn ${String(turnId)}.`,
        'Nothing was changed. It has not arrived there yet, or the store no longer keeps it.',
      );
    // For no particular computer: changes that did not arrive in the store are reported for all.
    return planFiles(sent, wires, by, '');
  };

  const giveBack: GiveBack = async (turnId, act) => {
    const { uid, sent, folder } = movedOf(turnId);
    const { move, left } = await newestOf(turnId, uid, sent);
    const answer = await deps.files.giveBack(
      uid,
      folder,
      { sent, newest: move },
      { act, piece: (hash) => deps.store.getText(hash) },
    );
    if (answer.kind === 'refused') throw invalidInput(answer.why, hintOf(turnId, act));
    const { top, files, written, diff } = answer;
    return { top, files, written, left, ...(diff === undefined ? {} : { diff }) };
  };

  // One at a time, because two writes into one repository would not see each other.
  const oneByOne = createKeyedMutex<'files'>();
  return (turnId, act) => oneByOne('files', () => giveBack(turnId, act));
}

const hintOf = (turnId: number, { kind }: ReturnAct): string =>
  kind === 'apply'
    ? `To apply it by hand, write it as a file: holdfast turns files ${String(turnId)} --patch changes.patch`
    : 'Nothing was changed.';
