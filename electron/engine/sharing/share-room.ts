import type { StatusSnapshot } from '../../../shared/types';
import type { ShareStage } from '../../../shared/types/share';
import type { Secrets } from '../../ports/secrets';
import type { Basics } from '../kernel/basics';
import type { SharedStore, StoreOwner, StoreServer } from '../../ports/shared-store';
import { HoldfastError } from '../kernel/errors';
import type { SharedWork } from './shared-work';
import type { Share, ShareStand } from './share';
import type { ShareGate } from './share-gate';
import type { SharedQuestions } from './shared-questions';
import type { whyWaiting } from './why-waiting';

/** Shared work of one start. Costs nothing before this computer has joined a store. */
export interface ShareRoom extends SharedWork {
  /** Of several computers that know a turn the first answer to its question counts. */
  readonly claimAnswer: SharedQuestions['claim'];
  start(): void;
  beginStop(): void;
  stop(graceMs: number): Promise<void>;
}

/** A store that this computer has opened. */
export interface OpenedStore {
  readonly store: SharedStore;
  readonly share: Share;
}

/** Addresses and invitations of stores; loaded on first use. */
interface StoreDoors {
  readonly ownerOf: (address: string) => StoreOwner;
  readonly readInvitation: (line: string) => { readonly address: string; readonly secret: string };
  readonly invitationOf: (
    owner: string,
    role: { readonly role: string; readonly password: string },
    use: 'here' | 'elsewhere',
  ) => string;
}

interface RoomDeps extends Pick<Basics, 'settings' | 'clock' | 'log'> {
  readonly secrets: Secrets;
  readonly gate: ShareGate;
  readonly hosting: StoreServer;
  readonly hostName: string;
  readonly store: () => Promise<StoreDoors>;
  /** `ensure`: if the server is our own, it is running when this resolves. @throws SHARE_SERVER */
  readonly open: (asked: {
    readonly secret: string;
    readonly address: string;
    readonly name: () => string;
    readonly ensure: () => Promise<void>;
  }) => Promise<OpenedStore>;
  readonly whyWaiting: () => Promise<typeof whyWaiting>;
  /** Number of unfinished shared turns, according to our journal. */
  readonly openTurns: () => number;
  readonly onChange: () => void;
}

/** Lifetime of the invitation for this computer itself, which joins at once. */
const HOST_INVITATION_MS = 60_000;
/** Keyring entry with the password of our role and the identity that the server must prove. */
const SECRET = 'share';
/** Keyring entry for the store owner's connection; only on the computer that set the store up. */
const OWNER_SECRET = 'share-owner';
/** How long a leaving computer may take to give its turns back, and our own server to stop. */
const LEAVE_MS = 5_000;
/** Twice the store's time limit for one answer. */
const FIRST_ANSWER_MS = 10_000;
const OFF: ShareStand = {
  state: 'connecting',
  problem: undefined,
  held: 0,
  answeredAtMs: undefined,
};

const off = (): HoldfastError =>
  new HoldfastError('SHARE_OFF', 'This computer does not share work.', {
    hint: 'Nothing was changed. Join a shared store with "holdfast share join".',
  });
const notOwner = (): HoldfastError =>
  new HoldfastError('SHARE_REFUSED', 'This computer has not set up the shared store.', {
    hint: 'Nothing was changed. Do it on the computer that has.',
  });

