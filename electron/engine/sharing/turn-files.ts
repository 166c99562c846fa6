import type { Hasher } from '../../ports/blobs';
import type { Basics } from '../kernel/basics';
import type { FilesMove, MovedFiles } from '../../ports/moved-files';
import type { GrantedTurn, SharedStore } from '../../ports/shared-store';
import { invalidInput } from '../kernel/errors';
import { isEffect } from '../recovery/ledger';
import { instantOf, type Instant } from './plan-lease';
import { MAX_WHY, type WireEntry } from './wire';

interface TurnFilesDeps extends Pick<Basics, 'hasher' | 'clock' | 'crashPoints'> {
  readonly files: MovedFiles;
  readonly store: Pick<SharedStore, 'putText' | 'getText' | 'renew'>;
  /** Workspace of an agent on this computer. Undefined if the agent does not exist here. */
  readonly workspaceOf: (agent: string) => string | undefined;
  readonly leaseMs: () => number;
}

/**
 * The capability of a computer that has this agent's repository. Long names are shortened with a
 * hash.
 */
export function repositoryNeed(hasher: Hasher, agent: string, repository: string): string {
  const name = repository.length <= 100 ? repository : hasher.sha256Hex(repository);
  return `repository:${agent}@${name}`;
}

/** Files of a turn that can run on any computer. DW-20 */
export interface TurnFiles {
  /** Stores the agent's current files. @throws INPUT_INVALID, SHARE_UNREACHABLE */
  send(agent: string): Promise<{ readonly move: FilesMove; readonly need: string }>;
  /** Stores a turn's files as they are on this computer now. @throws SHARE_UNREACHABLE */
  now(uid: string, move: FilesMove): Promise<WireEntry>;
  /**
   * The folder a turn works in on this computer: its own, or its agent's. Undefined without that
   * agent.
   */
  folderOf(turn: {
    readonly uid: string;
    readonly agent: string;
    readonly files: FilesMove | undefined;
  }): string | undefined;
  /**
   * Fetches the files of a granted turn, renewing its lease meanwhile. @throws LEASE_LOST,
   * SHARE_UNREACHABLE
   *
   * @returns when the lease was last renewed, or why the files cannot be fetched
   */
  bring(
    granted: GrantedTurn,
    turn: {
      readonly agent: string;
      readonly files: FilesMove;
      readonly sent: Instant;
      /** True if nothing changed these files here, so existing ones must be equal. */
      readonly isEqual: boolean;
    },
  ): Promise<
    | { readonly kind: 'here'; readonly sent: Instant }
    | { readonly kind: 'refused'; readonly why: string }
  >;
}

