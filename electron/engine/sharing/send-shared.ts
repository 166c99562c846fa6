import { sentence } from '../../../shared/sentence';
import { because } from '../../../shared/reason';
import type { Hasher } from '../../ports/blobs';
import type { SharedAsk, SharedTurnRow } from '../../ports/journal/shared';
import type { SessionRow, TurnRow } from '../../ports/journal/rows';
import { HoldfastError, invalidInput, toHoldfastError } from '../kernel/errors';
import type { RecoverDeps } from '../recovery/recover-at-start';
import type { SessionsRoom } from '../sessions/intake';
import { sharedUid } from '../sessions/shared-uid';
import type { TurnFiles } from './turn-files';
import type { WireTexts } from './wire';

export interface NewShared {
  readonly text: string;
  readonly agent: string;
  readonly session: string | undefined;
  readonly priority: 0 | 1 | 2;
  readonly needs: readonly string[];
  readonly isHere: boolean;
  /** Runs on any computer with the agent's repository, in the files as they are now. */
  readonly isWithFiles: boolean;
  /** The same ID means the same turn, whichever computer sends it. */
  readonly messageId: string | undefined;
}

interface SendsDeps {
  readonly recovery: Pick<RecoverDeps, 'reads'>;
  readonly hasher: Hasher;
  readonly texts: Pick<WireTexts, 'portableIn'>;
  readonly turnFiles: TurnFiles;
  readonly sessions: Pick<SessionsRoom, 'accept'>;
  readonly newId: () => string;
  /** Why turns of this agent cannot be shared. Undefined if they can. */
  readonly whyNot: (agent: string) => string | undefined;
  readonly stand: () => { readonly state: string; readonly problem: string | undefined };
  /** Resolves when the turn is in the store. @throws SHARE_UNREACHABLE */
  readonly deliver: (row: SharedTurnRow, turn: TurnRow) => Promise<void>;
  readonly look: () => void;
}

/** Whether a session of this name has turns that were never shared. */
export function hasLocalTurns(
  reads: Pick<RecoverDeps['reads'], 'session' | 'turns' | 'sharedTurn'>,
  key: string,
): boolean {
  const known = reads.session({ key });
  if (known === undefined) return false;
  const turns = reads.turns({ sessionId: known.id, limit: 1_000 });
  return turns.some(({ id }) => reads.sharedTurn(id) === undefined);
}

/** Sends turns to the shared queue. */
export function createSends(deps: SendsDeps): {
  /**
   * Resolves when the turn is in the store. @throws SHARE_UNREACHABLE, SHARE_REFUSED, INPUT_INVALID
   */
  send(wanted: NewShared): Promise<{ readonly turn: TurnRow; readonly session: SessionRow }>;
} {
  const { reads } = deps.recovery;

  const needShareable = ({ agent, session }: NewShared): void => {
    const why = deps.whyNot(agent);
    if (why !== undefined) throw invalidInput(why, 'Nothing was sent.');
    if (session !== undefined && hasLocalTurns(reads, session))
      throw invalidInput(
        `Session "${session}" has turns that are only on this computer.`,
        'Nothing was sent. Use a session that is shared from its first turn.',
      );
  };

  /**
   * Resolves when the files are in the store. In the prompt, the agent's folder is replaced by the
   * turn's.
   */
  const filesOf = async (
    wanted: NewShared,
    uid: string,
  ): Promise<{ readonly ask: SharedAsk; readonly text: string }> => {
    const { text, agent } = wanted;
    if (!wanted.isWithFiles) return { ask: askOf(wanted), text };
    const own = deps.turnFiles.folderOf({ uid, agent, files: undefined }) ?? '';
    const { move, need } = await deps.turnFiles.send(agent);
    const folder = deps.turnFiles.folderOf({ uid, agent, files: move }) ?? '';
    const ask = askOf({ ...wanted, needs: [...wanted.needs, need] });
    return {
      ask: { ...ask, files: move },
      text: deps.texts.portableIn(folder).in(deps.texts.portableIn(own).out(text)),
    };
  };

  const accept = async (wanted: NewShared, uid: string) => {
    const { ask, text } = await filesOf(wanted, uid);
    return deps.sessions.accept({
      text,
      channel: 'cli',
      peer: '',
      session: wanted.session ?? `shared-${uid.slice(-12)}`,
      newAgent: wanted.agent,
      shared: (turnId) => [
        { kind: 'share.sent', turnId, uid, ask },
        { kind: 'turn.state', turnId, state: 'waiting', reason: because('reason.shared') },
      ],
    });
  };

  const sendNew = async (wanted: NewShared, uid: string) => {
    needShareable(wanted);
    const stand = deps.stand();
    if (stand.state !== 'connected')
      throw new HoldfastError(
        stand.state === 'connecting' ? 'SHARE_UNREACHABLE' : 'SHARE_REFUSED',
        stand.problem ?? 'The shared store has not responded yet.',
        {
          hint: 'Nothing was sent. Try again when "holdfast share status" says connected.',
          retryable: true,
        },
      );
    const before = reads.sharedByUid(uid);
    const row = before === undefined ? undefined : reads.turn(before.turnId);
    const { turn } = row !== undefined ? { turn: row } : await accept(wanted, uid);
    const sharedRow = reads.sharedTurn(turn.id);
    // A repeated message may already be saved on this computer only; like the first one, it is in
    // the store when this resolves.
    const isUnclaimed = sharedRow?.epoch === 0 && turn.endedAtMs === undefined;
    if (sharedRow !== undefined && isUnclaimed)
      await deps.deliver(sharedRow, turn).catch((thrown: unknown) => {
        throw savedHere(turn.id, thrown);
      });
    deps.look();
    const session = reads.session({ id: turn.sessionId });
    if (session === undefined) throw new HoldfastError('INTERNAL', 'The session no longer exists.');
    return { turn: reads.turn(turn.id) ?? turn, session };
  };

  /** Two concurrent sends with the same ID count as one. */
  const sending = new Map<string, ReturnType<typeof sendNew>>();
  const sendOnce = (wanted: NewShared): ReturnType<typeof sendNew> => {
    const uid =
      wanted.messageId === undefined ? deps.newId() : sharedUid(deps.hasher, wanted.messageId);
    const running = sending.get(uid) ?? sendNew(wanted, uid).finally(() => sending.delete(uid));
    sending.set(uid, running);
    return running;
  };

  return { send: sendOnce };
}

/**
 * The turn is on this disk and goes to the store automatically. Sending it again would run it
 * twice. DW-01
 */
function savedHere(turnId: number, thrown: unknown): HoldfastError {
  const { code, message } = toHoldfastError(thrown);
  const id = String(turnId);
  return new HoldfastError(
    code,
    `${sentence(message)} The message is saved on this computer as turn ${id}, and is sent to the shared store when it is back.`,
    {
      hint: `Do not send it again: it would run twice. To cancel it: holdfast turns cancel ${id}`,
      facts: { turnId },
      cause: thrown,
    },
  );
}

const askOf = ({ priority, needs, isHere, messageId }: NewShared): SharedAsk => ({
  priority,
  needs,
  isHere,
  ...(messageId === undefined ? {} : { messageId }),
});
