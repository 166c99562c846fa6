import type { UpdateMode } from '../../../shared/settings/updates';
import type { InstallKind, UpdateStatus } from '../../../shared/types/updates';
import type { Clock } from '../../ports/clock';
import type { Audit, Log } from '../../ports/log';
import type {
  StartHelper,
  UpdateNote,
  UpdateNotes,
  UpdateOffer,
  UpdateSource,
} from '../../ports/updates';
import { HoldfastError, toHoldfastError } from '../kernel/errors';
import { judgeOffer, planAfterCheck, planInstall, type InstalledSelf } from './plan-update';

export interface UpdatesDeps {
  readonly self: InstalledSelf;
  readonly settings: () => {
    readonly mode: UpdateMode;
    readonly feed: string;
    readonly publicKey: string;
  };
  readonly source: UpdateSource;
  readonly notes: UpdateNotes;
  readonly startHelper: StartHelper;
  readonly quit: {
    /** No turn or step starts; running steps finish; then `leave` runs, and Holdfast stops. */
    drain(leave: () => boolean): void;
    takeBack(): void;
  };
  readonly running: () => number;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly audit: Pick<Audit, 'record'>;
  readonly onChange: () => void;
}

export interface Updates {
  status(): UpdateStatus;
  /** Reads the list, and acts on a newer version according to `updates.mode`. */
  check(): Promise<void>;
  install(when: 'idle' | 'now', version: string): Promise<void>;
  cancel(): void;
  /** Call when turns have started or ended. */
  look(): void;
  /** Update status for the tray; undefined if there is nothing to show. */
  brief(): { readonly state: 'ready' | 'waiting'; readonly version: string } | undefined;
}

const ADVICE: Readonly<Record<Exclude<InstallKind, 'appimage'>, string>> = {
  deb: 'Holdfast was installed from a package. Install the new package: sudo apt install ./holdfast_VERSION.deb',
  server:
    'This Holdfast runs without windows. Update it with the package manager that installed it, such as npm, then restart the service.',
  archive:
    'Holdfast was unpacked from an archive. Quit it, then unpack the new archive in its place.',
  checkout:
    'This Holdfast runs from a checkout. Stop it, update it with git pull, and start it again.',
  mac: 'Quit Holdfast, then replace the app with the new one.',
  windows: 'Quit Holdfast, then run the new installer.',
};