export function createShareRoom(deps: RoomDeps): ShareRoom {
  const { settings, secrets, log, clock, gate, hosting, store: load } = deps;
  let opened: OpenedStore | undefined;
  let share: Share | undefined;
  let ownsStore = false;
  let isStopping = false;
  let problem: string | undefined;
  let doing: ShareStage | undefined;

  const name = (): string => settings.get('share.name') || deps.hostName.slice(0, 64);
  const needOpened = (): OpenedStore => {
    if (opened === undefined) throw off();
    return opened;
  };

  /** Only the computer that set the store up upgrades it; others use it as it is. DW-26 */
  const upgrade = (ensure: () => Promise<void>): void => {
    ensure()
      .then(owner)
      .then(async (own) => own.upgrade())
      .catch((error: unknown) => {
        log.warn('share.upgrade.failed', { error });
      });
  };

  const connect = async (): Promise<void> => {
    const secret = await secrets.read(SECRET);
    if (secret === undefined) throw off();
    ownsStore = (await secrets.facts(OWNER_SECRET)).present;
    const address = settings.get('share.address');
    const server = await hosting.serverOf(address);
    const ensure = async (): Promise<void> => {
      if (!isStopping) await server?.ensure();
    };
    if (ownsStore) upgrade(ensure);
    opened = await deps.open({ secret, address, name, ensure });
    share = opened.share;
    gate.attach(share);
    share.start();
    problem = undefined;
  };

  const disconnect = async (graceMs: number): Promise<void> => {
    const was = share;
    if (was === undefined) return;
    was.beginStop();
    await was.stop(graceMs);
    opened = undefined;
    share = undefined;
    gate.attach(undefined);
  };

  const owner = async () => {
    const address = await secrets.read(OWNER_SECRET);
    if (address === undefined) throw notOwner();
    const { ownerOf } = await load();
    return ownerOf(address);
  };

  const until = async (isSo: (state: ShareStand['state']) => boolean): Promise<void> => {
    const endMs = clock.monotonicMs() + FIRST_ANSWER_MS;
    while (share !== undefined && !isSo(share.stand().state) && clock.monotonicMs() < endMs)
      await clock.sleep(20);
  };
  /** Resolves when the store has judged this computer. @throws the store's error */
  const firstAnswer = async (): Promise<void> => {
    await until((state) => state !== 'connecting');
    if (share === undefined) return;
    const { state, problem: said } = share.stand();
    if (state === 'refused' || state === 'connecting')
      throw new HoldfastError(
        state === 'refused' ? 'SHARE_REFUSED' : 'SHARE_UNREACHABLE',
        said ?? 'The shared store has not responded.',
        { hint: 'It is tried again automatically. See "holdfast share status".' },
      );
  };

  const needNone = (): void => {
    if (settings.get('share.address') === '') return;
    throw new HoldfastError('SHARE_STATE', 'This computer has already joined a shared store.', {
      hint: 'Nothing was changed. Leave it with "holdfast share leave" first.',
    });
  };

  const join = async (invitation: string): Promise<void> => {
    const { readInvitation } = await load();
    const { address, secret } = readInvitation(invitation);
    tell('connecting');
    await secrets.write(SECRET, secret, { allowPlaintext: true });
    await settings.set('share.address', address);
    await connect();
    await firstAnswer();
  };

  /** By what it calls itself, or by its id, which it cannot choose: another may call itself the same. */
  const machinesNamed = async (wanted: string, states: readonly string[]) => {
    const all = await needOpened().store.machines();
    const byId = all.filter(({ id }) => id === wanted);
    return (byId.length > 0 ? byId : all.filter((machine) => machine.name === wanted)).filter(
      ({ state }) => states.includes(state),
    );
  };

  const machineOf = async (wanted: string, states: readonly string[]): Promise<string> => {
    const found = await machinesNamed(wanted, states);
    const [one] = found;
    if (one !== undefined && found.length === 1) return one.id;
    throw new HoldfastError(
      found.length === 0 ? 'MACHINE_UNKNOWN' : 'INPUT_INVALID',
      found.length === 0
        ? `No computer "${wanted.slice(0, 60)}" is in a state that allows this.`
        : `There are ${String(found.length)} computers "${wanted.slice(0, 60)}".`,
      {
        hint: 'Nothing was changed. List them: holdfast machines list. Each can also be named by its ID.',
      },
    );
  };

  const setUp = async (address: string): Promise<void> => {
    const { ownerOf, invitationOf } = await load();
    tell('connecting');
    const own = ownerOf(address);
    await own.open();
    const role = await own.invite(name(), HOST_INVITATION_MS);
    await secrets.write(OWNER_SECRET, address, { allowPlaintext: true });
    await join(invitationOf(address, role, 'here'));
    const [self] = (await own.machines()).filter(({ role: of }) => of === role.role);
    if (self !== undefined) await own.admit(self.id);
    share?.look();
    await until((state) => state === 'connected');
  };

  const tell = (stage: ShareStage | undefined): void => {
    doing = stage;
    deps.onChange();
  };
  /** One at a time: two calls would create the same store, or join two. @throws SHARE_STATE */
  const alone = async (work: () => Promise<void>): Promise<void> => {
    if (doing !== undefined)
      throw new HoldfastError('SHARE_STATE', 'Shared work is already being set up.', {
        hint: 'Nothing was changed. See "holdfast share status".',
      });
    needNone();
    tell('looking');
    try {
      await work();
    } finally {
      tell(undefined);
    }
  };
  const hostNow = async ({
    address,
    listen,
    mayFetch,
  }: Parameters<SharedWork['host']>[0]): Promise<void> => {
    if (address !== undefined) {
      await setUp(address);
      return;
    }
    try {
      await setUp(await hosting.make(listen, mayFetch, tell));
    } catch (error) {
      if (settings.get('share.address') === '') await hosting.stop(LEAVE_MS);
      throw error;
    }
  };

  const outlook = (): StatusSnapshot['shared'] => {
    if (settings.get('share.address') === '') return undefined;
    const { state, held } = share?.stand() ?? OFF;
    return { state: problem === undefined ? state : 'refused', held };
  };

  return {
    outlook,
    status() {
      const address = settings.get('share.address');
      const stand = share?.stand() ?? OFF;
      const said = problem ?? stand.problem;
      const listens = address === '' ? undefined : hosting.listens();
      return {
        state: address === '' ? 'off' : problem === undefined ? stand.state : 'refused',
        address,
        name: name(),
        held: stand.held,
        ...(stand.answeredAtMs === undefined ? {} : { answeredAtMs: stand.answeredAtMs }),
        isOwner: ownsStore,
        ...(listens === undefined ? {} : { listens }),
        ...(doing === undefined ? {} : { doing }),
        ...(said === undefined || address === '' ? {} : { problem: said.slice(0, 1_000) }),
      };
    },
    live() {
      if (share === undefined) throw off();
      return share;
    },
    whyNotShared: (agent) => (share === undefined ? off().message : share.whyNot(agent)),
    // If the turn was left with the store, no other computer can answer.
    claimAnswer: async (...asked) => share?.questions.claim(...asked) ?? 'here',
    machines: async () => needOpened().store.machines(),
    async waiting() {
      const now = needOpened();
      const [waiting, machines] = await Promise.all([now.share.waiting(), now.store.machines()]);
      // Without shared work, none of its code is loaded.
      const whyWaiting = await deps.whyWaiting();
      return waiting.map((row) => ({ ...row, why: whyWaiting(row, waiting, machines) }));
    },
    release: async (id) => needOpened().store.release(id),
    host: (place) => alone(() => hostNow(place)),
    hostOutlook: async () => hosting.outlook(),
    join: (invitation) => alone(() => join(invitation)),
    async leave() {
      await disconnect(LEAVE_MS);
      await hosting.stop(LEAVE_MS);
      await settings.set('share.address', null);
      await secrets.write(SECRET, null, { allowPlaintext: true });
      await secrets.write(OWNER_SECRET, null, { allowPlaintext: true });
      ownsStore = false;
    },
    async invite(wanted, forMs) {
      const { invitationOf } = await load();
      const own = await owner();
      const address = await secrets.read(OWNER_SECRET);
      const known = await machinesNamed(wanted, ['invited', 'asking', 'admitted']);
      if (known.some(({ state }) => state !== 'invited')) throw nameTaken(wanted);
      // Replaces an unused invitation: two of the same name could not be told apart.
      for (const { id } of known) await own.revoke(id);
      const role = await own.invite(wanted, forMs);
      return {
        invitation: invitationOf(address ?? '', role, 'elsewhere'),
        expiresAtMs: clock.nowMs() + forMs,
      };
    },
    async admit(wanted) {
      const own = await owner();
      const known = await machinesNamed(wanted, ['invited', 'asking']);
      if (known.length > 0 && known.every(({ state }) => state === 'invited'))
        throw notJoined(wanted);
      if (await own.admit(await machineOf(wanted, ['asking']))) return;
      throw new HoldfastError('SHARE_STATE', `"${wanted}" has not asked to be admitted.`);
    },
    async revoke(wanted) {
      const own = await owner();
      await own.revoke(await machineOf(wanted, ['invited', 'asking', 'admitted']));
    },
    async acceptLoss() {
      await (await owner()).acceptLoss();
    },
    start() {
      if (settings.get('share.address') === '') {
        hosting.sweep();
        return;
      }
      connect().catch((error: unknown) => {
        problem = error instanceof Error ? error.message : String(error);
        log.error('share.open.failed', { error, turns: deps.openTurns() });
        deps.onChange();
      });
    },
    beginStop() {
      isStopping = true;
      share?.beginStop();
    },
    async stop(graceMs) {
      const endMs = clock.monotonicMs() + graceMs;
      await share?.stop(graceMs);
      // Last, because turns that are given back go to this server.
      await hosting.stop(Math.max(1_000, endMs - clock.monotonicMs()));
    },
  };
}

const nameTaken = (wanted: string): HoldfastError =>
  new HoldfastError('SHARE_STATE', `There is already a computer "${wanted.slice(0, 60)}".`, {
    hint: 'Nothing was changed. Choose another name, or revoke it first: holdfast share revoke NAME',
  });

const notJoined = (wanted: string): HoldfastError =>
  new HoldfastError('SHARE_STATE', `"${wanted.slice(0, 60)}" is invited and has not joined yet.`, {
    hint: 'Nothing was changed. On that computer, run: holdfast share join INVITATION',
  });
