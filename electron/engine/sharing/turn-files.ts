import type { Hasher } from '../../ports/blobs';
import type { Clock } from '../../ports/clock';
import type { FilesMove, MovedFiles } from '../../ports/moved-files';
import type { GrantedTurn, SharedStore } from '../../ports/shared-store';
import type { CrashPoints } from '../kernel/crash-points';
import { HoldfastError } from '../kernel/errors';
import { isEffect } from '../recovery/ledger';
import type { Instant } from './plan-lease';
import { MAX_WHY, type WireEntry } from './wire';

interface TurnFilesDeps {
  readonly files: MovedFiles;
  readonly store: Pick<SharedStore, 'putText' | 'getText' | 'renew'>;
  readonly hasher: Hasher;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
  /** Folder of an agent on this computer; undefined without that agent. */
  readonly workspaceOf: (agent: string) => string | undefined;
  readonly leaseMs: () => number;
}

/** What a computer offers that has the repository of this agent; longer names are cut short by a hash. */
export function repositoryNeed(hasher: Hasher, agent: string, repository: string): string {
  const name = repository.length <= 100 ? repository : hasher.sha256Hex(repository);
  return `repository:${agent}@${name}`;
}

/** Files that a turn works in on whatever computer. DW-20 */
export interface TurnFiles {
  /** The files of this agent as they are now, in the store. @throws INPUT_INVALID, SHARE_UNREACHABLE */
  send(agent: string): Promise<{ readonly move: FilesMove; readonly need: string }>;
  /** The files of a turn as they are here now, in the store. @throws SHARE_UNREACHABLE */
  now(uid: string, move: FilesMove): Promise<WireEntry>;
  /** Where a turn works here: in files of its own, or where its agent does. Undefined without that agent. */
  folderOf(turn: {
    readonly uid: string;
    readonly agent: string;
    readonly files: FilesMove | undefined;
  }): string | undefined;
  /**
   * Brings the files of a granted turn, and keeps its lease until they are here. @throws LEASE_LOST,
   * SHARE_UNREACHABLE
   *
   * @returns when the lease was renewed last, or why the files cannot be here
   */
  bring(
    granted: GrantedTurn,
    turn: {
      readonly agent: string;
      readonly files: FilesMove;
      readonly sent: Instant;
      /** Nobody has worked in files that are here: they have to be these. */
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

  /** Of one turn one after the other: they share what was seen before. */
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
        throw new HoldfastError('INPUT_INVALID', captured.why, {
          hint: 'Nothing was sent. Without --repository, each computer uses its own files.',
        });
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
          const at = { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
          const held = { id: granted.id, epoch: granted.epoch };
          // Without an answer the lease goes on to count from the last one.
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

/** Which files a granted turn goes on in. */
export interface FilesPlan {
  readonly move: FilesMove;
  /** Another computer worked in them last: older ones here are replaced. */
  readonly isElsewhere: boolean;
  /** Changes that did not get out of the computer that made them. */
  readonly left?: { readonly machine: string; readonly why: string };
}

const NOT_SENT = 'It was gone before they were sent.';

/**
 * The newest files that the store has. A call that had only begun has an unknown outcome, in the files as
 * everywhere else; one that has ended left its changes where it ran, unless they were sent behind it.
 */
export function planFiles(
  sent: FilesMove,
  wires: readonly WireEntry[],
  /** Which computer wrote each. */
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