/** One update at a time, from the list to the helper. UP-02 */
export function createUpdates(deps: UpdatesDeps): Updates {
  const { self, notes, clock, log } = deps;
  const canInstall = self.kind === 'appimage' && self.fixed === undefined;
  let offer: UpdateOffer | undefined;
  let checkedAtMs: number | undefined;
  let problem: string | undefined;
  let unread: string | undefined;
  let wanted: 'idle' | 'now' | undefined;
  let work: 'none' | 'downloading' | 'draining' | 'installing' = 'none';
  let busy: Promise<unknown> = Promise.resolve();

  const changed = (): void => {
    deps.onChange();
  };
  const advice = (): string | undefined =>
    self.fixed ?? (self.kind === 'appimage' ? undefined : ADVICE[self.kind]);

  const readyNote = (): UpdateNote | undefined => {
    const note = notes.read();
    return note?.phase === 'ready' && note.from === self.version ? note : undefined;
  };
  /** For what is shown or happens automatically: a note that cannot be read is a problem. */
  const seen = <T>(read: () => T): T | undefined => {
    try {
      const found = read();
      unread = undefined;
      return found;
    } catch (error) {
      unread = toHoldfastError(error).message.slice(0, 500);
      return undefined;
    }
  };
  const newer = (): string | undefined => offer?.version ?? readyNote()?.to;

  /** One at a time; errors stay visible. */
  const inTurn = async (task: () => Promise<void>): Promise<void> => {
    const mine = busy.then(task);
    busy = mine.catch(() => undefined);
    try {
      await mine;
      problem = undefined;
    } catch (error) {
      problem = toHoldfastError(error).message.slice(0, 500);
      log.warn('updates.failed', { problem });
      throw error;
    } finally {
      changed();
    }
  };

  const readList = async (): Promise<void> => {
    const { feed, publicKey } = deps.settings();
    if (feed === '' || publicKey === '')
      throw new HoldfastError('UPDATE_REFUSED', 'No signed list of versions is configured.', {
        hint: 'Nothing was requested. Set "updates.feed" and "updates.public_key".',
      });
    const found = await deps.source.readOffer({ feed, publicKey });
    checkedAtMs = clock.nowMs();
    const note = notes.read();
    const verdict = judgeOffer(found.version, self.version, note?.seen);
    if (verdict === 'unreadable' || verdict === 'stale') {
      offer = undefined;
      throw new HoldfastError(
        'UPDATE_REFUSED',
        verdict === 'stale'
          ? `The list of versions names ${found.version}, which is older than a version that was seen before.`
          : 'The list of versions names no version that can be compared.',
        { hint: 'Nothing was changed. The server may be sending an old list: try later.' },
      );
    }
    if (note?.seen !== found.version)
      notes.write({ ...(note ?? emptyNote(self)), seen: found.version });
    offer = verdict === 'newer' ? found : undefined;
  };

  const fetchOffer = async (): Promise<UpdateNote> => {
    const there = readyNote();
    if (there !== undefined && (offer === undefined || there.to === offer.version)) return there;
    if (work !== 'none')
      throw new HoldfastError('UPDATE_REFUSED', 'An update is being installed.', {
        hint: 'Nothing was changed. Cancel it first: holdfast update cancel',
      });
    if (offer?.file === undefined)
      throw new HoldfastError(
        'UPDATE_REFUSED',
        'The list of versions has no file for this computer.',
        {
          hint: 'Nothing was changed.',
        },
      );
    work = 'downloading';
    changed();
    try {
      const artifact = await deps.source.download(offer.file, offer.version);
      const note: UpdateNote = {
        ...emptyNote(self),
        ...pick(notes.read()),
        phase: 'ready',
        to: offer.version,
        atMs: clock.nowMs(),
        sha512: offer.file.sha512,
        artifact,
      };
      notes.write(note);
      deps.audit.record('update_ready', { from: note.from, version: note.to });
      return note;
    } finally {
      work = 'none';
    }
  };

  /** Called once nothing runs; false keeps Holdfast running. */
  const leave = (): boolean => {
    const note = seen(readyNote);
    if (note === undefined) return false;
    try {
      notes.write({ ...note, phase: 'stopping', atMs: clock.nowMs(), attempts: 0 });
      deps.startHelper(self.program);
    } catch (error) {
      try {
        notes.write(note);
      } catch {
        // The disk still rejects it: the next start ends an update that left nothing behind.
      }
      problem = `The update could not be started: ${toHoldfastError(error).message}`.slice(0, 500);
      wanted = undefined;
      work = 'none';
      log.warn('updates.not_started', { problem });
      return false;
    }
    deps.audit.record('update_installing', { from: note.from, version: note.to });
    work = 'installing';
    return true;
  };

  const look = (): void => {
    if (work !== 'none' || planInstall(wanted, deps.running()) === 'rest') return;
    if (seen(readyNote) === undefined) return;
    work = 'draining';
    deps.quit.drain(leave);
    changed();
  };

  return {
    status: () => {
      const version = seen(newer);
      const last = lastOf(seen(() => notes.read()));
      const tip = advice();
      return {
        mode: deps.settings().mode,
        state: stateOf(work, wanted, version, seen(readyNote)),
        current: self.version,
        install: self.kind,
        canInstall,
        running: deps.running(),
        ...(version === undefined ? {} : { version }),
        ...(checkedAtMs === undefined ? {} : { checkedAtMs }),
        ...withProblem(unread ?? problem),
        ...(tip === undefined ? {} : { advice: tip }),
        ...(last === undefined ? {} : { last }),
      };
    },
    check: () =>
      inTurn(async () => {
        await readList();
        if (offer === undefined) return;
        const note = notes.read();
        const next = planAfterCheck({
          mode: deps.settings().mode,
          canInstall,
          isRolledBack: note?.phase === 'rolled_back' && note.to === offer.version,
        });
        // A download that ends while an update starts would overwrite its note.
        if (next.download && work === 'none') await fetchOffer();
        if (next.install) wanted ??= 'idle';
        look();
      }),
    install: (when, version) =>
      inTurn(async () => {
        if (!canInstall)
          throw new HoldfastError('UPDATE_REFUSED', 'Holdfast does not replace itself here.', {
            hint: advice() ?? 'Nothing was changed.',
          });
        if (newer() === undefined) await readList();
        const found = newer();
        if (found !== version)
          throw new HoldfastError(
            'UPDATE_REFUSED',
            found === undefined
              ? `There is no newer version than ${self.version}.`
              : `The newest version is ${found} by now, not ${version}.`,
            { hint: 'Nothing was changed. See "holdfast update status".' },
          );
        await fetchOffer();
        wanted = when;
        look();
      }),
    cancel() {
      if (work === 'installing') return;
      wanted = undefined;
      if (work === 'draining') {
        work = 'none';
        deps.quit.takeBack();
      }
      changed();
    },
    look,
    brief() {
      const note = seen(readyNote);
      if (note === undefined) return undefined;
      return { state: wanted === undefined ? 'ready' : 'waiting', version: note.to };
    },
  };
}

const withProblem = (problem: string | undefined): Pick<UpdateStatus, 'problem'> =>
  problem === undefined ? {} : { problem };

const emptyNote = (self: InstalledSelf): UpdateNote => ({
  phase: 'none',
  from: self.version,
  to: self.version,
  atMs: 0,
  seen: self.version,
  sha512: '',
  artifact: '',
  target: self.program,
  args: self.args,
  attempts: 0,
});

/** The fields that outlive an update. */
const pick = (note: UpdateNote | undefined): Partial<UpdateNote> =>
  note === undefined ? {} : { seen: note.seen };

function stateOf(
  work: 'none' | 'downloading' | 'draining' | 'installing',
  wanted: 'idle' | 'now' | undefined,
  version: string | undefined,
  ready: UpdateNote | undefined,
): UpdateStatus['state'] {
  if (work !== 'none') return work;
  if (ready !== undefined) return wanted === undefined ? 'ready' : 'waiting';
  return version === undefined ? 'idle' : 'available';
}

function lastOf(note: UpdateNote | undefined): UpdateStatus['last'] {
  if (note === undefined) return undefined;
  const { from, to, atMs, reason } = note;
  const rest = { from, to, atMs, ...(reason === undefined ? {} : { reason }) };
  switch (note.phase) {
    case 'done':
      return { ...rest, outcome: 'installed' };
    case 'rolled_back':
      return { ...rest, outcome: 'rolled_back' };
    case 'interrupted':
      return { ...rest, outcome: 'interrupted' };
    default:
      return undefined;
  }
}