export function createTurnFiles(deps: TurnFilesDeps): TurnFiles {
  const { files, store, hasher, clock } = deps;

  const folderOf: TurnFiles['folderOf'] = ({ uid, agent, files: move }) =>
    move === undefined ? deps.workspaceOf(agent) : files.placeOf(uid, move.prefix);

  const put = async (texts: readonly string[]): Promise<readonly string[]> => {
    const pieces: string[] = [];
    for (const text of texts) {
      const hash = hasher.sha256Hex(text);
      await store.putText(hash, text);
      pieces.push(hash);
    }
    return pieces;
  };

  const look = async (uid: string, move: FilesMove): Promise<WireEntry> => {
    const seen = await files.recapture(uid, move.base);
    if (seen.kind === 'refused') return { k: 'files', why: seen.why.slice(0, MAX_WHY) };
    const { tree, texts } = seen.files;
    return { k: 'files', files: { ...move, tree, pieces: await put(texts) } };
  };

  /** One at a time per turn: captures share what was seen before. */
  const looking = new Map<string, Promise<unknown>>();

  return {
    now(uid, move) {
      const before = looking.get(uid) ?? Promise.resolve();
      const looked = before.then(() => look(uid, move));
      const settled = looked
        .catch(() => undefined)
        .then(() => {
          if (looking.get(uid) === settled) looking.delete(uid);
        });
      looking.set(uid, settled);
      return looked;
    },
    async send(agent) {
      const folder = deps.workspaceOf(agent);
      const captured =
        folder === undefined
          ? { kind: 'refused' as const, why: `The folder of "${agent}" cannot be used.` }
          : await files.capture(folder);
      if (captured.kind === 'refused')
        throw invalidInput(
          captured.why,
          'Nothing was sent. Without --repository, each computer uses its own files.',
        );
      const { texts, repository, ...rest } = captured.files;
      const pieces = await put(texts);
      deps.crashPoints.hit('share.files.sent');
      return { move: { ...rest, pieces }, need: repositoryNeed(hasher, agent, repository) };
    },
    folderOf,
    async bring(granted, { agent, files: move, isEqual, ...turn }) {
      const from = deps.workspaceOf(agent);
      if (from === undefined)
        return { kind: 'refused', why: `The folder of "${agent}" cannot be used there.` };
      let { sent } = turn;
      const arrived = new AbortController();
      const keep = async (): Promise<void> => {
        for (;;) {
          await clock.sleep(deps.leaseMs() / 3, arrived.signal).catch(() => undefined);
          if (arrived.signal.aborted) return;
          const at = instantOf(clock);
          const held = { id: granted.id, epoch: granted.epoch };
          // Without an answer the lease keeps counting from the last renewal.
          const answer = await store.renew([held], deps.leaseMs()).catch(() => undefined);
          if (answer?.kept.includes(granted.id) === true) sent = at;
        }
      };
      const keeping = keep();
      try {
        const answer = await files.arrive(granted.id, from, move, {
          isEqual,
          piece: (hash) => store.getText(hash),
        });
        return answer.kind === 'refused' ? answer : { kind: 'here', sent };
      } finally {
        arrived.abort();
        await keeping;
      }
    },
  };
}

/** The files in which a granted turn continues. */
export interface FilesPlan {
  readonly move: FilesMove;
  /** Another computer worked in them last, so older files here are replaced. */
  readonly isElsewhere: boolean;
  /** Set if changes did not leave the computer that made them. */
  readonly left?: { readonly machine: string; readonly why: string };
}

const NOT_SENT = 'That computer was gone before it sent them.';

/**
 * Plans from the newest files in the store. A call that has only started has an unknown outcome, in
 * the files too; a call that ended left its changes on the computer where it ran, unless they were
 * sent after it.
 */
export function planFiles(
  sent: FilesMove,
  wires: readonly WireEntry[],
  /** The computer that wrote each entry. */
  by: readonly string[],
  ownName: string,
): FilesPlan {
  const changing = new Set(wires.flatMap((wire) => (isChange(wire) ? [wire.step] : [])));
  const lastEnd = wires.findLastIndex((wire) => wire.k === 'end' && changing.has(wire.step));
  const lastFiles = wires.findLastIndex(({ k }) => k === 'files');
  const [told] = wires.slice(lastFiles, lastFiles + 1).filter((wire) => wire.k === 'files');
  const newest = wires.findLast((wire) => wire.k === 'files' && wire.files !== undefined);
  const move = (newest?.k === 'files' ? newest.files : undefined) ?? sent;
  const machine = by[wires.findLastIndex(isChange)];
  if (machine === undefined || machine === ownName) return { move, isElsewhere: false };
  if (lastFiles >= lastEnd && (told === undefined || told.files !== undefined))
    return { move, isElsewhere: true };
  const why = lastFiles > lastEnd ? (told?.why ?? NOT_SENT) : NOT_SENT;
  return { move, isElsewhere: true, left: { machine, why } };
}

const isChange = (wire: WireEntry): wire is Extract<WireEntry, { k: 'start' }> =>
  wire.k === 'start' && isEffect(wire) && wire.hasEffects;
