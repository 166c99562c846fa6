import type { FilesMove, MovedFiles, ReturnAct, ReturnedFile } from '../../ports/moved-files';
import type { SharedStore } from '../../ports/shared-store';
import { HoldfastError } from '../kernel/errors';
import { createKeyedMutex } from '../kernel/keyed-mutex';
import type { RecoverDeps } from '../recovery/recover-at-start';
import { planFiles } from './turn-files';
import { readWire, type WireTexts } from './wire';

interface FilesBackDeps {
  readonly files: Pick<MovedFiles, 'giveBack'>;
  readonly store: Pick<SharedStore, 'entries' | 'getText'>;
  readonly texts: Pick<WireTexts, 'portableIn'>;
  readonly recovery: { readonly reads: Pick<RecoverDeps['reads'], 'turn' | 'sharedTurn'> };
  /** Folder of an agent on this computer; undefined without that agent. */
  readonly workspaceOf: (agent: string) => string | undefined;
}

/** What a shared turn has made of its files, beside the folder of its agent on this computer. */
export interface TurnChanges {
  /** The top of the repository here. */
  readonly top: string;
  readonly files: readonly ReturnedFile[];
  /** How many this call has changed in the folder. */
  readonly written: number;
  /** What changed in them as text, where it is only shown; absent if it is too long. */
  readonly diff?: string;
  /** Later changes than these did not get out of the computer that made them. */
  readonly left: { readonly machine: string; readonly why: string } | undefined;
}

/**
 * Shows, writes or applies what a shared turn that has ended has changed in its files. Applying again after a
 * kill writes what is missing. @throws TURN_UNKNOWN, TURN_STATE, INPUT_INVALID, SHARE_UNREACHABLE
 */
export type GiveBack = (turnId: number, act: ReturnAct) => Promise<TurnChanges>;

/** Files of shared turns on their way back to a person. DW-20 */
export function createFilesBack(deps: FilesBackDeps): GiveBack {
  const { reads } = deps.recovery;

  const movedOf = (turnId: number) => {
    const turn = reads.turn(turnId);
    if (turn === undefined)
      throw new HoldfastError('TURN_UNKNOWN', `There is no turn ${String(turnId)}.`);
    const row = reads.sharedTurn(turnId);
    const sent = row?.ask?.files;
    if (row === undefined || sent === undefined)
      throw refused(`Turn ${String(turnId)} took no files along: what it changed is where it ran.`);
    if (turn.endedAtMs === undefined)
      throw new HoldfastError(
        'TURN_STATE',
        `Turn ${String(turnId)} has not ended: its files may still change.`,
        { hint: 'Nothing was changed. Try again when it has ended.' },
      );
    const folder = deps.workspaceOf(turn.agent);
    if (folder === undefined) throw refused(`The folder of "${turn.agent}" cannot be used here.`);
    return { uid: row.uid, sent, folder };
  };

  const newestOf = async (turnId: number, uid: string, sent: FilesMove) => {
    const rows = await deps.store.entries(uid, 0);
    const portable = deps.texts.portableIn('');
    const wires = rows.map(({ body }) => readWire(portable, body));
    if (!wires.some(({ k }) => k === 'close'))
      throw refused(
        `The shared store does not have the end of turn ${String(turnId)}.`,
        'Nothing was changed. It has not arrived there yet, or is older than what the store keeps.',
      );
    const by = rows.map(({ machine }) => machine);
    // Of no computer in particular: what has not arrived in the store is told, whoever has it.
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
    if (answer.kind === 'refused') throw refused(answer.why, hintOf(turnId, act));
    const { top, files, written, diff } = answer;
    return { top, files, written, left, ...(diff === undefined ? {} : { diff }) };
  };

  // One after the other: two that write into one repository would not see each other.
  const oneByOne = createKeyedMutex<'files'>();
  return (turnId, act) => oneByOne('files', () => giveBack(turnId, act));
}

const refused = (why: string, hint = 'Nothing was changed.'): HoldfastError =>
  new HoldfastError('INPUT_INVALID', why, { hint });

const hintOf = (turnId: number, { kind }: ReturnAct): string =>
  kind === 'apply'
    ? `To apply it by hand, write it as a file: holdfast turns files ${String(turnId)} --patch changes.patch`
    : 'Nothing was changed.';
